"""Writes the log of a run into its folder, and to stderr where asked for, without keys; says nothing itself.

Everything of ours logs under the name `grader`, by Python's `logging`. A file that grows too long is set aside once.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path

from grader.judging.redact import redact

FILE_NAME = "debug.log"
_MOST_BYTES = 10_000_000
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_MOST_CHARACTERS = 1_000


class RedactingFilter(logging.Filter):
    """Takes keys out of what is logged, and cuts it short: no log holds a whole text."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Put the safe text in the place of the record's own; nothing is left out."""
        text = redact(record.getMessage())
        record.msg = text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}… ({len(text)} characters)"
        record.args = None
        if record.exc_info:
            record.exc_text = redact(logging.Formatter().formatException(record.exc_info))
        return True


@contextmanager
def debug_log(run_dir: Path, *, is_verbose: bool) -> Iterator[logging.Logger]:
    """Log into `run_dir` while the context lasts: every call where `is_verbose`, else what failed and a few lines."""
    logger = logging.getLogger("grader")
    level, propagates = logger.level, logger.propagate
    handlers: list[logging.Handler] = [
        RotatingFileHandler(run_dir / FILE_NAME, maxBytes=_MOST_BYTES, backupCount=1, encoding="utf-8", delay=True)
    ]
    if is_verbose:
        handlers.append(logging.StreamHandler(sys.stderr))
    for handler in handlers:
        handler.setFormatter(logging.Formatter(_FORMAT))
        handler.addFilter(RedactingFilter())
        logger.addHandler(handler)
    logger.setLevel(logging.DEBUG if is_verbose else logging.INFO)
    logger.propagate = False  # the root's handlers know of no keys to take out
    try:
        yield logger
    finally:
        for handler in handlers:
            logger.removeHandler(handler)
            handler.close()
        logger.setLevel(level)
        logger.propagate = propagates
