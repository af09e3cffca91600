"""Checks a finished workbook's structure as Excel would on opening it; reads no cell's meaning and repairs nothing."""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from string import ascii_uppercase, digits

from lxml import etree

from grader.outputs.graded_workbook.ooxml import (
    RELATION_ID,
    STYLES_ORDER,
    WORKBOOK_ORDER,
    WORKSHEET_ORDER,
    children,
    local_name,
    main,
)
from grader.outputs.graded_workbook.package import CONTENT_TYPES_PART, Package
from grader.outputs.graded_workbook.review_columns import column_index, column_letters
from grader.outputs.graded_workbook.sheet_faults import PassedRows, RowFaults, sheet_faults

_LETTERS, _DIGITS = ascii_uppercase, digits
_SHEET_NAME_LIMIT = 31
_FORBIDDEN_IN_SHEET_NAMES = set("[]:*?/\\")


def package_problems(package: Package) -> set[str]:
    """Return what is wrong with a package as a whole, for comparison with what was wrong before us."""
    checks = (_relation_problems, _content_type_problems, _sheet_list_problems, _table_problems)
    return {problem for check in checks for problem in check(package)}


def sheet_problems(package: Package, part: str, passed: PassedRows | None = None) -> Iterator[str]:
    """Yield what is wrong with one sheet: the order of its elements, and numbers of styles that do not exist.

    `passed` are rows that were seen on their way into the sheet.
    """
    tables = [package.tree(relation.target) for relation in package.relations(part) if relation.kind == "table"]
    faults = (passed.of(package, part) if passed else None) or _row_faults(package, part)
    root = package.around_rows(part)
    used = {("cellXfs", style) for style in faults.styles if style}
    yield from _order_problems(part, root, WORKSHEET_ORDER)
    used |= {("cellXfs", value) for value in _values(root, "col", "style")}
    used |= {("dxfs", value) for value in _values(root, "cfRule", "dxfId")}
    yield from _style_problems(package, part, used)
    headers = _header_texts(package, part, {_first_row(table) for table in tables})
    for table in tables:
        yield from _header_problems(part, table, headers)
    yield from faults.found
    yield from sheet_faults(package, part, root)
    yield from _link_problems(package, part, root)


def _row_faults(package: Package, part: str) -> RowFaults:
    faults = RowFaults(part)
    for row in package.rows(part):
        faults.see(row)
    return faults


def _style_problems(package: Package, part: str, used: set[tuple[str, str]]) -> Iterator[str]:
    styles = package.related_part("styles")
    counts = _style_counts(package.tree(styles)) if styles else Counter[str]()
    for collection, number in sorted(used):
        if not number.isdecimal() or int(number) >= counts[collection]:
            yield f"{part}: style {number} of {collection} does not exist"


def _link_problems(package: Package, part: str, root: etree._Element) -> Iterator[str]:
    linked = {relation.id for relation in package.relations(part)}
    for section in children(root):
        if section.tag == main("sheetData"):
            continue  # large, and its cells refer to nothing
        for element in section.iter("*"):
            if element.get(RELATION_ID) not in (None, *linked):
                yield f"{part}: {local_name(element)} refers to a relation that does not exist"


def added_parts(before: Package, after: Package) -> list[str]:
    """Return the sheets that are in `after` only."""
    known = set(before.sheets().values())
    return [part for part in after.sheets().values() if part not in known and after.find(part)]


def changed_bytes(before: Package, after: Package) -> set[str]:
    """Return the parts of `before` that are missing from `after`, or not byte for byte the same."""
    now = after.original
    return {name for name, data in before.original.items() if now.get(name) != data}


def check_copy(source: Package, path: Path, *, touched: Iterable[str], passed: PassedRows | None = None) -> list[str]:
    """Return what is wrong with the copy at `path` that was not wrong with `source`; nothing, as it should be."""
    copy = read_written(path)
    found = package_problems(copy)
    problems = sorted(found - package_problems(source)) if found else []
    problems += [f"{name} was changed" for name in sorted(changed_bytes(source, copy) - set(touched))]
    for part in added_parts(source, copy):
        problems += sheet_problems(copy, part, passed)
    for part in _changed_sheets(source, copy):
        found = set(sheet_problems(copy, part, passed))
        problems += sorted(found - set(sheet_problems(source, part))) if found else []
    styles = copy.related_part("styles")
    problems += _order_problems(copy.workbook, copy.tree(copy.workbook), WORKBOOK_ORDER)
    problems += _order_problems(styles, copy.tree(styles), STYLES_ORDER) if styles else ["there are no styles"]
    return problems


def _changed_sheets(source: Package, copy: Package) -> list[str]:
    """Return the expert's worksheets that are not byte for byte what they were."""
    there = set(copy.sheets().values())
    changed = (part for part in source.sheets().values() if source.find(part) and part in there)
    return [part for part in changed if source.data(part) != copy.data(part)]


def check_alone(path: Path) -> list[str]:
    """Return what is wrong with a workbook of our sheets alone."""
    package = read_written(path)
    problems = sorted(package_problems(package))
    for part in package.sheets().values():
        problems += sheet_problems(package, part)
    return problems


def check_streamed(path: Path) -> list[str]:
    """Return what is wrong with a workbook whose sheets are too large to hold: damage, found without unpacking."""
    with zipfile.ZipFile(path) as archive:
        damaged = archive.testzip()
    return [f"{damaged} is damaged"] if damaged else []


