from __future__ import annotations

import asyncio
import sys

import pytest

from grader.inputs.rubric_file import read_rubric
from grader.judging.judge import Call, call_key
from grader.judging.judges import is_local, open_judge
from grader.judging.offline_judge import OfflineJudge
from grader.judging.replay_judge import ReplayJudge
from grader.records import NONCE_PLACEHOLDER, Item, JudgeSettings, Prompt, RecordedReply

RUBRIC, _ = read_rubric("tiered")


@pytest.mark.parametrize(("model", "local"), [("offline", True), ("replay:x.jsonl", True), ("openai/offline", False)])
def test_which_judges_are_local(model: str, local: bool) -> None:
    assert is_local(model) is local


def test_local_judges_are_opened_without_litellm() -> None:
    loaded = "litellm" in sys.modules
    offline = open_judge(JudgeSettings(model="offline"), RUBRIC)
    replay = open_judge(JudgeSettings(model="replay:x"), RUBRIC, [RecordedReply(item_id="1", text="said")])
    assert isinstance(offline, OfflineJudge) and offline.is_baseline
    assert isinstance(replay, ReplayJudge) and replay.model == "replay:x"
    call = Call(prompt=Prompt(item=Item(id="1", system="s", answer="a"), messages=()))
    assert asyncio.run(replay.ask(call)).text == "said"
    assert ("litellm" in sys.modules) is loaded


def key(text: str = "Q", *, sample: int = 1, ask: int = 1, max_tokens: int | None = None, judge: str = "a") -> str:
    item = Item(id="1", system="s", answer="a")
    messages = ({"role": "user", "content": text},)
    call = Call(prompt=Prompt(item=item, messages=messages), sample=sample, ask=ask, max_tokens=max_tokens)
    return call_key(_Judge(judge), call)


class _Judge(ReplayJudge):
    def __init__(self, name: str) -> None:
        super().__init__(name, [])

    def parameters(self, call: Call) -> dict[str, object]:
        return {"max_tokens": call.max_tokens}


def test_a_calls_identity_is_all_that_decides_its_reply() -> None:
    others = [key("Q2"), key(sample=2), key(ask=2), key(max_tokens=5), key(judge="b"), key("Q\ud800")]
    assert len({key(), *others}) == 7
    assert key() == key()


def test_the_nonce_is_no_part_of_a_calls_identity() -> None:
    prompt = Prompt(
        item=Item(id="1", system="s", answer="a"), messages=({"role": "user", "content": f"<a-{NONCE_PLACEHOLDER}>"},)
    )
    before = call_key(_Judge("a"), Call(prompt=prompt))
    assert prompt.with_nonce("1234") == [{"role": "user", "content": "<a-1234>"}]
    assert call_key(_Judge("a"), Call(prompt=prompt)) == before
