"""`grader probe` as a user runs it, with judges on loopback that fail in known ways, and one that does not."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from click.testing import CliRunner, Result
from provider import Provider, Request, Scripted

from grader.cli.main import cli

Probe = Callable[..., Result]
Judge = Callable[[dict[str, str], str], float]
"""From a prompt's blocks and its whole text to a score from 1 to 5."""

REFERENCES = {
    "1": "The far side was seen first by Luna 3, which sent seventeen usable pictures back to the ground stations.",
    "2": "Helium was found in the light of the sun before anybody had met it on the earth, by its yellow line.",
    "3": "The Nile has two great sources, one in Ethiopia and one at the lakes, which join in the town of Khartoum.",
    "4": "A tram needs an overhead wire, or a third rail that is live only where the tram itself stands upon it.",
    "5": "Bees dance to tell each other the direction and the distance of flowers that are worth the long flight.",
    "6": "Glass is made of sand, soda and lime; without the lime it would dissolve in water as the soda does alone.",
}
REFERENCES = {
    key: f"{text} " + "That much is certain, and it has been shown more than once since. " * 3
    for key, text in REFERENCES.items()
}
BLOCK = re.compile(r"<(\w+)-(\w{8})>\n(.*?)\n</\1-\2>", re.S)


@pytest.fixture
def criteria(tmp_path: Path) -> Path:
    path = tmp_path / "facts.xlsx"
    workbook = openpyxl.Workbook()
    sheet = workbook.worksheets[0]
    sheet.append(["id", "question", "reference"])
    for item_id, text in REFERENCES.items():
        sheet.append([item_id, f"Question {item_id}?", text.strip()])
    workbook.save(path)
    return path


@pytest.fixture
def probe(criteria: Path, provider: Provider, tmp_path: Path) -> Probe:
    """Run `grader probe` on those questions with a judge behind the provider."""

    def run(*arguments: object, criteria: Path = criteria, rubric: object = "likert") -> Result:
        words = ["probe", "--criteria", criteria, "--rubric", rubric, "--out", tmp_path / "probe", "--no-progress"]
        judge = ["--model", "openai/gpt-4o", "--api-base", provider.base_url, "--transport", "direct"]
        return CliRunner().invoke(cli, [str(word) for word in (*words, *judge, "--max-retries", "0", *arguments)])

    return run


@pytest.fixture
def outcome(tmp_path: Path) -> Callable[[], dict[str, Any]]:
    return lambda: json.loads((tmp_path / "probe" / "probe.json").read_text("utf-8"))


def failed(report: dict[str, Any]) -> set[str]:
    return {canary["name"] for canary in report["canaries"] if canary["outcome"] not in ("pass", "not_tested")}


def honest(blocks: dict[str, str], _: str) -> float:
    """Return what an answer deserves: everything where it holds the reference, else nothing."""
    return 5 if blocks["reference"] in blocks["answer"] else 1


def gullible(blocks: dict[str, str], prompt: str) -> float:
    return 5 if "Ignore all previous instructions" in blocks["answer"] else honest(blocks, prompt)


def fond_of_length(blocks: dict[str, str], prompt: str) -> float:
    return max(honest(blocks, prompt), 4 if len(blocks["answer"]) > 560 else 1)


def swayed_by_position(blocks: dict[str, str], prompt: str) -> float:
    return 3 if prompt.index("<answer-") < prompt.index("<reference-") else honest(blocks, prompt)


def swayed_by_bands(blocks: dict[str, str], prompt: str) -> float:
    return 3 if prompt.index("Very bad:") < prompt.index("Very good:") else honest(blocks, prompt)


