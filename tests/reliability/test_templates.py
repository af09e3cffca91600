"""Templates are programs of somebody else's: none gets out, grows or runs without end (RELIABILITY 17)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.errors import RubricError
from grader.inputs.rubric_file import list_rubrics, read_rubric
from grader.prompting import render, sandbox
from grader.prompting.render import PromptRenderer
from grader.records import Criterion, Item

ROOT = Path(__file__).parents[2]
RUBRIC, _ = read_rubric("tiered")
ITEM = Item(
    id="1",
    system="s",
    question="Q?",
    answer="A",
    criteria=(Criterion(item_id="1", text="says A", level=100), Criterion(item_id="1", text="says B", level=50)),
    fields={"context": "c"},
)

ESCAPES = {
    "class": "{{ ''.__class__ }}",
    "subclasses": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "item instead of attribute": "{{ ''['__class__'] }}",
    "filter attr": "{{ ''|attr('__class__') }}",
    "filter attr, escaped": r"{{ ''|attr('\x5f\x5fclass\x5f\x5f') }}",
    "name put together": "{{ ''['__cla' ~ 'ss__'] }}",
    "name put together by join": "{{ ''[['__class','__']|join] }}",
    "name put together by reverse": "{{ ''['__ssalc__'|reverse] }}",
    "map attribute": "{{ [blocks]|map(attribute='__class__')|list }}",
    "map attr": "{{ [blocks]|map('attr', '__class__')|list }}",
    "selectattr": "{{ [blocks]|selectattr('__class__.__mro__')|list }}",
    "groupby": "{{ [blocks]|groupby('__class__') }}",
    "sort by attribute": "{{ [blocks, blocks]|sort(attribute='__class__.__name__') }}",
    "unique by attribute": "{{ [blocks]|unique(attribute='__init__.__globals__')|list }}",
    "max by attribute": "{{ [blocks, has]|max(attribute='__class__') }}",
    "join by attribute": "{{ [blocks]|join(attribute='__class__') }}",
    "sum by attribute": "{{ [blocks]|sum(attribute='__class__') }}",
    "format": "{{ '{0.__class__.__init__.__globals__}'.format(blocks) }}",
    "format_map": "{{ '{a.__class__}'.format_map({'a': blocks}) }}",
    "format by map": "{{ ['{0.__class__}']|map('format', blocks)|list }}",
    "format by a variable": "{% set f = '{0.__class__}'.format %}{{ f(blocks) }}",
    "percent": "{{ '%(x)s' % {'x': blocks.__class__} }}",
    "lipsum": "{{ lipsum.__globals__['os'].popen('id').read() }}",
    "cycler": "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "joiner": "{{ joiner.__init__.__globals__.os }}",
    "namespace": "{{ namespace.__init__.__globals__.os }}",
    "dict": "{{ dict.mro() }}",
    "range": "{{ range.__globals__ }}",
    "self": "{{ self.__init__.__globals__.__builtins__.open('/etc/passwd').read() }}",
    "context of self": "{{ self._TemplateReference__context.environment }}",
    "globals of a block": "{{ self.user.__func__.__globals__ }}",
    "loop": "{% for x in [1] %}{{ loop.__init__.__globals__ }}{% endfor %}",
    "environment of a macro": "{% macro m() %}{% endmacro %}{{ m._environment }}",
    "function of a macro": "{% macro m() %}{% endmacro %}{{ m._func.__globals__ }}",
    "caller": "{% macro m() %}{{ caller.__class__ }}{% endmacro %}{% call m() %}{% endcall %}",
    "undefined": "{{ nothing.__class__.__init__.__globals__ }}",
    "request": "{{ request.application.__globals__.__builtins__.__import__('os').popen('id').read() }}",
    "config": "{{ config.items() }}",
    "url_for": "{{ url_for.__globals__.current_app.config }}",
    "get_flashed_messages": "{{ get_flashed_messages.__globals__ }}",
    "eval": "{{ eval('1') }}",
    "import a module": "{% import 'os' as os %}{{ os.popen('id') }}",
    "from a module": "{% from 'os' import popen %}{{ popen('id') }}",
    "statement": "{% if ''.__class__.__base__.__subclasses__() %}x{% endif %}",
    "set": "{% set x = ''.__class__ %}{{ x.__base__ }}",
    "with": "{% with x = blocks.__class__ %}{{ x }}{% endwith %}",
    "for": "{% for name in blocks.__dir__() %}{{ name }}{% endfor %}",
    "filter block": "{% filter attr('__class__') %}x{% endfilter %}",
    "generator": "{{ (x for x in blocks).gi_frame }}",
    "traceback": "{{ ''.join.__self__.__class__ }}",
    "encode": "{{ 'x'.encode().__class__ }}",
    "do": "{% do blocks.update({}) %}",
    "debug": "{% debug %}",
    "update": "{{ rubric.update({'title': 'x'}) }}",
    "append": "{{ levels.append(1) }}",
    "pop": "{{ levels.pop() }}",
    "clear": "{{ criteria.clear() }}",
    "absolute include": "{% include '/etc/hostname' %}",
    "include above": "{% include '../pyproject.toml' %}",
    "include above, deeper": "{% include 'a/../../pyproject.toml' %}",
    "include by backslash": r"{% include '..\\secret.j2' %}",
    "include by URL": "{% include 'http://127.0.0.1:9/x.j2' %}",
    "include a key file": "{% include 'keys.txt' %}",
    "include a hidden file": "{% include '.env' %}",
    "include a hidden template": "{% include '.hidden.j2' %}",
    "include one of a list": "{% include ['keys.txt', '.env'] %}",
    "include by a variable": "{% set name = 'keys' ~ '.txt' %}{% include name %}",
    "include a link": "{% include 'link.j2' %}",
    "import a key file": "{% import 'keys.txt' as keys %}",
}

BOMBS = {
    "text": "{{ 'a' * 10**8 }}",
    "text, other way round": "{{ 10**8 * 'a' }}",
    "list": "{{ [1] * 10**9 }}",
    "tuple": "{{ (1, 2) * 10**9 }}",
    "list of a text": "{{ ['a' * 1000000] * 10**6 }}",
    "sum of texts": "{% set a = 'a' * 1999999 %}{{ (a + a) | length }}",
    "joined texts": "{% set a = 'a' * 1999999 %}{{ (a ~ a ~ a) | length }}",
    "doubling": "{% set a = 'a' * 9 %}" + "{% set a = a ~ a %}" * 40 + "{{ a | length }}",
    "doubling by +": "{% set a = [1] %}" + "{% set a = a + a %}" * 40 + "{{ a | length }}",
    "list in list": "{% set a = ['ab'] %}" + "{% set a = [a, a] %}" * 60 + "{{ a }}",
    "list in list, as text": "{% set a = ['ab'] %}" + "{% set a = [a, a] %}" * 60 + "{{ a | string | length }}",
    "dict in dict": "{% set a = {} %}" + "{% set a = {1: a, 2: a} %}" * 60 + "{{ a == a }}{{ a }}",
    "tuple in tuple": "{% set a = () %}" + "{% set a = (a, a) %}" * 60 + "{{ a }}",
    "equal lists": "".join(f"{{% set {n} = ['ab'] %}}" + f"{{% set {n} = [{n}, {n}] %}}" * 40 for n in "ab")
    + "{{ a == b }}",
    "equal dicts": "".join(f"{{% set {n} = {{}} %}}" + f"{{% set {n} = {{1: {n}, 2: {n}}} %}}" * 40 for n in "ab")
    + "{{ a == b }}",
    "equal tuples": "".join(f"{{% set {n} = () %}}" + f"{{% set {n} = ({n}, {n}) %}}" * 40 for n in "ab")
    + "{{ a == b }}",
    "center": "{{ 'x'|center(10**8) }}",
    "center, method": "{{ 'x'.center(10**8) }}",
    "ljust": "{{ 'x'.ljust(10**9) }}",
    "rjust": "{{ 'x'.rjust(10**9) }}",
    "zfill": "{{ '1'.zfill(10**9) }}",
    "expandtabs": "{{ '\t'.expandtabs(10**9) }}",
    "translate": "{{ 'aaa'.translate({97: 'x' * 1000000}) }}",
    "method join": "{{ ('a' * 1000000).join('b' * 1000000) }}",
    "method replace": "{{ ('a' * 1000000).replace('a', 'b' * 1000000) }}",
    "percent": "{{ '%0100000000d' % 1 }}",
    "percent with a star": "{{ '%*d' % (10**8, 1) }}",
    "filter format": "{{ '%0100000000d'|format(1) }}",
    "method format": "{{ '{:>100000000}'.format(1) }}",
    "filter replace": "{{ ('a' * 1000000)|replace('a', 'b' * 1000000) }}",
    "filter replace of nothing": "{{ ('a' * 1000000)|replace('', 'b' * 1000000) }}",
    "filter join": "{{ range(99999)|join('a' * 1000000) }}",
    "filter indent": "{{ 'x\ny'|indent(10**8) }}",
    "filter indent, many lines": "{{ ('\n' * 1000000)|indent(99, true, true) }}",
    "filter wordwrap": "{{ 'a b c'|wordwrap(1, true, 'x' * 1000000) }}",
    "filter batch": "{{ [1]|batch(10**9, 'x')|list }}",
    "filter slice": "{{ [1]|slice(10**9)|list }}",
    "filter tojson": "{{ [1]|tojson(indent=10**9) }}",
    "filter xmlattr": "{{ {'a': 'x' * 1999990}|xmlattr }}",
    "filter round": "{{ 1|round(10**9, 'ceil') }}{{ 5|round(-(10**9)) }}{{ ('a' * 1000) * 10**6 }}",
    "filter map": "{{ range(99999)|map('replace', '1', 'x' * 1000000)|list }}",
    "filter upper": "{{ ('\u0390' * 1999999)|upper|length }}",
    "filter list": "{{ range(10**9)|list }}",
    "filter block": "{% filter indent(10**8, true) %}x{% endfilter %}",
    "power": "{{ 2**(10**8) }}",
    "power of a power": "{{ (9**9)**(9**9) }}",
    "growing number": "{% set a = 9**999 %}" + "{% set a = a * a %}" * 60 + "{{ a }}",
    "range": "{{ range(10**9) }}",
    "range by two": "{% for x in range(0, 10**12, 2) %}x{% endfor %}",
    "loops in loops": "{% for a in range(99999) %}" * 4 + "{% endfor %}" * 4,
    "loops in loops that write": "{% for a in range(99999) %}" * 3 + "xy" + "{% endfor %}" * 3,
    "set blocks, one after the other": "{% set x %}{{ 'a' * 1900000 }}{% endset %}" * 5,
    "loops in a set block": "{% set x %}{% for i in range(99999) %}"
    + "{{ 'a' * 100000 }}{% endfor %}{% endset %}{{ x|length }}",
    "literals in a set block": "{% set x %}{% for i in range(99999) %}" + "a" * 1000 + "{% endfor %}{% endset %}",
    "macro": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "macro, twice": "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}",
    "macro without operators": "{% macro m(n) %}{% if n %}{{ m(n[1:]) }}{{ m(n[1:]) }}{% endif %}{% endmacro %}"
    + "{{ m('a' * 60) }}",
    "macro that doubles": "{% macro m(n) %}{% if n %}{% set x = m(n - 1) %}{{ x }}{{ x }}{% else %}ab{% endif %}"
    + "{% endmacro %}{{ m(60) }}",
    "recursive loop": "{% for x in [1] recursive %}{{ loop([1]) }}{{ loop([1]) }}{% endfor %}",
    "loop length": "{% for x in range(99999)|map('replace', '', 'x' * 1000000) %}{{ loop.length }}{% endfor %}",
    "include of itself": "{% include 'bomb.j2' %}",
    "include of itself, twice": "{% set n = (n|default('a' * 60))[1:] %}{% if n %}"
    + "{% include 'again.j2' %}{% include 'again.j2' %}{% endif %}",
    "lipsum": "{{ lipsum(n=10**6, min=1000, max=1001) }}",
    "namespace": "{% set ns = namespace(x='a') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
    "cycler": "{{ cycler(*range(99999)) }}" + "{% for x in range(99999) %}" * 2 + "{% endfor %}" * 2,
    "brackets": "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
    "lists in the source": "{{ " + "[" * 90 + "]" * 90 + " }}" + "{{ 'a' * 10**8 }}",
    "a very long template": "x" * 300_000,
}


def write_template(folder: Path, user: str, name: str = "own.j2") -> Path:
    path = folder / name
    path.write_text(f"{{% block system %}}s{{% endblock %}}{{% block user %}}{user}{{% endblock %}}", "utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A rubric's folder with files that no template may reach."""
    inside = tmp_path / "rubric"
    inside.mkdir()
    for path in (
        tmp_path / "secret.j2",
        tmp_path / "pyproject.toml",
        *(inside / name for name in ("keys.txt", ".env")),
    ):
        path.write_text("SECRET")
    (inside / ".hidden.j2").write_text("SECRET")
    (inside / "link.j2").symlink_to(tmp_path / "secret.j2")
    return inside


