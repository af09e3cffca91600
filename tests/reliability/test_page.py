"""docs/reliability.md names a test for each promise, and each of these tests exists."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reliability.md").read_text("utf-8")
ROWS = {int(number): row for number, row in re.findall(r"^\| (\d+) \|(.*)$", PAGE, re.MULTILINE)}
NAMED = sorted(set(re.findall(r"`(tests/[^`]+)`", PAGE)))


def test_there_is_a_row_for_each_of_the_23_promises_and_a_test_in_each() -> None:
    assert sorted(ROWS) == list(range(1, 24))
    assert [number for number, row in ROWS.items() if "::test_" not in row] == []


@lru_cache
def functions_of(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@pytest.mark.parametrize("named", NAMED)
def test_it_exists(named: str) -> None:
    path, _, name = named.partition("::")
    assert name in functions_of(path)
