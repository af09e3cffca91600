from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from check_files import Files, write_files

from grader.checks.checking import find_errors, find_problems
from grader.checks.problem import Severity
from grader.checks.registry import RULES

TIERED = ["id", 25, 50, 100]
POINTS = ["id", "question", "criterion", "points"]
CHECKLIST = ["id", "question", "checklist"]
OWN = """
name: own
title: Own
inputs: [question, answer, criteria]
template: own.j2
output: {format: tagged}
scale: {min: 0, max: 100}
rule: tiered
"""
TEMPLATE = "{% block system %}Judge.{% endblock %}{% block user %}{{ blocks.answer }}{% endblock %}"
SHEET = [["Setting", "Value"], ["Rubric type", "points"]]


def tiered(*cells: object) -> Files:
    return Files([TIERED, [1, *cells]])


def points(*criteria: tuple[str, object], question: str = "Which ship?") -> Files:
    return Files([POINTS, *([1, question, text, value] for text, value in criteria)])


def tiered_with(column: str) -> Files:
    return Files([["id", 25, column], [1, "a", "b"]])


CASES: dict[str, list[tuple[Files, Files, str | None]]] = {
    "no-rows": [
        (tiered("(1) name the ship"), Files([TIERED]), "A1"),
        (tiered("(1) name the ship"), Files([TIERED, ["(example 1)", "(1) name the ship"]]), "A1"),
    ],
    "blank-id": [
        (tiered("a"), Files([TIERED, [1, "a"], [None, "b"]]), "A3"),
        (points(("a", 1)), Files([POINTS, [1, "Q", "a", 1], [None, None, "b", 1]]), "A3"),
        (
            Files([POINTS, [1, "Q", "a", 1], [None, None, "b", 1]], merge=[("A2:A3", "1")]),
            Files([POINTS, ["", "Q", "a", 1], [1, None, "b", 1]]),
            "A2",
        ),
        (Files([TIERED, [1, "a"], [], ["Sources: the archive"]]), Files([TIERED, ["", "a"]]), "A2"),
    ],
    "duplicate-id": [
        (Files([TIERED, [1, "a"], [2, "b"]]), Files([TIERED, [1, "a"], ["1.0", "b"]]), "A3"),
        (points(("a", 1), ("b", 2)), Files([TIERED, [1, "a"], [2, "b"], [1, "c"]]), "A4"),
        (
            Files([CHECKLIST, [1, "Q", "a"], [1, "", "b"]], named="checklist"),
            Files([CHECKLIST, [1, "Q", "a"], [1, "R", ""]], named="checklist"),
            "A3",
        ),
    ],
    "blank-criterion": [
        (tiered("a"), Files([TIERED, [1, "a"], [2], [3, "c"]]), "A3"),
        (points(("a", 1)), Files([POINTS, [1, "Q", "", 1], [1, "", "b", 1]]), "C2"),
        (Files([TIERED, [1, "a"], ["Total", 1], [], ["a footnote"]]), Files([TIERED, [2, " "], [1, "a"]]), "A2"),
    ],
    "level-not-a-number": [
        (tiered("a"), Files([["id", 25, "50 points"], [1, "a", "b"]]), "C1"),
        (Files([["id", 25, "Figure 1"], [1, "a", "b"]]), Files([["id", 25, "fifty"], [1, "a", "b"]]), "C1"),
        (Files([["id", 25, "50%"], [1, "a", ""]]), Files([["id", 25, 0.5], [1, "a", "b"]]), "C1"),
        (tiered("a"), Files([["id", 25, 150], [1, "a", "b"]]), "C1"),
        (Files([["id", 25, "oil"], [1, "a", "b"]]), Files([["id", 25, "5O"], [1, "a", "b"]]), "C1"),
        (Files([["id", 25, "Table (50)"], [1, "a", "b"]]), Files([["id", 25, "half (50)"], [1, "a", "b"]]), "C1"),
        (Files([["id", 25, "50 pts"], [1, "a", ""]]), Files([["id", 25, "50 pts"], [1, "a", "b"]]), "C1"),
        (tiered("a"), Files([["id", 25, "l00"], [1, "a", "b"]]), "C1"),
    ],
    "misspelt-column": [
        (
            Files([["id", 25, "reference", "references", "reference 2"], [1, "a", "b", "c", "d"]]),
            Files([["id", 25, "refrence"], [1, "a", "b"]]),
            "C1",
        ),
        (Files([["id", 25, "author"], [1, "a", "b"]]), Files([["id", 25, "anwser"], [1, "a", "b"]]), "C1"),
        (
            Files([["id", "criterion", "points", "pionts"], [1, "a", 1, 2]]),
            Files([["id", "criterion", "pionts"], [1, "a", 2]]),
            "C1",
        ),
        (Files([["id", 25, "answers", "criteria"], [1, "a", "b", "c"]]), tiered_with("Qestion"), "C1"),
        (Files([["id", 25, "refrence"], [1, "a", ""]]), tiered_with("Ground thruth"), "C1"),
    ],
    "duplicate-level": [(tiered("a"), Files([["id", 25, "25.0"], [1, "a", "b"]]), "C1")],
    "bad-points": [
        (points(("a", 2.5), ("b", "−3"), ("c", None), ("d", "３")), points(("a", 1), ("b", "3,5")), "D3"),
        (points(("a", 1)), points(("a", "5 pts")), "D2"),
        (points(("a", 1)), points(("a", datetime.date(2026, 3, 1))), "D2"),
        (Files([POINTS, [1, "Q", "a", 1]]), Files([POINTS, [1, "Q", "a", 0.5]], formats={"D2": "0%"}), "D2"),
        (points(("a", 1)), Files([POINTS, [1, "Q", "a", 1], [1, "", "b", ""]], merge=[("D2:D3", "3")]), "D3"),
    ],
    "no-positive-points": [
        (points(("a", -1), ("b", 1)), points(("a", -1), ("b", 0)), "D2"),
        (Files([["id", "criterion"], [1, "a"]]), points(("a", 0)), "D2"),
    ],
    "unknown-column": [
        (
            Files([[*POINTS, "Expert notes"], [1, "Q", "a", 1, "b"]], rubric_sheet=SHEET),
            Files([[*POINTS, "Pionts"], [1, "Q", "a", 1, 2]], rubric_sheet=SHEET),
            "E1",
        ),
        (
            Files([[*POINTS, "Pionts"], [1, "Q", "a", 1, 2]]),
            Files([[*POINTS, "Refrence"], [1, "Q", "a", 1, 2]], rubric_sheet=SHEET),
            "E1",
        ),
    ],
    "conflicting-answers": [
        (
            Files([["id", "criterion", "answer"], [1, "a", "x"], [1, "b", ""], [1, "c", " x"]]),
            Files([["id", "criterion", "answer"], [1, "a", "x"], [1, "b", "y"]]),
            "C3",
        ),
        (
            Files([["id", "criterion", "answer"], [1, "a", "x"], [1, "b", "y"]], answers=[{"id": 1, "answer": "a"}]),
            Files([["id", "criterion", "answer"], [1, "a", "x"], [1, "b", "y"]]),
            "C3",
        ),
    ],
    "conflicting-question": [
        (
            Files([POINTS, [1, "Q", "a", 1], [1, "", "b", 1]]),
            Files([POINTS, [1, "Q", "a", 1], [1, "Which?", "b", 1]]),
            "B3",
        )
    ],
    "shifted-row": [
        (Files(csv='id,50\n1,"a, b"\n'), Files(csv="id,50\n1,a\n2,b, c\n"), "C3"),
    ],
    "date-in-text": [
        (tiered("1-3"), tiered("a", datetime.date(2026, 3, 1)), "C2"),
        (
            Files([TIERED, [datetime.date(2026, 3, 1), "a"], [datetime.date(2026, 3, 2), "b"]]),
            Files([TIERED, ["1-2", "a"], [datetime.date(2026, 3, 1), "b"]]),
            "A3",
        ),
    ],
    "lost-zero": [
        (
            Files([TIERED, [1.1, "a"], [1.25, "b"]], formats={"A3": "0.00"}),
            Files([TIERED, [1.2, "a"], [1.1, "b"]], formats={"A3": "0.00"}),
            "A3",
        ),
        (
            Files([TIERED, ["1.9", "a"], ["1.10", "b"], ["1.11", "c"]]),
            Files([TIERED, [1.8, "x"], [1.9, "a"], [1.1, "b"], [1.11, "c"]]),
            "A4",
        ),
    ],
    "error-cell": [
        (tiered("a"), Files([TIERED, [1, "a"]], formulas={"C2": ("=1/0", "#DIV/0!")}), "C2"),
        (Files([TIERED, [1, "“#N/A” is shown"]]), Files(csv="id,50\n1,#REF!\n"), "B2"),
        (
            Files([[*TIERED, "Mine"], [1, "a"]], formulas={"E2": ("=1/0", "#DIV/0!")}),
            Files(csv="id,50\n#N/A,a\n"),
            "A2",
        ),
    ],
    "formula-without-value": [
        (
            Files([TIERED, [1, "a"]], formulas={"C2": ('="a"', "a")}),
            Files([TIERED, [1, "a"]], formulas={"C2": ('="a"', "")}),
            None,
        )
    ],
    "merged-across": [
        (
            Files([TIERED, [1, "a"], [2, "b"]], merge=[("B2:B3", "a")]),
            Files([TIERED, [1]], merge=[("B2:C2", "a")]),
            "B2",
        ),
        (
            Files([["Survey", "", "", ""], TIERED, [1, "a"]], merge=[("A1:D1", "Survey")]),
            Files([TIERED, ["", "", ""], [1, "a"]], merge=[("A2:D2", "Part one")]),
            "A2",
        ),
    ],
    "merged-id": [
        (
            Files([POINTS, [1, "Q", "a", 1], ["", "", "b", 1]], merge=[("A2:A3", "1")]),
            Files([POINTS, [1, "Q", "a", 1], ["", "", "b", 1]], merge=[("A2:A3", "1")], over={"A3": 2}),
            "A3",
        )
    ],
    "cell-too-long": [(tiered("a" * 32_767), Files([TIERED, [1, "LONG"]], long_text=32_768), "B2")],
    "rubric-file": [
        (
            Files(rubric=OWN, template=TEMPLATE),
            Files(rubric=OWN.replace("rule: tiered", "rulle: x"), template="a"),
            None,
        ),
        (Files(named="tiered"), Files(named="teired"), None),
        (Files(rubric=OWN, template=TEMPLATE), Files(rubric="name: own\n  bad: ["), "line 2"),
        (
            Files([POINTS, [1, "Q", "a", 1]], rubric_sheet=SHEET),
            Files([POINTS, [1, "Q", "a", 1]], rubric_sheet=[SHEET[0], ["Rubric type", "pionts"]]),
            "B2",
        ),
    ],
    "no-such-template": [(Files(rubric=OWN, template=TEMPLATE), Files(rubric=OWN), "line 5")],
    "no-such-rule": [
        (
            Files(rubric=OWN, template=TEMPLATE),
            Files(rubric=OWN.replace("tiered", "weird"), template=TEMPLATE),
            "line 8",
        )
    ],
    "template-fails": [
        (
            Files(rubric=OWN, template=TEMPLATE),
            Files(rubric=OWN, template=TEMPLATE.replace("blocks", "bloks")),
            "line 1",
        ),
        (Files(), Files(rubric=OWN, template="{% block system %}"), "line 1"),
        (Files(), Files(rubric=OWN, template="{% block system %}a{% endblock %}"), None),
    ],
    "band-gap": [
        (
            Files(rubric=OWN + "bands: [{min: 0, max: 50, text: a}, {min: 51, max: 100, text: b}]", template=TEMPLATE),
            Files(rubric=OWN + "bands: [{min: 0, max: 40, text: a}, {min: 51, max: 100, text: b}]", template=TEMPLATE),
            None,
        ),
        (
            Files(named="relevance"),
            Files(rubric=OWN + "bands: [{min: 10, max: 100, text: a}]", template=TEMPLATE),
            None,
        ),
    ],
    "unknown-silenced": [
        (
            Files(rubric=OWN + "silenced: [vague-word]", template=TEMPLATE),
            Files(rubric=OWN + "silenced: [vage-word]", template=TEMPLATE),
            None,
        )
    ],
    "unreadable-file": [
        (Files(), Files(raw=b"PK\3\4 and no more"), None),
        (Files(answers=[{"id": 1, "answer": "a"}]), Files(answers=[{"id": 1, "text": "a"}]), "line 1"),
        (Files(), Files([["id", "name"], [1, "a"]]), "row 1"),
    ],
    "broken-line": [
        (
            Files(answers=[{"id": 1, "answer": "a"}]),
            Files(answers='{"id": 1, "answer": "a"}\n{"id": 2\n[1]\n'),
            "line 2",
        )
    ],
    "answer-blank-id": [
        (Files(answers=[{"id": 1, "answer": "a"}]), Files(answers=[{"id": " ", "answer": "a"}]), "line 1")
    ],
    "answer-duplicate-id": [
        (
            Files(answers=[{"id": 1, "answer": "a"}, {"id": 1, "system": "b", "answer": "a"}]),
            Files(answers=[{"id": 1, "answer": "a"}, {"id": "1.0", "answer": "b"}]),
            "line 2",
        )
    ],
    "missing-field": [
        (
            Files([["id", "question", "reference", "answer"], [1, "Q", "R", "A"]], named="likert"),
            Files([["id", "question", "answer"], [1, "Q", "A"]], named="likert"),
            "A1",
        ),
        (Files(answers=[{"id": 1, "answer": "a"}]), Files([["id", "answer"], [1, "A"]], named="accuracy"), "A1"),
    ],
    "answer-without-criteria": [
        (Files(answers=[{"id": 1, "answer": "a"}]), Files(answers=[{"id": 9, "answer": "a"}]), "line 1"),
        (
            Files(answers=[{"id": 1, "answer": "a"}]),
            Files(answers=[{"id": number, "answer": "a"} for number in range(2, 20)]),
            "line 1",
        ),
    ],
    "criteria-without-answer": [
        (
            Files(answers=[{"id": 1, "answer": "a"}]),
            Files([TIERED, [1, "a"], [2, "b"]], answers=[{"id": 1, "answer": "a"}]),
            "A3",
        )
    ],
    "numbering": [
        (
            tiered("(1) name the ship (one of\n two)\n(2) name the captain"),
            tiered("(1) the ship\n(3) the captain"),
            "B2",
        ),
        (tiered("one sentence that was\nbroken to fit"), tiered("Name the ship\nName the captain"), "B2"),
        (tiered("- a\n- b"), tiered("mention the ship.\nname the captain."), "B2"),
        (tiered("One of:\nThe ship"), tiered("mention the ship\nmention the captain"), "B2"),
        (tiered("1. a\n2. b"), tiered("(1) a\n(1) b"), "B2"),
        (tiered("①船\n②船長"), tiered("（１）船\n（３）船長"), "B2"),
        (points(("name\nall", 1)), tiered("(2) name the ship"), "B2"),
    ],
    "repeated-criterion": [
        (
            tiered("name 3 of the ships in the harbour", "name 5 of the ships in the harbour"),
            tiered("name the ships in the harbour", "", "name the ships in the harbor."),
            "D2",
        ),
        (tiered("use the option `-a`", "use the option `-b`"), tiered("(1) name the ship\n(2) Name the ship."), "B2"),
        (points(("name the ship", 1), ("do not name the ship", 1)), points(("a ship", 1), ("A ship", 1)), "C3"),
    ],
    "range-gap": [
        (points(("0-3 poor, 4-7 fair", 1)), points(("0-3 poor, 5-7 fair", 1)), "C2"),
        (points(("pages 3-5, and 9-12", 1)), points(("0-3: poor\n3-7: fair", 1)), "C2"),
        (points(("metal1-metal5, metal7-metal9", 1)), points(("0–3点、5–7点", 1)), "C2"),
    ],
    "too-many-items": [
        (
            tiered("\n".join(f"({n}) name {n}" for n in range(1, 16))),
            tiered("\n".join(f"({n}) name {n}" for n in range(1, 17))),
            "A2",
        ),
    ],
    "wrong-total": [
        (
            points(("a", 2), ("b", 3), question="Which ship? (max. 5 points)"),
            points(("a", 2), ("b", 3), question="Which ship? [10 points]"),
            "B2",
        ),
        (
            Files([POINTS, [1, "Q", "a", 2], ["Total", "", "", 2]]),
            Files([POINTS, [1, "Q", "a", 2], ["Total", "", "", 3]]),
            "D3",
        ),
        (points(("a", 2), question="Wer? (höchstens 2 Punkte)"), points(("a", 2), question="谁？满分10分"), "B2"),
        (
            points(("a", 2), ("b", 3), question="Which ship (2 points), and why (3 points)?"),
            points(("a", 2), question="Which ship? (5 points)"),
            "B2",
        ),
        (points(("a", 2), question="Wer? [2 Punkte]"), points(("a", 2), question="Wer? [5 Punkte]"), "B2"),
        (points(("a", 2), question="哪艘船？（2分）"), points(("a", 2), question="哪艘船？（5分）"), "B2"),
        (points(("a", 2), question="Maximum: 50 words"), points(("a", 2), question="Which?\nMaximum: 5"), "B2"),
    ],
    "vague-word": [
        (tiered("explain that the dose is appropriate"), tiered("give an appropriate dose"), "B2"),
        (tiered('say "good night"'), tiered("(1) name the ship\n(2) give a good reason"), "B2"),
        (tiered("as good as the other"), tiered("name the ships, the sails etc."), "B2"),
        (
            tiered("nennt die Dosis und den Grund, gleich gut"),
            tiered("nennt eine angemessene Dosis und den Grund"),
            "B2",
        ),
        (tiered("用量を説明する"), tiered("適切な用量を説明する"), "B2"),
        (tiered("说明剂量"), tiered("给出适当的剂量"), "B2"),
        (
            Files([TIERED, [1, "name the ship"], [2, "give the date"], [3, "nennt die Dosis und den Grund"]]),
            Files([TIERED, [1, "name the ship"], [2, "give the date"], [3, "nennt eine angemessene Dosis"]]),
            "B4",
        ),
        (
            Files([TIERED, [1, "船の名前"], [2, "日付を述べる"], [3, "用量説明"]]),
            Files([TIERED, [1, "name the ship"], [2, "give the date"], [3, "给出适当的剂量"]]),
            "B4",
        ),
    ],
    "two-demands": [
        (tiered("name the ship and the captain"), tiered("name the ship and explain why it sank"), "B2"),
        (
            tiered("", "", "give the command and explain its option"),
            tiered("give the dose, and state the interval"),
            "B2",
        ),
        (
            tiered("give the path of the file and name"),
            tiered('the name of the tree is "clk" and the corner name is "default"'),
            "B2",
        ),
        (tiered("erklärt, warum das Schiff sank"), tiered("nennt das Schiff und erklärt, warum es sank"), "B2"),
        (tiered("船の名前を述べる"), tiered("船の名前を述べ、さらに沈んだ理由を説明する"), "B2"),
        (tiered("说明原因"), tiered("给出命令并解释原因"), "B2"),
    ],
    "negation": [
        (tiered("mention that the pin is not found"), tiered("does not name the ship"), "B2"),
        (
            points(("Recommends antibiotics", -5), ("a", 1)),
            points(("Does not recommend antibiotics", -5), ("a", 1)),
            "C2",
        ),
        (tiered("erklärt, dass es keine Luft gibt"), tiered("Die Antwort nennt das Schiff nicht"), "B2"),
        (tiered("航行できないことを説明する"), tiered("抗菌薬を推奨しない"), "B2"),
        (tiered("说明不能航行"), tiered("不推荐抗生素的使用"), "B2"),
    ],
    "refers-elsewhere": [
        (tiered("explain options (1) and (2)"), tiered("same as (1), with the date"), "B2"),
        (tiered("name the water above the keel"), tiered("name the ship, see above"), "B2"),
        (tiered("nennt das Schiff und die Stadt"), tiered("nennt das Schiff wie oben und die Stadt"), "B2"),
        (tiered("船の名前"), tiered("上記の船の名前を述べる"), "B2"),
        (tiered("说明原因"), tiered("同上"), "B2"),
    ],
    "unseen-material": [
        (tiered("provide a diagram of the hull"), tiered("name the ship shown in the picture"), "B2"),
        (tiered("mention the link https://example.org"), tiered("agrees with https://x, see the attachment"), "B2"),
        (tiered("nennt das Bild der Stadt und den Ort"), tiered("nennt das Schiff auf dem Bild und den Ort"), "B2"),
        (tiered("図を描くことを提案する"), tiered("図に示す船の名前を述べる"), "B2"),
        (tiered("说明地图的用途"), tiered("说明如图所示的船"), "B2"),
    ],
}
PAIRS = [(rule, *case) for rule, cases in CASES.items() for case in cases]


