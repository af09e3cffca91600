"""`python -m grader`, and the `grader` command."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; commands that are interrupted say themselves what has become of their work."""
    words = "before anything was done"
    try:
        from grader.cli.main import cli

        words = "at the very end: see above for what was written"
        cli(prog_name="grader")
    except KeyboardInterrupt:
        print(f"\nInterrupted {words}.", file=sys.stderr)  # noqa: T201  # click may not be there yet
        sys.exit(130)


if __name__ == "__main__":
    main()
