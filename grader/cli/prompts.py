"""`grader prompts`: shows what `score` would send, and how much of it; needs no model, no key and no network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.options import FOLDER, as_request, choosing_options, reading_options

if TYPE_CHECKING:
    from grader.preview import SystemCount


@click.command("prompts")
@reading_options
@choosing_options
@click.option("--out", type=FOLDER, help="Write one file per prompt, SYSTEM/ID.txt, into this folder.")
def command(out: Path | None, judge_empty: bool, **options: Any) -> None:
    """Render the prompts that score would send, and count calls and tokens.

    Prints them, or writes a file for each into --out. No model is called; nothing leaves this computer. The random
    number in the tags around each text is new in every call, and shown here as a fixed one.
    """
    from grader.outputs.prompt_files import prompt_text, write_prompts
    from grader.planning import prepare
    from grader.preview import count_by_system, render_prompts

    plan = prepare(as_request(options))
    for note in plan.notes:
        click.echo(note, err=True)
    prompts = list(render_prompts(plan, judge_empty=judge_empty))
    if out is not None:
        click.echo(f"{_counted(len(write_prompts(out, prompts)), 'prompt')} written to {out}")
    else:
        for prompt in prompts:
            click.echo(f"##### {prompt.item.system}, id {prompt.item.id}\n\n{prompt_text(prompt)}")
    unsent = len(plan.items) - len(prompts)
    if unsent:
        click.echo(f"{_counted(unsent, 'empty answer')} not sent: the lowest score is given by rule")
    _print_counts(count_by_system(plan, prompts))


def _print_counts(counts: Mapping[str, SystemCount]) -> None:
    rows = [(system, count.calls, count.prompt_tokens) for system, count in counts.items()]
    rows.append(("in all", sum(row[1] for row in rows), sum(row[2] for row in rows)))
    width = max(len(name) for name, _, _ in rows)
    click.echo(f"{'':{width}}  {'calls':>9}  {'prompt tokens':>13}")
    for name, calls, tokens in rows:
        click.echo(f"{name:{width}}  {calls:>9,}  {tokens:>13,}")
    click.echo("Tokens are counted by the tokenizer of OpenAI's models; re-asks would come on top.")


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