def test_every_rule_has_a_good_and_a_bad_file() -> None:
    assert set(CASES) == set(RULES)


@pytest.mark.parametrize(("rule", "good"), [(rule, good) for rule, good, _, _ in PAIRS])
def test_good(rule: str, good: Files, tmp_path: Path) -> None:
    found = [problem for problem in find_problems(write_files(tmp_path, good)) if problem.rule == rule]
    assert not found, str(found[0])


@pytest.mark.parametrize(("rule", "bad", "cell"), [(r, bad, cell) for r, _, bad, cell in PAIRS])
def test_bad(rule: str, bad: Files, cell: str | None, tmp_path: Path) -> None:
    request = write_files(tmp_path, bad)
    found = [problem for problem in find_problems(request) if problem.rule == rule]
    assert found
    assert cell is None or cell in [problem.cell for problem in found]
    assert all(problem.message and problem.hint and problem.severity is RULES[rule].severity for problem in found)
    stops = RULES[rule].severity is Severity.ERROR and RULES[rule].stops_scoring
    assert (rule in {problem.rule for problem in find_errors(request)}) == stops


@pytest.mark.parametrize("rule", list(CASES))
def test_silenced(rule: str, tmp_path: Path) -> None:
    request = write_files(tmp_path, CASES[rule][0][1])
    assert rule not in {problem.rule for problem in find_problems(request, silenced=[rule])}
