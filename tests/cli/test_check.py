from __future__ import annotations

import json
import socket
from pathlib import Path

import openpyxl
import pytest
from check_files import Files, write_files
from click.testing import CliRunner, Result

from grader.cli.main import cli

BAD = Files([["id", 25, 100], [1, "(1) name the ship", "(1) give a good reason"], [1, "a", "b"], [None, "c"]])
DOUBTFUL = Files([["id", 25], [1, "(1) give a good reason"]])


def check(folder: Path, files: Files, *arguments: object) -> Result:
    request = write_files(folder, files)
    words = ["check", "--criteria", request.criteria_path]
    words += [word for path in request.answers_paths for word in ("--answers", path)]
    return CliRunner().invoke(cli, [str(word) for word in (*words, *arguments)])


def test_lines_for_people(tmp_path: Path) -> None:
    done = check(tmp_path, BAD)
    assert done.exit_code == 2
    lines = done.stdout.splitlines()
    assert lines[0].endswith("criteria.xlsx, sheet Criteria")
    assert lines[1] == "  errors"
    assert lines[2].startswith("    Criteria!A3  the id 1 occurs twice") and lines[2].endswith("[duplicate-id]")
    assert lines[3].startswith("        Give each question")
    assert lines[-1] == "2 errors, 1 warning"
    assert lines.index("  warnings") > lines.index("  errors")


def test_exit_codes(tmp_path: Path) -> None:
    assert check(tmp_path, DOUBTFUL).exit_code == 0
    assert check(tmp_path, DOUBTFUL, "--strict").exit_code == 2
    clean = check(tmp_path, Files(), "--strict")
    assert clean.exit_code == 0 and clean.stdout == "0 errors, 0 warnings\n"


def test_json_for_scripts(tmp_path: Path) -> None:
    done = check(tmp_path, BAD, "--format", "json")
    assert done.exit_code == 2
    problems = json.loads(done.stdout)
    assert set(problems[0]) == {"rule", "severity", "file", "sheet", "cell", "message", "hint"}
    assert (problems[0]["rule"], problems[0]["sheet"], problems[0]["cell"]) == ("duplicate-id", "Criteria", "A3")
    assert json.loads(check(tmp_path, Files(), "--format", "json").stdout) == []


def test_no_socket_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    assert check(tmp_path, BAD).exit_code == 2


def test_the_copy_has_notes_and_a_list_and_the_original_is_untouched(tmp_path: Path) -> None:
    write_files(tmp_path, BAD)
    before = (tmp_path / "criteria.xlsx").read_bytes()
    done = CliRunner().invoke(
        cli, ["check", "--criteria", str(tmp_path / "criteria.xlsx"), "--out", str(tmp_path / "noted.xlsx")]
    )
    assert done.exit_code == 2 and "written:" in done.stderr
    assert (tmp_path / "criteria.xlsx").read_bytes() == before
    copy = openpyxl.load_workbook(tmp_path / "noted.xlsx")
    assert copy.sheetnames == ["Criteria", "Check"]
    note = copy["Criteria"]["A3"].comment
    assert note is not None and "occurs twice" in note.text and "[duplicate-id]" in note.text
    assert next(cell.value for cell in copy["Check"][1]) == "severity"
    assert copy["Check"].max_row == 4


@pytest.mark.parametrize("name", ["criteria.xlsx", "apollo.jsonl"])
def test_a_file_that_is_read_is_never_written(tmp_path: Path, name: str) -> None:
    files = Files(answers=[{"id": 1, "answer": "a"}])
    done = check(tmp_path, files, "--out", tmp_path / name)
    assert done.exit_code == 2 and "never changed" in done.stderr


def test_score_refuses_with_all_errors(tmp_path: Path) -> None:
    request = write_files(tmp_path, Files(BAD.rows, answers=[{"id": 1, "answer": "a"}]))
    words = [
        "score",
        "--criteria",
        request.criteria_path,
        "--answers",
        request.answers_paths[0],
        "--out",
        tmp_path / "r",
    ]
    done = CliRunner().invoke(cli, [str(word) for word in words])
    assert done.exit_code == 2
    assert "Criteria!A3" in done.stderr and "Criteria!A4" in done.stderr
    assert not (tmp_path / "r").exists()
