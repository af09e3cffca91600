from __future__ import annotations

from pathlib import Path

import pytest
from jinja2.environment import Environment

from grader.prompting.sandbox import TemplateFolders, TemplateSandbox


def rendered(path: Path) -> str:
    return TemplateSandbox(TemplateFolders(path.name, [path.parent])).get_template(path.name).render()


def test_a_template_is_compiled_once_for_all_who_use_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, compiled = tmp_path / "own.j2", list[str]()
    original = Environment._compile

    def counted(self: Environment, source: str, filename: str) -> object:
        compiled.append(filename)
        return original(self, source, filename)

    monkeypatch.setattr(Environment, "_compile", counted)
    path.write_text("{{ 1 + 1 }}", encoding="utf-8")
    assert rendered(path) == rendered(path) == "2"
    assert compiled == [str(path)]


def test_a_template_that_has_changed_is_compiled_anew(tmp_path: Path) -> None:
    path = tmp_path / "own.j2"
    for text in ("one", "two", "one"):
        path.write_text(text, encoding="utf-8")
        assert rendered(path) == text
