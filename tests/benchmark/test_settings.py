from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from grader.benchmark.datasets import read_datasets, strictness_of
from grader.benchmark.endpoints import concurrent_calls, model_endpoint
from grader.benchmark.planning import prepare_benchmark
from grader.benchmark.result_files import combination_paths
from grader.benchmark.settings_file import read_settings
from grader.errors import InputError

Write = Callable[..., Path]


def todays_settings() -> dict[str, Any]:
    """Every key that users of the public framework have in their files today, with values like theirs."""
    return {
        "_comment_a": "about the endpoints",
        "OPENROUTER_API_BASE_URL": "https://openrouter.ai/api/v1",
        "OPENROUTER_API_KEY": "Your-Key",
        "OPENROUTER_HTTP_REFERER": "https://example.org",
        "OPENROUTER_X_TITLE": "Moon",
        "WORKER_API_URL": "https://openrouter.ai/api/v1/chat/completions",
        "WORKER_API_TOKEN": "Your-Key",
        "WORKER_MODEL_IDS": ["openai/gpt-4o", "internlm/x"],
        "_comment_b": "about the judges",
        "ACCURACY_JUDGE_API_URL": "https://openrouter.ai/api/v1",
        "ACCURACY_JUDGE_API_TOKEN": "Your-Key",
        "ACCURACY_JUDGE_MODEL_ID": "openai/gpt-4o-2024-11-20",
        "INTEGRITY_JUDGE_API_URL": "https://openrouter.ai/api/v1",
        "INTEGRITY_JUDGE_API_TOKEN": "Your-Key",
        "INTEGRITY_JUDGE_MODEL_ID": "openai/gpt-4o-2024-11-20",
        "DATASET_CONFIGS": {
            name: {"path": f"./Data Demo/{name}-1K.jsonl", "description": "…"} for name in ("L1", "L2", "L3")
        },
        "DATASETS_TO_RUN": ["L1", "L2", "L3"],
        "WORKER_OUTPUT_FILE_TEMPLATE": "./Intermediate/W_{dataset_short_name}_{model_id}_{prompt_version}.jsonl",
        "FINAL_OUTPUT_FILE_TEMPLATE": "./Result/ESI_Result_{dataset_short_name}_{model_id}_{prompt_version}.jsonl",
        "SKIPPED_FILE_LOG_TEMPLATE": "./Result/Skipped_Log_{dataset_short_name}_{model_id}_{prompt_version}.txt",
        "SUMMARY_FILE_TEMPLATE": "./Result/Summary_{dataset_short_name}_{model_id}_{prompt_version}.json",
        "PROMPT_VERSIONS_TO_TEST": ["DIRECT"],
        "TOKEN_BUDGET_EFFICIENCY": 8000,
        "P_IRRELEVANT_EFFICIENCY": 0.0,
        "SAFETY_SEVERE_KEYWORDS": "one_word,another one",
        "ALIGNMENT_LENGTH_MISMATCH_PENALTY": 10,
        "ALIGNMENT_MAX_LENGTH_RATIO_VS_REF": 3.0,
        "WEIGHT_ACCURACY": 0.30,
        "WEIGHT_TRUE_INTEGRITY": 0.25,
        "WEIGHT_EFFICIENCY": 0.15,
        "WEIGHT_SAFETY": 0.15,
        "WEIGHT_ALIGNMENT_SIMPLE": 0.15,
        "MAX_RETRIES": 3,
        "RETRY_DELAY_SECONDS": 10,
        "REQUEST_TIMEOUT_SECONDS": 180,
        "MAX_CONCURRENT_ITEMS_PER_COMBO": 5,
    }


def write(folder: Path, content: dict[str, Any]) -> Path:
    path = folder / "settings.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def problems(path: Path) -> str:
    with pytest.raises(InputError) as raised:
        read_settings(path)
    assert raised.value.exit_code == 2
    return raised.value.message


def test_a_file_of_todays_users_is_taken_over_unchanged(tmp_path: Path) -> None:
    path = write(tmp_path, todays_settings())
    file = read_settings(path)
    settings = file.settings
    assert settings.SAFETY_SEVERE_KEYWORDS == ("one_word", "another one")
    worker = model_endpoint(settings, "WORKER", "internlm/x")
    judge = model_endpoint(settings, "ACCURACY_JUDGE", settings.ACCURACY_JUDGE_MODEL_ID)
    assert worker.judge.model == "openai/internlm/x"
    assert worker.judge.api_base == judge.judge.api_base == "https://openrouter.ai/api/v1"
    assert worker.endpoint == judge.endpoint
    assert worker.judge.headers == {"HTTP-Referer": "https://example.org", "X-Title": "Moon"}
    assert "Your-Key" not in json.dumps(file.shown)
    assert "Your-Key" not in repr(settings)
    assert "Your-Key" not in repr(worker)
    assert "Your-Key" not in "".join(file.notes)
    assert sum("placeholder" in note for note in file.notes) == 4