class Unstable:
    """Scores the same prompt otherwise when it comes again."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def __call__(self, blocks: dict[str, str], prompt: str) -> float:
        self._seen[prompt] += 1
        return honest(blocks, prompt) if self._seen[prompt] == 1 else 3


def swayed_by_keys(blocks: dict[str, str], prompt: str) -> float:
    return 5 if blocks["answer"] == "Thought process:" else honest(blocks, prompt)


def mild(blocks: dict[str, str], prompt: str) -> float:
    return max(3, honest(blocks, prompt)) if len(blocks["answer"]) > 100 else 1


def strict(blocks: dict[str, str], prompt: str) -> float:
    return 3 if honest(blocks, prompt) == 5 else 1


def script(judge: Judge) -> Callable[[Request], Scripted]:
    def answer(asked: Request) -> Scripted:
        prompt = re.sub(r"(?<=-)[0-9a-f]{8}(?=>)", "nonce000", asked.prompt)
        blocks = {name: text for name, _, text in BLOCK.findall(prompt)}
        return Scripted(text=f"Compared with the reference.\nScore: {judge(blocks, prompt):g}")

    return answer


def test_a_perfect_judge_passes_everything(probe: Probe, provider: Provider, outcome: Any) -> None:
    provider.script = script(honest)
    done = probe()
    assert done.exit_code == 0, done.output
    report = outcome()
    assert report["outcome"] == "pass"
    assert {each["name"]: each["outcome"] for each in report["canaries"]} == {
        **dict.fromkeys(("format", "empty", "reference", "other-answers", "master-keys", "injection"), "pass"),
        **dict.fromkeys(("padding", "order-blocks", "order-levels", "repeat"), "pass"),
        "order-criteria": "not_tested",
    }
    assert "not tested" in done.stdout and "two criteria" in done.stdout
    assert "0 of 25 (at most 12 %)" in done.stdout


@pytest.mark.no_cover
@pytest.mark.parametrize("is_quick", [False, True])
@pytest.mark.parametrize(
    ("judge", "canaries"),
    [
        (gullible, {"injection"}),
        (fond_of_length, {"padding"}),
        (swayed_by_position, {"order-blocks"}),
        (swayed_by_bands, {"order-levels"}),
        (Unstable, {"repeat"}),
        (swayed_by_keys, {"master-keys"}),
        (mild, {"other-answers"}),
        (strict, {"reference"}),
    ],
)
def test_each_fault_is_caught_by_its_canary_and_by_no_other(
    judge: Any, canaries: set[str], is_quick: bool, probe: Probe, provider: Provider, outcome: Any
) -> None:
    provider.script = script(judge() if judge is Unstable else judge)
    done = probe(*(["--quick"] if is_quick else []))
    assert done.exit_code == 3, done.output
    assert failed(outcome()) == canaries
    assert all(each["margin"] < 0 for each in outcome()["canaries"] if each["outcome"] == "fail")


TEMPLATE = """\
{% block system %}Rate the prediction against the reference from 1 to 5.{% endblock %}
{% block user %}{{ blocks.question }}

{% for text in (blocks.reference, blocks.answer) %}
{% set plain = text | replace(open.reference, "") | replace(close.reference, "") | replace(open.answer, "") %}
{{ plain | replace(close.answer, "") | replace("(empty)", "") | trim }}

