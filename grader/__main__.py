"""`python -m grader`, and the `grader` command."""

from __future__ import annotations

import atexit
import os
import sys
from typing import NoReturn

_NO_PLUGINS = ("PYDANTIC_DISABLE_PLUGINS", "__all__")
"""Rubrics are checked by pydantic alone: to look for its plugins is to look through every package there is."""


def main() -> NoReturn:
    """Run the command line; commands that are interrupted say themselves what has become of their work."""
    words = "before anything was done"
    os.environ.setdefault(*_NO_PLUGINS)
    try:
        from grader.cli.main import cli

        words = "at the very end: see above for what was written"
        cli(prog_name="grader")
    except KeyboardInterrupt:
        print(f"\nInterrupted {words}.", file=sys.stderr)  # noqa: T201  # click may not be there yet
        _end(130)
    except SystemExit as ending:
        if ending.code is not None and not isinstance(ending.code, int):
            raise
        _end(ending.code or 0)
    _end(0)


def _end(code: int) -> NoReturn:
    """End the process at once: to give back all that was imported, one by one, takes a second where LiteLLM was.

    All files are closed by now; what is to be done at the end of a process still is.
    """
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # whoever read what we say has gone away: Python knows what to do
        sys.exit(code)
    os._exit(code)


if __name__ == "__main__":
    main()
