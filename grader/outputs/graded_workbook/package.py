"""A workbook's package (OPC): parts, content types and relations, each unchanged byte for byte until it is touched.

It knows nothing of sheets' contents; opening a file and judging whether it may be patched is `opening`'s.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote

from lxml import etree

from grader.outputs.graded_workbook.ooxml import (
    CONTENT_TYPES,
    PACKAGE_RELATIONS,
    RELATION_ID,
    RELATIONS,
    BrokenXml,
    check_xml,
    main,
    parse_xml,
    passing_elements,
    serialise_xml,
)
from grader.outputs.graded_workbook.sheet_rows import SheetRow, around_rows, read_rows

CONTENT_TYPES_PART = "[Content_Types].xml"
_COMPRESSION = 5
"""zlib's usual 6 makes a workbook 2 % smaller and takes half as long again."""

_RELATIONS_CONTENT_TYPE = "application/vnd.openxmlformats-package.relationships+xml"


class Unpatchable(Exception):
    """This package cannot be copied with something added; the message completes "because …" in plain words."""


@dataclass(frozen=True, slots=True)
class Relation:
    """One link from a part to another part, or to something outside."""

    id: str
    type: str
    """The full type; compare its last segment, see `kind`."""
    target: str
    """A part's name, or an address where `is_external`."""
    is_external: bool

    @property
    def kind(self) -> str:
        """The last segment of the type, such as `worksheet`."""
        return self.type.rsplit("/", 1)[-1]


