"""The frozen records that travel the pipeline, from a workbook's cells to a grade; they do nothing themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

Message = dict[str, str]
"""One chat message, `{"role": "user", "content": "…"}`."""


def format_number(value: float) -> str:
    """Return `50` for 50.0 and `0.5` for 0.5, as a person would write it."""
    return f"{value:.10g}"


class Status(StrEnum):
    """How a judgement ended, exactly one per verdict (RUBRICS, common rule 9)."""

    OK = "ok"
    REPAIRED = "repaired"
    PARSE_ERROR = "parse_error"
    OUT_OF_RANGE = "out_of_range"
    TRUNCATED = "truncated"
    EMPTY_REPLY = "empty_reply"
    REFUSED = "refused"
    CONTENT_FILTER = "content_filter"
    PROVIDER_ERROR = "provider_error"
    SKIPPED = "skipped"

    @property
    def is_scored(self) -> bool:
        """Whether a verdict of this status carries a score."""
        return self in (Status.OK, Status.REPAIRED)


@dataclass(frozen=True, slots=True, kw_only=True)
class CellRef:
    """Where something was read: a file, and inside it a sheet and a cell such as `B7`, or a line `line 12`."""

    path: str
    sheet: str | None = None
    cell: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One thing an expert wants to see in an answer."""

    item_id: str
    text: str
    number: int = 1
    """Position among its level's (or its id's) criteria, from 1."""
    level: float | None = None
    """The tier it belongs to (25, 50, 100), where the rubric has tiers."""
    points: float = 1.0
    source: CellRef | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one system answered to one question; `extra` holds the record's other columns by field name."""

    item_id: str
    system: str
    text: str
    extra: Mapping[str, str] = field(default_factory=dict)
    source: CellRef | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One question with one answer to grade."""

    id: str
    system: str
    answer: str
    question: str = ""
    reference: str = ""
    criteria: tuple[Criterion, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    """Everything else a template may use: context, instruction, history … by field name."""
    group: str | None = None
    source: CellRef | None = None
    """The first cell of the item's row in the criteria workbook."""


NONCE_PLACEHOLDER = "\ue000"
"""Stands in a rendered prompt where its nonce goes; a private-use character that all data is cleared of."""

NONCE_STAND_IN = "1a2b3c4d"
"""A nonce for people to read: of the length of a real one, and the same every time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a judge is asked about an item; the delimiters of its data blocks still want their nonce."""

    item: Item
    messages: tuple[Message, ...]

    def with_nonce(self, nonce: str) -> list[Message]:
        """Return the messages as they are sent; the nonce is no part of a call's identity."""
        return [
            {**message, "content": message["content"].replace(NONCE_PLACEHOLDER, nonce)} for message in self.messages
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings:
    """How a judge is called: everything here is part of a call's identity, except the timeout and where noted."""

    model: str
    api_base: str | None = None
    temperature: float | None = 0.0
    max_tokens: int | None = None
    timeout_seconds: float = 120.0
    api_key: str | None = field(default=None, repr=False)
    """Sent in place of the provider's own from the environment; no part of a call's identity, and never stored."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Sent besides; no part of a call's identity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens that the provider counted for one call."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


FILTER_REASONS = frozenset(
    {"content_filter", "content_filtered", "safety", "recitation", "prohibited_content", "blocklist", "spii"}
    | {"guardrail_intervened", "image_safety", "language"}
)
"""Providers' words, case folded, for a reply that a filter stopped."""

CUT_REASONS = frozenset({"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"})
"""Providers' words, case folded, for a reply that was cut off at its limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back from one call to a judge."""

    key: str = ""
    """The call's identity (see `judging.identity`)."""
    text: str = ""
    finish_reason: str | None = None
    """The provider's own reason where it is known, else the normalised one."""
    refusal: str | None = None
    usage: Usage | None = None
    seconds: float = 0.0
    cost_usd: float | None = None
    attempts: int = 1
    """HTTP requests made for this reply, this one included."""
    error: str | None = None
    """Why there is no reply, with keys redacted; `None` where there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionVerdict:
    """What the judge said of one criterion."""

    number: int
    met: bool
    level: float | None = None
    evidence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was read from a judge's reply: a status, and a score where the status carries one."""

    status: Status
    score: float | None = None
    flags: tuple[str, ...] = ()
    dimensions: Mapping[str, float] = field(default_factory=dict)
    items: tuple[CriterionVerdict, ...] = ()
    analysis: str = ""
    reply_key: str = ""
    """Which of an item's replies it was read from."""
    reason: str = ""
    """Why there is no score, or what was odd, in one sentence; the re-ask tells it to the judge."""

    def __post_init__(self) -> None:
        if (self.score is not None) != self.status.is_scored:
            raise ValueError(f"a verdict of status {self.status} with score {self.score}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """One item's outcome: the item, every reply to it in the order asked, and the verdict that counts."""

    item: Item
    verdict: Verdict
    rubric: str
    model: str
    sample: int = 1
    replies: tuple[Reply, ...] = ()

    @property
    def needs_review(self) -> bool:
        """Whether an expert should look at it: no score, read leniently, or flagged."""
        return self.verdict.status is not Status.OK or bool(set(self.verdict.flags) - {"empty_answer"})


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCall:
    """A call that was made, with its reply or its error."""

    reply: Reply
    model: str
    system: str
    item_id: str
    sample: int
    ask: int
    is_finished: bool
    """Whether the same call need never be made again; errors, filters and empty replies are not finished."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredGrade:
    """A grade and its place in the run's order, from 0."""

    position: int
    grade: Grade


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredItem:
    """A finished item of a benchmark as its store keeps it, and its place in the run's order, from 0."""

    position: int
    content: str
    """JSON; replies that are kept as calls stand in it by their keys."""
    reply_keys: tuple[str, ...] = ()
    """Those keys."""
    settled_keys: tuple[str, ...] = ()
    """Calls that need never be made again now, even if their replies were empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTotals:
    """What the calls of a run took together; `unpriced` of them were served at a price that is not known."""

    calls: int = 0
    attempts: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None
    unpriced: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedReply:
    """A reply kept from an earlier run; `system` is `None` where it serves every system."""

    item_id: str
    text: str
    system: str | None = None
    sample: int = 1
    finish_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedItem:
    """A question without an answer, or an answer without criteria: said, counted, and not graded."""

    system: str
    item_id: str
    reason: str
    source: CellRef | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """What one expert entered about a grade, or about one criterion of it, in a graded workbook."""

    system: str
    item_id: str
    sample: int = 1
    number: int | None = None
    """The criterion it is about, with `level`; `None` where it is about the whole grade."""
    level: float | None = None
    score: float | None = None
    """`None` where only a comment was entered, or where an earlier score was taken back."""
    met: bool | None = None
    """The expert's verdict on the criterion; `None` as for `score`."""
    comment: str = ""
    is_blind: bool = False
    """Whether it was entered before the judge's score was seen."""
    text_hash: str = ""
    """Of the texts that the expert had before them; see `outputs.graded_workbook.keys`."""
    reviewer: str = ""
    entered: str = ""
    """When, as the workbook says it was last saved: ISO 8601, UTC."""
    source: CellRef | None = None
