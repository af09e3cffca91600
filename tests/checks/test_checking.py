from __future__ import annotations

import time
from pathlib import Path

import pytest
import xlsxwriter
from check_files import Files, Rows, write_files

from grader.checks.checking import find_errors, find_problems, refuse_errors
from grader.checks.problem import Severity
from grader.errors import InputError
from grader.planning import Request

BAD = Files(
    [
        ["id", 25, "50 pts", 100],
        [1, "(1) name the ship", "b", "(1) give a good reason"],
        [1, "a", "b", None],
        [None, "a", None, None],
        [3, None, None, None],
        [4, "a", None, None],
    ],
    formulas={"D6": ("=1/0", "#DIV/0!")},
    answers=[{"id": 1, "answer": "a"}, {"id": 1, "answer": "b"}],
    rubric="name: Own",
)


def test_everything_is_said_at_once_errors_first(tmp_path: Path) -> None:
    problems = find_problems(write_files(tmp_path, BAD))
    rules = [problem.rule for problem in problems]
    for rule in ("duplicate-id", "blank-id", "blank-criterion", "level-not-a-number", "error-cell", "rubric-file"):
        assert rule in rules
    assert {"answer-duplicate-id", "vague-word"} <= set(rules)
    sheet = [problem.severity for problem in problems if problem.sheet == "Criteria"]
    assert sheet == sorted(sheet, key=lambda severity: severity is Severity.WARNING)
    assert [problem.place for problem in problems if problem.rule == "duplicate-id"] == ["Criteria!A3"]


def test_score_is_refused_with_all_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        refuse_errors(write_files(tmp_path, BAD))
    assert caught.value.exit_code == 2
    assert "[Criteria!A3]" in caught.value.message and "[line 2]" in caught.value.message
    assert "vague" not in caught.value.message


def test_one_error_is_an_ordinary_one_and_none_is_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"criteria.xlsx \[Criteria!A3\]: the id 1 occurs twice") as caught:
        refuse_errors(write_files(tmp_path, Files([["id", 25], [1, "a"], [1, "b"]])))
    assert caught.value.hint
    refuse_errors(write_files(tmp_path, Files()))


def test_many_errors_are_cut(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="and 30 more"):
        refuse_errors(write_files(tmp_path, Files([["id", 25], *([1, "a"] for _ in range(51))])))


def test_standard_input_is_left_to_the_grading(tmp_path: Path) -> None:
    request = write_files(tmp_path, Files())
    assert not find_errors(Request(criteria_path=request.criteria_path, answers_paths=(Path("-"),)))


def test_the_rubric_sheet_silences(tmp_path: Path) -> None:
    rows: list[list[object]] = [["id", "question", "criterion", "points"], [1, "Q", "give a good reason", 1]]
    settings = [["Setting", "Value"], ["Rubric type", "points"], ["Silence checks", "vague-word"]]
    assert find_problems(write_files(tmp_path, Files(rows)))
    assert not find_problems(write_files(tmp_path, Files(rows, rubric_sheet=settings)))


def test_json_is_no_criteria_and_a_damaged_sheet_is_said_once(tmp_path: Path) -> None:
    path = tmp_path / "criteria.json"
    path.write_text('{"id": 1}', encoding="utf-8")
    problems = find_problems(Request(criteria_path=path, answers_paths=()))
    assert [problem.rule for problem in problems] == ["unreadable-file"]


def test_levels_can_be_mapped(tmp_path: Path) -> None:
    request = write_files(tmp_path, Files([["id", "Good", 25], [1, "a", "b"]]))
    mapped = Request(criteria_path=request.criteria_path, answers_paths=(), column_map={"50": "Good"})
    assert not find_problems(mapped)


def test_questions_are_checked_too(tmp_path: Path) -> None:
    request = write_files(tmp_path, Files())
    path = tmp_path / "questions.csv"
    path.write_text("id,question\n1,a\n1,b\n", encoding="utf-8")
    asked = Request(criteria_path=request.criteria_path, answers_paths=(), questions_path=path)
    assert [(p.rule, p.cell) for p in find_errors(asked)] == [("answer-duplicate-id", "A3")]