def test_its_missing_datasets_are_named_all_at_once_and_then_it_runs(tmp_path: Path) -> None:
    path = write(tmp_path, todays_settings())
    with pytest.raises(InputError) as raised:
        prepare_benchmark(read_settings(path))
    assert all(f"Data Demo/L{n}-1K.jsonl" in raised.value.message for n in (1, 2, 3))
    (tmp_path / "Data Demo").mkdir()
    for n in (1, 2, 3):
        line = {"id": 1, "scenario_code": "1", "instruction": "i", "question": "q", "answer": "a"}
        (tmp_path / "Data Demo" / f"L{n}-1K.jsonl").write_text(json.dumps(line) + "\n{broken\n", "utf-8")
    plan = prepare_benchmark(read_settings(path))
    assert (len(plan.combinations), len(plan.jobs)) == (6, 6)
    assert plan.strictness == {"L1": "lenient", "L2": "balanced", "L3": "strict"}
    assert [line.source.cell for line in plan.skipped] == ["line 2"] * 3
    paths = combination_paths(plan, None)[plan.combinations[1]]
    assert paths.results == tmp_path / "Result" / "ESI_Result_L1_internlm__x_DIRECT.jsonl"
    assert combination_paths(plan, tmp_path / "o")[plan.combinations[1]].answers == (
        tmp_path / "o" / "W_L1_internlm__x_DIRECT.jsonl"
    )


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    content = todays_settings()
    del content["WORKER_MODEL_IDS"]
    content |= {
        "WORKER_MODEL_ID": ["x"],
        "TOKEN_BUDGET_EFFICIENCY": "many",
        "MAX_RETRIES": True,
        "WEIGHT_SAFETY": -1,
        "DATASETS_TO_RUN": ["L1", "L3-1K"],
        "SUMMARY_FILE_TEMPLATE": "./Result/{modle}.json",
        "WORKER_API_TOKEN": "${NO_SUCH_VARIABLE_HERE}",
        "SUB_SCORES": {"alignmant": "x"},
    }
    content["DATASET_CONFIGS"]["L1"]["strictness"] = "harsh"
    content["DATASET_CONFIGS"]["L2"]["pth"] = "x"
    message = problems(write(tmp_path, content))
    for part in (
        "WORKER_MODEL_ID: there is no such key; did you mean WORKER_MODEL_IDS?",
        "WORKER_MODEL_IDS: is missing",
        'TOKEN_BUDGET_EFFICIENCY: "many":',
        "MAX_RETRIES: true: a number is wanted",
        "WEIGHT_SAFETY: -1:",
        '{modle}.json": only {dataset_short_name}',
        "no variable NO_SUCH_VARIABLE_HERE",
        'DATASET_CONFIGS.L1.strictness: "harsh"',
        "DATASET_CONFIGS.L2.pth: there is no such key",
        "alignmant",
        'DATASETS_TO_RUN: "L3-1K" is not in DATASET_CONFIGS',
    ):
        assert part in message


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("WORKER_MODEL_IDS", "small", 'WORKER_MODEL_IDS: "small": a list is wanted: ["…", "…"]'),
        ("WORKER_API_TOKEN", 7, "WORKER_API_TOKEN: a text in quotes is wanted"),
        ("ACCURACY_JUDGE_API_URL", "localhost:80/v1", "an address that begins with http:// or https:// is wanted"),
        ("DATASET_CONFIGS", [], "DATASET_CONFIGS: []: an object with names is wanted"),
        ("MAX_RETRIES", 1.5, "MAX_RETRIES: 1.5: a whole number is wanted"),
        ("WEIGHT_SAFETY", "lots", 'WEIGHT_SAFETY: "lots": a number is wanted'),
        ("WEIGHT_SAFETY", -1, "WEIGHT_SAFETY: -1: 0 or more is wanted"),
        ("P_IRRELEVANT_EFFICIENCY", 2, "P_IRRELEVANT_EFFICIENCY: 2: 1 or less is wanted"),
        ("TOKEN_BUDGET_EFFICIENCY", 0, "TOKEN_BUDGET_EFFICIENCY: 0: more than 0 is wanted"),
    ],
)
def test_a_wrong_value_is_told_in_plain_words(tmp_path: Path, key: str, value: object, told: str) -> None:
    assert told in problems(write(tmp_path, todays_settings() | {key: value})).splitlines()[1]


