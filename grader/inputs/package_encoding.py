"""Rewrites a workbook's UTF-16 parts as UTF-8 in memory, for a reader that knows only UTF-8; changes no file."""

from __future__ import annotations

import codecs
import io
import re
import zipfile
from pathlib import Path

_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")


def utf8_package(path: Path) -> io.BytesIO | None:
    """Return a copy of the package with every part in UTF-8, or `None` where there is nothing to rewrite."""
    with zipfile.ZipFile(path) as package:
        parts = [info for info in package.infolist() if not info.is_dir()]
        utf16 = {info.filename for info in parts if _is_utf16(package, info)}
        if not utf16:
            return None
        copy = io.BytesIO()
        with zipfile.ZipFile(copy, "w") as target:
            for info in parts:
                data = package.read(info)
                if info.filename in utf16:
                    data = _DECLARATION.sub("", data.decode("utf-16", errors="replace"), count=1).encode()
                target.writestr(info.filename, data)
    copy.seek(0)
    return copy


def _is_utf16(package: zipfile.ZipFile, info: zipfile.ZipInfo) -> bool:
    if not info.filename.lower().endswith((".xml", ".rels")):
        return False
    with package.open(info) as part:
        return part.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
