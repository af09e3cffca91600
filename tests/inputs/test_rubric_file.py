from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.errors import RubricError
from grader.inputs.rubric_file import list_rubrics, read_rubric

GOOD: dict[str, Any] = {
    "name": "own",
    "title": "Own",
    "inputs": ["question", "answer"],
    "template": "own.j2",
    "output": {"format": "tagged"},
    "scale": {"min": 0, "max": 10},
    "rule": "number",
}


def write(folder: Path, content: object, name: str = "own.yaml") -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else yaml.safe_dump(content), encoding="utf-8")
    return path


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with a template, which is the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.j2").write_text("x")
    return tmp_path


@pytest.mark.parametrize("name", list_rubrics())
def test_every_shipped_rubric_is_valid_and_has_its_template(name: str) -> None:
    rubric, template = read_rubric(name)
    assert rubric.name == name
    assert template.is_file()
    assert rubric.title and rubric.description


@pytest.mark.parametrize("ending", ["yaml", "yml"])
def test_a_file_of_ones_own_with_the_template_beside_it(own: Path, ending: str) -> None:
    rubric, template = read_rubric(str(write(own, GOOD, f"own.{ending}")))
    assert (rubric.name, template) == ("own", own / "own.j2")
    assert [part.name for part in rubric.output.all_parts] == ["analysis", "score"]


def test_a_byte_order_mark_does_not_hurt(own: Path) -> None:
    assert read_rubric(str(write(own, "\ufeff" + yaml.safe_dump(GOOD))))[0].name == "own"


def test_a_shipped_template_may_be_used(own: Path) -> None:
    assert read_rubric(str(write(own, {**GOOD, "template": "tiered.j2"})))[1].name == "tiered.j2"


def test_a_project_of_the_users_own_comes_first(own: Path) -> None:
    (own / "rubrics").mkdir()
    write(own / "rubrics", {**GOOD, "title": "Ours", "template": "tiered.j2"}, "tiered.yaml")
    assert read_rubric("tiered")[0].title == "Ours"
    assert list_rubrics()["tiered"] == own / "rubrics" / "tiered.yaml"


def test_an_unknown_name_is_said_with_those_there_are() -> None:
    with pytest.raises(RubricError, match="no-such") as caught:
        read_rubric("no-such")
    assert "tiered" in (caught.value.hint or "")


def test_a_template_that_does_not_exist_is_said(own: Path) -> None:
    with pytest.raises(RubricError, match=r"none\.j2"):
        read_rubric(str(write(own, {**GOOD, "template": "none.j2"})))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"colour": "red"}, "colour: .*[Aa]llowed.*: name, title"),
        ({"title": None}, "title"),
        ({"name": "Own Rubric"}, "name"),
        ({"rule": 5}, "rule"),
        ({"output": {"format": "tagged", "tag": "x"}}, r"output\.tag"),
        ({"output": {"format": "prose"}}, r"output\.format"),
        ({"output": {"format": "tagged", "score": "x", "parts": [{"name": "y"}]}}, "names the part “x”"),
        ({"output": {"format": "tagged", "score": "y", "parts": [{"name": "y"}, {"name": "y"}]}}, "named twice"),
        ({"scale": {"min": 10, "max": 0}}, "min 10 must be below its max 0"),
        ({"scale": {"min": 0, "max": 10, "step": 0}}, r"scale\.step"),
        ({"scale": {"min": 0, "max": 10, "choices": [11]}}, "not on the scale"),
        ({"scale": {"min": float("nan"), "max": 10}}, r"scale\.min"),
        ({"scale": {"min": 0, "max": float("inf")}}, r"scale\.max"),
        ({"options": {"points": {25: "many"}}}, "points"),
        ({"options": {"points": 20}}, "points"),
        ({"options": {"points": {25: None}}}, "points"),
    ],
)
def test_what_is_not_allowed_is_said_with_file_and_key(own: Path, change: dict[str, Any], says: str) -> None:
    with pytest.raises(RubricError, match=says) as caught:
        read_rubric(str(write(own, {**GOOD, **change})))
    assert "own.yaml" in str(caught.value)


def test_all_problems_are_said_at_once(own: Path) -> None:
    with pytest.raises(RubricError) as caught:
        read_rubric(str(write(own, {"name": "own", "x": 1})))
    lines = str(caught.value).splitlines()[1:]
    for key in ("x", "title", "inputs", "template", "scale", "rule"):
        assert any(f"{key}:" in line for line in lines), key


@pytest.mark.parametrize(
    ("content", "says"),
    [("", "no rubric"), ("- a\n- b", "no rubric"), ("a: [", "not YAML"), ("!!python/object:os.system {}", "not YAML")],
)
def test_what_is_no_rubric_at_all_is_said(own: Path, content: str, says: str) -> None:
    with pytest.raises(RubricError, match=says):
        read_rubric(str(write(own, content)))


def test_a_file_that_cannot_be_read_is_said(own: Path) -> None:
    (own / "own.yaml").write_bytes(b"\xff\xfe\x00\xd8")
    for name, says in (("own.yaml", "cannot be read"), ("none.yaml", "does not exist")):
        with pytest.raises(RubricError, match=says):
            read_rubric(name)
