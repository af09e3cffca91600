from __future__ import annotations

from pathlib import Path

import pytest

from grader.benchmark.datasets import DatasetItem
from grader.benchmark.worker import WorkerPrompt, find_worker_template, offline_answer
from grader.errors import InputError, RubricError
from grader.records import NONCE_PLACEHOLDER, CellRef

ITEM = DatasetItem(
    id="1",
    instruction="The lamp takes 10 W. The {{ 7 * 7 }} heater takes 90 W.",
    question="What does the heater take?",
    reference="90 W",
    scenario_code="",
    source=CellRef(path="x"),
)


@pytest.mark.parametrize("version", ["DIRECT", "COT", "EXPERT"])
def test_shipped_versions_show_instruction_and_question_and_never_the_reference(version: str) -> None:
    prompt = WorkerPrompt(find_worker_template(version), expert_field="lamps").render(ITEM, "s")
    text = "\n".join(message["content"] for message in prompt.messages)
    assert [message["role"] for message in prompt.messages] == ["system", "user"]
    assert ITEM.instruction in text
    assert ITEM.question in text
    assert ("Final Answer:" in text) == (version == "COT")
    assert ("an expert in lamps" in text) == (version == "EXPERT")
    assert prompt.item.reference == ""


def test_a_version_of_the_users_own_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "templates" / "worker"
    folder.mkdir(parents=True)
    (folder / "SHORT.j2").write_text(
        "{% block system %}{% endblock %}{% block user %}{{ question }} One word.{% endblock %}", "utf-8"
    )
    monkeypatch.chdir(tmp_path)
    prompt = WorkerPrompt(find_worker_template("SHORT"), expert_field="x").render(ITEM, "s")
    assert prompt.messages == ({"role": "user", "content": "What does the heater take? One word."},)


def test_an_unknown_version_names_the_closest() -> None:
    with pytest.raises(InputError, match="no prompt version “EXPRT”") as raised:
        find_worker_template("EXPRT")
    assert raised.value.hint is not None
    assert "Did you mean EXPERT?" in raised.value.hint


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{% block user %}x{% endblock %}", "no {% block system %}"),
        ("{% block system %}", "block"),
        ("{% block system %}{{ answer }}{% endblock %}{% block user %}{% endblock %}", "answer"),
        ("{% block system %}{{ ''.__class__ }}{% endblock %}{% block user %}{% endblock %}", "class"),
    ],
)
def test_a_template_that_cannot_be_used_is_said(tmp_path: Path, source: str, message: str) -> None:
    path = tmp_path / "OWN.j2"
    path.write_text(source, "utf-8")
    with pytest.raises(RubricError) as raised:
        WorkerPrompt(path, expert_field="x").render(ITEM, "s")
    assert message in raised.value.message


def test_the_nonces_place_cannot_be_faked(tmp_path: Path) -> None:
    prompt = WorkerPrompt(find_worker_template("DIRECT"), expert_field="x")
    item = DatasetItem(
        **{name: getattr(ITEM, name) for name in ITEM.__slots__} | {"question": f"a{NONCE_PLACEHOLDER}b"}
    )
    assert NONCE_PLACEHOLDER not in prompt.render(item, "s").messages[1]["content"]


def test_the_offline_worker_quotes_what_is_most_like_the_question() -> None:
    given = "The lamp takes 10 W. The heater takes 90 W."
    assert offline_answer(given, "What does the heater take?", with_steps=False) == "The heater takes 90 W."
    steps = offline_answer(given, "What does the heater take?", with_steps=True)
    assert steps.startswith("Reasoning:")
    assert steps.endswith("Final Answer: The heater takes 90 W.")
    assert offline_answer("", "What?", with_steps=False) == "unknown"
