"""Carries a donor's notes into the expert's sheet, into its notes or beside its form controls; never replaces one.

Every note is an entry in one part and a shape in a drawing (VML) of the sheet's, which may hold controls as well. That
drawing is not always well-formed XML and is patched as text.
"""

from __future__ import annotations

import copy
import re

from grader.outputs.graded_workbook.ooxml import RELATION_ID, WORKSHEET_ORDER, child_in_order, children, main
from grader.outputs.graded_workbook.package import Package, Relation, Unpatchable, office_relation

NO_NOTES = "The score cells in the criteria sheet have no notes, because its drawing of notes could not be read."

_SHAPE = re.compile(r"<v:shape\b.*?</v:shape>", re.DOTALL)
_SHAPE_TYPE = re.compile(r'<v:shapetype\b[^>]*\bid="_x0000_t202".*?</v:shapetype>', re.DOTALL)
_THEIR_SHAPE_TYPE = re.compile(r'<\w+:shapetype\b[^>]*\bid="_x0000_t202"')
_SHAPE_NUMBER = re.compile(r'\bid="_x0000_s(\d+)"')
_BLOCKS = re.compile(r'(<\w+:idmap\b[^>]*\bdata=")([^"]*)(")')
_PREFIXES = {
    "v": "urn:schemas-microsoft-com:vml",
    "o": "urn:schemas-microsoft-com:office:office",
    "x": "urn:schemas-microsoft-com:office:excel",
}
_OURS_BEGINS = re.compile(r"<(v:shape(?:type)?)\b")
_BLOCK = 1_024
"""Shapes are numbered in blocks, which the drawing lists."""


def merge_notes(target: Package, donor: Package, part: str, source: str) -> tuple[str, ...]:
    """Add the notes of the donor's sheet `source` to the sheet `part`.

    Returns:
        A sentence where the notes had to be left out; nothing otherwise.

    Raises:
        Unpatchable: a cell has a note already.
    """
    ours = {relation.kind: relation.target for relation in donor.relations(source)}
    if "comments" not in ours:
        return ()
    drawing = _drawing(target, part)
    if drawing is None and target.tree(part).find(main("legacyDrawing")) is not None:
        return (NO_NOTES,)
    if drawing is not None:
        patched = _with_shapes(target.written(drawing), donor.data(ours["vmlDrawing"]))
        if patched is None:
            return (NO_NOTES,)
        target.replace(drawing, patched)
    else:
        relation = _add(target, donor, part, ours["vmlDrawing"], "vmlDrawing")
        child_in_order(target.touch(part), "legacyDrawing", WORKSHEET_ORDER).set(RELATION_ID, relation)
    _merge_entries(target, donor, part, ours["comments"])
    return ()


def _drawing(target: Package, part: str) -> str | None:
    """Return the drawing that holds the sheet's notes and controls; header pictures have one of their own."""
    element = target.tree(part).find(main("legacyDrawing"))
    if element is None:
        return None
    wanted = element.get(RELATION_ID)
    found = (relation.target for relation in target.relations(part) if relation.id == wanted)
    return next((name for name in found if target.find(name)), None)


def _add(target: Package, donor: Package, part: str, source: str, kind: str) -> str:
    name = target.free_name(source)
    target.add(name, donor.data(source), donor.content_type(source) or "application/xml")
    return target.relate(part, office_relation(kind), name)


def _merge_entries(target: Package, donor: Package, part: str, source: str) -> None:
    theirs = next((relation for relation in target.relations(part) if _is_comments(target, relation)), None)
    if theirs is None:
        _add(target, donor, part, source, "comments")
        return
    root, ours = target.touch(theirs.target), donor.tree(source)
    authors, entries = root.find(main("authors")), root.find(main("commentList"))
    our_authors, our_entries = ours.find(main("authors")), ours.find(main("commentList"))
    if authors is None or entries is None or our_authors is None or our_entries is None:
        raise Unpatchable(f"its part {theirs.target} is damaged")
    offset = len(children(authors))
    taken = {entry.get("ref") for entry in children(entries)}
    authors.extend(copy.deepcopy(author) for author in children(our_authors))
    for original in children(our_entries):
        entry = copy.deepcopy(original)
        if entry.get("ref") in taken:
            raise Unpatchable(f"{entry.get('ref')} has a note already")
        entry.set("authorId", str(int(entry.get("authorId") or 0) + offset))
        entries.append(entry)


def _is_comments(target: Package, relation: Relation) -> bool:
    return relation.kind == "comments" and target.find(relation.target) is not None


def _with_shapes(data: bytes, ours: bytes) -> bytes | None:
    """Return the drawing with our shapes behind its own; `None` where it is not as drawings are."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    end = text.rfind("</xml>")
    blocks = _BLOCKS.search(text)
    if end < 0 or blocks is None:
        return None
    number = max([_BLOCK, *map(int, _SHAPE_NUMBER.findall(text))])
    shapes = []
    for shape in _SHAPE.findall(ours.decode()):
        number += 1
        shapes.append(_SHAPE_NUMBER.sub(f'id="_x0000_s{number}"', shape, count=1))
    kind = _SHAPE_TYPE.search(ours.decode())
    needed = kind[0] if kind and not _THEIR_SHAPE_TYPE.search(text) else ""
    text = text[:end] + _with_prefixes(needed + "".join(shapes), text) + text[end:]
    listed = {int(block) for block in re.findall(r"\d+", blocks[2])} | {number // _BLOCK}
    listed |= set(range(min(listed), number // _BLOCK))
    return _BLOCKS.sub(rf"\g<1>{','.join(map(str, sorted(listed)))}\g<3>", text, count=1).encode()


def _with_prefixes(shapes: str, text: str) -> str:
    """Return our shapes so that they mean the same in a drawing that calls the namespaces otherwise, as openpyxl's."""
    root = text[: text.find(">") + 1]
    missing = "".join(
        f' xmlns:{prefix}="{name}"' for prefix, name in _PREFIXES.items() if f"xmlns:{prefix}=" not in root
    )
    return _OURS_BEGINS.sub(rf"<\g<1>{missing}", shapes) if missing else shapes
