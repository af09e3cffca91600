"""Puts many problems of one kind into one clear message; finds none itself."""

from __future__ import annotations

from collections.abc import Iterable

from grader.errors import InputError
from grader.records import CellRef

_SHOWN = 10


def listed_problems(message: str, places: Iterable[tuple[CellRef | None, str]], *, hint: str) -> InputError:
    """Return one `InputError` at the first place, which lists the next ones too.

    `places` are pairs of a place and what was found there, which may be "".
    """
    found = list(places)
    first = found[0][0] or CellRef(path="")
    shown = [_described(ref, what, first) for ref, what in found[:_SHOWN]]
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    details = "" if len(found) == 1 and not found[0][1] else f" ({', '.join(shown)}{more})"
    return InputError(message + details, path=first.path or None, sheet=first.sheet, cell=first.cell, hint=hint)


def _described(ref: CellRef | None, what: str, first: CellRef) -> str:
    place = place_name(ref, beside=first)
    return f"{what} in {place}" if what and place else what or place


def place_name(ref: CellRef | None, *, beside: CellRef | None = None) -> str:
    """Return `B7` or `line 12`, with the file's name in front unless it is the one of `beside`."""
    if ref is None:
        return ""
    cell = ref.cell or ""
    return cell if beside is not None and ref.path == beside.path else f"{ref.path} {cell}".strip()
