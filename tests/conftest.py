"""Fixtures for all tests: one provider for the session, the shared real data where it is, and small inputs."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import xlsxwriter

sys.path.insert(0, str(Path(__file__).parent))

from provider import Provider

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(scope="session")
def _one_provider() -> Iterator[Provider]:
    provider = Provider()
    yield provider
    provider.close()


@pytest.fixture
def provider(_one_provider: Provider) -> Provider:
    """The loopback provider, its script and history fresh."""
    _one_provider.reset()
    return _one_provider


@pytest.fixture
def shared() -> Path:
    """The folder of real data beside the project."""
    if not SHARED.is_dir():
        pytest.skip("the shared real data is not on this machine")
    return SHARED


@pytest.fixture
def ord_mmbench(shared: Path) -> Path:
    """The real criteria workbook with its questions, answers and recorded judgements."""
    return shared / "data" / "ord-mmbench"


@pytest.fixture(scope="session")
def small_inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to copy from: criteria.xlsx, with questions of ids 1 to 3, and apollo.jsonl, one system's answers."""
    folder = tmp_path_factory.mktemp("inputs")
    with xlsxwriter.Workbook(str(folder / "criteria.xlsx")) as workbook:
        sheet = workbook.add_worksheet("Criteria")
        rows = [
            ["id", 25, 50, 100],
            [1, "(1) mention the moon", "(1) name the far side\n(2) name the date", None],
            [2, None, "(1) mention the rocket", "(1) give its name and its stages"],
            [3, None, None, "(1) name the landing site"],
        ]
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row)
    texts = {"1": "The far side of the moon.", "2": "It was a rocket.", "3": "Somewhere."}
    lines = [json.dumps({"id": item_id, "question": f"Q{item_id}?", "answer": text}) for item_id, text in texts.items()]
    (folder / "apollo.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def criteria_path(small_inputs: Path, tmp_path: Path) -> Path:
    """That workbook, in the test's own folder."""
    return Path(shutil.copyfile(small_inputs / "criteria.xlsx", tmp_path / "criteria.xlsx"))


@pytest.fixture
def answers_path(small_inputs: Path, tmp_path: Path) -> Path:
    """Those answers, in the test's own folder."""
    return Path(shutil.copyfile(small_inputs / "apollo.jsonl", tmp_path / "apollo.jsonl"))
