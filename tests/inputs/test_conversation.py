from __future__ import annotations

import pytest

from grader.inputs.conversation import readable_checklist, readable_history


@pytest.mark.parametrize(
    ("text", "readable"),
    [
        ('[{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]', "User: a\n\nAssistant: b"),
        ('[{"from": "human", "value": "a"}, {"from": "gpt", "value": "b"}]', "User: a\n\nAssistant: b"),
        ('[{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image"}]}]', "User: a"),
        ('[{"role": "システム", "content": "質問"}]', "システム: 質問"),
    ],
)
def test_a_conversation_becomes_readable(text: str, readable: str) -> None:
    assert readable_history(text) == readable


@pytest.mark.parametrize(
    "text", ["", "User: a", "[1] a note", '["a"]', '[{"role": "user"}]', '[{"content": "a"}]', "[]"]
)
def test_any_other_text_stays(text: str) -> None:
    assert readable_history(text) == text


def test_a_checklist_becomes_lines() -> None:
    assert readable_checklist('["a ", "", "b"]') == "a\nb"
    for text in ("a\nb", "[1, 2]", "[broken", "[]", "[" * 100_000):
        assert readable_checklist(text) == text