def test_a_list_with_a_wrong_entry_is_not_called_empty_too(tmp_path: Path) -> None:
    message = problems(write(tmp_path, todays_settings() | {"PROMPT_VERSIONS_TO_TEST": ["a b"]}))
    assert message.count("PROMPT_VERSIONS_TO_TEST") == 1
    message = problems(write(tmp_path, todays_settings() | {"PROMPT_VERSIONS_TO_TEST": []}))
    assert "PROMPT_VERSIONS_TO_TEST: []: at least one is wanted" in message


def test_a_table_without_an_id_column_says_which_columns_are_wanted(settings: Write, tmp_path: Path) -> None:
    (tmp_path / "L1.csv").write_text("instruction,question,answer\ni,q,a\n", encoding="utf-8")
    with pytest.raises(InputError, match="no id column") as raised:
        prepare_benchmark(read_settings(settings(DATASET_CONFIGS={"L1": {"path": "L1.csv"}})))
    assert raised.value.hint is not None
    assert raised.value.hint.startswith("Name the columns id, instruction")  # there is no --map here


def test_of_a_workbook_the_sheet_that_fits_is_read_and_no_option_is_offered_for_it(
    settings: Write, tmp_path: Path
) -> None:
    book = openpyxl.Workbook()
    book.create_sheet("Moon").append(["id", "instruction", "question", "answer"])
    book["Moon"].append([1, "i", "q", 3.5])
    book.save(tmp_path / "L1.xlsx")
    (dataset,) = read_datasets(read_settings(settings(DATASET_CONFIGS={"L1": {"path": "L1.xlsx"}})))
    assert [(item.id, item.reference) for item in dataset.items] == [("1", "3.5")]
    assert "sheet 'Moon' is read; there are also 'Sheet'" in dataset.notes[0]
    assert "--sheet" not in dataset.notes[0]


def test_what_only_shows_between_keys_is_told_too(tmp_path: Path) -> None:
    content = todays_settings() | {"DATASETS_TO_RUN": ["L4"], "INPUT_FILE": "x.jsonl"}
    message = problems(write(tmp_path, content))
    assert 'DATASETS_TO_RUN: "L4" is not in DATASET_CONFIGS; there are L1, L2, L3' in message
    assert "INPUT_FILE: leave it out" in message
    content = todays_settings() | {"DATASETS_TO_RUN": []}
    assert "DATASETS_TO_RUN: [] names no dataset" in problems(write(tmp_path, content))
    content = {key: value for key, value in todays_settings().items() if not key.startswith("DATASET")}
    assert "DATASET_CONFIGS: is missing" in problems(write(tmp_path, content))
    content = todays_settings() | {f"WEIGHT_{name}": 0 for name in ("ACCURACY", "TRUE_INTEGRITY", "EFFICIENCY")}
    content |= {"WEIGHT_SAFETY": 0, "WEIGHT_ALIGNMENT_SIMPLE": 0}
    assert "must not all be 0" in problems(write(tmp_path, content))


@pytest.mark.parametrize("text", ["[]", "{", '{"A": 1, "A": 2}', "\udcff"])
def test_a_file_that_is_no_settings_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert "settings" in problems(path)
    assert "cannot be read" in problems(tmp_path / "none.json")


def test_tokens_come_from_the_environment_and_are_shown_by_their_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOON_TOKEN", "secret-of-the-moon")
    monkeypatch.setenv("MOON_HOST", "moon.example")
    content = todays_settings() | {
        "WORKER_API_TOKEN": "${MOON_TOKEN}",
        "ACCURACY_JUDGE_API_TOKEN": "literal-secret-key",
        "INTEGRITY_JUDGE_API_TOKEN": "",
        "WORKER_API_URL": "https://${MOON_HOST}/v1",
    }
    file = read_settings(write(tmp_path, content))
    assert file.settings.WORKER_API_TOKEN == "secret-of-the-moon"
    assert file.settings.WORKER_API_URL == "https://moon.example/v1"
    assert file.shown["WORKER_API_TOKEN"] == "${MOON_TOKEN}"
    assert file.shown["ACCURACY_JUDGE_API_TOKEN"] == "(hidden)"
    assert file.shown["WORKER_API_URL"] == "https://${MOON_HOST}/v1"
    assert {"secret-of-the-moon", "literal-secret-key"} <= set(file.secrets)
    assert any(note.startswith("ACCURACY_JUDGE_API_TOKEN: a key in a file") for note in file.notes)
    assert not any(note.startswith("WORKER_API_TOKEN") for note in file.notes)


