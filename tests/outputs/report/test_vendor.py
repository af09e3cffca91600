"""The libraries of the charts are the very files of the registry, with their licences beside them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import grader.outputs.report.page as page

VENDOR = Path(page.__file__).parent / "vendor"

SUMS = {
    "d3.min.js": ("7.9.2", "912111098ea99503a6f4967361d2bbdc9dbf58cf9c678c8e27e5b02d1a07f0c1"),
    "plot.umd.min.js": ("0.6.17", "4358086467740777dd788d6b27a95cebdbaefdd50c730a3060117073bd7134cb"),
}


@pytest.mark.parametrize("name", SUMS)
def test_a_library_is_unchanged_and_named(name: str) -> None:
    version, expected = SUMS[name]
    content = (VENDOR / name).read_bytes()
    assert hashlib.sha256(content).hexdigest() == expected
    assert f"v{version} Copyright".encode() in content[:200]
    readme = (VENDOR / "README.md").read_text("utf-8")
    assert f"`{name}`" in readme and version in readme and expected in readme
    licence = VENDOR / f"{name.split('.')[0]}.LICENSE"
    assert licence.read_text("utf-8").startswith("Copyright")


@pytest.mark.parametrize("name", [*SUMS, "../charts.js", "../items.js"])
def test_a_script_can_stand_in_a_page(name: str) -> None:
    text = (VENDOR / name).read_text("utf-8")
    assert "</script" not in text.lower()
    assert "<!--" not in text
