"""Renders what a worker is asked, by the template of its prompt version; and answers without a model, for trying out.

A worker is called as a judge is (`judging.judge.Judge`), and its prompts are no judge's: nothing in them is graded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz

from grader.assets import asset_dirs, list_assets
from grader.benchmark.datasets import DatasetItem
from grader.errors import GraderError, InputError, RubricError
from grader.inputs.columns import closest
from grader.judging.judge import Call
from grader.prompting.sandbox import TemplateFolders, TemplateSandbox
from grader.prompting.template_faults import template_fault
from grader.records import NONCE_PLACEHOLDER, Item, Message, Prompt, Reply, Usage

_KIND = "templates/worker"
_SUFFIX = ".j2"
_SECTIONS = ("system", "user")
_SENTENCE = re.compile(r"(?<=[.!?;。！？；])\s+|\n+")
_CHARACTERS_PER_TOKEN = 4


def find_worker_template(version: str) -> Path:
    """Return the template of a prompt version: the user's `templates/worker/NAME.j2` first, then the shipped ones.

    Raises:
        InputError: there is none; the message names the closest.
    """
    found = list_assets(_KIND)
    if f"{version}{_SUFFIX}" in found:
        return found[f"{version}{_SUFFIX}"]
    known = [name.removesuffix(_SUFFIX) for name in found if name.endswith(_SUFFIX) and not name.startswith("_")]
    close = closest(known, [version])
    guess = f"Did you mean {close}? " if close else ""
    raise InputError(
        f"PROMPT_VERSIONS_TO_TEST: there is no prompt version “{version}”",
        hint=f"{guess}There are: {', '.join(sorted(known))}. Your own goes into {_KIND}/{version}{_SUFFIX}.",
    )


class WorkerPrompt:
    """The template of one prompt version, compiled once; it sees `instruction`, `question` and `expert_field`.

    Raises:
        RubricError: the template cannot be compiled, or lacks a section.
    """

    def __init__(self, path: Path, *, expert_field: str) -> None:
        self._path, self._expert_field = path, expert_field
        self._sandbox = TemplateSandbox(TemplateFolders(path.name, [path.parent, *asset_dirs(_KIND)]))
        try:
            self._template = self._sandbox.get_template(path.name)
        except Exception as error:  # a template is a program of the user's: whatever it raises is its fault
            raise template_fault(error, path) from error
        missing = [name for name in _SECTIONS if name not in self._template.blocks]
        if missing:
            raise RubricError(f"the template has no {{% block {missing[0]} %}}", path=path)

    def render(self, item: DatasetItem, system: str) -> Prompt:
        """Return what the worker is asked about `item`; `system` is what its call is kept under."""
        texts = {name: _plain(getattr(item, name)) for name in ("instruction", "question")}
        context = {**texts, "expert_field": _plain(self._expert_field)}
        messages = tuple(Message(role=name, content=self._section(name, context)) for name in _SECTIONS)
        fields = {"instruction": item.instruction}
        kept = Item(id=item.id, system=system, answer="", question=item.question, fields=fields)
        return Prompt(item=kept, messages=tuple(message for message in messages if message["content"]))

    def _section(self, name: str, context: Mapping[str, Any]) -> str:
        self._sandbox.start()
        try:
            return "".join(self._template.blocks[name](self._template.new_context(dict(context)))).strip()
        except GraderError:
            raise
        except Exception as error:
            raise template_fault(error, self._path) from error


def _plain(text: str) -> str:
    """Return `text` without the character that stands for a prompt's nonce."""
    return text.replace(NONCE_PLACEHOLDER, "")


class OfflineWorker:
    """Answers with the sentence of the instruction that is most like the question; no model, and not meant to be right.

    It gives every part of a benchmark something to work on where there is no network and no key.
    """

    model = "offline"
    is_baseline = True

    def parameters(self, call: Call) -> Mapping[str, Any]:
        """Return the version of the matching: raise it with any change, or stored replies will hide the change."""
        return {"worker": 1}

    async def ask(self, call: Call) -> Reply:
        """Return an answer in the form that the prompt asks for; no request is made."""
        item = call.prompt.item
        wants_marker = "Final Answer:" in call.prompt.messages[-1]["content"]
        text = offline_answer(item.fields.get("instruction", ""), item.question, with_steps=wants_marker)
        prompt_length = sum(len(message["content"]) for message in call.prompt.messages)
        return Reply(
            text=text,
            finish_reason="stop",
            usage=Usage(
                prompt_tokens=prompt_length // _CHARACTERS_PER_TOKEN,
                completion_tokens=len(text) // _CHARACTERS_PER_TOKEN + 1,
            ),
            cost_usd=0.0,
        )

    async def close(self) -> None:
        """Nothing to give back."""


def offline_answer(instruction: str, question: str, *, with_steps: bool) -> str:
    """Return the sentences of `instruction` that are most like `question`: two as steps, and the best as the answer."""
    sentences = [sentence.strip() for sentence in _SENTENCE.split(instruction) if sentence.strip()]
    if not sentences:
        return "Final Answer: unknown" if with_steps else "unknown"
    ranked = sorted(sentences, key=lambda sentence: -fuzz.token_set_ratio(sentence.casefold(), question.casefold()))
    if not with_steps:
        return ranked[0]
    steps = "\n".join(f"{number}. It is given: {sentence}" for number, sentence in enumerate(ranked[:2], start=1))
    return f"Reasoning:\n{steps}\n\nFinal Answer: {ranked[0]}"
