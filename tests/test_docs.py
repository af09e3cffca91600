from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import click
import pytest

from grader.cli.main import COMMANDS, cli

ROOT = Path(__file__).parents[1]


def test_the_command_line_reference_is_what_help_says() -> None:
    spec = importlib.util.spec_from_file_location("write_cli_reference", ROOT / "docs" / "write_cli_reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "docs" / "cli.md").read_text("utf-8") == module.reference(), "run `make docs`"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_has_help(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None and command.help
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.name}"


def test_the_readme_names_only_options_that_exist() -> None:
    command = cli.get_command(click.Context(cli), "score")
    assert command is not None
    known = {name for parameter in command.params for name in parameter.opts} | {"--help", "--version"}
    text = (ROOT / "README.md").read_text("utf-8")
    for block in re.findall(r"```(?:sh|console)\n(.*?)```", text, re.DOTALL):
        for line in re.findall(r"grader score.*?(?:[^\\]\n|$)", block, re.DOTALL):
            assert set(re.findall(r"(?<=\s)--[a-z-]+", line)) <= known, line


def test_links_of_the_readme_lead_somewhere() -> None:
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
