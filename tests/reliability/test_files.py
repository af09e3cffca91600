"""Files appear whole or not at all, names stay in their folder, text stays text (RELIABILITY 15, 16, 19)."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from grader.cli.main import cli
from grader.errors import RunError
from grader.outputs.atomic_file import write_new_file, writing
from grader.outputs.file_names import safe_file_names

ROOT = Path(__file__).parents[2]
WRITES = {"write_text", "write_bytes", "to_csv", "to_excel", "to_json", "to_html"}
MAY_WRITE = {
    "grader/outputs/atomic_file.py": "the place where text files are written",
    "grader/outputs/annotated_copy.py": "into the file beside that save_beside hands it",
    "grader/outputs/graded_workbook/finished_rows.py": "a part of the workbook that is being made beside its target",
    "grader/judging/debug_log.py": "a log grows line by line",
}


def written_directly(source: str) -> list[int]:
    """Return the lines on which a file is opened for writing or written in one go."""
    lines = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        modes = [each.value for each in [*node.args[:2], *(k.value for k in node.keywords if k.arg == "mode")]
                 if isinstance(each, ast.Constant) and isinstance(each.value, str)]  # fmt: skip
        is_writing_mode = any(
            re.fullmatch(r"[rbt]*[wax+][wabxt+]*", mode) and "r+" not in mode and mode != "rb+" for mode in modes
        )
        if name in WRITES or (name == "open" and is_writing_mode):
            lines.append(node.lineno)
    return lines


def test_every_file_is_written_beside_its_target() -> None:
    """A new writer either goes by `atomic_file` or `saving`, or says here why not."""
    found = {}
    for path in sorted((ROOT / "grader").rglob("*.py")):
        lines = written_directly(path.read_text("utf-8"))
        name = path.relative_to(ROOT).as_posix()
        if lines and name not in MAY_WRITE:
            found[name] = lines
    assert not found


def test_the_search_for_writers_finds_one() -> None:
    assert written_directly(
        "p.open('w')\nopen(p, 'xb')\np.write_text('')\np.open()\np.open('rb+')\np.open(mode='a')"
    ) == [1, 2, 3, 6]


def write_by_writing(path: Path) -> None:
    with writing(path) as file:
        file.write("what was meant\n")


def write_by_new(path: Path) -> None:
    write_new_file(path, b"what was meant\n")


@pytest.mark.parametrize("write", [write_by_writing, write_by_new])
def test_a_disk_that_does_not_hold_what_it_was_given_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], None]
) -> None:
    real = os.fsync

    def fsync(number: int) -> None:
        real(number)
        for path in tmp_path.glob(".*.part"):  # as a failing disk would
            path.write_bytes(path.read_bytes().replace(b"meant", b"mean\0"))

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises((RunError, OSError), match="read back unchanged"):
        write(tmp_path / "out.txt")
    assert list(tmp_path.iterdir()) == []


def test_a_new_file_never_replaces_one_that_came_in_the_meantime(tmp_path: Path) -> None:
    path = tmp_path / "new.yaml"
    write_new_file(path, b"first")
    with pytest.raises(FileExistsError):
        write_new_file(path, b"second")
    assert path.read_bytes() == b"first"
    assert [each.name for each in tmp_path.iterdir()] == ["new.yaml"]


def test_where_there_are_no_links_it_does_not_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, target: Path) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    write_new_file(tmp_path / "new.yaml", b"first")
    with pytest.raises(FileExistsError):
        write_new_file(tmp_path / "new.yaml", b"second")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"new.yaml": b"first"}


FULL_DISK = """
import resource, sys
limit = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
from grader.cli.main import cli
cli(sys.argv[1:])
"""


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("rubrics", "new", "mine"), "rubrics/mine.yaml"),
        (("init", "--rubric", "likert", "new.xlsx"), "new.xlsx"),
        (("prompts", "--criteria", "criteria.xlsx", "--answers", "apollo.jsonl", "--out", "p"), "p/apollo/1.txt"),
    ],
)
def test_a_full_disk_leaves_no_half_file(
    words: tuple[str, ...], name: str, criteria_path: Path, answers_path: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, "6000" if words[0] == "init" else "300", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode in (1, 2), done.stdout
    assert "Error: " in done.stderr and "cannot be written" in done.stderr
    assert not (tmp_path / name).exists()
    assert not list(tmp_path.rglob(".*.part"))


# Names (16)

EVIL_NAMES = [
    *("openai/../../x", "CON", "a:b", "x" * 300, "A", "a", "..", ".", "../..", "/etc/passwd", "C:\\x", "\\\\host\\x"),
    *(
        "nul.txt",
        "a\0b",
        "a\nb",
        "~",
        "~/x",
        "$HOME",
        "-rf",
        "a" + "\u202e" + "cod",
        "ｅ．．／x",
        "é",
        "e\u0301",
        " a",
        "a ",
    ),
    *("com¹", "x.", "x. .", "|", "%2e%2e%2f", "\ud800", "語" * 200, "aux.h", "LPT9", ".git", "a//b", "a\\b", "a__b"),
]


def check_names(names: list[str], folder: Path) -> None:
    made = safe_file_names(names)
    assert set(made) == set(names)
    assert len({name.casefold() for name in made.values()}) == len(made)
    for name in made.values():
        path = folder / f"{name}.txt"
        assert path.parent == folder and path.resolve().parent == folder.resolve()
        assert not re.search(r"[<>:\"/\\|?*\x00-\x1f\u202a-\u202e]", name)
        assert len(f"{name}.txt".encode()) <= 143  # the least of common file systems, encrypted ones included
        assert re.fullmatch(r"(?i)(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])", name.partition(".")[0]) is None
        assert name[-1] not in ". " and name[0] not in ".-~ "


def test_hostile_names_stay_in_their_folder_and_apart(tmp_path: Path) -> None:
    check_names(EVIL_NAMES, tmp_path)
    check_names(EVIL_NAMES[::-1], tmp_path)


@pytest.mark.no_cover
@given(st.lists(st.sampled_from(EVIL_NAMES) | st.text(max_size=30), min_size=1, max_size=8))
def test_so_do_any(names: list[str]) -> None:
    check_names(names, Path("folder"))


def test_systems_and_models_named_like_paths_write_nothing_outside(
    criteria_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = [name for name in EVIL_NAMES if name == name.strip() and name.isprintable()]
    rows = [json.dumps({"id": 1, "answer": "x", "system": name}) for name in names]
    (tmp_path / "answers.jsonl").write_text("\n".join(rows), "utf-8")
    before = set(tmp_path.rglob("*"))
    out = tmp_path / "deep" / "run"
    done = CliRunner().invoke(
        cli,
        [
            "score",
            "--criteria",
            str(criteria_path),
            "--answers",
            "answers.jsonl",
            "--out",
            str(out),
            "--model",
            "offline",
        ],
    )
    assert done.exit_code == 0, done.output
    assert all(path.is_relative_to(tmp_path / "deep") for path in {*tmp_path.rglob("*")} - before)
    assert {path.name for path in out.iterdir()} >= {
        "graded.xlsx",
        "results.jsonl",
        "summary.json",
        "skipped.log",
        "run.db",
    }


# Cells (19)

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0", '=HYPERLINK("http://127.0.0.1","x")',
            "＝1+1", "\n=1", " =1", "|x", "%x", "{=1}", "http://127.0.0.1/x", "mailto:a@b.c"]  # fmt: skip
BROKEN = ["a\x00b", "a\x0bb", "a\ud800b", "a\ufffeb", "a\uffffb", "x" * 40_000, "_x0000_", "</t></is>", "a\u2028b"]


@pytest.fixture
def hostile_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, criteria_path: Path) -> Path:
    """The folder of a run whose answers, systems, questions and replies are hostile cells."""
    monkeypatch.chdir(tmp_path)
    texts = [*FORMULAS, *BROKEN]
    rows = [
        {"id": 1, "system": f"{text[:40]}{number}", "answer": text, "question": text, "reference": text}
        for number, text in enumerate(texts)
    ]
    (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    words = [
        "score",
        "--criteria",
        str(criteria_path),
        "--answers",
        "answers.jsonl",
        "--out",
        "run",
        "--model",
        "offline",
    ]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    return tmp_path / "run"


def test_no_cell_of_a_graded_workbook_is_made_a_formula_or_link_by_data(hostile_run: Path) -> None:
    workbook = load_workbook(hostile_run / "graded.xlsx")
    cells = [cell for sheet in workbook for row in sheet.iter_rows() for cell in row if cell.value is not None]
    texts = {str(cell.value) for cell in cells if cell.data_type in ("s", "inlineStr")}
    for text in ("=1+1", "@SUM(A1)", "=cmd|' /C calc'!A0", "http://127.0.0.1/x"):
        assert text in texts, text
    formulas = [str(cell.value) for cell in cells if cell.data_type == "f"]
    assert not [formula for formula in formulas if "cmd|" in formula or "127.0.0.1" in formula or "1+1" in formula]
    with zipfile.ZipFile(hostile_run / "graded.xlsx") as package:
        links = [name for name in package.namelist() if name.endswith(".rels") and b"127.0.0.1" in package.read(name)]
    assert not links
    assert all(len(str(cell.value)) <= 32_767 for cell in cells)


def test_what_a_cell_cannot_hold_is_whole_in_the_results(hostile_run: Path) -> None:
    lines = (hostile_run / "results.jsonl").read_text("utf-8").split("\n")[:-1]
    answers = [json.loads(line)["answer"] for line in lines]
    assert "x" * 40_000 in answers
    assert {"a\x00b", "a\x0bb", "a\ufffeb", "a\uffffb", *FORMULAS} <= set(answers)


CSV_WRITERS = re.compile(r"to_csv|csv\.writer|DictWriter|write_csv")


def test_no_csv_is_written() -> None:
    """A spreadsheet calculates what a CSV's cells say; whoever writes one here has to quote them first."""
    assert CSV_WRITERS.search("csv.DictWriter(file)")
    sources = {path: path.read_text("utf-8") for path in (ROOT / "grader").rglob("*.py")}
    assert [path.name for path, source in sources.items() if CSV_WRITERS.search(source)] == []


def test_nor_does_a_run_leave_one(hostile_run: Path) -> None:
    names = {path.suffix for path in hostile_run.rglob("*") if path.is_file()}
    assert {".xlsx", ".jsonl", ".json"} <= names
    assert not names & {".csv", ".tsv"}
