"""Reads the numbers of a text with their units, and compares them; knows nothing of what they measure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.judging.text_tokens import even

_DIMENSIONS: dict[str, dict[str, float]] = {
    "length": {"nm": 1e-9, "um": 1e-6, "μm": 1e-6, "mm": 1e-3, "cm": 1e-2, "m": 1.0, "km": 1e3}
    | dict.fromkeys("meter meters metre metres 米 メートル".split(), 1.0)
    | dict.fromkeys("kilometer kilometers kilometre kilometres 公里 千米 キロメートル".split(), 1e3),
    "time": {"ns": 1e-9, "us": 1e-6, "μs": 1e-6, "ms": 1e-3}
    | dict.fromkeys("s sec second seconds sekunde sekunden 秒 秒間".split(), 1.0)
    | dict.fromkeys("min minute minutes minuten 分 分間 分钟".split(), 60.0)
    | dict.fromkeys("h hr hrs hour hours stunde stunden 時間 小时".split(), 3600.0)
    | dict.fromkeys("d day days tag tage tagen 日 日間 天".split(), 86400.0),
    "mass": {"mg": 1e-6, "g": 1e-3, "kg": 1.0, "t": 1e3},
    "power": {"mW": 1e-3, "W": 1.0, "kW": 1e3, "MW": 1e6, "watt": 1.0, "watts": 1.0},
    "energy": {"J": 1.0, "kJ": 1e3, "MJ": 1e6, "Wh": 3.6e3, "kWh": 3.6e6},
    "voltage": {"mV": 1e-3, "V": 1.0, "kV": 1e3},
    "frequency": {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
    "data": {"B": 1.0, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12},
    "share": dict.fromkeys(("%", "percent", "prozent", "パーセント"), 1.0) | {"割": 10.0},
    "temperature": {"°C": 1.0, "℃": 1.0},
    "angle": {"°": 1.0, "degrees": 1.0, "degree": 1.0, "grad": 1.0, "度": 1.0},
}
_UNITS = {unit: (dimension, factor) for dimension, units in _DIMENSIONS.items() for unit, factor in units.items()}
_UNIT = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_MEASURE = re.compile(
    r"(?<![A-Za-z0-9_.])(?<![A-Za-z]-)(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    rf"(?:\s?((?:(?i:[a-z]{{4,}})|{_UNIT})(?![A-Za-z/^²³])))?"
)


@dataclass(frozen=True, slots=True)
class Measure:
    """A number, and the dimension of its unit, "" where it has none that is known."""

    text: str
    value: float
    """As it is written."""
    dimension: str = ""
    base: float = 0.0
    """In the dimension's base unit, so that 1 km is 1000 m."""

    def equals(self, other: Measure, tolerance: float) -> bool:
        """Return whether both are the same but for rounding; a number without a unit agrees with any unit."""
        if self.dimension and other.dimension:
            return self.dimension == other.dimension and _is_close(self.base, other.base, tolerance)
        return _is_close(self.value, other.value, tolerance)


def read_measures(text: str) -> tuple[Measure, ...]:
    """Return every number of `text`, in its order; those inside names (`disk3`, `EVA-03`) are left out."""
    return tuple(_measure(found) for found in _MEASURE.finditer(even(text)))


def without_measures(text: str) -> str:
    """Return `text` without what `read_measures` reads."""
    return _MEASURE.sub(" ", even(text))


def lacking(expected: Iterable[Measure], found: Sequence[Measure], tolerance: float) -> tuple[Measure, ...]:
    """Return those of `expected` that nothing in `found` equals."""
    return tuple(measure for measure in expected if not any(measure.equals(other, tolerance) for other in found))


def _measure(found: re.Match[str]) -> Measure:
    value, unit = float(found[1]), found[2] or ""
    dimension, factor = _UNITS.get(unit) or _UNITS.get(unit.casefold()) or ("", 0.0)
    text = found[0].strip() if dimension else found[1]
    return Measure(text, value, dimension, value * factor)


def _is_close(one: float, other: float, tolerance: float) -> bool:
    return math.isclose(one, other, rel_tol=tolerance, abs_tol=1e-12)
