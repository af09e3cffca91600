"""The filters that templates may use, each with a limit on what it makes.

Left out are those that pad, fill or repeat by a number, those that reach attributes by name, and chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from typing import Any

from jinja2.exceptions import SecurityError
from jinja2.filters import FILTERS as ALL_FILTERS
from jinja2.runtime import Undefined

MAX_SIZE = 2_000_000
"""Of any one value: the characters of all its texts, and one for everything else in it."""

_MOST_INDENT = 100
_AS_THEY_ARE = (
    "abs capitalize count d default dictsort first float groupby int items last length list lower map max min reject "
    "rejectattr reverse select selectattr sort string title trim truncate unique upper wordcount"
)


def check_size(value: Any, *, times: int = 1) -> Any:
    """Return `value`, an iterator as a list, unless `times` of it would be more than a template may hold.

    Raises:
        SecurityError: it is too large; found before more than that much of it has been made.
    """
    if isinstance(value, Iterator):
        value = list(_limited(value))
    if _size(value) * max(times, 1) > MAX_SIZE:
        raise too_large("a value", MAX_SIZE)
    return value


def too_large(what: str, most: int) -> SecurityError:
    """Return the error to raise for what has more than `most` characters or entries."""
    return SecurityError(f"{what} is larger than {most:,} characters or entries")


def _limited(values: Iterable[Any]) -> Iterator[Any]:
    total = 0
    for value in values:
        total += _size(value)
        if total > MAX_SIZE:
            raise too_large("a list", MAX_SIZE)
        yield value


def _size(value: Any) -> int:
    """Return the size of a value, what is in it included; counting stops soon after the limit."""
    total, waiting = 0, [value]
    while waiting and total <= MAX_SIZE:
        each = waiting.pop()
        total += len(each) or 1 if isinstance(each, str) else 1
        if isinstance(each, Undefined):
            str(each)  # raises: a list must not hide what does not exist
        elif isinstance(each, int):
            total += each.bit_length() // 8
        elif isinstance(each, Mapping):
            waiting += [*each.keys(), *each.values()]
        elif isinstance(each, list | tuple):
            waiting += each
    return total


def _sized(value: Any) -> Any:
    return check_size(value)


def _join(values: Iterable[Any], separator: Any = "", attribute: str | None = None) -> str:
    """Return the texts of all values, put together."""
    if attribute is not None:
        raise SecurityError("“join” takes no attribute here; write “|map(attribute=…)|join(…)”")
    texts = [str(value) for value in _limited(values)]
    if sum(map(len, texts)) + len(texts) * len(str(separator)) > MAX_SIZE:
        raise too_large("a text", MAX_SIZE)
    return str(separator).join(texts)


def _replace(text: Any, old: Any, new: Any, count: int = -1) -> str:
    """Return `text` with `new` in place of `old`."""
    before, wanted, instead = str(text), str(old), str(new)
    if len(before) + before.count(wanted) * len(instead) > MAX_SIZE:
        raise too_large("a text", MAX_SIZE)
    return before.replace(wanted, instead, count)


def _indent(text: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    """Return `text` with its lines set in."""
    by = width if isinstance(width, str) else " " * min(width, _MOST_INDENT + 1)
    lines = str(text).splitlines(keepends=True)
    if len(by) > _MOST_INDENT or len(str(text)) + len(lines) * len(by) > MAX_SIZE:
        raise too_large("an indented text", MAX_SIZE)
    return "".join(
        by + line if (number or first) and (line.strip() or blank) else line for number, line in enumerate(lines)
    )


def _round(number: float, precision: int = 0) -> float:
    """Return `number` with `precision` decimals."""
    return round(float(number), max(0, min(precision, 20)))


def _checked(make: Callable[..., Any]) -> Callable[..., Any]:
    """Return a filter of Jinja's whose result is checked; what Jinja has noted on it is kept."""

    @wraps(make)
    def checked(*args: Any, **kwargs: Any) -> Any:
        return check_size(make(*args, **kwargs))

    return checked


FILTERS: dict[str, Callable[..., Any]] = {
    **{name: _checked(ALL_FILTERS[name]) for name in _AS_THEY_ARE.split()},
    "join": _join,
    "replace": _replace,
    "indent": _indent,
    "round": _round,
    "_sized": _sized,
}


def filter_names() -> str:
    """Return the names of the filters there are, as a message lists them."""
    return ", ".join(sorted(name for name in FILTERS if not name.startswith("_")))
