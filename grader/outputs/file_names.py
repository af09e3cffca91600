"""Makes file names of what users and providers call things; a name never leads out of its folder (RELIABILITY 16)."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable

_UNSAFE = re.compile(r"[^\w.-]+")
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul"} | {f"{port}{number}" for port in ("com", "lpt") for number in range(10)}
)
"""Names that Windows keeps for devices, whatever stands behind their first dot."""

_MOST_BYTES = 120
_DIGEST_STEP = 8


def safe_file_names(names: Iterable[str]) -> dict[str, str]:
    """Return a file name for each of `names`, without suffix, all different on any file system.

    `/` becomes `__`. A short hash is added where a name is empty, too long or reserved, or where it would be the same
    as an earlier one to a file system that does not tell `A` from `a`.
    """
    chosen: dict[str, str] = {}
    taken: set[str] = set()
    for name in dict.fromkeys(names):
        chosen[name] = _free(name, taken)
        taken.add(chosen[name].casefold())
    return chosen


def _free(name: str, taken: set[str]) -> str:
    slug = _slug(name)
    cut = _cut(slug)
    is_usable = cut == slug and slug and slug.partition(".")[0].casefold() not in _RESERVED
    if is_usable and slug.casefold() not in taken:
        return slug
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    candidates = (f"{cut.replace('.', '_')}-{digest[:length]}" for length in range(_DIGEST_STEP, 65, _DIGEST_STEP))
    return next(candidate.lstrip("-") for candidate in candidates if candidate.lstrip("-").casefold() not in taken)


def _slug(name: str) -> str:
    """Return `name` of letters, digits, `_`, `-` and `.` only, neither hidden nor ending in what Windows drops."""
    plain = unicodedata.normalize("NFKC", name).replace("/", "__").replace("\\", "__")
    return _UNSAFE.sub("_", plain).strip(".-_") if plain.strip(" .") else ""


def _cut(slug: str) -> str:
    return slug.encode()[:_MOST_BYTES].decode(errors="ignore")
