"""Renders a report as one HTML page that needs nothing from outside; reads no run."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from grader import __version__
from grader.assets import shipped_dir
from grader.outputs.report import other_files, sections
from grader.outputs.report.chart_data import chart_data
from grader.outputs.report.contents import FindSpans, ReportedRun
from grader.outputs.report.item_data import ItemData
from grader.outputs.report.shown_text import fit_text, text_limit

_FOLDER = Path(__file__).parent
_SCRIPTS = ("vendor/d3.min.js", "vendor/plot.umd.min.js", "charts.js", "items.js")
_LICENCES = ("plot.LICENSE", "d3.LICENSE")
_PLAIN_ROWS = 50
"""Items that are shown where scripts are off."""

_JSON_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def render_page(runs: Sequence[ReportedRun], find_spans: Callable[[str], FindSpans]) -> str:
    """Return the page; the grades of each run are gone through twice.

    Args:
        runs: At least one, in the order to show them.
        find_spans: Gives for an answer what finds quotes in it.
    """
    limit = text_limit(sum(len(run.grades) for run in runs))
    items = ItemData(find_spans, limit)
    for place, run in enumerate(runs):
        items.add_run(place, run)
    spreads = [sections.spread_of(run) for run in runs]
    data = {"runs": [run.label for run in runs], "questions": items.questions, "items": items.items}
    scripts = [_script(name) for name in _SCRIPTS]
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            title=_title(runs),
            policy=_policy(scripts),
            style=Markup((_FOLDER / "page.css").read_text("utf-8")),  # ours
            scripts=[Markup(script) for script in scripts],  # ours and the vendored ones
            runs=runs,
            sections=sections,
            other_files=other_files,
            spreads=spreads,
            charts=_as_json(chart_data(runs, spreads)),
            items=_as_json(data),
            item_count=len(items.items),
            plain_items=list(_plain_items(items)),
            limit=limit,
            licences=[(_FOLDER / "vendor" / name).read_text("utf-8") for name in _LICENCES],
            version=__version__,
            written=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        )
    )


def _title(runs: Sequence[ReportedRun]) -> str:
    return f"Report: {', '.join(run.label for run in runs)}"


def _environment() -> Environment:
    """Return an environment for our own shipped template, which escapes every value that it is given."""
    environment = Environment(
        autoescape=True,
        loader=FileSystemLoader(shipped_dir("templates") / "report"),
        undefined=StrictUndefined,
        finalize=lambda value: fit_text(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment


def _script(name: str) -> str:
    """Return a script as the page holds it: line ends as HTML reads them, so that its sum is the browser's."""
    return (_FOLDER / name).read_text("utf-8").replace("\r\n", "\n")


def _policy(scripts: Sequence[str]) -> str:
    """Return what the page allows itself: these very scripts, its own style, and no address at all."""
    sums = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{each}'" for each in sums)
    # Charts write style elements, which can load nothing as long as no source is allowed.
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def _as_json(data: Any) -> Markup:
    """Return data as JSON that no text in it can close or leave."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character, escape in _JSON_ESCAPES.items():
        text = text.replace(character, escape)
    return Markup(text)


def _plain_items(items: ItemData) -> Any:
    for item in islice(items.items, _PLAIN_ROWS):
        question = items.questions[item["q"]]
        answer = "".join(part if isinstance(part, str) else part[0] for part in item["answer"])
        yield {
            "system": item["system"],
            "id": question["id"],
            "status": item["status"],
            "final": item["final"],
            "answer": answer[:300],
        }
