from __future__ import annotations

from pathlib import Path

import pytest

from grader.errors import RubricError
from grader.inputs.rubric_file import read_rubric

RUBRIC = """\
name: mine
title: Mine
inputs: [answer]
template: likert.j2
output:
  format: labelled_lines
  parts:
    - {name: reasons}
    - {name: score, kind: number}
scale: {min: 1, max: 5, step: 1}
rule: number
"""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("title: Mine", "titel: Mine", "line 2: titel: there is no such key. Did you mean title? Allowed here: name,"),
        ("title: Mine\n", "", "title: is missing"),
        (
            "step: 1",
            "stepp: 1",
            "line 10: scale.stepp: there is no such key. Did you mean step? Allowed here: min, max",
        ),
        ("kind: number", "knid: number", "line 9: output.parts.1.knid: there is no such key. Did you mean kind?"),
        ("kind: number", "kind: numbr", "line 9: output.parts.1.kind: must be 'text', 'number', 'boolean' or 'items'"),
        ("labelled_lines", "lines", "'labelled_lines', not “lines”"),
        ("min: 1", "min: nine", "line 10: scale.min: must be a valid number"),
        ("min: 1", "min: 6", "line 10: scale: the scale's min 6 must be below its max 5"),
        ("name: mine", "name: My Rubric", "line 1: name: must be of lower-case letters, digits and hyphens"),
        ("{name: score, kind", "{name: Score, kind", "line 9: output.parts.1.name: must be of lower-case letters"),
        ("title: Mine", "title: Mine: all mine", "line 2, column 12: this is not YAML: mapping values are not allowed"),
        ("title: Mine", "title: 'Mine", "this is not YAML"),
        ("template: likert.j2", "template: likrt.j2", "line 4: template: there is no template “likrt.j2”"),
    ],
)
def test_what_is_wrong_is_said_with_file_line_and_key(tmp_path: Path, old: str, new: str, says: str) -> None:
    path = tmp_path / "mine.yaml"
    assert old in RUBRIC
    path.write_text(RUBRIC.replace(old, new), encoding="utf-8")
    with pytest.raises(RubricError) as caught:
        read_rubric(str(path))
    assert caught.value.message.startswith(f"{path}: ")
    assert says in caught.value.message


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(RUBRIC.replace("title", "titel").replace("rule: number", "rules: number"))
    with pytest.raises(RubricError) as caught:
        read_rubric(str(path))
    assert len(caught.value.message.splitlines()) == 5  # two unknown keys, two missing, and the head


@pytest.mark.parametrize(("content", "says"), [("", "holds no rubric"), ("- a\n", "holds no rubric"), ("\x00", "YAML")])
def test_what_is_no_rubric_at_all(tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(content)
    with pytest.raises(RubricError, match=says):
        read_rubric(str(path))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RubricError, match="does not exist") as caught:
        read_rubric(str(tmp_path / "none.yaml"))
    assert "grader rubrics new" in (caught.value.hint or "")


def test_a_wrong_template_has_a_closest_match(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(RUBRIC.replace("likert.j2", "likrt.j2"))
    with pytest.raises(RubricError) as caught:
        read_rubric(str(path))
    assert "Did you mean likert.j2?" in (caught.value.hint or "")
