"""The options that say who judges and how the calls are made, shared by commands that ask a judge; grades nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from grader.grading import GradeSettings
    from grader.judging.judge import Judge
    from grader.judging.prices import Price
    from grader.records import RecordedReply
    from grader.rubric import Rubric

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--api-base", metavar="URL", help="Where the model is served, if not at its provider's own address."),
    click.option(
        "--transport",
        type=click.Choice(["litellm", "direct"]),
        default="litellm",
        show_default=True,
        help="How to call: LiteLLM reaches every provider; direct is faster, for those that speak OpenAI's protocol.",
    ),
    click.option(
        "--temperature", type=float, default=0.0, show_default=True, help="Left out for models that refuse it."
    ),
    click.option("--max-tokens", type=click.IntRange(1), default=4096, show_default=True, help="The longest reply."),
    click.option(
        "--concurrency", type=click.IntRange(1, 500), default=50, show_default=True, help="Calls at once, at most."
    ),
    click.option("--rpm", type=click.FloatRange(0, min_open=True), help="Requests per minute, at most."),
    click.option("--tpm", type=click.FloatRange(0, min_open=True), help="Tokens per minute, at most."),
    click.option(
        "--timeout",
        type=click.FloatRange(0, min_open=True),
        default=120.0,
        show_default=True,
        help="Seconds for one call.",
    ),
    click.option(
        "--max-retries", type=click.IntRange(0), default=6, show_default=True, help="Retries of a failed call."
    ),
    click.option(
        "--reasks", type=click.IntRange(0), default=2, show_default=True, help="Asks again after an unusable reply."
    ),
    click.option(
        "--max-cost", type=click.FloatRange(0, min_open=True), metavar="USD", help="Stop before costing more."
    ),
    click.option("--price", metavar="IN,OUT", help="USD per million tokens, for a model whose price is not known."),
)


def judge_options(command_name: str) -> Callable[[Command], Command]:
    """Give the command called so the options that name the judge and say how it is called."""
    model = click.option(
        "--model",
        envvar=[f"GRADER_{command_name.upper()}_MODEL", "GRADER_MODEL"],
        help="The judge: any LiteLLM name (openai/gpt-4o), offline, or replay:PATH.  [default: offline]",
    )

    def give(command: Command) -> Command:
        for option in reversed((model, *_OPTIONS)):
            command = option(command)
        return command

    return give


def chosen_model(named: str | None, say: Callable[[str], None]) -> str:
    """Return the judge's name; of the offline judge it is said aloud what it is."""
    from grader.judging.judges import OFFLINE

    if named in (None, "", OFFLINE):
        default = "" if named else "no --model given, so "
        say(f"{default}the offline judge grades: it matches text and is no LLM; read its scores as a baseline")
    return named or OFFLINE


def grade_settings(options: dict[str, Any]) -> GradeSettings:
    """Return how to grade.

    Raises:
        UsageError: a cost is not to be exceeded, and the price is not known.
    """
    from grader.grading import GradeSettings
    from grader.judging.calls import CallSettings
    from grader.judging.judges import is_local
    from grader.judging.prices import find_price

    model = options["model"]
    price = _price(options["price"]) or (None if is_local(model) else find_price(model))
    if options["max_cost"] is not None and price is None and not is_local(model):
        raise click.UsageError(f"--max-cost needs a price, and none is known for {model}: add --price IN,OUT.")
    return GradeSettings(
        calls=CallSettings(
            concurrency=options["concurrency"],
            max_retries=options["max_retries"],
            rpm=options["rpm"],
            tpm=options["tpm"],
            max_cost_usd=options["max_cost"],
            price=price,
        ),
        reasks=options["reasks"],
        max_tokens=options["max_tokens"],
        judge_empty=options.get("judge_empty", False),
    )


def _price(text: str | None) -> Price | None:
    from grader.judging.prices import Price

    if text is None:
        return None
    try:
        prompt_usd, completion_usd = (float(part) / 1e6 for part in text.split(","))
    except ValueError as error:
        raise click.BadParameter("two numbers are wanted, as in 2.5,10", param_hint="--price") from error
    return Price(prompt_usd=prompt_usd, completion_usd=completion_usd)


def by_transport(model: str, transport: str) -> str:
    """Return by what a model is called, for those that are called at all."""
    from grader.judging.judges import is_local

    return "" if is_local(model) else f" by {'LiteLLM' if transport == 'litellm' else transport}"


def chosen_judge(options: dict[str, Any], rubric: Rubric) -> Judge:
    """Return the judge that the options name, ready to be asked.

    Raises:
        JudgeError: it cannot be called as things are, such as for want of a key.
    """
    from grader.judging.judges import open_judge
    from grader.records import JudgeSettings

    settings = JudgeSettings(
        model=options["model"],
        api_base=options["api_base"],
        temperature=options["temperature"],
        timeout_seconds=options["timeout"],
    )
    return open_judge(settings, rubric, _recordings(options["model"]), transport=options["transport"])


def _recordings(model: str) -> list[RecordedReply]:
    from grader.judging.judges import REPLAY_PREFIX

    if not model.startswith(REPLAY_PREFIX):
        return []
    from grader.inputs.recordings import read_recordings
    from grader.store.recorded_replies import read_recorded_replies

    path = Path(model.removeprefix(REPLAY_PREFIX))
    return list(read_recorded_replies(path) if path.suffix == ".db" else read_recordings(path))
