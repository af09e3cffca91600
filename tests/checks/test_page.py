from __future__ import annotations

import importlib.util
from pathlib import Path

from grader.checks.registry import RULES

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_what_the_rules_say() -> None:
    spec = importlib.util.spec_from_file_location("write_checks_page", DOCS / "write_checks_page.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = (DOCS / "checks.md").read_text("utf-8")
    assert text == module.page(), "run `make docs`"
    assert all(f"### `{rule}`" in text for rule in RULES)
