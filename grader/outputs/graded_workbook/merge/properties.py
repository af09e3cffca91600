"""Custom document properties of the copy, which Excel shows under File, Info; other properties stay as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from lxml import etree

from grader.outputs.graded_workbook.ooxml import serialise_xml
from grader.outputs.graded_workbook.package import Package, office_relation
from grader.outputs.graded_workbook.text import line_text

PREFIX: Final = "grader "
"""Marks a property as ours."""

_PART = "docProps/custom.xml"
_TYPE = "application/vnd.openxmlformats-officedocument.custom-properties+xml"
_PROPERTIES = "http://schemas.openxmlformats.org/officeDocument/2006/custom-properties"
_VALUES = "http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes"
_PREFIXES: Mapping[str | None, str] = {None: _PROPERTIES, "vt": _VALUES}
_FORMAT_ID = "{D5CDD505-2E9C-101B-9397-08002B2CF9AE}"
_FIRST_ID = 2
_LIMIT = 255


def property_values(about: Mapping[str, str]) -> dict[str, str]:
    """Return the properties to set: names marked as ours, values within Excel's 255 characters."""
    return {PREFIX + line_text(name, _LIMIT - len(PREFIX)): line_text(value, _LIMIT) for name, value in about.items()}


def merge_properties(target: Package, about: Mapping[str, str]) -> None:
    """Set our properties in the target, beside what is there; those of an earlier run are replaced."""
    values = property_values(about)
    if not values:
        return
    root = _properties(target)
    for entry in list(root):
        if (entry.get("name") or "") in values:
            root.remove(entry)
    taken = (int(entry.get("pid") or 0) for entry in root if (entry.get("pid") or "").isdigit())
    for number, (name, value) in enumerate(values.items(), start=max((_FIRST_ID - 1, *taken)) + 1):
        entry = etree.SubElement(root, f"{{{_PROPERTIES}}}property", fmtid=_FORMAT_ID, pid=str(number), name=name)
        etree.SubElement(entry, f"{{{_VALUES}}}lpwstr").text = value


def remove_properties(target: Package) -> None:
    """Remove our properties of an earlier run, and their part where it held nothing else."""
    for relation in target.relations(""):
        if relation.kind != "custom-properties" or not target.find(relation.target):
            continue
        ours = [entry for entry in target.tree(relation.target) if (entry.get("name") or "").startswith(PREFIX)]
        for entry in ours:
            target.touch(relation.target).remove(entry)
        if ours and not len(target.tree(relation.target)):
            target.unrelate("", relation)
            target.remove(relation.target)


def read_properties(package: Package) -> dict[str, str]:
    """Return our properties as they were written, without the prefix that marks them."""
    found = {}
    for relation in package.relations(""):
        if relation.kind == "custom-properties" and package.find(relation.target):
            for entry in package.tree(relation.target).iterchildren("*"):
                name = entry.get("name") or ""
                if name.startswith(PREFIX):
                    found[name.removeprefix(PREFIX)] = "".join(map(str, entry.itertext()))
    return found


def _properties(target: Package) -> etree._Element:
    for relation in target.relations(""):
        if relation.kind == "custom-properties" and target.find(relation.target):
            return target.touch(relation.target)
    name = target.free_name(_PART) if target.find(_PART) else _PART
    root = etree.Element(f"{{{_PROPERTIES}}}Properties", nsmap=_PREFIXES)  # type: ignore[arg-type]  # lxml-stubs do not know the default prefix
    target.add(name, serialise_xml(root), _TYPE)
    target.relate("", office_relation("custom-properties"), name)
    return target.touch(name)
