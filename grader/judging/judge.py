"""What every judge is to the rest: something that answers one call; and what makes two calls the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from grader.records import Prompt, Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One question to a judge: a prompt, whose it is among repeats, and how long the reply may be."""

    prompt: Prompt
    """Its messages still hold the nonce's placeholder; the judge fills it in."""
    sample: int = 1
    ask: int = 1
    """1 for the first asking, 2 and more for re-asks."""
    max_tokens: int | None = None


class Judge(Protocol):
    """Something that can be asked to judge an answer."""

    model: str
    """The name that every output shows."""

    is_baseline: bool
    """Whether it only matches text, and every output must say so."""

    def parameters(self, call: Call) -> Mapping[str, Any]:
        """Return everything besides the messages that decides the reply: what is sent, and where to."""
        ...

    async def ask(self, call: Call) -> Reply:
        """Return the reply to `call`, made with exactly one request.

        Raises:
            JudgeError: there is none; it says whether asking again may help.
        """
        ...

    async def close(self) -> None:
        """Give back connections."""
        ...


def call_key(judge: Judge, call: Call) -> str:
    """Return the call's identity: a hash of all that decides its reply, the nonce left out (CONTRACT, Resume)."""
    identity = {
        "messages": call.prompt.messages,
        "model": judge.model,
        "parameters": judge.parameters(call),
        "sample": call.sample,
        "ask": call.ask,
    }
    canonical = json.dumps(identity, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()
