"""`python -m grader`, and the `grader` command."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    from grader.cli.main import cli

    cli(prog_name="grader")


if __name__ == "__main__":
    main()
