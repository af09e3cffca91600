"""Carries whole sheets of ours, with their tables and charts, into the expert's package; theirs are not touched."""

from __future__ import annotations

import copy

from lxml import etree

from grader.outputs.graded_workbook.defined_names import add_defined_name
from grader.outputs.graded_workbook.merge.donor_cells import DonorCells, split_cells
from grader.outputs.graded_workbook.merge.styles import StyleMap
from grader.outputs.graded_workbook.ooxml import (
    RELATION_ID,
    WORKBOOK_ORDER,
    child_in_order,
    main,
    parse_xml,
    serialise_xml,
)
from grader.outputs.graded_workbook.package import Package, Unpatchable, office_relation


class SheetCarrier:
    """Copies sheets from a donor made by XlsxWriter to a target package, renumbering what must be unique there."""

    def __init__(self, target: Package, donor: Package, styles: StyleMap) -> None:
        self._target = target
        self._donor = donor
        self._styles = styles
        self._cells = DonorCells(donor, styles)

    def add_all(self) -> None:
        """Append every sheet of the donor behind the target's own, with the names that belong to it."""
        _ensure_a_view(self._target)
        for position, name in enumerate(self._donor.sheets()):
            self._add(name, position)

    def _add(self, name: str, donor_position: int) -> None:
        part = self._donor.sheets()[name]
        copied = self._copy(part, {}, self._sheet_data(part))
        entries = child_in_order(self._target.touch(self._target.workbook), "sheets", WORKBOOK_ORDER)
        position = len(entries.findall(main("sheet")))
        relation = self._target.relate(self._target.workbook, office_relation("worksheet"), copied)
        entry = etree.SubElement(entries, main("sheet"), name=name, sheetId=str(_next_id(entries)))
        state = self._donor_entry(name).get("state")
        if state:
            entry.set("state", state)
        entry.set(RELATION_ID, relation)
        self._add_names(donor_position, position)

    def _donor_entry(self, name: str) -> etree._Element:
        entries = self._donor.tree(self._donor.workbook).iterfind(f"{main('sheets')}/{main('sheet')}")
        return next(entry for entry in entries if entry.get("name") == name)

    def _add_names(self, donor_position: int, position: int) -> None:
        """Add the sheet's own names (print titles, the filter's range): they say by position whose they are."""
        ours = self._donor.tree(self._donor.workbook).iterfind(f"{main('definedNames')}/{main('definedName')}")
        for original in ours:
            if original.get("localSheetId") == str(donor_position):
                name = copy.deepcopy(original)
                name.set("localSheetId", str(position))
                add_defined_name(self._target, name)

    def _sheet_data(self, part: str) -> bytes:
        # Only what is around the cells is parsed: as a tree, the cells of 10,000 rows take seconds and much memory.
        head, cells, tail = split_cells(self._donor.data(part))
        root = parse_xml(head + tail)
        self._renumber_styles(root)
        for view in root.iter(main("sheetView")):
            # Two selected tabs are a group: what is typed into one lands in both.
            view.attrib.pop("tabSelected", "")
        head, _, tail = split_cells(serialise_xml(root))
        return b"".join((head, *self._cells.carried(cells), tail))

    def _renumber_styles(self, root: etree._Element) -> None:
        for column in root.iter(main("col")):
            if column.get("style") is not None:
                column.set("style", str(self._styles.formats[int(column.get("style") or 0)]))
        for rule in root.iter(main("cfRule")):
            number = rule.get("dxfId")
            if number is not None:
                rule.set("dxfId", str(self._styles.conditional[int(number)]))

    def _copy(self, part: str, done: dict[str, str], data: bytes | None = None) -> str:
        """Copy a donor part and all it relates to under free names; return its new name."""
        if part in done:
            return done[part]
        content_type = self._donor.content_type(part) or "application/xml"
        if content_type.endswith(".table+xml"):
            data = self._table_data(part)
        name = done[part] = self._target.free_name(part)
        self._target.add(name, self._donor.data(part) if data is None else data, content_type)
        for relation in self._donor.relations(part):
            self._target.relate(name, relation.type, self._copy(relation.target, done), id=relation.id)
        return name

    def _table_data(self, part: str) -> bytes:
        root = copy.deepcopy(self._donor.tree(part))
        taken = (table_id(self._target.tree(name)) for name in self._target.parts_of_type(".table+xml"))
        root.set("id", str(max(taken, default=0) + 1))
        return serialise_xml(root)


def table_id(table: etree._Element) -> int:
    """Return a table's number, unique in its workbook.

    Raises:
        Unpatchable: it has none.
    """
    return _number(table.get("id"), "a table has no number")


def _next_id(entries: etree._Element) -> int:
    ids = (_number(entry.get("sheetId"), "a sheet has no number") for entry in entries.iterfind(main("sheet")))
    return max(ids, default=0) + 1


def _number(text: str | None, complaint: str) -> int:
    try:
        return int(text or "")
    except ValueError as error:
        raise Unpatchable(complaint) from error


def _ensure_a_view(target: Package) -> None:
    """Add the workbook's window where it has none: our sheets' views refer to the first one."""
    if target.tree(target.workbook).find(main("bookViews")) is None:
        views = child_in_order(target.touch(target.workbook), "bookViews", WORKBOOK_ORDER)
        etree.SubElement(views, main("workbookView"))