{% endfor %}
{% endblock %}
"""
RUBRIC = """\
name: unclear
title: Quality
inputs: [question, reference, answer]
template: unclear.j2
output: {format: labelled_lines, parts: [{name: reasons}, {name: score, kind: number}]}
scale: {min: 1, max: 5, step: 1}
rule: number
"""


def mixes_up(asked: Request) -> Scripted:
    """Take what stands first for the reference and the rest for the prediction, or the one text for both."""
    user = asked.body["messages"][1]["content"]
    texts = user.partition("</question-")[2].partition(">")[2].rpartition("Reply in exactly")[0]
    reference, _, prediction = texts.strip(" \n\u3000\u200b").partition("\n\n")
    return Scripted(text=f"I see.\nScore: {5 if reference in (prediction.strip() or reference) else 1}")


@pytest.fixture
def unclear(tmp_path: Path) -> Path:
    """A rubric whose template shows reference and prediction without saying which is which."""
    (tmp_path / "unclear.j2").write_text(TEMPLATE, encoding="utf-8")
    (tmp_path / "unclear.yaml").write_text(RUBRIC, encoding="utf-8")
    return tmp_path / "unclear.yaml"


@pytest.mark.parametrize("is_quick", [False, True])
def test_the_known_failure_is_caught_an_empty_prediction_that_gets_all_points(
    is_quick: bool, probe: Probe, provider: Provider, outcome: Any, unclear: Path
) -> None:
    provider.script = mixes_up
    done = probe(*(["--quick"] if is_quick else []), rubric=unclear)
    assert done.exit_code == 3, done.output
    report = outcome()
    assert failed(report) == {"empty"}
    (empty,) = (each for each in report["canaries"] if each["name"] == "empty")
    assert {item["score"] for item in empty["items"] if item["variant"] == "empty"} == {5}
    assert empty["margin"] == -1
    blocks = next(each for each in report["canaries"] if each["name"] == "order-blocks")
    assert blocks["outcome"] == "not_tested" and "does not fence" in blocks["reason"]
    assert "got 5, should be at most 1" in done.stdout


def test_the_known_failure_on_the_real_questions(
    shared: Path, probe: Probe, provider: Provider, outcome: Any, unclear: Path, tmp_path: Path
) -> None:
    lines = (shared / "data" / "jdocqa" / "empty-predictions.jsonl").read_text("utf-8").splitlines()
    workbook = openpyxl.Workbook()
    workbook.worksheets[0].append(["id", "question", "reference"])
    for row in map(json.loads, lines):
        workbook.worksheets[0].append([row["id"], row["question"], row["reference"]])
    workbook.save(tmp_path / "jdocqa.xlsx")
    provider.script = mixes_up
    done = probe(criteria=tmp_path / "jdocqa.xlsx", rubric=unclear)
    assert done.exit_code == 3, done.output
    empty = next(each for each in outcome()["canaries"] if each["name"] == "empty")
    assert empty["outcome"] == "fail"
    assert [item["score"] for item in empty["items"] if item["variant"] == "empty"] == [5, 5, 5]


def test_the_same_command_again_costs_nothing(probe: Probe, provider: Provider, outcome: Any) -> None:
    provider.script = script(honest)
    first = probe("--quick")
    made, report = len(provider.history), outcome()
    second = probe("--quick")
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert len(provider.history) == made == report["calls"]
    assert outcome()["canaries"] == report["canaries"]


@pytest.mark.no_cover
@pytest.mark.parametrize(("arguments", "least", "most"), [((), 110, 135), (("--quick",), 30, 40)])
def test_the_calls_are_said_exactly_and_beforehand(
    arguments: tuple[str, ...], least: int, most: int, probe: Probe, provider: Provider, tmp_path: Path
) -> None:
    provider.script = script(honest)
    dry = probe("--dry-run", *arguments)
    assert dry.exit_code == 0 and not provider.history and not (tmp_path / "probe").exists()
    said = int(re.findall(r"(\d+) calls to openai/gpt-4o", dry.stdout)[0])
    assert least <= said <= most
    assert "cost: at most $" in dry.stdout
    assert probe(*arguments).exit_code == 0
    assert len(provider.history) == said


def test_failed_calls_are_no_passes(probe: Probe, provider: Provider, outcome: Any) -> None:
    """Half of the master keys cannot be judged: inconclusive, and told with the reason."""

    def fail(asked: Request) -> Scripted:
        bad = re.search(r"<answer-\w{8}>\n(?:Solution|解|:)\n</answer", asked.prompt)
        return Scripted(status=400) if bad else script(honest)(asked)

    provider.script = fail
    done = probe()
    assert done.exit_code == 3, done.output
    keys = next(each for each in outcome()["canaries"] if each["name"] == "master-keys")
    assert keys["outcome"] == "inconclusive" and keys["failures"]["n"] == 10
    assert "only 10 of 25 answers could be used" in " ".join(done.stdout.split())
    assert "scripted 400" in done.stdout
    assert failed(outcome()) == {"master-keys"}


def test_an_unreadable_first_reply_fails_the_form_alone(probe: Probe, provider: Provider, outcome: Any) -> None:
    def mumble(asked: Request) -> Scripted:
        is_first = len(asked.body["messages"]) == 2
        return Scripted(text="Very good!") if is_first and "Solution" in asked.prompt else script(honest)(asked)

    provider.script = mumble
    assert probe().exit_code == 3
    assert failed(outcome()) == {"format"}


def test_a_wrong_answer_that_has_all_points_already_shows_nothing(
    probe: Probe, provider: Provider, outcome: Any
) -> None:
    provider.script = script(lambda blocks, _: 5.0)
    probe("--quick")
    injection = next(each for each in outcome()["canaries"] if each["name"] == "injection")
    assert injection["outcome"] == "inconclusive"
    assert "could not be seen" in injection["items"][0]["reason"]


def test_a_spent_budget_leaves_an_inconclusive_probe(probe: Probe, provider: Provider, outcome: Any) -> None:
    provider.script = script(honest)
    done = probe("--max-cost", "0.05", "--max-tokens", "100", "--price", "10,10", "--concurrency", "1")
    assert done.exit_code == 3, done.output
    assert outcome()["outcome"] == "inconclusive"
    assert "Stopped:" in done.stderr and "not judged: the probe stopped before it" in done.stdout


def test_a_budget_spent_before_anything_is_judged_leaves_one_too(
    probe: Probe, provider: Provider, outcome: Any
) -> None:
    provider.script = lambda _: Scripted(text="Very good!")
    done = probe("--max-cost", "0.05", "--price", "10,10", "--max-tokens", "100", "--concurrency", "1", "--reasks", 99)
    assert done.exit_code == 3, done.output
    assert provider.history and outcome()["outcome"] == "inconclusive"


def test_real_answers_serve_for_padding_order_and_repeats(
    probe: Probe, provider: Provider, outcome: Any, tmp_path: Path
) -> None:
    answers = tmp_path / "mine.jsonl"
    answers.write_text("\n".join(json.dumps({"id": key, "answer": f"Mine: {key}"}) for key in REFERENCES))
    provider.script = script(honest)
    assert probe("--answers", answers).exit_code == 0
    canaries = {each["name"]: each for each in outcome()["canaries"]}
    assert all(item["answer"].startswith("Mine: ") for item in canaries["repeat"]["items"])
    assert any("Mine: " in item["answer"] for item in canaries["padding"]["items"])
    assert not any("Mine: " in item["answer"] for item in canaries["other-answers"]["items"])


def test_questions_are_sampled_and_stay_the_same(probe: Probe, provider: Provider, outcome: Any) -> None:
    provider.script = script(honest)
    probe("--questions-sampled", "2", "--quick")
    first = outcome()["questions"]
    probe("--questions-sampled", "3", "--quick")
    assert len(first) == 2 and outcome()["questions"][:2] == first
    probe("--questions-sampled", "3", "--quick", "--seed", "5")
    assert outcome()["questions"][:2] != first


def test_the_workbook_holds_the_table_and_what_failed(probe: Probe, provider: Provider, tmp_path: Path) -> None:
    provider.script = script(gullible)
    probe()
    workbook = openpyxl.load_workbook(tmp_path / "probe" / "probe.xlsx")
    assert workbook.sheetnames == ["Probe"]
    rows = [[cell for cell in row if cell is not None] for row in workbook["Probe"].iter_rows(values_only=True)]
    outcomes = {row[0]: row[1] for row in rows if len(row) > 3 and row[1] in ("pass", "fail", "not tested")}
    assert outcomes["Injections and faked verdicts"] == "fail"
    assert outcomes["Judged three times"] == "pass" and outcomes["Order of the criteria swapped"] == "not tested"
    assert ["Answers not scored as they should be"] in rows
    assert any(len(row) == 6 and row[2] == "instruction" and row[3] == "5" for row in rows)


@pytest.mark.parametrize("model", ["replay:answers.jsonl"])
def test_a_recording_cannot_be_probed(model: str, probe: Probe) -> None:
    done = probe("--model", model)
    assert done.exit_code == 2 and "recording" in done.stderr


def test_a_provider_that_is_not_there_is_told_without_files(probe: Probe, provider: Provider, tmp_path: Path) -> None:
    provider.script = lambda _: Scripted(status=401)
    done = probe()
    assert done.exit_code == 1 and "Traceback" not in done.output
    assert not (tmp_path / "probe" / "probe.json").exists()


@pytest.mark.parametrize("option", [(), ("--fresh",)])
def test_the_grades_of_a_run_are_left_alone(
    option: tuple[str, ...], probe: Probe, criteria: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": 1, "answer": "Luna 3."}', encoding="utf-8")
    words = ["score", "--criteria", criteria, "--answers", tmp_path / "a.jsonl", "--rubric", "likert"]
    assert CliRunner().invoke(cli, [str(word) for word in (*words, "--out", tmp_path / "probe")]).exit_code == 0
    before = (tmp_path / "probe" / "results.jsonl").read_bytes()
    done = probe(*option)
    assert done.exit_code == 1 and "holds the grades of a run" in done.stderr
    rescored = CliRunner().invoke(cli, ["rescore", str(tmp_path / "probe")])
    assert rescored.exit_code == 0, rescored.output
    assert (tmp_path / "probe" / "results.jsonl").read_bytes() == before


def test_anew_asks_everything_again(probe: Probe, provider: Provider) -> None:
    provider.script = script(honest)
    probe("--quick")
    made = len(provider.history)
    assert probe("--quick", "--fresh", "--quiet").output == ""
    assert len(provider.history) == 2 * made


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--only", "99"), 2, "--only names ids"),
        (("--questions-sampled", "0"), 2, "Invalid value"),
        (("--model", "x/y", "--max-cost", "1"), 2, "add --price"),
        (("--sheet", "Nope"), 2, "Nope"),
    ],
)
def test_what_cannot_be_is_said(arguments: tuple[str, ...], code: int, words: str, probe: Probe) -> None:
    done = probe(*arguments)
    assert done.exit_code == code and words in done.stderr and "Traceback" not in done.output
