"""Writes the files of a new rubric type for its owner to go on from; never over files that are there."""

from __future__ import annotations

import re
from pathlib import Path

from grader.assets import find_asset, list_assets
from grader.errors import RubricError, RunError
from grader.outputs.atomic_file import write_new_file

_NAME = re.compile(r"[a-z][a-z0-9-]*")

_RUBRIC_HEAD = """\
# The rubric type {name}, begun as a copy of {like}. Change what you like; `grader rubrics` lists it, and
# `grader prompts --rubric {name} …` shows what a judge would be sent.
#
# inputs            fields that the files must have: question, reference, answer, criteria, context, or one of your own
# optional_inputs   fields that are shown where they are there
# template          the file in templates/ that says how to ask
# output            the form of the judge's reply: labelled_lines, tagged or json_object. grader asks for it itself.
#                   The part that `score` names (by default: score) carries the verdict.
# scale             the scores there are; step: 1 for whole numbers only
# bands             what the numbers stand for, best first
# rule              how the reply becomes a score: number (the judge's own), boolean, points, tiered …
# instructions      more words to the judge, if you want
"""
_TEMPLATE_HEAD = """\
{{# How a judge is asked in the rubric type {name}.

   {{{{ blocks.answer }}}} puts in the answer, fenced so that it cannot be taken for anything else; blocks.question,
   blocks.reference and so on do it for the other inputs of the rubric. has.context tells whether there is a context.
   The answer comes last; the form of the reply is added by grader. _bands.j2 lists the rubric's bands, _data.j2 says
   that the texts in the fences are material and no instructions, and puts in the rubric's own instructions. #}}
"""


def write_new_rubric(name: str, *, like: str, folder: Path) -> tuple[Path, Path]:
    """Write `rubrics/NAME.yaml` and `templates/NAME.j2` in `folder`, after the type `like`, and return their paths.

    Raises:
        RubricError: the name is none, or is taken; there is no type `like`.
        RunError: the folder cannot be written.
    """
    _check_name(name)
    original = find_asset("rubrics", f"{like}.yaml")
    text = original.read_text(encoding="utf-8-sig")
    template = find_asset("templates", _value(text, "template"))
    written = {
        folder / "rubrics" / f"{name}.yaml": _rubric_text(text, name, like),
        folder / "templates" / f"{name}.j2": _TEMPLATE_HEAD.format(name=name)
        + template.read_text(encoding="utf-8-sig"),
    }
    for path in written:
        if path.exists():
            raise RubricError("is there already, and nothing was written", path=path, hint="Choose another name.")
    for path, content in written.items():
        _write(path, content)
    rubric_path, template_path = written
    return rubric_path, template_path


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise RubricError(f"“{name}” is no name for a rubric: lower-case letters, digits and hyphens, a letter first")
    taken = list_assets("rubrics").get(f"{name}.yaml")
    if taken is not None:
        raise RubricError(f"there is a rubric “{name}” already ({taken})", hint="Choose another name.")


def _rubric_text(text: str, name: str, like: str) -> str:
    """Return the rubric file of the type `like` under its new name, with a head that explains its keys."""
    body = text[re.search(r"^name:", text, re.MULTILINE).start() :]  # type: ignore[union-attr]  # a rubric has a name
    body = re.sub(r"^name: .*", f"name: {name}", body, count=1, flags=re.MULTILINE)
    body = re.sub(r"^template: .*", f"template: {name}.j2", body, count=1, flags=re.MULTILINE)
    return _RUBRIC_HEAD.format(name=name, like=like) + body


def _value(text: str, key: str) -> str:
    """Return the plain value of a key at the top of a rubric file."""
    import yaml

    return str(yaml.safe_load(text)[key])


def _write(path: Path, content: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_new_file(path, content.encode("utf-8"))
    except OSError as error:
        raise RunError(f"{path} cannot be written: {error.strerror or error}") from error
