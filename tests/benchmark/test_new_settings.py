from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader.benchmark.new_settings import write_new_settings
from grader.benchmark.settings import TOKEN_KEYS, BenchmarkSettings
from grader.benchmark.settings_file import read_settings
from grader.cli.main import cli
from grader.errors import RunError

SUFFIXES = pytest.mark.parametrize("name", ["settings.json", "settings.toml"])


@SUFFIXES
def test_what_is_written_loads_and_runs(name: str, tmp_path: Path) -> None:
    path, dataset = write_new_settings(tmp_path / "new" / name)
    assert dataset.parent == path.parent
    read = read_settings(path)
    assert read.notes == ()
    done = CliRunner().invoke(cli, ["run", str(path), "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "out" / "graded.xlsx").is_file()


@SUFFIXES
def test_what_is_written_says_the_defaults(name: str, tmp_path: Path) -> None:
    settings = read_settings(write_new_settings(tmp_path / name)[0]).settings
    said = {"WORKER_MODEL_IDS", "ACCURACY_JUDGE_MODEL_ID", "INTEGRITY_JUDGE_MODEL_ID", "PROMPT_VERSIONS_TO_TEST"}
    said |= {"DATASET_CONFIGS", "DATASETS_TO_RUN"}
    for key, field in BenchmarkSettings.model_fields.items():
        if key not in said:
            assert getattr(settings, key) == field.get_default(call_default_factory=True), key


def test_json_and_toml_say_the_same(tmp_path: Path) -> None:
    (from_json, _), (from_toml, _) = (write_new_settings(tmp_path / f"settings.{kind}") for kind in ("json", "toml"))
    content = json.loads(from_json.read_text("utf-8"))
    keys = {key: value for key, value in content.items() if not key.startswith("_comment")}
    assert tomllib.loads(from_toml.read_text("utf-8")) == keys


def test_every_part_has_a_comment_and_no_token(tmp_path: Path) -> None:
    content = json.loads(write_new_settings(tmp_path / "settings.json")[0].read_text("utf-8"))
    assert len([key for key in content if key.startswith("_comment")]) >= 10
    assert not any(content.get(key) for key in TOKEN_KEYS)
    text = write_new_settings(tmp_path / "settings.toml")[0].read_text("utf-8")
    assert max(map(len, text.splitlines())) <= 120


def test_nothing_is_written_over(tmp_path: Path) -> None:
    path, dataset = write_new_settings(tmp_path / "settings.json")
    dataset.write_text("mine")
    with pytest.raises(RunError, match="is there already"):
        write_new_settings(path)
    write_new_settings(tmp_path / "other.json")
    assert dataset.read_text() == "mine"


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match="cannot be written"):
        write_new_settings(tmp_path / "file" / "settings.json")


def test_without_a_name_it_is_settings_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(cli, ["run", "--init"]).output.splitlines()[0] == "settings.json"
    assert (tmp_path / "settings.json").is_file()
    again = CliRunner().invoke(cli, ["run", "--init"])
    assert (again.exit_code, "is there already" in again.output) == (1, True)


def test_without_settings_the_way_to_some_is_said() -> None:
    done = CliRunner().invoke(cli, ["run"])
    assert (done.exit_code, "--init" in done.output) == (2, True)
