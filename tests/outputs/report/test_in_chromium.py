"""The page as its reader has it: no fault, no request, keys, search, phone, dark, print and without scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from chromium import Chromium


@pytest.fixture
def page(browser: Chromium, hostile_report: Path) -> Chromium:
    browser.faults.clear()
    browser.requests.clear()
    browser.look()
    browser.open(hostile_report)
    return browser


def count(page: Chromium) -> str:
    return str(page.evaluate("document.getElementById('count').textContent"))


def rows(page: Chromium) -> int:
    return int(page.evaluate("document.querySelectorAll('tr.item').length"))


def test_it_opens_without_a_fault_and_asks_for_nothing(page: Chromium, hostile_report: Path) -> None:
    page.settle()
    assert page.faults == []
    assert page.requests == [hostile_report.as_uri()]
    assert page.evaluate("document.querySelectorAll('.chart svg[role=img][aria-label]').length") == 4
    assert rows(page) == 10


def test_hostile_texts_stay_texts(page: Chromium) -> None:
    page.evaluate("document.querySelectorAll('.open').forEach((each) => each.click())")
    page.settle()
    assert page.evaluate("document.title") == "Report: run"
    assert page.evaluate("document.querySelectorAll('main img, main b > b, #table script').length") == 0
    shown = page.evaluate("document.getElementById('table').textContent")
    assert "<script>document.title='taken'</script>" in shown
    assert "<img src=x onerror=" in shown
    assert page.faults == []


def test_a_slash_goes_to_the_search_which_finds_words(page: Chromium) -> None:
    page.press("/", code=191, text="/")
    assert page.evaluate("document.activeElement.id") == "search"
    page.type("ONERROR src=x")
    assert count(page) == "2 of 10 items"
    page.press("Escape", code=27)
    page.settle()
    assert rows(page) == 10


def test_an_item_opens_and_closes_by_the_keyboard(page: Chromium) -> None:
    page.evaluate("document.querySelector('.open').focus()")
    page.press("Enter", code=13, text="\r")
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
    assert page.evaluate("document.querySelectorAll('.detail mark').length") >= 1
    assert "25 (1) met" in page.evaluate("document.querySelector('.verdicts').textContent")
    page.press("Enter", code=13, text="\r")
    assert page.evaluate("document.querySelectorAll('.detail').length") == 0


def test_the_first_tab_leads_past_the_charts(page: Chromium) -> None:
    page.press("Tab", code=9)
    assert page.evaluate("document.activeElement.textContent") == "Skip to the items"


@pytest.mark.parametrize(
    ("control", "value", "expected"),
    [
        ("f-system", "plain", "5 of 10 items"),
        ("f-group", "even", "4 of 10 items"),
        ("f-min", "101", "0 of 10 items"),
        ("f-max", "100", "10 items"),
    ],
)
def test_filters_leave_what_fits(page: Chromium, control: str, value: str, expected: str) -> None:
    page.evaluate(
        f"(() => {{ const control = document.getElementById('{control}'); control.value = '{value}';"
        " control.dispatchEvent(new Event('input', { bubbles: true })); })()"
    )
    page.settle()
    assert count(page) == expected
    page.evaluate("document.querySelector('#filters [type=reset]').click()")
    page.settle()
    assert count(page) == "10 items"


def test_columns_sort_both_ways_and_say_so(page: Chromium) -> None:
    def first_after_click() -> Any:
        page.evaluate("document.querySelector('th.c-item button').click()")
        return page.evaluate(
            "[document.querySelector('.open').textContent,"
            " document.querySelector('th.c-item').getAttribute('aria-sort')]"
        )

    assert first_after_click() == ["1", "ascending"]
    assert first_after_click() == ["5", "descending"]


@pytest.mark.parametrize("width", [360, 768])
def test_nothing_is_wider_than_the_screen(page: Chromium, width: int) -> None:
    page.look(width=width, height=800)
    page.evaluate("document.querySelectorAll('.open').forEach((each) => each.click())")
    page.settle()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert (
        page.evaluate("Math.max(...[...document.querySelectorAll('.chart svg')].map((each) => each.clientWidth))")
        <= width
    )


@pytest.mark.parametrize("medium", ["", "print"])
def test_a_very_long_name_of_a_group_pushes_no_figures_off_the_page(page: Chromium, medium: str) -> None:
    groups = "document.querySelector('[aria-labelledby=groups] table')"
    page.evaluate(f"{groups}.tHead.rows[0].lastElementChild.textContent = 'W'.repeat(300)")
    page.look(width=794, height=1100, medium=medium)
    page.settle()
    assert page.evaluate(f"{groups}.scrollWidth <= {groups}.parentElement.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= 794


def brightness(page: Chromium) -> int:
    found = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)")
    return int(sum(found) // 3)


def test_it_is_dark_where_the_reader_likes_it_and_light_on_paper(page: Chromium) -> None:
    assert brightness(page) > 200
    page.look(is_dark=True)
    assert brightness(page) < 60
    page.look(is_dark=True, medium="print")
    assert brightness(page) > 200
    assert page.evaluate("getComputedStyle(document.getElementById('filters')).display") == "none"


def test_without_scripts_everything_but_the_filters_is_there(browser: Chromium, hostile_report: Path) -> None:
    browser.look()
    browser.open(hostile_report, has_scripts=False)
    try:
        tree = browser.send("DOM.getDocument", depth=-1)
        text = browser.send("DOM.getOuterHTML", nodeId=tree["root"]["nodeId"])["outerHTML"]
        assert "Search and filters need JavaScript. The first 10 of 10 items" in text
        assert 'id="filters" role="search" aria-label="Filter the items" hidden' in text
    finally:
        browser.open(hostile_report)
