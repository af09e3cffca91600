from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from grader.errors import RunError
from grader.outputs.atomic_file import writing


def test_a_file_is_in_place_when_it_is_whole_and_not_before(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text("before")
    with writing(path) as file:
        file.write("全角\n")
        assert path.read_text() == "before"
    assert path.read_bytes() == "全角\n".encode()
    assert [each.name for each in tmp_path.iterdir()] == ["results.jsonl"]


def test_whatever_goes_wrong_while_writing_leaves_what_was_there_and_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text("before")
    with pytest.raises(ZeroDivisionError), writing(path) as file:
        file.write("half")
        raise ZeroDivisionError
    assert path.read_text() == "before"
    assert [each.name for each in tmp_path.iterdir()] == ["results.jsonl"]


def test_half_an_emoji_does_not_cost_the_file(tmp_path: Path) -> None:
    with writing(tmp_path / "x") as file:
        file.write("a\ud83db\n")
    assert (tmp_path / "x").read_text("utf-8") == "a?b\n"


def test_a_folder_that_cannot_be_written_is_told_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "none" / "x", tmp_path / "file" / "x"):
        with pytest.raises(RunError, match="cannot be written") as caught, writing(path):
            pass
        assert "--out" in (caught.value.hint or "")


FILL = """
import resource, sys
from pathlib import Path
from grader.errors import RunError
from grader.outputs.atomic_file import writing

resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    with writing(Path(sys.argv[1])) as file:
        file.write("x" * 100_000)
except RunError as error:
    print(error.hint)
"""


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    assert resource.RLIMIT_FSIZE is not None
    path = tmp_path / "results.jsonl"
    path.write_text("before")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", FILL, str(path)], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert "disk space" in done.stdout
    assert path.read_text() == "before"
    assert [each.name for each in tmp_path.iterdir()] == ["results.jsonl"]
