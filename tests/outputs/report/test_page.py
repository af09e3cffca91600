"""The page stands alone, escapes every text, and says what the run's other files say."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from grader.scoring.rules.criteria import comparable

_ADDRESSES = ("src", "href", "srcset", "action", "formaction", "poster", "data", "background", "ping", "cite")


@pytest.fixture(scope="module")
def page(hostile_report: Path) -> Any:
    return html.fromstring(hostile_report.read_bytes())


@pytest.fixture(scope="module")
def data(page: Any) -> Any:
    return json.loads(page.get_element_by_id("item-data").text)


def test_nothing_on_the_page_has_an_address_but_its_own_sections(page: Any) -> None:
    addresses = [(node.tag, name, node.get(name)) for node in page.iter() for name in _ADDRESSES if node.get(name)]
    assert addresses
    ids = {node.get("id") for node in page.iter() if node.get("id")}
    assert [each for each in addresses if each[2][0] != "#" or each[2][1:] not in ids] == []
    assert not page.xpath("//link | //iframe | //object | //embed | //img | //base | //audio | //video")


def test_the_style_loads_nothing(page: Any) -> None:
    for style in page.xpath("//style"):
        assert not re.search(r"url\s*\(|@import|http|//", style.text)


def test_no_element_carries_a_handler_or_a_style_of_its_own(page: Any) -> None:
    assert not [name for node in page.iter() for name in node.attrib if name.startswith("on") or name == "style"]


def test_the_policy_allows_these_scripts_and_no_address(page: Any) -> None:
    (policy,) = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["style-src"] == "'unsafe-inline'"
    scripts = page.xpath("//script[not(@type)]")
    sums = [base64.b64encode(hashlib.sha256(each.text.encode()).digest()).decode() for each in scripts]
    assert len(scripts) == 4
    assert rules["script-src"].split() == [f"'sha256-{each}'" for each in sums]
    assert {"base-uri", "form-action"} < set(rules)


def test_scripts_are_ours_and_the_data_only(page: Any) -> None:
    assert [each.get("type") for each in page.xpath("//script")] == ["application/json"] * 2 + [None] * 4
    assert page.xpath("//title")[0].text == "Report: run"


def test_texts_are_whole_in_the_data_and_only_null_bytes_are_replaced(data: Any) -> None:
    answers = ["".join(part if isinstance(part, str) else part[0] for part in each["answer"]) for each in data["items"]]
    assert any("<script>document.title='taken'</script>" in answer for answer in answers)
    assert any("</script><script>" in answer for answer in answers)
    assert any("before\ufffdafter" in answer and "\U0001f680" in answer for answer in answers)
    assert any("{{ 7 * 7 }}" in answer for answer in answers)
    assert {each["system"] for each in data["items"]} == {"<b>bold", "plain"}


def test_the_data_cannot_leave_its_element(hostile_report: Path) -> None:
    text = hostile_report.read_text("utf-8")
    begin = text.index('id="item-data">') + len('id="item-data">')
    content = text[begin : text.index("</script>", begin)]
    assert not set("<>&\u2028\u2029") & set(content)
    json.loads(content)


def test_a_question_that_two_systems_answered_stands_there_once(data: Any) -> None:
    assert len(data["questions"]) == 5
    assert len(data["items"]) == 10


def test_quotes_are_marked_in_the_answers(data: Any) -> None:
    for item in data["items"]:
        marked = [part for part in item["answer"] if not isinstance(part, str)]
        assert marked
        for text, places in marked:
            assert all(comparable(text) in comparable(item["verdicts"][place]["evidence"]) for place in places)


def test_the_leaderboard_has_the_figures_of_the_summary(page: Any, hostile_run: Path) -> None:
    summary = json.loads((hostile_run / "summary.json").read_text("utf-8"))
    table = page.xpath("//section[@aria-labelledby='leaderboard']//tbody")[0]
    rows = {"".join(row[0].itertext()): [cell.text_content().strip() for cell in row[1:]] for row in table}
    for system in summary["systems"]:
        shown = rows[system["system"]]
        assert shown[1] == f"{system['final']['mean']:.2f}"
        if system["final"]["interval"]:
            assert shown[2] == "{:.2f} to {:.2f}".format(*system["final"]["interval"])


def test_every_table_names_its_columns_and_rows(page: Any) -> None:
    tables = page.xpath("//table")
    assert len(tables) >= 6
    for table in tables:
        assert table.xpath("./thead/tr/th[@scope='col']")
        assert all(row[0].get("scope") == "row" for row in table.xpath("./tbody/tr"))


def test_without_scripts_the_first_items_are_listed(page: Any) -> None:
    (plain,) = page.xpath("//noscript")
    assert len(plain.xpath(".//tbody/tr")) == 10
    assert not plain.xpath(".//script | .//img | .//td/b")


def test_headings_go_down_one_step_at_a_time(page: Any) -> None:
    levels = [int(each.tag[1]) for each in page.xpath("//h1 | //h2 | //h3 | //h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
