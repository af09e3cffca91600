"""The charts of Summary, native and fed from its tables; they show nothing that the tables do not."""

from __future__ import annotations

from typing import Any

from grader.outputs.graded_workbook.formats import BLUE, HIGH, INK, LINE, LOW, MIDDLE, MUTED, blend
from grader.outputs.graded_workbook.names import quoted
from grader.outputs.graded_workbook.review_columns import column_letters
from grader.outputs.graded_workbook.sheet import Book, Sheet, checked
from grader.outputs.graded_workbook.summary_tables import HALF, MEAN, SYSTEM, Block
from grader.outputs.graded_workbook.survey import Survey

ROW_PIXELS = 24
_FRAME_PIXELS = 130
_BAR_PIXELS = 34
_SMALLEST, _LARGEST = 240, 1_200
_FONT = {"name": "Calibri", "size": 9, "color": INK}
_TITLE_FONT = {"name": "Calibri", "size": 12, "bold": True, "color": BLUE}


def chart_pixels(survey: Survey) -> int:
    """Return how high the charts are: a bar for each system."""
    return min(_LARGEST, max(_SMALLEST, _FRAME_PIXELS + _BAR_PIXELS * len(survey.systems)))


def insert_charts(book: Book, sheet: Sheet, survey: Survey, row: int, leaderboard: Block, distribution: Block) -> None:
    """Insert both charts side by side at `row`."""
    name = sheet.raw.get_name()
    means = _means_chart(book, survey, name, leaderboard)
    spread = _distribution_chart(book, survey, name, distribution)
    height = chart_pixels(survey)
    for chart, column, width, words in (
        (means, 0, 490, "Bars: the final mean of each system, with its 95 % interval"),
        (spread, HALF, 540, "Stacked bars: how the final scores of each system are distributed"),
    ):
        chart.set_size({"width": width, "height": height - ROW_PIXELS})
        options = {"description": words, "x_offset": 6, "y_offset": 4, "object_position": 2}
        checked(sheet.raw.insert_chart(row, column, chart, options))


def _means_chart(book: Book, survey: Survey, sheet: str, block: Block) -> Any:
    scale = survey.rubric.scale
    chart = book.raw.add_chart({"type": "bar"})
    letters = column_letters(HALF)
    halves = f"={quoted(sheet)}!${letters}${block.first_row + 1}:${letters}${block.last_row + 1}"
    chart.add_series(
        {
            "name": "Final mean",
            "categories": [sheet, block.first_row, SYSTEM, block.last_row, SYSTEM],
            "values": [sheet, block.first_row, MEAN, block.last_row, MEAN],
            "fill": {"color": BLUE},
            "gap": 60,
            "y_error_bars": {
                "type": "custom",
                "plus_values": halves,
                "minus_values": halves,
                "plus_data": _half_intervals(survey),
                "minus_data": _half_intervals(survey),
                "line": {"color": MUTED, "width": 1.25},
            },
        }
    )
    chart.set_title({"name": "Final mean with 95 % interval", "name_font": _TITLE_FONT})
    _set_axes(chart, {"min": min(0.0, scale.min), "max": scale.max})
    chart.set_legend({"none": True})
    return chart


def _half_intervals(survey: Survey) -> list[float]:
    means = (survey.systems[system].questions.mean() for system in survey.leaderboard())
    return [0.0 if mean.high is None or mean.low is None else (mean.high - mean.low) / 2 for mean in means]


def _distribution_chart(book: Book, survey: Survey, sheet: str, block: Block) -> Any:
    chart = book.raw.add_chart({"type": "bar", "subtype": "percent_stacked"})
    class_count = len(survey.classes)
    for place, column in enumerate(range(SYSTEM + 1, block.last_column + 1)):
        is_other = place >= class_count
        colour = LINE if is_other else blend((LOW, MIDDLE, HIGH), place / max(1, class_count - 1))
        chart.add_series(
            {
                "name": [sheet, block.header, column],
                "categories": [sheet, block.first_row, SYSTEM, block.last_row, SYSTEM],
                "values": [sheet, block.first_row, column, block.last_row, column],
                "fill": {"color": colour},
                "border": {"color": "#FFFFFF", "width": 0.75},
                "gap": 60,
            }
        )
    chart.set_title({"name": "Distribution of final scores", "name_font": _TITLE_FONT})
    _set_axes(chart, {"num_format": "0%"})
    chart.set_legend({"position": "bottom", "font": _FONT})
    return chart


def _set_axes(chart: Any, values_axis: dict[str, object]) -> None:
    """Put the first system on top, and the values' axis below all the same."""
    line = {"color": LINE}
    look = {"num_font": _FONT, "major_tick_mark": "none", "minor_tick_mark": "none"}
    chart.set_y_axis({**look, "line": line, "reverse": True})
    grid = {"visible": True, "line": {"color": LINE, "width": 0.5}}
    chart.set_x_axis({**look, **values_axis, "line": {"none": True}, "major_gridlines": grid, "label_position": "high"})
    chart.set_chartarea({"border": line})
