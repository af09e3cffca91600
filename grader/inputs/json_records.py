"""Reads .jsonl a line at a time and .json whole, as (object, place) pairs; knows nothing of fields."""

from __future__ import annotations

import codecs
import io
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from grader.errors import InputError
from grader.inputs.columns import find_columns

STDIN = Path("-")
_BLANK = b" \t\r\n\xef\xbb\xbf"
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(slots=True)
class JsonSource:
    """A JSON or JSONL file to be read once; `bad_lines` fills up while its records are read."""

    path: Path
    encoding: str | None = None
    skip_bad_lines: bool = False
    bad_lines: list[int] = field(default_factory=list)
    """Numbers of the lines that were left out."""

    def records(self) -> Iterator[tuple[dict[str, Any], str]]:
        """Yield each object and where it stands (`line 12`, `record 3`); `InputError` for a broken one."""
        if self.path != STDIN and _is_one_value(self.path):
            yield from _whole_records(self.path, self.encoding)
            return
        with _opened(self.path) as stream:
            for number, raw in enumerate(stream, start=1):
                if raw.strip(_BLANK):
                    record = self._record(raw, number)
                    if record is not None:
                        yield record, f"line {number}"

    def _record(self, raw: bytes, number: int) -> dict[str, Any] | None:
        try:
            record = json.loads(_line_text(raw, self.encoding))
            if not isinstance(record, dict):
                raise ValueError(f"it holds {_json_kind(record)} instead of an object {{…}}")
        except (ValueError, RecursionError, LookupError) as error:
            if not self.skip_bad_lines:
                raise self._broken(number, error) from None
            self.bad_lines.append(number)
            return None
        return _without_surrogates(record) if b"\\u" in raw else record

    def _broken(self, number: int, error: Exception) -> InputError:
        reason = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error)
        return InputError(
            f"this line is not proper JSON: {reason}",
            path=self.path,
            cell=f"line {number}",
            hint="Correct the line, or leave broken lines out with --skip-bad-lines",
        )


def _line_text(raw: bytes, encoding: str | None) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        if encoding is None:
            raise
        return raw.decode(encoding)


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading lines of bytes, from standard input where it is called `-`."""
    if path == STDIN:
        yield sys.stdin.buffer
        return
    with path.open("rb") as stream:
        is_utf16 = stream.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        stream.seek(0)
        yield io.BytesIO(stream.read().decode("utf-16", errors="replace").encode()) if is_utf16 else stream


def _is_one_value(path: Path) -> bool:
    """Whether the file is one JSON value over all its lines, rather than one object per line."""
    with _opened(path) as stream:
        lines = (line.strip(_BLANK) for line in stream)
        filled = (line for line in lines if line)
        first = next(filled, b"")
        if first.startswith(b"["):
            return True
        try:
            record = json.loads(first)
        except (ValueError, RecursionError):
            return path.suffix.lower() == ".json" and first.startswith(b"{")
        return (_is_object_of_objects(record) or _wrapped_list(record) is not None) and next(filled, None) is None


def _whole_records(path: Path, encoding: str | None) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the records of a list of objects, of an object of id to object, or of a lone object."""
    with _opened(path) as stream:
        raw = stream.read()
    try:
        value = json.loads(_line_text(raw, encoding))
    except (ValueError, RecursionError, LookupError) as error:
        line = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else None
        raise InputError(
            f"the file is not proper JSON: {error}", path=path, cell=line, hint="Correct it, or export it as JSONL"
        ) from None
    if _is_object_of_objects(value):
        value = [record if _has_id(record) else {"id": key, **record} for key, record in value.items()]
    elif isinstance(value, dict):
        wrapped = _wrapped_list(value)
        value = [value] if wrapped is None else wrapped
    for number, record in enumerate(value, start=1):
        if not isinstance(record, dict):
            raise InputError(
                f"this is {_json_kind(record)} instead of an object {{…}}",
                path=path,
                cell=f"record {number}",
                hint="The file should be a list of objects, or an object of id to object",
            )
        yield _without_surrogates(record), f"record {number}"


def _is_object_of_objects(value: object) -> bool:
    return isinstance(value, dict) and bool(value) and all(isinstance(v, dict) for v in value.values())


def _wrapped_list(value: object) -> list[Any] | None:
    """Return the list in an object that has nothing else, such as `{"data": […]}`."""
    alone = next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else None
    return alone if isinstance(alone, list) else None


def _has_id(record: dict[str, Any]) -> bool:
    return "id" in find_columns(list(record), "answers").fields


def _without_surrogates(record: dict[str, Any]) -> dict[str, Any]:
    """Replace halves of characters, as a cut-off answer can end in one and no file could be written with it."""
    return {
        key: _LONE_SURROGATE.sub("\ufffd", value) if isinstance(value, str) else value for key, value in record.items()
    }


def _json_kind(value: object) -> str:
    kinds = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")
