from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from grader.cli.main import cli
from grader.inputs.rubric_file import list_rubrics, read_rubric
from grader.prompting.render import PromptRenderer
from grader.records import Item


def new(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["rubrics", "new", *arguments])


@pytest.mark.parametrize("like", sorted(list_rubrics()))
def test_what_it_writes_is_the_rubric_it_began_with_under_a_new_name(like: str, tmp_path: Path) -> None:
    done = new("mine", "--like", like)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [str(Path("rubrics/mine.yaml")), str(Path("templates/mine.j2"))]
    (mine, mine_path), (theirs, their_path) = read_rubric("mine"), read_rubric(like)
    assert mine == theirs.model_copy(update={"name": "mine", "template": "mine.j2"})
    assert mine_path.resolve() == tmp_path / "templates" / "mine.j2"
    item = Item(id="1", system="s", answer="A", question="Q?", reference="R")
    assert PromptRenderer(mine, mine_path).render(item) == PromptRenderer(theirs, their_path).render(item)


def test_it_says_what_the_keys_are_for() -> None:
    new("mine")
    assert "begun as a copy of likert" in Path("rubrics/mine.yaml").read_text("utf-8")
    assert "{# How a judge is asked" in Path("templates/mine.j2").read_text("utf-8")
    assert "mine" in CliRunner().invoke(cli, ["rubrics"]).stdout


def test_nothing_is_overwritten() -> None:
    new("mine")
    Path("rubrics/mine.yaml").write_text("changed")
    assert "already" in new("mine").stderr
    Path("rubrics/mine.yaml").unlink()
    Path("templates/mine.j2").write_text("changed")
    assert new("mine").exit_code == 2
    assert Path("templates/mine.j2").read_text() == "changed"
    assert not Path("rubrics/mine.yaml").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("Mine",), "no name for a rubric"),
        (("../mine",), "no name for a rubric"),
        (("likert",), "there is a rubric “likert” already"),
        (("mine", "--like", "likrt"), "Did you mean likert?"),
    ],
)
def test_wrong_names(arguments: tuple[str, ...], says: str, tmp_path: Path) -> None:
    done = new(*arguments)
    assert done.exit_code == 2
    assert says in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written() -> None:
    Path("templates").write_text("a file where a folder should be")
    done = new("mine")
    assert done.exit_code == 1
    assert "cannot be written" in done.stderr
