"""Opens the judge that a model's name stands for: `offline`, a recording to replay, or any model of LiteLLM's."""

from __future__ import annotations

from collections.abc import Iterable

from grader.judging.judge import Judge
from grader.records import JudgeSettings, RecordedReply
from grader.rubric import Rubric

OFFLINE = "offline"
REPLAY_PREFIX = "replay:"


def is_local(model: str) -> bool:
    """Return whether a model needs no network and costs nothing."""
    return model == OFFLINE or model.startswith(REPLAY_PREFIX)


def open_judge(settings: JudgeSettings, rubric: Rubric, recordings: Iterable[RecordedReply] = ()) -> Judge:
    """Return the judge for `settings.model`; `recordings` are what a `replay:` judge answers with.

    Raises:
        JudgeError: the model cannot be called as things are, such as for want of a key.
    """
    if settings.model == OFFLINE:
        from grader.judging.offline_judge import OfflineJudge

        return OfflineJudge(rubric)
    if settings.model.startswith(REPLAY_PREFIX):
        from grader.judging.replay_judge import ReplayJudge

        return ReplayJudge(settings.model, recordings)
    from grader.judging.litellm_judge import LiteLLMJudge

    return LiteLLMJudge(settings)
