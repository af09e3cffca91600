"""Measures how long graded.xlsx takes to write, beside openpyxl's load and save of the same files; grades offline.

python benchmarks/workbook_speed.py --rows 10000
python benchmarks/workbook_speed.py --rows 9720 --layout points    # 48,600 criterion verdicts
python benchmarks/workbook_speed.py --rows 100000                  # streamed, our sheets alone
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import xlsxwriter
from measuring import compile_grader

MOST_FOR_OPENPYXL = 20_000
_TIERED = {25: "(1) name it", 50: "(1) explain it\n(2) give an example", 100: "(1) prove it"}
_CRITERIA = ("it names the shape", "it explains the shape", "it gives an example", "it proves it", "it is short")
_GRADER = (sys.executable, "-m", "grader")


def main() -> None:
    """Grade once, write the workbook again, start the finished run again, and print what each took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--layout", choices=("tiered", "points"), default="tiered")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = _write_inputs(folder, options.rows, options.layout)
        graded = folder / "run" / "graded.xlsx"
        _measure("grade and write", command)
        _measure("start the finished run again", command)
        graded.unlink()
        first = _measure("write, as if for the first time", command)
        _forget_files(folder / "run")
        _measure("write over the earlier one", command)
        if options.rows <= MOST_FOR_OPENPYXL:
            for path in (folder / "criteria.xlsx", graded):
                seconds = _measure(f"openpyxl, load and save {path.name}", _openpyxl_command(path, folder))
                print(f"    the first write took {first / seconds:.1f} times as long")


def _write_inputs(folder: Path, rows: int, layout: str) -> list[str]:
    with xlsxwriter.Workbook(str(folder / "criteria.xlsx")) as workbook:
        sheet = workbook.add_worksheet("Rubric")
        if layout == "tiered":
            sheet.write_row(0, 0, ["id", *_TIERED, "question"])
            for number in range(rows):
                sheet.write_row(number + 1, 0, [str(number), *_TIERED.values(), f"Why does thing {number} work?"])
        else:
            sheet.write_row(0, 0, ["id", "criterion", "points"])
            for number in range(rows):
                for place, criterion in enumerate(_CRITERIA):
                    sheet.write_row(number * len(_CRITERIA) + place + 1, 0, [str(number), criterion, 2])
    with (folder / "system.jsonl").open("w", encoding="utf-8") as file:
        for number in range(rows):
            text = f"Answer {number}. " + "It works because of its shape. " * 10
            file.write(json.dumps({"id": str(number), "question": f"Why {number}?", "answer": text}) + "\n")
    files = ("--criteria", str(folder / "criteria.xlsx"), "--answers", str(folder / "system.jsonl"))
    return [*_GRADER, "score", *files, "--model", "offline", "--out", str(folder / "run"), "--quiet"]


def _forget_files(run_dir: Path) -> None:
    """Let the run forget that its files are as it wrote them."""
    with closing(sqlite3.connect(run_dir / "run.db")) as connection, connection:
        connection.execute("DELETE FROM meta WHERE name = 'written'")


def _openpyxl_command(path: Path, folder: Path) -> list[str]:
    script = "import sys, openpyxl; openpyxl.load_workbook(sys.argv[1], rich_text=True).save(sys.argv[2])"
    return [sys.executable, "-c", script, str(path), str(folder / "saved.xlsx")]


def _measure(name: str, command: list[str]) -> float:
    """Run a command, print what it took, and return its CPU seconds."""
    compile_grader()
    started = time.perf_counter()
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{name}: failed")
    cpu_seconds = usage.ru_utime + usage.ru_stime
    wall_seconds = time.perf_counter() - started
    print(f"{name}: {cpu_seconds:.1f} s CPU, {wall_seconds:.1f} s, {usage.ru_maxrss / 1024:.0f} MB at most", flush=True)
    return cpu_seconds


if __name__ == "__main__":
    main()
