from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest

UNITS = (
    *" \n\t-*.a1#|_\"'`([{<『‘",
    ". ",
    "- ",
    "\n- ",
    "\n1. ",
    "(\n",
    "(1) ",
    "1. ",
    "x=",
    "not ",
    "max ",
    "The ",
    "合計 ",
    "\n(1) a",
)
"""What a cell may hold thousands of times, and patterns that look for lists, quotes and totals have to get through."""


@pytest.mark.parametrize("header", [("id", "question", "25"), ("id", "question", "criterion", "points")])
def test_no_text_keeps_the_check_for_long(tmp_path: Path, header: tuple[str, ...]) -> None:
    path = tmp_path / "criteria.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(header)
        for number, unit in enumerate(UNITS):
            text = (unit * 8_000)[:8_000] + "x"
            rows.writerow([number, text, text, "1"][: len(header)])
    command = [sys.executable, "-m", "grader", "check", "--criteria", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 errors" in done.stdout
