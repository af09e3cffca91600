"""Logs each call in a line, by what it was about and what came of it: lengths, never texts; decides on no file."""

from __future__ import annotations

import logging
import time

from grader.errors import JudgeError
from grader.judging.judge import Call
from grader.records import Reply

LOGGER = logging.getLogger("grader.calls")
LOGGER.addHandler(logging.NullHandler())  # a program that uses the library decides itself what it shows

_LONG_SECONDS = 10.0


class CallLog:
    """Writes to the logger `grader.calls`: what was served at DEBUG, what failed at WARNING."""

    def __init__(self) -> None:
        self._tells_served = LOGGER.isEnabledFor(logging.DEBUG)

    def served(self, call: Call, reply: Reply) -> None:
        """Log a call that has its reply."""
        if not self._tells_served:
            return
        usage = reply.usage
        tokens = f"{usage.prompt_tokens}+{usage.completion_tokens} tokens" if usage else "tokens unknown"
        LOGGER.debug(
            "%s: served in %.3f s, %s, %d characters, ended by %s",
            _whose(call, reply.attempts),
            reply.seconds,
            tokens,
            len(reply.text),
            reply.finish_reason,
        )

    def failed(self, call: Call, attempt: int, error: JudgeError) -> None:
        """Log a try that failed."""
        LOGGER.warning(
            "%s: failed, status %s, %s, %s",
            _whose(call, attempt),
            error.status_code or "none",
            "may be tried again" if error.retryable else "final",
            error.message,
        )


class WaitLog:
    """Writes to the same logger, at INFO, that calls wait for long: once for each wait, however many ask about it."""

    def __init__(self) -> None:
        self._told_until = 0.0

    def waits(self, seconds: float) -> None:
        """Log that the next call, or the next try of one, starts in so many seconds, where that is long."""
        until = time.monotonic() + seconds
        if seconds > _LONG_SECONDS and until > self._told_until + _LONG_SECONDS:
            self._told_until = until
            LOGGER.info("waiting %.0f s: the provider, --rpm or --tpm lets calls go on no sooner", seconds)


def _whose(call: Call, attempt: int) -> str:
    item = call.prompt.item
    size = sum(len(message["content"]) for message in call.prompt.messages)
    return (
        f"system {item.system}, id {item.id}, sample {call.sample}, ask {call.ask}, attempt {attempt}, "
        f"prompt of {size} characters"
    )
