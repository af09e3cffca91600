"""Answers calls from recorded replies, to repeat a run exactly or to test without a provider; records nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from grader.errors import JudgeError
from grader.judging.judge import Call
from grader.records import RecordedReply, Reply


class ReplayJudge:
    """Gives every item its recorded replies in the order they were asked; the last one again where asked more often."""

    is_baseline = False

    def __init__(self, name: str, recordings: Iterable[RecordedReply]) -> None:
        self.model = name
        self._replies: dict[tuple[str | None, str, int], list[Reply]] = {}
        digest = hashlib.sha256()
        for recording in recordings:
            key = (recording.system, recording.item_id, recording.sample)
            reply = Reply(text=recording.text, finish_reason=recording.finish_reason, cost_usd=0.0)
            self._replies.setdefault(key, []).append(reply)
            digest.update(repr(recording).encode())
        self._digest = digest.hexdigest()

    def parameters(self, call: Call) -> Mapping[str, Any]:
        """Return which recording is replayed, and whose: two systems with the same answer have replies of their own."""
        return {"recording": self._digest, "system": call.prompt.item.system, "id": call.prompt.item.id}

    async def ask(self, call: Call) -> Reply:
        """Return the recorded reply."""
        item = call.prompt.item
        for system in (item.system, None):
            replies = self._replies.get((system, item.id, call.sample))
            if replies:
                return replies[min(call.ask, len(replies)) - 1]
        raise JudgeError(f"no reply is recorded for {item.system}, id {item.id}", retryable=False)

    async def close(self) -> None:
        """Nothing to give back."""
