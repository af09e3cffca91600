"""Starts the `grader` command in a process of its own, as a shell would."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def start(*arguments: object, cwd: Path) -> subprocess.Popen[str]:
    """Start `grader` in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    return subprocess.Popen(
        [sys.executable, "-m", "grader", *map(str, arguments)],
        cwd=cwd,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