class Package:
    """The parts of one workbook, read into memory, with what was changed kept apart from what was there."""

    def __init__(self, parts: Mapping[str, bytes]) -> None:
        self.original: Mapping[str, bytes] = dict(parts)
        self._added: dict[str, bytes] = {}
        self._removed: set[str] = set()
        self._trees: dict[str, etree._Element] = {}
        self._touched: set[str] = set()
        self._names = {name.lower(): name for name in parts}

    @property
    def changed_names(self) -> frozenset[str]:
        """The original parts that are written anew or left out."""
        return frozenset((self._touched | self._removed | self._added.keys()) & self.original.keys())

    def names(self) -> list[str]:
        """Return the names of all parts, the original ones first and in their order."""
        return [name for name in dict.fromkeys((*self.original, *self._added)) if name not in self._removed]

    def find(self, name: str) -> str | None:
        """Return the name as the package writes it; part names are compared without case."""
        return self._names.get(name.lower())

    def tree(self, name: str) -> etree._Element:
        """Return a part's XML for reading; what is changed in it is written only after `touch`."""
        if name not in self._trees:
            self._trees[name] = self.passing_tree(name)
        return self._trees[name]

    def touch(self, name: str) -> etree._Element:
        """Return a part's XML for changing."""
        self._touched.add(name)
        return self.tree(name)

    def passing_tree(self, name: str) -> etree._Element:
        """Return a part's XML for reading once: it is not kept, unless it was before."""
        if name in self._trees:
            return self._trees[name]
        try:
            return parse_xml(self.data(name))
        except BrokenXml as error:
            raise Unpatchable(f"its part {name} {error}") from error

    def passing_rows(self, name: str) -> Iterator[etree._Element]:
        """Yield a sheet's rows for reading once, each gone when the next comes: a large sheet needs little memory."""
        if name in self._trees:
            yield from self._trees[name].iterfind(f"{main('sheetData')}/{main('row')}")
            return
        try:
            yield from passing_elements(self.data(name), main("row"))
        except BrokenXml as error:
            raise Unpatchable(f"its part {name} {error}") from error

    def rows(self, name: str) -> Iterator[SheetRow]:
        """Yield what is in a sheet's rows, as it is now; what was added is ours, and checked once it is written."""
        try:
            yield from read_rows(self.written(name), is_sound=name in self._touched or name not in self.original)
        except BrokenXml as error:
            raise Unpatchable(f"its part {name} {error}") from error

    def around_rows(self, name: str) -> etree._Element:
        """Return a sheet's XML for reading once, without what is in its rows."""
        if name in self._trees:
            return self._trees[name]
        try:
            return around_rows(self.data(name))
        except BrokenXml as error:
            raise Unpatchable(f"its part {name} {error}") from error

    def check_form(self, name: str) -> None:
        """Refuse a part of UTF-8 that is not well-formed."""
        try:
            check_xml(self.data(name))
        except BrokenXml as error:
            raise Unpatchable(f"its part {name} {error}") from error

    def is_touched(self, name: str) -> bool:
        """Return whether a part's XML was changed, so that `data` is not what is written."""
        return name in self._touched

    def data(self, name: str) -> bytes:
        """Return a part's bytes as they were read or added."""
        return self._added[name] if name in self._added else self.original[name]

    def replace(self, name: str, data: bytes) -> None:
        """Give a part other bytes: one that is no well-formed XML, so that `touch` cannot serve."""
        self._trees.pop(name, None)
        self._touched.discard(name)
        self._added[name] = data

    def written(self, name: str) -> bytes:
        """Return a part's bytes as `save` writes them, with all that was changed."""
        return serialise_xml(self._trees[name]) if name in self._touched else self.data(name)

    def add(self, name: str, data: bytes, content_type: str) -> None:
        """Add a part under a name that is free (see `free_name`)."""
        self._forget(name)
        self._added[name] = data
        self._names[name.lower()] = name
        types = self.touch(CONTENT_TYPES_PART)
        etree.SubElement(types, f"{{{CONTENT_TYPES}}}Override", PartName=f"/{name}", ContentType=content_type)

    def remove(self, name: str) -> None:
        """Leave a part out, with its content type and its own relations; those to it are the caller's."""
        for part in (name, self.find(relations_name(name))):
            if part is not None:
                self._leave_out(part)

    def _leave_out(self, name: str) -> None:
        self._removed.add(name)
        del self._names[name.lower()]
        types = self.tree(CONTENT_TYPES_PART)
        for entry in list(types):
            if (entry.get("PartName") or "").lower() == f"/{name.lower()}":
                self.touch(CONTENT_TYPES_PART).remove(entry)

    def free_name(self, name: str) -> str:
        """Return a part name like `name` whose number is not taken: `xl/worksheets/sheet4.xml`.

        The names of removed parts are not given again: what was added can be told from what was there.
        """
        stem, extension = re.sub(r"\d*(\.\w+)$", "", name), posixpath.splitext(name)[1]
        declared = {(entry.get("PartName") or "").lower().lstrip("/") for entry in self.tree(CONTENT_TYPES_PART)}
        declared |= self._names.keys() | {removed.lower() for removed in self._removed}
        number = 1
        while (candidate := f"{stem}{number}{extension}").lower() in declared:
            number += 1
        return candidate

    def content_type(self, name: str) -> str | None:
        """Return what a part is declared to be, by its own entry or by its extension's."""
        extension = posixpath.splitext(name)[1].lstrip(".").lower()
        by_extension = None
        for entry in self.tree(CONTENT_TYPES_PART):
            if (entry.get("PartName") or "").lower() == f"/{name.lower()}":
                return entry.get("ContentType")
            if (entry.get("Extension") or "").lower() == extension:
                by_extension = entry.get("ContentType")
        return by_extension

    def relations(self, source: str) -> list[Relation]:
        """Return the relations of a part, or of the package itself where `source` is empty."""
        part = self.find(relations_name(source))
        return [] if part is None else [self._relation(source, entry) for entry in _entries(self.tree(part))]

    def relate(self, source: str, relation_type: str, target: str, *, id: str | None = None) -> str:
        """Link `source` to the part `target`; return the relation's id."""
        part = self.find(relations_name(source)) or self._add_relations(source)
        root = self.touch(part)
        taken = {entry.get("Id") for entry in root}
        number = 1
        while id is None or id in taken:
            id, number = f"rIdGrader{number}", number + 1
        relative = posixpath.relpath(f"/{target}", f"/{posixpath.dirname(source)}")
        tag = f"{{{PACKAGE_RELATIONS}}}Relationship"
        etree.SubElement(root, tag, Id=id, Type=relation_type, Target=relative)
        return id

    def unrelate(self, source: str, relation: Relation) -> None:
        """Drop one relation of a part, and the list of its relations where that was the last one."""
        part = self.find(relations_name(source))
        if part is None:
            return
        root = self.touch(part)
        for entry in list(root):
            if entry.get("Id") == relation.id:
                root.remove(entry)
        if len(root) == 0:
            self._leave_out(part)

    @property
    def workbook(self) -> str:
        """The name of the workbook part.

        Raises:
            Unpatchable: there is none.
        """
        for relation in self.relations(""):
            if relation.kind == "officeDocument" and relation.target in self._names.values():
                return relation.target
        raise Unpatchable("it has no workbook part")

    def sheets(self) -> dict[str, str]:
        """Return the part of each sheet (charts and dialogs too) by the sheet's name, in order."""
        parts = {relation.id: relation.target for relation in self.relations(self.workbook)}
        entries = self.tree(self.workbook).iterfind(f"{main('sheets')}/{main('sheet')}")
        return {entry.get("name", ""): parts.get(entry.get(RELATION_ID, ""), "") for entry in entries}

    def parts_of_type(self, suffix: str) -> list[str]:
        """Return the parts whose content type ends in `suffix`, such as `.table+xml`."""
        return [name for name in self.names() if (self.content_type(name) or "").endswith(suffix)]

    def related_part(self, kind: str) -> str | None:
        """Return the workbook's part of that kind, such as `styles`, where there is one."""
        found = (r.target for r in self.relations(self.workbook) if r.kind == kind and not r.is_external)
        return next((target for target in found if self.find(target)), None)

    def save(self, target: Path | BinaryIO) -> None:
        """Write the package; untouched parts are the bytes that were read."""
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in self.names():
                data = self.written(name)
                archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, _COMPRESSION)

    def _forget(self, name: str) -> None:
        """Forget a part that was there under this name and was removed."""
        self._removed.discard(name)
        self._touched.discard(name)
        self._trees.pop(name, None)

    def _relation(self, source: str, entry: etree._Element) -> Relation:
        target = entry.get("Target") or ""
        is_external = entry.get("TargetMode") == "External"
        if not is_external:
            target = posixpath.normpath(posixpath.join("/", posixpath.dirname(source), target)).lstrip("/")
            target = self.find(target) or self.find(unquote(target)) or target
        return Relation(entry.get("Id") or "", entry.get("Type") or "", target, is_external)

    def _add_relations(self, source: str) -> str:
        name = relations_name(source)
        self._forget(name)
        self._added[name] = f'<Relationships xmlns="{PACKAGE_RELATIONS}"/>'.encode()
        self._names[name.lower()] = name
        if self.content_type(name) is None:
            default = etree.Element(
                f"{{{CONTENT_TYPES}}}Default", Extension="rels", ContentType=_RELATIONS_CONTENT_TYPE
            )
            self.touch(CONTENT_TYPES_PART).insert(0, default)
        return name


def relations_name(source: str) -> str:
    """Return the name of the part that holds the relations of `source`."""
    folder, name = posixpath.split(source)
    return posixpath.join(folder, "_rels", f"{name}.rels")


def office_relation(kind: str) -> str:
    """Return the full relation type of `kind`, such as `worksheet`."""
    return f"{RELATIONS}/{kind}"


def _entries(root: etree._Element) -> Iterator[etree._Element]:
    return root.iterchildren(f"{{{PACKAGE_RELATIONS}}}Relationship")