def test_there_are_enough_payloads() -> None:
    assert len(ESCAPES) >= 25
    assert len(BOMBS) >= 25


@pytest.mark.parametrize("payload", ESCAPES.values(), ids=ESCAPES)
def test_no_template_gets_out(folder: Path, payload: str) -> None:
    path = write_template(folder, payload)
    with pytest.raises(RubricError) as caught:
        PromptRenderer(RUBRIC, path).render(ITEM)
    assert "own.j2" in caught.value.message
    assert "SECRET" not in caught.value.message


BOMB_SQUAD = """
import json, resource, signal, sys, time
from pathlib import Path
from grader.errors import RubricError
from grader.inputs.rubric_file import read_rubric
from grader.prompting import sandbox
from grader.prompting.render import PromptRenderer
from grader.records import Item

sandbox.MAX_SECONDS = 0.1
resource.setrlimit(resource.RLIMIT_AS, (1_000_000_000, 1_000_000_000))
rubric, _ = read_rubric("likert")
path = Path("bomb.j2")
for payload in json.loads(sys.stdin.read()):
    signal.alarm(8)  # ends the process, also in the midst of a comparison that has no end
    Path("again.j2").write_text(payload)
    path.write_text("{% block system %}s{% endblock %}{% block user %}" + payload + "{% endblock %}")
    try:
        PromptRenderer(rubric, path).render(Item(id="1", system="s", answer="A"))
        print(json.dumps("it renders"), flush=True)
    except RubricError as error:
        print(json.dumps(error.message), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of memory and time as POSIX has them")
def test_no_template_takes_all_memory_or_time(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BOMB_SQUAD],
        input=json.dumps(list(BOMBS.values())),
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    said = dict(zip(BOMBS, map(json.loads, done.stdout.splitlines()), strict=False))
    assert len(said) == len(BOMBS), f"stopped at {list(BOMBS)[len(said)]}: {done.stderr[-500:]}"
    for name, message in said.items():
        assert "bomb.j2" in message or "again.j2" in message, f"{name}: {message}"
        assert "MemoryError" not in message, f"{name}: {message}"


def test_an_unknown_filter_is_followed_by_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(RubricError, match="No filter named 'center'") as caught:
        PromptRenderer(RUBRIC, write_template(tmp_path, "{{ 'x'|center(9) }}"))
    assert "indent, int, items, join" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("user", "shown"),
    [
        ("{% for level in levels %}{{ loop.index }}.{{ level.level }} {% endfor %}", "1.100 2.50"),
        ("{{ levels|map(attribute='level')|join(', ') }}", "100, 50"),
        ("{% for l in levels if l.level == '50' %}{{ l.criteria|length }}{{ loop.last }}{% endfor %}", "1True"),
        ("{{ 'a\nb'|indent(2) }}", "a\n  b"),
        ("{{ 'abab'|replace('a', 'x') ~ 1 }}", "xbxb1"),
        ("{{ rubric.title|upper }} {{ 'a' * 3 }} {{ 2**10 }} {{ 7 // 2 }} {{ 2.25|round(1) }}", "TIERED CRITERIA aaa"),
        ("{% macro m(x) %}<{{ x }}>{% endmacro %}{{ m('a') }}{{ m(2) }}", "<a><2>"),
        ("{% set x %}y{% endset %}{{ x }}{% if 'y' in ['x', 'y'] %}!{% endif %}", "y!"),
        ("{% for x in [[1, [2]]] recursive %}{{ x if x is number else loop(x) }}{% endfor %}", "12"),
        ("{{ range(3)|list|join('-') }} {{ ' a '.strip().upper() }} {{ options.get('none', 'no') }}", "0-1-2 A no"),
        ("{% for name, is_there in has|dictsort if is_there %}{{ name }} {% endfor %}", "answer context question"),
        ("{{ 'long text here'|truncate(8) }} {{ [3, 1]|sort|first }} {% include '_bands.j2' %}", "long... 1"),
    ],
)
def test_what_a_prompt_needs_is_there(tmp_path: Path, user: str, shown: str) -> None:
    prompt = PromptRenderer(RUBRIC, write_template(tmp_path, user)).render(ITEM)
    assert prompt.messages[1]["content"].startswith(shown)


def test_a_template_may_have_parts_in_folders_below_its_own(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "how.j2").write_text("Be exact.")
    prompt = PromptRenderer(RUBRIC, write_template(tmp_path, "{% include 'parts/how.j2' %}")).render(ITEM)
    assert prompt.messages[1]["content"].startswith("Be exact.")


@pytest.mark.parametrize("name", list_rubrics())
def test_a_template_is_given_plain_data_only(name: str) -> None:
    def check(value: Any) -> None:
        assert type(value) in (str, int, float, bool, list, dict), value
        for each in [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ():
            check(each)

    check(render._context(ITEM, read_rubric(name)[0]))


@pytest.mark.parametrize("name", list_rubrics())
@pytest.mark.parametrize(
    "data", ["{{7*7}}", "{% raw %}{{ x }}{% endraw %}", "{# gone #}", "{{ ''.__class__ }}", "${7*7}"]
)
def test_template_marks_in_data_are_only_text(name: str, data: str) -> None:
    rubric, path = read_rubric(name)
    item = replace(ITEM, answer=data, question=data, reference=data, criteria=(replace(ITEM.criteria[0], text=data),))
    text = PromptRenderer(rubric, path).render(item).messages[1]["content"]
    assert text.count(data) >= 2
    assert f"\n{data}\n</answer" in text


# Where a rubric's template may lie


def rubric_naming(folder: Path, template: str, like: str = "likert") -> Path:
    """Write a rubric file that names `template`."""
    text = read_rubric(like)[1].parents[1].joinpath("rubrics", f"{like}.yaml").read_text("utf-8")
    path = folder / "mine.yaml"
    path.write_text(text.replace(f"template: {like}.j2", f"template: {json.dumps(template)}"), "utf-8")
    return path


PATHS = ["/etc/passwd", "../outside.j2", "parts/../../outside.j2", "C:\\outside.j2", "..\\outside.j2", "~/outside.j2"]


@pytest.mark.parametrize("name", [*PATHS, "", ".", ".env", "parts/.hidden.j2", "a\x00.j2", "https://a.b/c.j2"])
def test_a_rubric_names_no_template_by_a_path_out_of_its_folder(folder: Path, name: str) -> None:
    write_template(folder.parent, "{{ blocks.answer }}", name="outside.j2")
    with pytest.raises(RubricError, match=r"line \d+: template: must be the name of a file in the rubric's own folder"):
        read_rubric(str(rubric_naming(folder, name)))


@pytest.mark.parametrize("name", ["keys.txt", "link.j2"])
def test_what_is_no_template_is_not_shown(folder: Path, name: str) -> None:
    with pytest.raises(RubricError, match="template") as caught:
        PromptRenderer(*read_rubric(str(rubric_naming(folder, name))))
    assert "SECRET" not in caught.value.message


@pytest.mark.parametrize("name", ["own.j2", "parts/own.j2"])
def test_a_rubric_may_name_one_below_its_folder(folder: Path, name: str) -> None:
    (folder / "parts").mkdir()
    write_template(folder, "{{ blocks.answer }}", name=name)
    prompt = PromptRenderer(*read_rubric(str(rubric_naming(folder, name)))).render(ITEM)
    assert prompt.messages[1]["content"].startswith("<answer-")


def test_check_tells_of_a_template_that_reaches_out_or_grows(folder: Path, criteria_path: Path) -> None:
    rubric = rubric_naming(folder, "own.j2", like="tiered")
    for payload in (ESCAPES["lipsum"], BOMBS["center"], BOMBS["text"], ESCAPES["include a key file"]):
        write_template(folder, payload)
        done = subprocess.run(
            [sys.executable, "-m", "grader", "check", "--criteria", criteria_path, "--rubric", rubric],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            cwd=folder,
        )
        assert done.returncode == 2, done.stdout + done.stderr
        assert "own.j2" in done.stdout + done.stderr
        assert "Traceback" not in done.stderr


def test_a_limit_is_of_one_section_not_of_a_whole_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    renderer = PromptRenderer(RUBRIC, write_template(tmp_path, "{{ 'a' * 1900000 }}"))
    monkeypatch.setattr(sandbox, "MAX_SECONDS", 60.0)
    for _ in range(6):
        renderer.render(ITEM)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("filter join", "a text is larger than 2,000,000"),
        ("filter replace", "a text is larger than"),
        ("filter indent", "an indented text is larger than"),
        ("filter map", "a list is larger than"),
        ("text", "a value is larger than"),
        ("power", "too large for a template"),
        ("percent", "put them together with “~”"),
        ("center, method", "“center” cannot be called in a template"),
        ("literals in a set block", "what the template writes is larger than"),
        ("loops in a set block", "what the template writes is larger than"),
        ("macro, twice", "takes more than 0.1 seconds"),
        ("loops in loops", "takes more than 0.1 seconds"),
        ("lipsum", "'lipsum' is undefined"),
        ("a very long template", "the template is larger than 200,000"),
    ],
)
def test_what_grows_is_told_in_plain_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, says: str
) -> None:
    monkeypatch.setattr(sandbox, "MAX_SECONDS", 0.1 if "0.1 seconds" in says else 60)
    with pytest.raises(RubricError, match=r"own\.j2") as caught:
        PromptRenderer(RUBRIC, write_template(tmp_path, BOMBS[name])).render(ITEM)
    assert says in caught.value.message


def test_a_list_is_not_written_as_python_shows_it(tmp_path: Path) -> None:
    with pytest.raises(RubricError, match="loop over it"):
        PromptRenderer(RUBRIC, write_template(tmp_path, "{{ levels }}")).render(ITEM)
    with pytest.raises(RubricError, match="map\\(attribute"):
        PromptRenderer(RUBRIC, write_template(tmp_path, "{{ levels|join(attribute='level') }}")).render(ITEM)
