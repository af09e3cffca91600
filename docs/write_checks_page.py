"""Writes docs/checks.md from the rules themselves; a test checks that it is up to date (`make docs` writes it)."""

from __future__ import annotations

import sys
from pathlib import Path

from grader.checks.problem import Rule, Severity
from grader.checks.registry import RULES

HEAD = """# What `grader check` looks for

Made from the rules by `make docs`; do not edit.

`grader check --criteria my.xlsx` says everything at once, with sheet and cell: **errors**, for which `grader score`
refuses the files too (exit code 2), and **warnings**, which an expert should look at (exit code 0; 2 with
`--strict`). `--format json` gives scripts a list of objects with `rule`, `severity`, `file`, `sheet`, `cell`,
`message` and `hint`. `--out copy.xlsx` writes a copy of the workbook with a note on each cell and a sheet that lists
everything; the workbook itself is never changed, and nothing leaves your computer.

A rule that is wrong about your workbook can be silenced by its id, in the Rubric sheet (setting “Silence checks”) or
in a rubric file (`silenced: [vague-word]`). Warnings would rather be silent than wrong: they look only at what a
criterion demands, in the language of each criterion (English, German, Japanese or Chinese).
"""


def page() -> str:
    """Return the whole page."""
    parts = [HEAD]
    for severity in Severity:
        parts.append(f"## {severity.capitalize()}s\n")
        parts += [_section(rule) for rule in RULES.values() if rule.severity is severity]
    return "\n".join(parts)


def _section(rule: Rule) -> str:
    note = "" if rule.severity is Severity.WARNING or rule.stops_scoring else " `score` goes on all the same."
    return f"### `{rule.id}`\n\n{rule.finds}\n\n- **Why:** {rule.why}{note}\n- **What to do:** {rule.fix}.\n"


if __name__ == "__main__":
    Path(__file__).with_name("checks.md").write_text(page(), encoding="utf-8")
    sys.exit(0)
