from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from provider import Provider

from grader.cli.main import cli
from grader.records import NONCE_STAND_IN

Grade = Callable[..., Result]
Prompts = Callable[..., Result]


@pytest.fixture
def prompts(criteria_path: Path, answers_path: Path) -> Prompts:
    """Run `grader prompts` on the small inputs with more arguments."""

    def run(*arguments: object) -> Result:
        command = ["prompts", "--criteria", criteria_path, "--answers", answers_path, *arguments]
        return CliRunner().invoke(cli, [str(word) for word in command])

    return run


def test_they_are_what_score_sends(prompts: Prompts, remote: Grade, provider: Provider, tmp_path: Path) -> None:
    assert prompts("--out", tmp_path / "prompts").exit_code == 0
    remote("--reasks", "0")
    sent = {_as_text(request.body["messages"]) for request in provider.history}
    assert {path.read_text("utf-8") for path in (tmp_path / "prompts").rglob("*.txt")} == sent
    assert len(sent) == 3


def _as_text(messages: list[dict[str, str]]) -> str:
    text = "\n\n".join(f"===== {message['role']} =====\n{message['content']}" for message in messages) + "\n"
    return re.sub(r"(?<=-)[0-9a-f]{8}(?=>)", NONCE_STAND_IN, text)


def test_calls_and_tokens_are_those_of_a_dry_run(prompts: Prompts, grade: Grade) -> None:
    done = prompts("--samples", "2")
    assert done.exit_code == 0, done.output
    _, calls, tokens = done.stdout.splitlines()[-2].rsplit(maxsplit=2)
    assert done.stdout.splitlines()[-2].startswith("in all")
    assert calls == "6"
    dry = grade("--dry-run", "--samples", "2").stdout
    assert f"6 calls to offline\n{tokens} prompt tokens" in dry


def test_they_are_printed_without_out(prompts: Prompts, tmp_path: Path) -> None:
    done = prompts("--only", "2")
    assert done.stdout.startswith("##### apollo, id 2\n\n===== system =====\n")
    assert f"<answer-{NONCE_STAND_IN}>\nIt was a rocket.\n</answer-{NONCE_STAND_IN}>" in done.stdout
    assert "rubric: tiered" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"criteria.xlsx", "apollo.jsonl"}


def test_empty_answers_are_not_sent(prompts: Prompts, answers_path: Path) -> None:
    answers_path.write_text('{"id": 1, "answer": " "}\n{"id": 2, "answer": "x"}\n{"id": 3, "answer": "y"}\n')
    assert "1 empty answer not sent" in prompts().stdout
    assert "empty answer" not in prompts("--judge-empty").stdout


def test_names_stay_inside_the_folder(criteria_path: Path, tmp_path: Path) -> None:
    answers = tmp_path / "all.jsonl"
    systems = ("../../x", "CON", "a:b", "A:B", "s" * 300, "..", "日本語")
    lines = [json.dumps({"id": 1, "system": system, "answer": "x"}) for system in systems]
    answers.write_text("\n".join(lines), encoding="utf-8")
    out = tmp_path / "deep" / "prompts"
    words = ["prompts", "--criteria", str(criteria_path), "--answers", str(answers), "--out", str(out)]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    written = [path.resolve() for path in tmp_path.rglob("*.txt")]
    assert len(written) == len(systems)
    assert all(path.is_relative_to(out.resolve()) for path in written)


def test_a_folder_that_cannot_be_written(prompts: Prompts, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "apollo").write_text("a file where a folder should be")
    done = prompts("--out", tmp_path / "out")
    assert done.exit_code == 1
    assert "cannot be written" in done.stderr and "Traceback" not in done.output


def test_an_unknown_rubric(prompts: Prompts) -> None:
    done = prompts("--rubric", "tierd")
    assert done.exit_code == 2
    assert "Did you mean tiered?" in done.stderr


def test_litellm_is_not_imported(criteria_path: Path, answers_path: Path) -> None:
    script = (
        "import sys\n"
        "from grader.cli.main import cli\n"
        f"cli(['prompts', '--criteria', {str(criteria_path)!r}, '--answers', {str(answers_path)!r}], "
        "standalone_mode=False)\n"
        "assert 'litellm' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_column_map_that_is_none(prompts: Prompts) -> None:
    done = prompts("--map", "answer")
    assert done.exit_code == 2
    assert "FIELD=COLUMN" in done.stderr
