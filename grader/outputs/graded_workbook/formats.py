"""The look of our sheets: one calm palette, and the cell formats made from it; places nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

INK = "#1F2933"
MUTED = "#6B7785"
LINE = "#C9D2DC"
SLATE = "#52606D"
BLUE = "#2F5D8A"
PALE_BLUE = "#F1F6FB"
AMBER = "#F5B82E"
BROWN = "#8A5A00"
PALE_AMBER = "#FFF8E1"
TEAL = "#2B6E66"
PALE_RED = "#FBE3E0"
RED = "#9B2C20"
PALE_GREEN = "#E3F1E5"
GREEN = "#22633A"
BAND = "#ECF0F4"
LOW, MIDDLE, HIGH = "#F0A59A", "#FBE7A8", "#9CCFA6"

_BASE = {"font_name": "Calibri", "font_size": 10, "font_color": INK, "font_scheme": "none", "valign": "top"}
_GRID = {"border": 1, "border_color": LINE}
_HEADER = {**_GRID, "bold": True, "font_color": "#FFFFFF", "text_wrap": True, "valign": "top"}
_WRAPPED = {**_GRID, "text_wrap": True, "align": "left", "indent": 1}
_CENTRED = {**_GRID, "align": "center"}
BLIND_FORMAT = ";".join(['"blind"'] * 4)
"""Shows `blind` whatever is in the cell, as in those of the judge's on blind rows; no value of theirs is there."""
_MASKED = " masked"
_FIGURE = {**_CENTRED, "valign": "vcenter"}
_TENTHS = "0.0"

_STYLES: Mapping[str, Mapping[str, object]] = {
    "item_header": {**_HEADER, "bg_color": SLATE},
    "judge_header": {**_HEADER, "bg_color": BLUE},
    "expert_header": {**_HEADER, "bg_color": AMBER, "font_color": INK},
    "result_header": {**_HEADER, "bg_color": TEAL},
    "text": _WRAPPED,
    "id": {**_WRAPPED, "bold": True},
    "note": {**_GRID, "font_color": MUTED, "font_size": 8},
    "number": _CENTRED,
    "score": {**_CENTRED, "bg_color": PALE_BLUE, "bold": True},
    "judge_text": {**_WRAPPED, "bg_color": PALE_BLUE},
    "judge_mark": {**_CENTRED, "bg_color": PALE_BLUE, "text_wrap": True},
    "notice_mark": {**_CENTRED, "bg_color": PALE_BLUE, "font_color": BROWN, "bold": True, "text_wrap": True},
    "unscored_text": {**_WRAPPED, "bg_color": PALE_RED, "font_color": RED},
    "alarm_mark": {**_CENTRED, "bg_color": PALE_RED, "font_color": RED, "bold": True, "text_wrap": True},
    "expert_score": {**_CENTRED, "bg_color": PALE_AMBER, "bold": True},
    "expert_text": {**_WRAPPED, "bg_color": PALE_AMBER},
    "stale_text": {**_WRAPPED, "font_color": MUTED, "italic": True},
    "band_text": {**_WRAPPED, "bg_color": BAND},
    "band_id": {**_WRAPPED, "bg_color": BAND, "bold": True},
    "band_number": {**_CENTRED, "bg_color": BAND},
    "met": {**_CENTRED, "bg_color": PALE_GREEN, "font_color": GREEN, "bold": True},
    "not_met": {**_CENTRED, "bg_color": PALE_RED, "font_color": RED, "bold": True},
    "final": {**_CENTRED, "bold": True},
    "final_blind": {**_CENTRED, "font_color": MUTED, "italic": True},
    "sub_score": {**_CENTRED, "bg_color": PALE_BLUE, "num_format": _TENTHS},
    "final_score": {**_CENTRED, "num_format": _TENTHS},
    "final_esi": {**_CENTRED, "bold": True, "num_format": _TENTHS},
    "seconds": {**_CENTRED, "num_format": _TENTHS},
    "usd": {**_CENTRED, "num_format": "0.000000"},
    "difference": {**_CENTRED, "num_format": "+General;-General;0"},
    "title": {"font_size": 18, "bold": True, "font_color": BLUE, "valign": "vcenter"},
    "heading": {"font_size": 12, "bold": True, "font_color": BLUE, "valign": "vcenter"},
    "plain": {},
    "wrapped": {"text_wrap": True},
    "muted": {"font_color": MUTED, "italic": True, "valign": "vcenter"},
    "label": {"bold": True, "font_color": SLATE},
    "banner": {"bold": True, "font_size": 11, "bg_color": AMBER, "valign": "vcenter", "text_wrap": True, "indent": 1},
    "judge_line": {"bold": True, "font_size": 11, "bg_color": PALE_BLUE, "valign": "vcenter", "indent": 1},
    "notice": {"bold": True, "font_color": BROWN, "valign": "vcenter"},
    "alarm": {"bold": True, "font_color": RED},
    "table_header": {**_HEADER, "bg_color": SLATE, "align": "center", "valign": "vcenter"},
    "table_header_left": {**_HEADER, "bg_color": SLATE, "valign": "vcenter"},
    "row_label": {**_GRID, "bold": True, "valign": "vcenter"},
    "count": _FIGURE,
    "mean": _FIGURE,
    "strong_mean": {**_FIGURE, "bold": True},
    "signed_mean": _FIGURE,
    "share": {**_FIGURE, "num_format": "0%"},
    "amount": {**_FIGURE, "num_format": "#,##0"},
    "mean_tenths": {**_FIGURE, "num_format": _TENTHS},
    "strong_tenths": {**_FIGURE, "bold": True, "num_format": _TENTHS},
    "total_cost": {**_FIGURE, "num_format": "0.0000"},
    "band_label": {**_GRID, "bold": True, "valign": "vcenter", "bg_color": BAND},
    "weight": {**_FIGURE, "bg_color": PALE_AMBER, "bold": True},
    "passed": {**_FIGURE, "bg_color": PALE_GREEN, "font_color": GREEN, "bold": True},
    "failed": {**_FIGURE, "bg_color": PALE_RED, "font_color": RED, "bold": True},
    "in_doubt": {**_FIGURE, "bg_color": PALE_AMBER, "font_color": BROWN, "bold": True},
    "exact_share": {**_FIGURE, "num_format": "0.0%"},
    "row_text": {**_WRAPPED, "valign": "vcenter"},
}


