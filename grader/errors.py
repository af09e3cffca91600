"""The errors a user can meet; not for bugs, which keep their traceback.

::

    GraderError                     a message that says what to do, shown without a traceback
    ├─ InputError(path, sheet, cell)   workbook, answers, settings
    ├─ RubricError(path)               rubric file or template
    ├─ JudgeError(retryable)           a call failed
    └─ RunError                        the run folder is missing, locked, damaged, or of another version
"""

from __future__ import annotations

from pathlib import Path
from typing import Any


class GraderError(Exception):
    """Anything a user can put right; `exit_code` is the command's exit status (see docs/cli.md)."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        """What to do about it, as one sentence; shown on a line of its own."""


class InputError(GraderError):
    """Something in a workbook, an answers file or the settings cannot be used.

    `path`, `sheet` and `cell` say where; the message is shown behind them.
    """

    exit_code = 2

    def __init__(
        self,
        message: str,
        *,
        path: str | Path | None = None,
        sheet: str | None = None,
        cell: str | None = None,
        hint: str | None = None,
    ) -> None:
        where = location(path, sheet, cell)
        super().__init__(f"{where}: {message}" if where else message, hint=hint)
        self.path = path
        self.sheet = sheet
        self.cell = cell


class RubricError(GraderError):
    """A rubric file or a template cannot be used; `path` names it."""

    exit_code = 2

    def __init__(self, message: str, *, path: str | Path | None = None, hint: str | None = None) -> None:
        super().__init__(f"{path}: {message}" if path else message, hint=hint)
        self.path = path


class JudgeError(GraderError):
    """A call to a judge failed.

    `retryable` says whether the same call may succeed later, `is_fatal` whether every other call would fail
    in the same way (a wrong key, a model that does not exist), `retry_after_seconds` is the provider's wish,
    `status_code` the HTTP status where there was one, `usage` the tokens that the provider says it took all
    the same, a `records.Usage`.
    """

    def __init__(
        self,
        message: str,
        *,
        retryable: bool,
        is_fatal: bool = False,
        status_code: int | None = None,
        retry_after_seconds: float | None = None,
        usage: Any = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.retryable = retryable
        self.is_fatal = is_fatal
        self.status_code = status_code
        self.retry_after_seconds = retry_after_seconds
        self.usage = usage


class RunError(GraderError):
    """The run folder is missing, locked, damaged, full, or of another version."""


def location(path: str | Path | None, sheet: str | None, cell: str | None) -> str:
    """Return `file.xlsx [Sheet!B7]`, leaving out what is not known."""
    inside = "!".join(part for part in (sheet, cell) if part)
    return " ".join(part for part in (str(path) if path else "", f"[{inside}]" if inside else "") if part)
