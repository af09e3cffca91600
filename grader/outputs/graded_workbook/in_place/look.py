"""How our cells in the expert's own sheet look: as the judge's on Review, in formats made for this one donor."""

from __future__ import annotations

from typing import Any

from grader.outputs.graded_workbook.formats import (
    BLUE,
    HIGH,
    INK,
    LINE,
    LOW,
    MIDDLE,
    MUTED,
    PALE_BLUE,
    PALE_RED,
    RED,
    blend,
)

_STEPS = 10
"""How finely fills tell scores apart: each is a format of its own, and Excel's formats are numbered."""

_CELL = {
    "font_name": "Calibri",
    "font_scheme": "none",
    "font_size": 10,
    "font_color": INK,
    "valign": "top",
    "border": 1,
    "border_color": LINE,
    "bg_color": PALE_BLUE,
}
_MASK = ";".join(['"blind"'] * 4)
"""For positive and negative numbers, zero and text: all of them read `blind`."""

_LOOKS: dict[str, dict[str, object]] = {
    "header": {"bold": True, "font_color": "#FFFFFF", "bg_color": BLUE, "text_wrap": True},
    "score": {"bold": True, "align": "center"},
    "text": {"text_wrap": True},
    "one_line": {},
    "met": {"font_color": "#1E6B3A", "bold": True, "align": "center", "text_wrap": True},
    "not_met": {"font_color": RED, "bold": True, "align": "center", "text_wrap": True},
    "unscored": {"text_wrap": True, "bg_color": PALE_RED, "font_color": RED},
    "blind": {"font_color": MUTED, "italic": True, "align": "center", "num_format": _MASK},
}


class Looks:
    """The formats of one donor workbook, each made when first asked for."""

    def __init__(self, workbook: Any) -> None:
        self._workbook = workbook
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._workbook.add_format({**_CELL, **_LOOKS[name]})
        return self._made[name]

    def score(self, share: float, score: float = 0.0) -> Any:
        """Return the format of a score at `share` (0 to 1) of its scale, from red over yellow to green.

        Two decimals of it are shown where it has more.
        """
        step = round(min(1.0, max(0.0, share)) * _STEPS)
        is_long = abs(score - round(score, 2)) > 1e-9
        name = f"score {step} {is_long}"
        if name not in self._made:
            fill: dict[str, object] = {"bg_color": blend((LOW, MIDDLE, HIGH), step / _STEPS)}
            fill |= {"num_format": "0.00"} if is_long else {}
            self._made[name] = self._workbook.add_format({**_CELL, **_LOOKS["score"], **fill})
        return self._made[name]