class Formats:
    """XlsxWriter's formats by name, each made when first asked for."""

    def __init__(self, workbook: Any, mean_format: str) -> None:
        self._workbook = workbook
        self._made: dict[str, Any] = {}
        self._mean_formats = {
            "mean": mean_format,
            "strong_mean": mean_format,
            "signed_mean": f"+{mean_format};-{mean_format};{mean_format}",
        }

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            style = {**_BASE, **_STYLES[name.removesuffix(_MASKED)]}
            if name.endswith(_MASKED):
                veil = {"font_color": MUTED, "italic": True, "bold": False, "align": "center", "indent": 0}
                style = {**style, **veil, "num_format": BLIND_FORMAT}
            if name in self._mean_formats:
                style["num_format"] = self._mean_formats[name]
            self._made[name] = self._workbook.add_format(style)
        return self._made[name]

    def masked(self, name: str) -> Any:
        """Return the format `name` for a cell that says `blind` instead of what the judge did."""
        return self[name + _MASKED]

    def conditional(self, **properties: object) -> Any:
        """Return a format for a rule: only what the rule changes."""
        return self._workbook.add_format(properties)


def mean_format(scale_span: float) -> str:
    """Return the decimals that means are shown with: two, or three where the whole scale is 1."""
    return "0.00" if scale_span > 1 else "0.000"


def score_format(scale_span: float) -> str:
    """Return the decimals that a score is shown with where it has too many; `0.##` would leave a point behind 50."""
    return "0.0#" if scale_span > 1 else "0.0##"


def blend(colours: tuple[str, str, str], share: float) -> str:
    """Return the colour at `share` (0 to 1) of the way from the first over the second to the third."""
    start, end = (colours[0], colours[1]) if share < 0.5 else (colours[1], colours[2])
    part = share * 2 if share < 0.5 else share * 2 - 1
    mixed = (round(a + (b - a) * part) for a, b in zip(_rgb(start), _rgb(end), strict=True))
    return "#" + "".join(f"{value:02X}" for value in mixed)


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
