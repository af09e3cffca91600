"""Removes the notes on our columns, with the boxes they are drawn in; the expert's notes and shapes stay."""

from __future__ import annotations

from lxml import etree

from grader.outputs.graded_workbook.area import Area, parse_area
from grader.outputs.graded_workbook.ooxml import RELATION_ID, children, local_name, main
from grader.outputs.graded_workbook.package import Package, Relation
from grader.outputs.graded_workbook.removal.sheets import remove_parts

_COMMENTS = ("comments", "threadedComment")


def remove_notes(package: Package, part: str, area: Area) -> None:
    """Remove the notes and threaded comments in an area; parts that are empty then go with their relations."""
    for relation in package.relations(part):
        if relation.is_external or not package.find(relation.target):
            continue
        if relation.kind in _COMMENTS:
            _remove_comments(package, part, relation, area)
        elif relation.kind == "vmlDrawing":
            _remove_boxes(package, part, relation, area)


def note_cells(package: Package, part: str) -> list[tuple[str, str]]:
    """Return the cell and the text of each note and threaded comment of a sheet."""
    found = []
    for relation in package.relations(part):
        if relation.kind in _COMMENTS and package.find(relation.target):
            for entry in _entries(package.tree(relation.target)):
                found.append((entry.get("ref") or "", "".join(map(str, entry.itertext()))))
    return found


def _remove_comments(package: Package, part: str, relation: Relation, area: Area) -> None:
    root = package.tree(relation.target)
    inside = [entry for entry in _entries(root) if _is_inside(entry.get("ref") or "", area)]
    if not inside:
        return
    package.touch(relation.target)
    for entry in inside:
        entry.getparent().remove(entry)  # type: ignore[union-attr]  # it was just found in its parent
    if not _entries(root):
        _drop(package, part, relation)
        return
    _remove_unused_authors(root)


def _remove_unused_authors(root: etree._Element) -> None:
    """Remove the authors behind the last one who is named: they are known by their place."""
    authors = root.find(main("authors"))
    if authors is None:
        return
    last = max(int(entry.get("authorId") or 0) for entry in _entries(root))
    for author in children(authors)[last + 1 :]:
        authors.remove(author)


def _remove_boxes(package: Package, part: str, relation: Relation, area: Area) -> None:
    root = package.tree(relation.target)
    shapes = [child for child in children(root) if local_name(child) not in ("shapelayout", "shapetype")]
    inside = [shape for shape in shapes if _is_box_inside(shape, area)]
    if not inside:
        return
    package.touch(relation.target)
    for shape in inside:
        root.remove(shape)
    if len(inside) < len(shapes):
        return
    sheet = package.touch(part)
    for drawing in list(sheet.iterchildren(main("legacyDrawing"))):
        if drawing.get(RELATION_ID) == relation.id:
            sheet.remove(drawing)
            _drop(package, part, relation)


def _is_box_inside(shape: etree._Element, area: Area) -> bool:
    for data in shape.iter("*"):
        if local_name(data) == "ClientData" and data.get("ObjectType") == "Note":
            place = {local_name(child): (child.text or "").strip() for child in children(data)}
            column, row = place.get("Column", ""), place.get("Row", "")
            if column.isdigit() and row.isdigit():
                return area.holds(Area(int(row) + 1, int(row) + 1, int(column) + 1, int(column) + 1))
    return False


def _drop(package: Package, part: str, relation: Relation) -> None:
    package.unrelate(part, relation)
    remove_parts(package, [relation.target])


def _entries(root: etree._Element) -> list[etree._Element]:
    return [entry for entry in root.iter("*") if local_name(entry) in ("comment", "threadedComment")]


def _is_inside(reference: str, area: Area) -> bool:
    place = parse_area(reference)
    return place is not None and area.holds(place)
