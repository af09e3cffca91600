"""The XML inside workbook parts: safe parsing, serialising, and the order of elements; knows nothing of packages."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Final
from xml.parsers import expat

from lxml import etree

MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE_RELATIONS: Final = "http://schemas.openxmlformats.org/package/2006/relationships"
CONTENT_TYPES: Final = "http://schemas.openxmlformats.org/package/2006/content-types"

_NOT_WELL_FORMED = "is not well-formed XML"

RELATION_ID: Final = f"{{{RELATIONS}}}id"

# The schemas are sequences: Excel repairs a file in which elements stand in another order (ECMA-376, part 1, annex A).
WORKBOOK_ORDER: Final = tuple(
    "fileVersion fileSharing workbookPr workbookProtection bookViews sheets functionGroups externalReferences "
    "definedNames calcPr oleSize customWorkbookViews pivotCaches smartTagPr smartTagTypes webPublishing "
    "fileRecoveryPr webPublishObjects extLst".split()
)
STYLES_ORDER: Final = tuple(
    "numFmts fonts fills borders cellStyleXfs cellXfs cellStyles dxfs tableStyles colors extLst".split()
)
WORKSHEET_ORDER: Final = tuple(
    "sheetPr dimension sheetViews sheetFormatPr cols sheetData sheetCalcPr sheetProtection protectedRanges scenarios "
    "autoFilter sortState dataConsolidate customSheetViews mergeCells phoneticPr conditionalFormatting "
    "dataValidations hyperlinks printOptions pageMargins pageSetup headerFooter rowBreaks colBreaks "
    "customProperties cellWatches ignoredErrors smartTags drawing legacyDrawing legacyDrawingHF drawingHF picture "
    "oleObjects controls webPublishItems tableParts extLst".split()
)


class BrokenXml(ValueError):
    """A part is not XML that may be read; the message says why in plain words."""


def main(tag: str) -> str:
    """Return `tag` in the namespace of spreadsheets, as lxml writes it."""
    return f"{{{MAIN}}}{tag}"


def parse_xml(data: bytes) -> etree._Element:
    """Return the root of a part; entities are never resolved and a DOCTYPE is refused.

    Raises:
        BrokenXml: not well-formed, or with a DOCTYPE.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise BrokenXml(_NOT_WELL_FORMED) from error
    if root.getroottree().docinfo.doctype:  # type: ignore[union-attr]  # lxml-stubs do not list it
        raise BrokenXml("declares a DOCTYPE, which no workbook needs")
    return root


def check_xml(data: bytes) -> None:
    """Refuse a part of UTF-8 that is not well-formed, in a third of the time that parsing takes.

    Raises:
        BrokenXml: it is not.
    """
    parser = expat.ParserCreate(namespace_separator=" ")  # with namespaces, so that each prefix has to be declared
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise BrokenXml(_NOT_WELL_FORMED) from error


def passing_elements(data: bytes, tag: str, root: list[etree._Element] | None = None) -> Iterator[etree._Element]:
    """Yield the elements of one kind for reading; each is emptied when the next one is asked for.

    All else is put into `root`, as a tree, after the last one.

    Raises:
        BrokenXml: not well-formed; what came before has been yielded by then.
    """
    events = etree.iterparse(BytesIO(data), tag=tag, resolve_entities=False, no_network=True, load_dtd=False)
    try:
        for _, element in events:
            yield element
            element.clear(keep_tail=False)
    except etree.XMLSyntaxError as error:
        raise BrokenXml(_NOT_WELL_FORMED) from error
    if root is not None:
        root.append(events.root)


def serialise_xml(root: etree._Element) -> bytes:
    """Return the bytes of a part, as Office writes them: UTF-8 with a declaration."""
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def local_name(element: etree._Element) -> str:
    """Return the tag without its namespace."""
    return str(element.tag).rpartition("}")[2]  # a comment's tag is a function, which is no name in any order


def children(parent: etree._Element) -> list[etree._Element]:
    """Return the child elements, without comments."""
    return list(parent.iterchildren("*"))


def insert_in_order(parent: etree._Element, child: etree._Element, order: tuple[str, ...]) -> None:
    """Insert `child` where the schema wants it: behind the last sibling that may precede it."""
    allowed_before = set(order[: order.index(local_name(child)) + 1])
    position = 0
    for index, sibling in enumerate(parent):
        if local_name(sibling) in allowed_before:
            position = index + 1
    parent.insert(position, child)


def child_in_order(parent: etree._Element, tag: str, order: tuple[str, ...]) -> etree._Element:
    """Return the child named `tag`, made at its place in the schema where it is missing."""
    found = parent.find(main(tag))
    if found is None:
        found = parent.makeelement(main(tag))
        insert_in_order(parent, found, order)
    return found
