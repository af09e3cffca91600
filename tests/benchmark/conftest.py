"""A small benchmark in a folder, and a provider that plays all its roles."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from benchmark_cast import ITEMS, Cast
from provider import Provider

from grader.judging import redact


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "canary-key-0123456789")
    yield
    redact._KEPT_SECRETS.clear()


@pytest.fixture
def cast(provider: Provider) -> Cast:
    """Have the provider play all roles."""
    cast = Cast()
    provider.script = cast
    return cast


@pytest.fixture
def settings(provider: Provider, tmp_path: Path) -> Callable[..., Path]:
    """Write settings for one model, one prompt version and the dataset L2 of three items; more keys by name."""

    def write(items: list[Mapping[str, Any]] | None = None, **more: Any) -> Path:
        lines = "".join(json.dumps(item) + "\n" for item in (ITEMS if items is None else items))
        (tmp_path / "L2.jsonl").write_text(lines, encoding="utf-8")
        content = {
            "WORKER_API_URL": f"{provider.base_url}/chat/completions",
            "WORKER_API_TOKEN": "",
            "WORKER_MODEL_IDS": ["worker-a"],
            "ACCURACY_JUDGE_API_URL": provider.base_url,
            "ACCURACY_JUDGE_MODEL_ID": "acc",
            "INTEGRITY_JUDGE_API_URL": provider.base_url,
            "INTEGRITY_JUDGE_MODEL_ID": "int",
            "DATASET_CONFIGS": {"L2": {"path": "L2.jsonl"}},
            "PROMPT_VERSIONS_TO_TEST": ["DIRECT"],
            "RETRY_DELAY_SECONDS": 0,
            **more,
        }
        path = tmp_path / "settings.json"
        path.write_text(json.dumps({key: value for key, value in content.items() if value is not None}), "utf-8")
        return path

    return write
