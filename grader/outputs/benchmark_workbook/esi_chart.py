"""The chart of Matrix: the mean ESI of each model and prompt, grouped by dataset; native, fed from the table."""

from __future__ import annotations

from typing import Any

from grader.outputs.benchmark_workbook.survey import Survey
from grader.outputs.graded_workbook.charts import ROW_PIXELS
from grader.outputs.graded_workbook.formats import AMBER, BLUE, INK, LINE, MUTED, RED, SLATE, TEAL, blend
from grader.outputs.graded_workbook.sheet import Book, Sheet, checked
from grader.outputs.graded_workbook.summary_tables import Block

CHART_ROWS = 18
_FIRST_DATASET = 2
_HUES = (BLUE, AMBER, TEAL, RED, SLATE, "#7A5BA6", "#A6722B", MUTED)
_PALEST = 0.6
_MOST_BARS_PER_DATASET = 16
_FONT = {"name": "Calibri", "size": 9, "color": INK}
_TITLE_FONT = {"name": "Calibri", "size": 12, "bold": True, "color": BLUE}


def insert_esi_chart(book: Book, sheet: Sheet, survey: Survey, block: Block, *, row: int) -> None:
    """Insert the chart at `row`; with very many bars the datasets become the series, and the chart grows."""
    is_by_dataset = block.last_row - block.header <= _MOST_BARS_PER_DATASET
    chart = book.raw.add_chart({"type": "column" if is_by_dataset else "bar"})
    name = sheet.raw.get_name()
    for series in _by_model(name, survey, block) if is_by_dataset else _by_dataset(name, survey, block):
        chart.add_series(series)
    chart.set_title({"name": "Mean ESI by dataset, model and prompt", "name_font": _TITLE_FONT, "overlay": False})
    _set_axes(chart, is_by_dataset=is_by_dataset)
    chart.set_legend({"position": "right" if is_by_dataset else "bottom", "font": _FONT})
    bar_rows = 0 if is_by_dataset else (block.last_row - block.header)
    chart.set_size({"width": 980, "height": max(CHART_ROWS, bar_rows) * ROW_PIXELS})
    words = "Bars: the mean ESI of each worker model and prompt version, grouped by dataset"
    options = {"description": words, "x_offset": 6, "y_offset": 4, "object_position": 2}
    checked(sheet.raw.insert_chart(row, 0, chart, options))


def _by_model(sheet: str, survey: Survey, block: Block) -> list[dict[str, Any]]:
    """Return a series for each model and prompt: a hue for each model, paler from prompt to prompt."""
    pairs = list(dict.fromkeys((each.model, each.prompt_version) for each in survey.figures))
    models = list(dict.fromkeys(model for model, _ in pairs))
    prompts = list(dict.fromkeys(prompt for _, prompt in pairs))
    last = _FIRST_DATASET + _dataset_count(survey) - 1
    series = []
    for row, (model, prompt) in enumerate(pairs, start=block.first_row):
        hue = _HUES[models.index(model) % len(_HUES)]
        paleness = _PALEST * prompts.index(prompt) / max(1, len(prompts) - 1)
        series.append(
            {
                "name": f"{model} · {prompt}",
                "categories": [sheet, block.header, _FIRST_DATASET, block.header, last],
                "values": [sheet, row, _FIRST_DATASET, row, last],
                "fill": {"color": blend((hue, "#FFFFFF", "#FFFFFF"), paleness / 2)},
                "border": {"color": "#FFFFFF", "width": 0.5},
                "gap": 60,
                "overlap": 0,
            }
        )
    return series


def _by_dataset(sheet: str, survey: Survey, block: Block) -> list[dict[str, Any]]:
    """Return a series for each dataset, over models and prompts as two-level categories."""
    return [
        {
            "name": [sheet, block.header, column],
            "categories": [sheet, block.first_row, 0, block.last_row, 1],
            "values": [sheet, block.first_row, column, block.last_row, column],
            "fill": {"color": _HUES[place % len(_HUES)]},
            "border": {"color": "#FFFFFF", "width": 0.5},
            "gap": 40,
        }
        for place, column in enumerate(range(_FIRST_DATASET, _FIRST_DATASET + _dataset_count(survey)))
    ]


def _dataset_count(survey: Survey) -> int:
    return len({each.dataset for each in survey.figures})


def _set_axes(chart: Any, *, is_by_dataset: bool) -> None:
    line = {"color": LINE}
    look = {"num_font": _FONT, "major_tick_mark": "none", "minor_tick_mark": "none"}
    names = {**look, "line": line}
    grid = {"visible": True, "line": {"color": LINE, "width": 0.5}}
    scores = {**look, "min": 0, "max": 100, "num_format": "0", "line": {"none": True}, "major_gridlines": grid}
    # In both kinds XlsxWriter's x axis is the one with the names.
    chart.set_x_axis(names if is_by_dataset else {**names, "reverse": True})
    chart.set_y_axis(scores if is_by_dataset else {**scores, "label_position": "high"})
    chart.set_chartarea({"border": line})
