from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from grader.cli import meanwhile
from grader.cli.meanwhile import importing_meanwhile


@pytest.fixture
def module_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "needed_at_the_end.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(meanwhile, "_FIRST_CALLS_SECONDS", 0.02)
    return "needed_at_the_end"


def test_what_is_needed_at_the_end_is_imported_once_the_first_calls_are_made(module_name: str) -> None:
    until = time.monotonic() + 10
    with importing_meanwhile(module_name):
        assert module_name not in sys.modules
        while module_name not in sys.modules and time.monotonic() < until:
            time.sleep(0.005)
    assert sys.modules.pop(module_name, None) is not None


def test_nothing_is_imported_for_what_ends_before(module_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meanwhile, "_FIRST_CALLS_SECONDS", 0.3)  # a busy machine may take long over nothing
    with importing_meanwhile(module_name):
        pass
    time.sleep(0.5)
    assert module_name not in sys.modules
