"""Counts the tries of one call: how many, and what those that failed took and may have cost; makes none."""

from __future__ import annotations

from dataclasses import dataclass, replace

from grader.errors import JudgeError
from grader.judging.prices import Price
from grader.records import Reply, Usage


@dataclass(slots=True)
class Tries:
    """How many requests a call has taken so far; what is lost is paid, or may be, and brought no reply."""

    count: int = 0
    lost_usd: float = 0.0
    lost_usage: Usage | None = None

    def lose(self, error: JudgeError, most_usd: float, price: Price | None) -> tuple[float, Usage | None]:
        """Count a try that failed, and return what it cost and used.

        That is what its answer says; where it says nothing, at most `most_usd`, or nothing if it was not served.
        """
        usage: Usage | None = error.usage
        if usage is not None:
            cost_usd = price.cost_usd(usage) if price else 0.0
        else:
            cost_usd = most_usd if _may_be_billed(error) else 0.0
        self.lost_usd += cost_usd
        self.lost_usage = _sum_usage(self.lost_usage, usage)
        return cost_usd, usage

    def summed(self, reply: Reply) -> Reply:
        """Return the reply that the tries end in, with what they took; a reply of unknown cost stays that."""
        if self.count == reply.attempts and not self.lost_usd and self.lost_usage is None:
            return reply
        cost_usd = reply.cost_usd
        if self.lost_usd and (cost_usd is not None or reply.error is not None):
            cost_usd = (cost_usd or 0.0) + self.lost_usd
        usage = _sum_usage(reply.usage, self.lost_usage)
        return replace(reply, attempts=self.count, cost_usd=cost_usd, usage=usage)

    def failure(self, key: str, reason: str) -> Reply:
        """Return what is kept of tries that brought no reply."""
        return self.summed(Reply(key=key, error=reason))


def _sum_usage(one: Usage | None, other: Usage | None) -> Usage | None:
    if one is None or other is None:
        return one or other
    return Usage(
        prompt_tokens=one.prompt_tokens + other.prompt_tokens,
        completion_tokens=one.completion_tokens + other.completion_tokens,
    )


def _may_be_billed(error: JudgeError) -> bool:
    """Return whether a provider may have served a call whose answer never came, or could not be read."""
    return error.retryable and (error.status_code in (None, 408) or (error.status_code or 0) < 300)
