"""Files that are meant to do harm: read or refused in time and memory, by the library and by the whole commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hostile_files import HOSTILE

needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux says what a process took")

SECONDS = 5
MEGABYTES = 500

READABLE: Mapping[str, int] = {
    "columns_bomb": 3,
    "corner_cells": 3,
    "datavalidation_whole_sheet": 3,
    "defined_names_bomb": 3,
    "hyperlink_range_bomb": 3,
    "merge_bomb_of_bands": 3,
    "shared_formula_bomb": 3,
}
"""Files that do no harm once they are read with care, and their rows of criteria; all others are refused."""

_CHILD = """
import json, resource, sys, time
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
from click.testing import CliRunner
from grader.cli.main import cli
from grader.inputs.answers import read_answers
from grader.inputs.criteria_workbook import read_criteria_workbook
from grader.errors import GraderError

def library(path, folder):
    said = []
    for read in (read_criteria_workbook, read_answers):
        try:
            table = read(path)
            said.append(str(len(table.rows if hasattr(table, "rows") else table.answers)))
        except GraderError as error:
            said.append(f"{type(error).__name__}: {error}")
    return said

def command(*arguments):
    result = CliRunner().invoke(cli, [str(each) for each in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return [str(result.exit_code), result.output]

def score(path, folder):
    out = f"{folder}/out"
    given = ("--criteria", path, "--answers", f"{folder}/answers.jsonl", "--out", out)
    return command("score", *given, "--model", "offline", "--fresh")

def peak_megabytes():  # not ru_maxrss, which counts what the parent had
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024

folder = sys.argv[1]
for path in sys.argv[2:]:
    for way in (library, score):  # score checks first, as `grader check` does
        start = time.process_time()
        said = way(path, folder)
        seconds = time.process_time() - start
        megabytes = peak_megabytes()
        print(json.dumps([path, way.__name__, said, seconds, megabytes]), flush=True)
"""


def results(folder: Path, paths: list[Path]) -> Iterator[tuple[str, str, list[str], float, float]]:
    """Open the files, one after the other, in a process of their own, so that its peak of memory is that of all."""
    answers = [{"id": item_id, "answer": "x"} for item_id in ("T001", "Q1")]
    (folder / "answers.jsonl").write_text("\n".join(map(json.dumps, answers)), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-c", _CHILD, str(folder), *map(str, paths)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "OPENBLAS_NUM_THREADS": "1"},
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    for line in ran.stdout.splitlines():
        found: Any = json.loads(line)
        yield Path(found[0]).stem, found[1], found[2], found[3], found[4]


def check_results(found: list[tuple[str, str, list[str], float, float]]) -> None:
    """Every way with every file stays within its time and memory, and ends as a command ends."""
    assert not [(name, way, seconds) for name, way, _, seconds, _ in found if seconds > SECONDS]
    assert not [(name, way, memory) for name, way, _, _, memory in found if memory > MEGABYTES]
    assert not [(name, said) for name, way, said, _, _ in found if way != "library" and said[0] not in ("0", "2", "3")]


@pytest.mark.no_cover
@needs_proc
def test_hostile_files_are_read_or_refused_in_time_and_memory(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    for name, write in HOSTILE.items():
        write(folder / f"{name}.xlsx")
    found = list(results(tmp_path, sorted(folder.iterdir())))
    check_results(found)
    said = {name: texts[0] for name, way, texts, _, _ in found if way == "library"}
    assert said.keys() == HOSTILE.keys()
    assert {name: int(text) for name, text in said.items() if text.isdigit()} == READABLE
    assert all(name in text for name, text in said.items() if name not in READABLE)
    scored = {name: texts for name, way, texts, _, _ in found if way == "score"}
    assert {name for name, texts in scored.items() if texts[0] != "2"} == READABLE.keys()
    for name, texts in scored.items():
        assert "Traceback" not in texts[1], name


@pytest.mark.no_cover
@needs_proc
def test_the_collection_of_hostile_files(shared: Path, tmp_path: Path) -> None:
    paths = sorted((shared / "workbooks" / "hostile").iterdir())
    found = list(results(tmp_path, paths))
    check_results(found)
    assert len(found) == 2 * len(paths)
    host = Path("/etc/hostname").read_text(encoding="utf-8").strip() if Path("/etc/hostname").exists() else "\0"
    assert not [name for name, _, said, _, _ in found if name.startswith("xxe") and host in str(said)]
