from __future__ import annotations

import asyncio

import pytest

from grader.errors import JudgeError
from grader.judging.judge import Call, call_key
from grader.judging.replay_judge import ReplayJudge
from grader.records import Item, Prompt, RecordedReply, Reply


def call(item_id: str = "1", *, system: str = "a", sample: int = 1, ask: int = 1) -> Call:
    item = Item(id=item_id, system=system, answer="x")
    return Call(prompt=Prompt(item=item, messages=()), sample=sample, ask=ask)


def ask(judge: ReplayJudge, made: Call) -> Reply:
    async def run() -> Reply:
        try:
            return await judge.ask(made)
        finally:
            await judge.close()

    return asyncio.run(run())


def test_replies_come_in_the_order_recorded_and_the_last_one_again() -> None:
    judge = ReplayJudge("replay:x", [RecordedReply(item_id="1", text=text) for text in ("one", "two")])
    assert [ask(judge, call(ask=number)).text for number in (1, 2, 3)] == ["one", "two", "two"]
    assert not judge.is_baseline


def test_a_reply_costs_nothing_and_keeps_why_it_ended() -> None:
    judge = ReplayJudge("r", [RecordedReply(item_id="1", text="x", finish_reason="length")])
    assert ask(judge, call()) == Reply(text="x", finish_reason="length", cost_usd=0.0)


def test_a_systems_own_reply_counts_before_one_for_all_systems() -> None:
    judge = ReplayJudge(
        "r", [RecordedReply(item_id="1", text="all"), RecordedReply(item_id="1", text="own", system="a")]
    )
    assert ask(judge, call()).text == "own"
    assert ask(judge, call(system="b")).text == "all"


def test_samples_have_replies_of_their_own() -> None:
    judge = ReplayJudge("r", [RecordedReply(item_id="1", text=str(sample), sample=sample) for sample in (1, 2)])
    assert [ask(judge, call(sample=sample)).text for sample in (1, 2)] == ["1", "2"]


@pytest.mark.parametrize("made", [call("2"), call(sample=2)])
def test_without_a_recording_there_is_no_reply_and_no_retry(made: Call) -> None:
    with pytest.raises(JudgeError, match="no reply is recorded for a, id ") as caught:
        ask(ReplayJudge("r", [RecordedReply(item_id="1", text="x")]), made)
    assert not caught.value.retryable and not caught.value.is_fatal and caught.value.status_code is None


def test_whose_call_it_is_and_what_was_recorded_are_part_of_its_identity() -> None:
    judge = ReplayJudge("r", [RecordedReply(item_id="1", text="x")])
    same = ReplayJudge("r", [RecordedReply(item_id="1", text="x")])
    other = ReplayJudge("r", [RecordedReply(item_id="1", text="y")])
    assert call_key(judge, call()) == call_key(same, call())
    assert len({call_key(judge, call()), call_key(judge, call(system="b")), call_key(other, call())}) == 3