def read_written(path: Path, *parts: str) -> Package:
    """Return the package of a file we wrote, of some of its `parts` or all."""
    with zipfile.ZipFile(path) as archive:
        return Package({name: archive.read(name) for name in parts or archive.namelist()})


def _relation_problems(package: Package) -> Iterator[str]:
    sources = ["", *(name for name in package.names() if not name.endswith(".rels"))]
    for source in sources:
        relations = package.relations(source)
        for relation in relations:
            if not relation.is_external and package.find(relation.target) is None:
                yield f"{source or 'the package'} refers to {relation.target}, which is not there"
        for id, count in Counter(relation.id for relation in relations).items():
            if count > 1:
                yield f"{source or 'the package'} has {count} relations {id}"


def _content_type_problems(package: Package) -> Iterator[str]:
    for name in package.names():
        if name != CONTENT_TYPES_PART and package.content_type(name) is None:
            yield f"{name} has no content type"
    overrides = [(entry.get("PartName") or "").lower() for entry in package.tree(CONTENT_TYPES_PART)]
    for name, count in Counter(filter(None, overrides)).items():
        if count > 1:
            yield f"{name} has {count} content types"
        if package.find(name.lstrip("/")) is None:
            yield f"{name} has a content type, but is not there"


def _sheet_list_problems(package: Package) -> Iterator[str]:
    workbook = package.tree(package.workbook)
    if (lists := len(workbook.findall(main("sheets")))) != 1:
        yield f"{package.workbook} has {lists} lists of sheets"
    entries = workbook.findall(f"{main('sheets')}/{main('sheet')}")
    names = [entry.get("name") or "" for entry in entries]
    for name in names:
        if (
            len(name) > _SHEET_NAME_LIMIT
            or _FORBIDDEN_IN_SHEET_NAMES & set(name)
            or name.strip("'") != name
            or not name
        ):
            yield f"the sheet name {name!r} is not allowed"
    yield from _repeated("the sheet name", (name.casefold() for name in names))
    yield from _repeated("the sheet id", (entry.get("sheetId") or "" for entry in entries))
    defined = workbook.findall(f"{main('definedNames')}/{main('definedName')}")
    for entry in defined:
        if int(entry.get("localSheetId") or 0) >= len(entries):
            yield f"the name {entry.get('name')} belongs to a sheet that does not exist"
    with_sheets = (f"{entry.get('name')} of sheet {entry.get('localSheetId')}".casefold() for entry in defined)
    yield from _repeated("the defined name", with_sheets)


def _table_problems(package: Package) -> Iterator[str]:
    tables = [package.tree(part) for part in package.parts_of_type(".table+xml")]
    yield from _repeated("the table id", (table.get("id") or "" for table in tables))
    yield from _repeated("the table name", ((table.get("displayName") or "").casefold() for table in tables))
    for table in tables:
        columns = [column.get("name") or "" for column in table.iter(main("tableColumn"))]
        yield from _repeated(f"the column of table {table.get('displayName')}", (name.casefold() for name in columns))


def _first_row(table: etree._Element) -> str:
    return (table.get("ref") or "").partition(":")[0].lstrip(_LETTERS)


def _header_problems(part: str, table: etree._Element, texts: Mapping[str, str]) -> Iterator[str]:
    """Say where a table's columns are not named as their header cells read: Excel would repair those."""
    first, _, last = (table.get("ref") or "").partition(":")
    names = [column.get("name") for column in table.iter(main("tableColumn"))]
    start = column_index(first.rstrip(_DIGITS))
    cells = [f"{column_letters(start + place)}{_first_row(table)}" for place in range(len(names))]
    if [texts.get(cell) for cell in cells] != names or cells[-1].rstrip(_DIGITS) != last.rstrip(_DIGITS):
        yield f"{part}: the columns of table {table.get('displayName')} do not match its cells"


def _header_texts(package: Package, part: str, rows: set[str]) -> dict[str, str]:
    """Return the texts of some rows of a sheet by their cells."""
    texts: dict[str, str] = {}
    left = set(rows)
    for row in package.passing_rows(part) if left else ():
        if row.get("r") in rows:
            texts |= _row_texts(package, row)
            left.discard(row.get("r"))
            if not left:
                break
    return texts


def _row_texts(package: Package, row: etree._Element) -> dict[str, str]:
    shared = package.related_part("sharedStrings")
    strings = children(package.tree(shared)) if shared else []
    texts = {}
    for cell in row:
        text = _text(cell)
        if cell.get("t") == "s":
            number = int(text) if text.isdecimal() else len(strings)
            text = _text(strings[number]) if number < len(strings) else ""
        texts[cell.get("r", "")] = text
    return texts


def _text(element: etree._Element) -> str:
    return "".join(map(str, element.itertext()))


def _repeated(what: str, values: Iterable[str]) -> Iterator[str]:
    for value, count in Counter(values).items():
        if count > 1:
            yield f"{what} {value!r} is there {count} times"


def _order_problems(part: str, root: etree._Element, order: tuple[str, ...]) -> Iterator[str]:
    places = [order.index(name) for name in map(local_name, children(root)) if name in order]
    for one, following in pairwise(places):
        if one > following:
            yield f"{part}: {order[following]} stands behind {order[one]}"


def _style_counts(styles: etree._Element) -> Counter[str]:
    return Counter({local_name(collection): len(children(collection)) for collection in children(styles)})


def _values(root: etree._Element, tag: str, attribute: str) -> set[str]:
    return {value for element in root.iter(main(tag)) if (value := element.get(attribute)) is not None}
