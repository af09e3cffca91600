"""Decides whose entries a graded workbook holds, where nobody says so; reads no file."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence

from grader.errors import InputError
from grader.outputs.graded_workbook.text import line_text
from grader.records import Override
from grader.review.graded_files import GradedFile
from grader.statistics.ratings import JUDGE

_PROGRAMS = ("openpyxl", "python", "libreoffice", "openoffice", "xlsxwriter", "apache poi", "microsoft office user")
_NOBODY = frozenset({"", "user", "admin", "administrator", "unknown", "author", "root", JUDGE})
_LONGEST_NAME = 80


def name_reviewers(
    files: Sequence[GradedFile], given: Sequence[str] = (), stored: Sequence[Override] = ()
) -> list[str]:
    """Return a reviewer for each file: as given, else who saved it last, else the file's own name.

    The file's name has to do where a program saved it last, or where two files were saved by the same name, as on a
    shared computer. A file that was reviewed before, and not saved since, keeps its reviewer.

    Raises:
        InputError: as many names as files are wanted; a name is empty or the judge's; or two files have the same name.
    """
    if given:
        if len(given) != len(files):
            raise InputError(
                f"{len(given)} reviewers are named for {len(files)} workbooks",
                hint="Give --reviewer once for each workbook, in their order",
            )
        return [_checked(name) for name in given]
    known = {
        (path_name, override.entered): override.reviewer for override in stored for path_name in _file_name(override)
    }
    names = [known.get((file.path.name, file.saved)) or _saved_by(file) for file in files]
    often = {name for name, count in Counter(map(folded, names)).items() if count > 1}
    names = [file.path.stem if folded(name) in often else name for name, file in zip(names, files, strict=True)]
    names = [name or file.path.stem for name, file in zip(names, files, strict=True)]
    counts = Counter(map(folded, names))
    twice = [name for name in names if counts[folded(name)] > 1]
    if twice:
        raise InputError(
            f"who reviewed cannot be told: more than one workbook would be “{twice[0]}”’s",
            hint="Say it with --reviewer NAME, once for each workbook in their order",
        )
    return names


def in_one_spelling(names: Sequence[str], stored: Sequence[Override] = ()) -> tuple[list[str], list[str]]:
    """Return the names as each person's was spelled first, and in words what was spelled otherwise."""
    first: dict[str, str] = {}
    for name in (*(override.reviewer for override in stored), *names):
        first.setdefault(folded(name), name)
    kept = [first[folded(name)] for name in names]
    changed = dict.fromkeys((name, as_kept) for name, as_kept in zip(names, kept, strict=True) if name != as_kept)
    return kept, [f"“{name}” is taken for the reviewer “{as_kept}”" for name, as_kept in changed]


def folded(name: str) -> str:
    """Return what is the same for all spellings of a name: small letters, full width or not, blanks."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).split())


def _checked(name: str) -> str:
    plain = line_text(name, _LONGEST_NAME).strip()
    if not plain or folded(plain) == JUDGE:
        raise InputError(f"“{name}” cannot be a reviewer's name", hint="Give the name of a person with --reviewer")
    return plain


def _saved_by(file: GradedFile) -> str:
    name = line_text(file.saved_by, _LONGEST_NAME).strip()
    is_person = name.casefold() not in _NOBODY and not name.casefold().startswith(_PROGRAMS)
    return name if is_person else ""


def _file_name(override: Override) -> list[str]:
    return [] if override.source is None else [override.source.path.replace("\\", "/").rpartition("/")[2]]
