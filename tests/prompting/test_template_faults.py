from __future__ import annotations

from pathlib import Path

import pytest

from grader.errors import RubricError
from grader.inputs.rubric_file import read_rubric
from grader.prompting.render import PromptRenderer
from grader.records import Item

RUBRIC, _ = read_rubric("likert")
ITEM = Item(id="1", system="s", answer="A", question="Q?")


def fault(folder: Path, user: str, *, name: str = "mine.j2") -> RubricError:
    path = folder / name
    path.write_text(
        f"{{% block system %}}\nYou judge.\n{{% endblock %}}\n{{% block user %}}\n{user}\n{{% endblock %}}\n"
    )
    with pytest.raises(RubricError) as caught:
        PromptRenderer(RUBRIC, path).render(ITEM)
    return caught.value


@pytest.mark.parametrize(
    ("user", "says"),
    [
        ("{% if %}", "line 5: Expected an expression"),
        ("{{ blocks.answer }", "line 5: unexpected '}'"),
        ("\n{{ blocsk.answer }}", "line 6: 'blocsk' is undefined"),
        ("\n\n{{ blocks.contxt }}", "line 7: there is no “contxt” where the template looks for it"),
        ("{% include 'none.j2' %}", "includes the template “none.j2”, which does not exist"),
        ("{{ 1 / 0 }}", "line 5: the template fails: ZeroDivisionError"),
        ("{{ blocks.__class__ }}", "line 5: "),
        ("{{ ''.__class__.__mro__ }}", "line 5: "),
        ("{{ blocks.answer | shout }}", "line 5: No filter named 'shout'"),
    ],
)
def test_a_fault_names_file_and_line(tmp_path: Path, user: str, says: str) -> None:
    error = fault(tmp_path, user)
    assert error.message.startswith(f"{tmp_path / 'mine.j2'}: ")
    assert says in error.message


def test_a_fault_in_an_included_file_names_that(tmp_path: Path) -> None:
    (tmp_path / "part.j2").write_text("one\n{{ nothing }}\n")
    assert fault(tmp_path, "{% include 'part.j2' %}").message.startswith(f"{tmp_path / 'part.j2'}: line 2: 'nothing'")
    (tmp_path / "part.j2").write_text("one\n{% nothing %}\n")
    assert fault(tmp_path, "{% include 'part.j2' %}").message.startswith(f"{tmp_path / 'part.j2'}: line 2: ")


def test_an_unknown_name_is_followed_by_those_there_are(tmp_path: Path) -> None:
    assert "blocks.NAME" in (fault(tmp_path, "{{ nothing }}").hint or "")
    assert "optional_inputs" in (fault(tmp_path, "{{ blocks.contxt }}").hint or "")


def test_a_template_without_suffix(tmp_path: Path) -> None:
    assert f"{tmp_path / 'mine'}: line 5: 'nothing'" in fault(tmp_path, "{{ nothing }}", name="mine").message


def test_a_template_of_ones_own_may_include_ours(tmp_path: Path) -> None:
    path = tmp_path / "mine.j2"
    path.write_text('{% block system %}{% include "_bands.j2" %}{% endblock %}{% block user %}?{% endblock %}')
    system = PromptRenderer(RUBRIC, path).render(ITEM).messages[0]["content"]
    assert "Very good" in system
