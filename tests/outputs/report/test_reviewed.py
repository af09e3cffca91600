"""A run with experts' entries, blind and in sight: what they said stands in the report, and decides its figures."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from grader.outputs.graded_workbook.keys import text_hash
from grader.records import Override
from grader.reporting import write_report
from grader.store.run_reader import reading_run
from grader.store.run_store import open_run


@pytest.fixture(scope="module")
def page(hostile_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    run = tmp_path_factory.mktemp("reviewed") / "run"
    shutil.copytree(hostile_run, run)
    with open_run(run) as store:
        store.add_overrides(list(_entered(run)))
    return html.fromstring(write_report([run]).path.read_bytes())


def _entered(run: Path) -> Any:
    with_hash = {}
    with reading_run(run) as reader:
        for grade in reader.grades():
            with_hash[grade.item.system, grade.item.id] = text_hash(grade.item)
    for reviewer, shift in (("Anna", 0), ("Ben", 50)):
        for place, (system, item_id) in enumerate(with_hash):
            entry: dict[str, Any] = {"system": system, "item_id": item_id, "text_hash": with_hash[system, item_id]}
            about = {**entry, "reviewer": reviewer, "entered": "2026-01-01T00:00:00Z"}
            yield Override(**about, score=min(100.0, 25.0 * (place % 4) + shift), is_blind=place % 2 == 0)
            if place == 1:
                yield Override(**about, number=1, level=25.0, met=False, comment="<i>no</i> moon")


def item_of(page: Any, place: int) -> Any:
    return json.loads(page.get_element_by_id("item-data").text)["items"][place]


def test_both_ways_of_entering_have_their_tables(page: Any) -> None:
    section = page.xpath("//section[@aria-labelledby='agreement']")[0]
    headings = [each.text for each in section.xpath(".//h4")]
    assert headings[0] == "Blind (entered without seeing the judge): scores"
    assert headings[1] == "Seen (entered in sight of the judge): scores"
    names = [each.text_content().strip() for each in section.xpath(".//tbody/tr/th")]
    assert {"judge and experts", "judge and experts: <b>bold", "judge and Anna", "Anna and Ben"} <= set(names)


def test_what_experts_entered_stands_in_their_item(page: Any) -> None:
    item = item_of(page, 1)
    assert [each["name"] for each in item["experts"]] == ["Anna", "Ben"]
    assert item["experts"][0]["said"] == ["25 (1) not met “<i>no</i> moon”"]
    assert item["verdicts"][0]["expert"] is False
    assert item_of(page, 0)["experts"][0]["how"] == "blind"
    assert item["expert"] == item["final"] == 50.0
    assert "experts differ" in item["why"]


def test_scores_between_those_of_the_scale_have_a_class_of_their_own(page: Any) -> None:
    heads = [each.text for each in page.xpath("//section[@aria-labelledby='distribution']//thead//th")]
    assert heads == ["System", "0", "25", "50", "75", "100", "between"]
    rows = page.xpath("//section[@aria-labelledby='distribution']//tbody/tr")
    counts = [[cell.text_content().split()[0] for cell in row[1:]] for row in rows]
    assert sum(int(count) for row in counts for count in row if count != "–") == 10
