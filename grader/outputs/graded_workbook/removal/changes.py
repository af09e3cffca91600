"""Notices what was changed by hand in a graded workbook and would be lost with it; entries are not its concern."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from grader.outputs.graded_workbook.merge.properties import merge_properties, read_properties
from grader.outputs.graded_workbook.ooxml import local_name
from grader.outputs.graded_workbook.package import Package
from grader.outputs.graded_workbook.removal.cell_digest import (
    COLUMNS,
    PROPERTY,
    THEIRS,
    cell_digests,
    parse_digests,
    render_digests,
)
from grader.outputs.graded_workbook.removal.notes import note_cells
from grader.outputs.graded_workbook.removal.recognising import Ours, find_ours
from grader.outputs.graded_workbook.sheet_faults import PassedRows

_PARTS = "parts"
"""The property that tells a workbook that nobody has saved since from others, whose cells must be looked at."""

_SHAPES = ("pic", "sp", "cxnSp", "grpSp")


def remember_cells(package: Package) -> PassedRows:
    """Keep in a document property what the cells are like as the workbook is written, for `changes_by_hand`.

    Returns:
        What was seen of the rows meanwhile, for the check of the written file.
    """
    passed = PassedRows(package)
    digests = cell_digests(package, find_ours(package), passed.rows)
    merge_properties(package, {PROPERTY: render_digests(digests), _PARTS: _parts_digest(package)})
    return passed


def _parts_digest(package: Package) -> str:
    """Return what changes with any byte of the sheets, and so whenever another program has saved the workbook."""
    digest = hashlib.blake2b(digest_size=16)
    strings = package.related_part("sharedStrings")
    for name in (*package.sheets().values(), *([strings] if strings else [])):
        if package.find(name):
            digest.update(package.written(name))
    return digest.hexdigest()


def is_untouched(package: Package) -> bool:
    """Return whether a workbook is as we have written it, and no other program has saved it since."""
    return read_properties(package).get(_PARTS) == _parts_digest(package)


def changes_by_hand(package: Package, ours: Ours) -> Iterator[str]:
    """Yield one reason after the other to keep the workbook; each completes "because …".

    A workbook of an older grader does not say what its cells were: there only notes and pictures are found.
    """
    yield from _added_to_sheets(package, ours)
    properties = read_properties(package)
    written = parse_digests(properties.get(PROPERTY, ""))
    if not written or properties.get(_PARTS) == _parts_digest(package):
        return
    now = cell_digests(package, ours)
    names = ours.names()
    for kind, digest in written.items():
        if now.get(kind) == digest:
            continue
        if kind == COLUMNS:
            yield "our columns beside the criteria were changed by hand"
        elif kind == THEIRS:
            yield "cells on the expert's own sheets in it were changed or added"
        elif kind in names:
            yield f"cells on its sheet {names[kind]} were changed or added that are not for the expert's entries"


def _added_to_sheets(package: Package, ours: Ours) -> Iterator[str]:
    for _, name in ours.sheets:
        part = package.sheets()[name]
        cells = sorted({cell for cell, _ in note_cells(package, part)})
        if cells:
            yield f"there are notes on its sheet {name} ({', '.join(cells[:3])}{', …' if len(cells) > 3 else ''})"
        if any(
            _has_shapes(package, relation.target) for relation in package.relations(part) if relation.kind == "drawing"
        ):
            yield f"there are pictures or shapes on its sheet {name}"


def _has_shapes(package: Package, drawing: str) -> bool:
    return package.find(drawing) is not None and any(
        local_name(element) in _SHAPES for element in package.tree(drawing).iter("*")
    )
