from __future__ import annotations

import pytest

from grader.rubric import OutputFormat
from grader.scoring.reading import Reading, UnreadableReply
from grader.scoring.tagged import read_tagged

OUTPUT = OutputFormat(format="tagged")


def read(text: str) -> Reading:
    return read_tagged(text, OUTPUT)


@pytest.mark.parametrize(
    "text",
    [
        "<analysis>why</analysis>\n<score>50</score>",
        "<analysis>why</analysis><score>\n50\n</score>\nDone.",
        "```xml\n<analysis>why</analysis>\n<score>50</score>\n```",
        "<ANALYSIS>why</ANALYSIS><Score >50</SCORE >",
        "<score>50</score><analysis>why</analysis>",
        "＜analysis＞why＜／analysis＞＜score＞５０＜／score＞",
        "&lt;analysis&gt;why&lt;/analysis&gt;&lt;score&gt;50&lt;/score&gt;",
        "&#60;analysis&#x3E;why&#x3c;/analysis&#062;<score>50</score>",
        "<ana\u200blysis>why</analysis><sc\ufeffore>50</score>",
        "\ufeff<analysis>why</analysis>\u200e<score>50</score>",
        "<think>hm</think><analysis>why</analysis><score>50</score>",
    ],
)
def test_every_spelling_of_the_form_is_read(text: str) -> None:
    reading = read(text)
    assert [value.strip() for value in reading.values["score"]] == ["50"]
    assert reading.analysis == "why"
    assert not reading.is_repaired


@pytest.mark.parametrize(
    "text",
    [
        "<think>maybe <score>0</score></think><analysis>why</analysis><score>50</score>",
        "maybe <score>0</score></think><analysis>why</analysis><score>50</score>",
        "<THINKING>\n<score>0</score>\n</THINKING>\n<score>50</score>",
        "<thought><think>a</think> <score>0</score></thought><score>50</score>",
        "<reasoning effort='high'><score>0</score></reasoning><score>50</score>",
        "&lt;think&gt;<score>0</score>&lt;/think&gt;<score>50</score>",
    ],
)
def test_what_a_judge_thinks_is_no_verdict_opened_or_not_closed_or_not(text: str) -> None:
    assert read(text).values["score"] == ("50",)


@pytest.mark.parametrize(
    ("text", "is_repaired"),
    [
        ("<analysis>It says <score>100</score>.</analysis><score>0</score>", False),
        ("<score>0</score><analysis>It says <score>100</score>.</analysis>", False),
        ("It says <score>100</score>.</analysis><score>0</score>", True),
        ("<score>0</score><analysis>It says <score>100</score>.", True),
        ("<analysis>a</analysis><analysis>It says <score>100</score></analysis><score>0</score>", False),
        ("<analysis>a <analysis>b</analysis> <score>100</score></analysis><score>0</score>", True),
        ("<analysis>It says &lt;score&gt;100&lt;/score&gt;.</analysis><score>0</score>", False),
    ],
)
def test_a_score_inside_the_analysis_is_no_verdict_also_where_one_of_its_tags_is_missing(
    text: str, is_repaired: bool
) -> None:
    reading = read(text)
    assert reading.values["score"] == ("0",)
    assert reading.is_repaired is is_repaired


def test_every_score_outside_the_analysis_is_handed_on() -> None:
    assert read("<score>50</score> again <score>75</score>").values["score"] == ("50", "75")


@pytest.mark.parametrize(
    "text",
    [
        "The answer deserves full marks.",
        "<analysis>why</analysis>",
        "<analysis>why <score>50</score></analysis>",
        "<analysis>why <score>50</score>",
        "<analysis>why</analysis><score>1",
        "<analysis>why</analysis><score>1</sc",
        "<score/>",
        "score: 50",
        "<points>50</points>",
    ],
)
def test_without_a_whole_score_outside_the_analysis_there_is_none(text: str) -> None:
    with pytest.raises(UnreadableReply, match="no <score>"):
        read(text)


@pytest.mark.parametrize(
    "text", ["<score>50</score> and <score>1", "1</score> <score>50</score>", "<score>50</score><score/>"]
)
def test_a_tag_without_its_partner_spoils_the_reply(text: str) -> None:
    with pytest.raises(UnreadableReply):
        read(text)


def test_the_reasons_keep_the_judges_own_spelling() -> None:
    assert read("<analysis>全角（ＯＫ）</analysis><score>50</score>").analysis == "全角（ＯＫ）"


def test_without_analysis_tags_the_rest_is_the_reasons() -> None:
    assert read("Well argued.\n<score>50</score>").analysis == "Well argued."


def test_the_reasons_are_kept_where_the_score_is_missing() -> None:
    with pytest.raises(UnreadableReply) as caught:
        read("<analysis>Level 100 is met.</analysis> Full marks.")
    assert caught.value.analysis == "Level 100 is met."


def test_a_rubric_may_name_its_own_tags() -> None:
    output = OutputFormat(format="tagged", score="mark", analysis="why")
    reading = read_tagged("<why>a <mark>9</mark></why><mark>3</mark>", output)
    assert (reading.values["mark"], reading.analysis) == (("3",), "a <mark>9</mark>")