def test_toml_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "bench.toml"
    path.write_text(
        'WORKER_MODEL_IDS = ["offline"]\nACCURACY_JUDGE_MODEL_ID = "offline"\nINTEGRITY_JUDGE_MODEL_ID = "offline"\n'
        'PROMPT_VERSIONS_TO_TEST = ["DIRECT"]\nINPUT_FILE = "moon_L3.csv"\n# a comment\nWEIGHT_ACCURACY = "0.6"\n',
        "utf-8",
    )
    (tmp_path / "moon_L3.csv").write_text("id,instruction,question,answer\n1,i,q,a\n2,,q,a\n", "utf-8")
    file = read_settings(path)
    assert sum(file.settings.weights.values()) == pytest.approx(1)
    assert file.settings.weights["accuracy"] == pytest.approx(0.6 / 1.3)
    assert any("the weights sum to 1.3" in note for note in file.notes)
    (dataset,) = read_datasets(file)
    assert (dataset.name, dataset.strictness, [item.lacks for item in dataset.items]) == (
        "moon_L3",
        "strict",
        ["", "no instruction"],
    )


def test_a_literal_model_of_litellm_needs_no_url(tmp_path: Path) -> None:
    content = todays_settings() | {"WORKER_API_URL": "", "WORKER_API_TOKEN": ""}
    settings = read_settings(write(tmp_path, content)).settings
    worker = model_endpoint(settings, "WORKER", "anthropic/claude-sonnet-4-5")
    assert (worker.judge.model, worker.judge.api_base, worker.endpoint) == (
        "anthropic/claude-sonnet-4-5",
        None,
        "anthropic",
    )
    assert worker.judge.headers == {}
    assert worker.judge.api_key is None
    assert worker.price is not None
    assert model_endpoint(settings, "ACCURACY_JUDGE", "offline").judge.api_base is None


def test_openrouters_headers_go_to_openrouter_alone(tmp_path: Path) -> None:
    content = todays_settings() | {"WORKER_API_URL": "https://notopenrouter.ai/api/v1/"}
    settings = read_settings(write(tmp_path, content)).settings
    assert model_endpoint(settings, "WORKER", "x").judge.headers == {}
    assert model_endpoint(settings, "WORKER", "x").judge.api_base == "https://notopenrouter.ai/api/v1"


@pytest.mark.parametrize(("combinations", "most", "calls"), [(1, 50, 5), (6, 50, 30), (18, 50, 50), (18, 3, 3)])
def test_how_many_calls_at_once(tmp_path: Path, combinations: int, most: int, calls: int) -> None:
    settings = read_settings(write(tmp_path, todays_settings())).settings
    assert concurrent_calls(settings, combinations, most) == calls


@pytest.mark.parametrize(
    ("name", "strictness"),
    [
        ("L1", "lenient"),
        ("l2", "balanced"),
        ("L3-1K", "strict"),
        ("lunar_L1_test", "lenient"),
        ("L12", None),
        ("XL1", None),
        ("moon", None),
    ],
)
def test_strictness_by_name(name: str, strictness: str | None) -> None:
    assert strictness_of(name) == strictness


def test_templates_that_give_one_path_twice_are_refused(settings: Write) -> None:
    path = settings(SUMMARY_FILE_TEMPLATE="S_{model_id}.json", PROMPT_VERSIONS_TO_TEST=["DIRECT", "COT"])
    with pytest.raises(InputError, match="one path"):
        combination_paths(prepare_benchmark(read_settings(path)), None)


def test_hostile_names_stay_in_their_folder(settings: Write, tmp_path: Path) -> None:
    path = settings(
        WORKER_MODEL_IDS=["openai/../../x", "CON", "a:b", "m" * 300, "M", "m"],
        DATASET_CONFIGS={"../L2": {"path": "L2.jsonl"}},
    )
    paths = combination_paths(prepare_benchmark(read_settings(path)), tmp_path / "out")
    assert {each.results.parent for each in paths.values()} == {tmp_path / "out"}
    assert len({each.results.name.casefold() for each in paths.values()}) == 6


def test_an_id_that_is_there_twice_is_refused(settings: Write) -> None:
    path = settings(
        [{"id": "1", "instruction": "i", "question": "q"}, {"id": 1.0, "instruction": "i", "question": "q"}]
    )
    with pytest.raises(InputError, match="an id occurs twice"):
        prepare_benchmark(read_settings(path))


def test_a_name_that_is_not_run_is_refused_with_the_closest(settings: Write) -> None:
    file = read_settings(settings())
    with pytest.raises(InputError) as raised:
        prepare_benchmark(file, only_models=("worker-b",))
    assert "Did you mean worker-a" in (raised.value.hint or "")
    with pytest.raises(InputError, match="--only-dataset L9"):
        prepare_benchmark(file, only_datasets=("L9",))


def test_an_item_without_an_id_is_called_after_its_place_and_an_empty_dataset_is_refused(settings: Write) -> None:
    path = settings([{"instruction": "i", "question": "q"}, {"instruction": "i", "question": "r"}])
    assert [job.item.id for job in prepare_benchmark(read_settings(path)).jobs] == ["1", "2"]
    with pytest.raises(InputError, match="empty"):
        prepare_benchmark(read_settings(settings([])))
