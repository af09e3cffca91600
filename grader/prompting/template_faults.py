"""Turns what goes wrong in a template into a message with file and line; renders nothing."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

from jinja2 import TemplateAssertionError, TemplateError, TemplateNotFound, TemplateSyntaxError, UndefinedError

from grader.errors import RubricError
from grader.prompting.template_filters import filter_names

_NO_ENTRY = re.compile(r"'dict object' has no attribute '(.*)'")
_NAMES_HINT = (
    "A template sees blocks.NAME, open.NAME, close.NAME and has.NAME for each field of the item, criteria, levels, "
    "options and rubric."
)
_INCLUDE_HINT = (
    "A template includes others by their name, such as _bands.j2: those of its own folder and of templates/, "
    "with the suffix .j2."
)
_FIELD_HINT = "A field that not every item has is one to name under inputs or optional_inputs in the rubric."


def template_fault(error: Exception, path: Path) -> RubricError:
    """Return the error to show for what compiling or rendering the template at `path` raised."""
    where, line = _place(error, path)
    message, hint = _explained(error, path)
    return RubricError(f"line {line}: {message}" if line else message, path=where, hint=hint)


def _explained(error: Exception, path: Path) -> tuple[str, str | None]:
    if isinstance(error, TemplateNotFound) and error.name == path.name:
        return "the template does not exist, or is a link to another folder", None
    if isinstance(error, TemplateNotFound):
        return f"includes the template “{error.name}”, which does not exist", _INCLUDE_HINT
    if isinstance(error, UndefinedError):
        no_entry = _NO_ENTRY.fullmatch(error.message or "")
        if no_entry:
            return f"there is no “{no_entry[1]}” where the template looks for it", _FIELD_HINT
        return str(error.message), _NAMES_HINT
    if isinstance(error, TemplateAssertionError) and "filter" in str(error.message):
        return str(error.message), f"The filters of a template are {filter_names()}."
    if isinstance(error, TemplateError):
        return error.message or str(error), None
    return f"the template fails: {type(error).__name__}: {error}", None


def _place(error: Exception, path: Path) -> tuple[Path, int | None]:
    """Return the file at fault, which may be one that `path` includes, and the line where that is known."""
    if isinstance(error, TemplateSyntaxError):
        return Path(error.filename or path), error.lineno
    place: tuple[Path, int | None] = (path, None)
    for frame, line in traceback.walk_tb(error.__traceback__):
        template = frame.f_globals.get("__jinja_template__")  # where compiled templates run
        if template is not None:
            place = Path(template.filename or path), template.get_corresponding_lineno(line)
    return place
