from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from grader.errors import RubricError
from grader.inputs.rubric_file import list_rubrics, read_rubric
from grader.scoring import registry
from grader.scoring.registry import find_rule
from grader.scoring.replies import READERS
from grader.scoring.rules.tiered import score_tiered


def test_a_rule_of_ours_is_found_by_name() -> None:
    assert find_rule("tiered") is score_tiered


def test_an_unknown_rule_is_said_with_those_there_are() -> None:
    with pytest.raises(RubricError, match="no-such-rule") as caught:
        find_rule("no-such-rule")
    assert "tiered" in (caught.value.hint or "")


def test_a_package_may_add_a_rule_by_entry_point_but_not_replace_one(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("theirs", "tiered")
    entries = {name: EntryPoint(name, "grader.scoring.rules.number:score_number", "grader.rules") for name in names}
    monkeypatch.setattr(registry, "find_plugins", lambda group: entries if group == "grader.rules" else {})
    find_rule.cache_clear()
    assert find_rule("theirs").__name__ == "score_number"
    assert find_rule("tiered") is score_tiered
    find_rule.cache_clear()


@pytest.mark.parametrize("name", list_rubrics())
def test_every_shipped_rubric_has_a_reader_and_a_rule(name: str) -> None:
    rubric, _ = read_rubric(name)
    assert rubric.output.format in READERS
    assert callable(find_rule(rubric.rule))
