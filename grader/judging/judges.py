"""Opens the judge that a model's name stands for: ours, one of an installed package, or any model of LiteLLM's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from grader.judging.judge import Judge
from grader.plugins import find_plugins, load_plugin
from grader.records import JudgeSettings, RecordedReply
from grader.rubric import Rubric

OFFLINE = "offline"
REPLAY_PREFIX = "replay:"
GROUP = "grader.judges"

Transport = Literal["litellm", "direct"]
"""How a provider is called: LiteLLM reaches all, direct only those that speak OpenAI's protocol, at less cost."""

JudgeFactory = Callable[[JudgeSettings, Rubric], Judge]
"""What a package names in the entry point group `grader.judges`."""


def is_local(model: str) -> bool:
    """Return whether a model needs no network and costs nothing."""
    return model == OFFLINE or model.startswith(REPLAY_PREFIX)


def open_judge(
    settings: JudgeSettings,
    rubric: Rubric,
    recordings: Iterable[RecordedReply] = (),
    *,
    transport: Transport = "litellm",
) -> Judge:
    """Return the judge for `settings.model`; `recordings` are what a `replay:` judge answers with.

    `transport` says how a provider is called; it is no part of a call's identity, since both send the same.

    A package's judge is named as its entry point is, alone or followed by a colon and anything: `acme`, `acme:large`.

    Raises:
        JudgeError: the model cannot be called as things are, such as for want of a key.
    """
    if settings.model == OFFLINE:
        from grader.judging.offline_judge import OfflineJudge

        return OfflineJudge(rubric)
    if settings.model.startswith(REPLAY_PREFIX):
        from grader.judging.replay_judge import ReplayJudge

        return ReplayJudge(settings.model, recordings)
    factory = _find_factory(settings.model)
    if factory is not None:
        return factory(settings, rubric)
    if transport == "direct":
        from grader.judging.direct_judge import DirectJudge

        return DirectJudge(settings)
    from grader.judging.litellm_judge import LiteLLMJudge

    return LiteLLMJudge(settings)


def _find_factory(model: str) -> JudgeFactory | None:
    """Return the factory of the package whose entry point is called like the model, or like what precedes its colon."""
    found = find_plugins(GROUP)
    entry = found.get(model) or found.get(model.partition(":")[0])
    factory: JudgeFactory | None = load_plugin(entry) if entry else None
    return factory
