"""What an expert has entered on the sheet Items, read back by keys from a workbook that is there; changes none."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from python_calamine import CalamineError, CalamineWorkbook

from grader.benchmark_records import BenchmarkItem
from grader.outputs.benchmark_workbook.item_columns import ITEMS, ItemColumn
from grader.outputs.graded_workbook.entry_values import Unclear, entered_comment, parse_entered_score
from grader.outputs.graded_workbook.expert_entries import cell_area
from grader.outputs.graded_workbook.keys import item_key, text_hash
from grader.records import Item

CORRECT, NOT_CORRECT = "correct", "not correct"
_MEANT = {CORRECT: True, NOT_CORRECT: False}
_NEEDED = (
    *(ItemColumn.KEY, ItemColumn.TEXT_HASH),
    *(ItemColumn.EXPERT_ACCURACY, ItemColumn.EXPERT_INTEGRITY, ItemColumn.EXPERT_COMMENT),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemEntry:
    """What stands in the expert's cells of one item; what is neither empty nor a value as a rule is kept as text."""

    is_accurate: bool | str | None = None
    integrity: float | str | None = None
    """0–100 where it is a number that counts."""
    comment: str = ""
    text_hash: str = field(default="", compare=False)
    """Of the texts that the expert had before them."""


NO_ENTRY = ItemEntry()
_MOST_BYTES, _MOST_CELLS = 1 << 30, 20_000_000


class Unreadable(Exception):
    """What is there is no workbook of ours that could be looked into; the text completes "because …"."""


def entry_key(item: BenchmarkItem) -> str:
    """Return the key of an item's row: the same however the rows are sorted and the texts edited."""
    return item_key("\n".join(_system(item)), item.id, 1)


def entry_text_hash(item: BenchmarkItem) -> str:
    """Return what changes with the texts that an expert judges by."""
    fields = {"instruction": item.instruction}
    return text_hash(
        Item(
            id=item.id,
            system=" | ".join(_system(item)),
            answer=item.cleaned_answer,
            question=item.question,
            reference=item.reference,
            fields=fields,
        )
    )


def read_item_entries(path: Path) -> dict[str, ItemEntry]:
    """Return what an expert has entered in the workbook at `path`, by row key; rows without an entry are left out.

    Raises:
        Unreadable: it is damaged or protected, or what the expert's cells belong to cannot be told any more.
    """
    try:
        _check_size(path)
        workbook = CalamineWorkbook.from_path(path)
        if ITEMS not in workbook.sheet_names:
            raise Unreadable(f"it has no sheet {ITEMS}")
        rows = iter(workbook.get_sheet_by_name(ITEMS).iter_rows())
    except (CalamineError, zipfile.BadZipFile, zlib.error, OSError) as error:
        raise Unreadable("it could not be read, and may hold an expert's entries") from error
    header = {str(name).strip(): place for place, name in reversed(list(enumerate(next(rows, ()))))}
    missing = [str(column) for column in _NEEDED if column not in header]
    if missing:
        raise Unreadable(f"its sheet {ITEMS} has no column {missing[0]}")
    found = dict(_entries(rows, header))
    return {key: entry for key, entry in found.items() if key and entry != NO_ENTRY}


def _check_size(path: Path) -> None:
    """Refuse sheets that the reader could not hold: it makes room for every cell up to the last one."""
    with zipfile.ZipFile(path) as archive:
        for part in archive.infolist():
            if not part.filename.startswith("xl/worksheets/") or not part.filename.endswith(".xml"):
                continue
            if part.file_size > _MOST_BYTES or cell_area(archive.read(part)) > _MOST_CELLS:
                raise Unreadable("its cells lie too far apart")


def _entries(rows: Iterable[Sequence[object]], header: Mapping[str, int]) -> Iterable[tuple[str, ItemEntry]]:
    for cells in rows:
        key, texts, accurate, integrity, comment = (cells[header[column]] for column in _NEEDED)
        entry = ItemEntry(
            is_accurate=_verdict(accurate),
            integrity=_integrity(integrity),
            comment=entered_comment(comment),
            text_hash=str(texts),
        )
        yield str(key).strip(), entry


def _verdict(value: object) -> bool | str | None:
    text = " ".join(str(value if value is not None else "").split())
    return _MEANT.get(text.casefold(), text) if text else None


def _integrity(value: object) -> float | str | None:
    try:
        number = parse_entered_score(value)
    except Unclear:
        return str(value)
    return number if number is None or 0 <= number <= 100 else f"{number:.15g}"


def _system(item: BenchmarkItem) -> tuple[str, str, str]:
    combination = item.combination
    return combination.dataset, combination.model, combination.prompt_version