@pytest.mark.no_cover
def test_ten_thousand_rows_take_less_than_a_second(tmp_path: Path) -> None:
    path = tmp_path / "large.xlsx"
    with xlsxwriter.Workbook(str(path), {"constant_memory": True}) as workbook:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, ["id", 25, 50, 100])
        for row in range(1, 10_001):
            sheet.write_row(row, 0, [row, f"(1) mention -x{row}", f"(1) give {row}\n(2) and {row}", f"(1) why {row}"])
    request = Request(criteria_path=path, answers_paths=())
    start = time.process_time()
    assert not find_errors(request)
    assert time.process_time() - start < 1


def test_the_real_workbook(shared: Path) -> None:
    path = shared / "data" / "ord-mmbench" / "ORD-MMBench-Scoring-criteria.xlsx"
    problems = find_problems(Request(criteria_path=path, answers_paths=()))
    assert not [problem for problem in problems if problem.severity is Severity.ERROR]
    assert [(problem.rule, problem.cell) for problem in problems] == [("two-demands", "C115")]


def test_our_own_sample_is_clean() -> None:
    folder = Path(__file__).parents[2] / "Data" / "server-care"
    answers = tuple(sorted((folder / "answers").iterdir()))
    request = Request(
        criteria_path=folder / "criteria.xlsx", answers_paths=answers, questions_path=folder / "questions.jsonl"
    )
    assert {problem.rule for problem in find_problems(request)} <= {"criteria-without-answer"}


def test_hostile_files_are_refused_with_one_error(shared: Path) -> None:
    for path in sorted((shared / "workbooks" / "hostile").glob("xml_bomb_*.xlsx")):
        problems = find_problems(Request(criteria_path=path, answers_paths=()))
        assert [problem.rule for problem in problems] == ["unreadable-file"]


QUESTIONS: Rows = [["id", "question", "answer"], [1, "Which ship?", "The first."], [1, "Which?", "The second."]]


@pytest.mark.parametrize(
    "files",
    [
        Files(QUESTIONS, named="liker"),
        Files(QUESTIONS, rubric="name: own\n  bad: ["),
        Files(QUESTIONS, rubric_sheet=[["Setting", "Value"], ["Rubric type", "likert"], ["Lowest score", "low"]]),
        Files([["id", 25], [1, "a"], [1, "b"]], named="liker"),
    ],
)
def test_a_rubric_that_cannot_be_read_says_nothing_of_the_columns(files: Files, tmp_path: Path) -> None:
    rules = {problem.rule for problem in find_errors(write_files(tmp_path, files))}
    assert rules - {"conflicting-answers"} == {"duplicate-id", "rubric-file"}


def test_a_workbook_without_ids_is_told_beside_a_broken_rubric(tmp_path: Path) -> None:
    problems = find_errors(write_files(tmp_path, Files([["name", "text"], ["a", "b"]], named="liker")))
    assert sorted(problem.rule for problem in problems) == ["rubric-file", "unreadable-file"]


def test_the_closest_rubric_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no rubric “liker”") as caught:
        refuse_errors(write_files(tmp_path, Files(QUESTIONS[:2], named="liker")))
    assert caught.value.hint is not None and "Did you mean likert?" in caught.value.hint


def test_an_unknown_rule_comes_with_those_there_are(tmp_path: Path) -> None:
    rubric = "name: own\ntitle: Own\ninputs: [answer]\ntemplate: own.j2\noutput: {format: tagged}\n"
    rubric += "scale: {min: 0, max: 9}\nrule: numbr\n"
    template = "{% block system %}a{% endblock %}{% block user %}{{ blocks.answer }}{% endblock %}"
    (problem,) = find_errors(write_files(tmp_path, Files(QUESTIONS[:2], rubric=rubric, template=template)))
    assert (problem.rule, problem.cell) == ("no-such-rule", "line 7")
    assert "the closest is number" in problem.message and "tiered-items" in problem.hint


def test_a_number_beside_criteria_and_points_is_no_level(tmp_path: Path) -> None:
    path = tmp_path / "c.xlsx"
    with xlsxwriter.Workbook(str(path)) as workbook:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, ["Task ID", "Criterion", "Points", "", 0.7])
        sheet.write_row(1, 0, ["T1", "Names the dose", 5])
        sheet.write_row(2, 0, ["T1", "Names the interval", 3])
    files = Request(criteria_path=path, answers_paths=())
    assert find_errors(files) == []
