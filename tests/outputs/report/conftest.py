"""A run whose texts try to be more than text, graded for real by the offline judge, and its report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import xlsxwriter
from chromium import Chromium
from click.testing import CliRunner

from grader.cli.main import cli

HOSTILE = (
    "<script>document.title='taken'</script>",
    "</script><script>document.title='taken'</script><!--",
    "<img src=x onerror=\"document.title='taken'\"> & &amp; &lt;b&gt;",
    "before\x00after \u202eright to left\u202c \u05e9\u05dc\u05d5\u05dd \u2028 line \ud83d\ude80",
    "{{ 7 * 7 }} {% raw %} ]]> javascript:alert(1) http://example.com/a.png url(//example.com)",
)
"""Each is one answer; the items are numbered from 1."""

SYSTEMS = ("<b>bold", "plain")


@pytest.fixture(scope="session")
def hostile_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the run."""
    folder = tmp_path_factory.mktemp("report")
    with xlsxwriter.Workbook(str(folder / "criteria.xlsx")) as workbook:
        sheet = workbook.add_worksheet("Criteria")
        sheet.write_row(0, 0, ["id", 25, 50, 100])
        for number, text in enumerate(HOSTILE, start=1):
            sheet.write_row(
                number, 0, [number, "(1) mention the moon", f"(1) say {text[:40]!r}", "(1) name the far side"]
            )
    for system in SYSTEMS:
        lines = [
            json.dumps(
                {
                    "id": number,
                    "question": f"Q{number}? {text}",
                    "answer": f"The far side of the moon. {text}",
                    "type": "</td>odd" if number % 2 else "even",
                }
            )
            for number, text in enumerate(HOSTILE, start=1)
        ]
        (folder / f"{system}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    answers = [word for system in SYSTEMS for word in ("--answers", str(folder / f"{system}.jsonl"))]
    command = ["score", "--criteria", str(folder / "criteria.xlsx"), *answers, "--model", "offline"]
    more = ["--rubric", "tiered-items", "--group-by", "type", "--out", str(folder / "run"), "--quiet", "--no-progress"]
    done = CliRunner().invoke(cli, [*command, *more])
    assert done.exit_code == 0, done.output
    return folder / "run"


@pytest.fixture(scope="session")
def hostile_report(hostile_run: Path) -> Path:
    """The page about it."""
    done = CliRunner().invoke(cli, ["report", str(hostile_run), "--quiet"])
    assert done.exit_code == 0, done.output
    return hostile_run / "report.html"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    """A headless Chromium; the test is skipped where there is none."""
    with Chromium(tmp_path_factory.mktemp("profile")) as chromium:
        yield chromium
