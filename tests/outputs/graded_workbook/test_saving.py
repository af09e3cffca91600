from __future__ import annotations

from pathlib import Path

import pytest

from grader.errors import RunError
from grader.outputs.graded_workbook.saving import is_open_elsewhere, next_free_name, save_beside


def write_new(path: Path) -> str:
    path.write_text("new")
    return "outcome"


def test_a_file_replaces_what_was_there_and_leaves_nothing_beside(tmp_path: Path) -> None:
    target = tmp_path / "out" / "graded.xlsx"

    save_beside(target, lambda path: path.write_text("old"))
    saved = save_beside(target, write_new)

    assert saved == (target, "outcome")
    assert [path.name for path in target.parent.iterdir()] == ["graded.xlsx"]
    assert target.read_text() == "new"


@pytest.mark.parametrize("lock", ["~$graded.xlsx", ".~lock.graded.xlsx#"])
def test_a_workbook_that_is_open_stays_and_the_next_free_name_is_taken(tmp_path: Path, lock: str) -> None:
    target = tmp_path / "graded.xlsx"
    for name in ("graded.xlsx", "graded (2).xlsx", lock):
        (tmp_path / name).write_text("old")

    path, _ = save_beside(target, write_new)

    assert path.name == "graded (3).xlsx"
    assert is_open_elsewhere(target)
    assert target.read_text() == "old"


def test_a_file_that_the_system_holds_open_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "graded.xlsx"
    target.write_text("old")
    real = Path.replace

    def refuse(self: Path, other: Path) -> Path:
        if other == target:
            raise PermissionError(13, "Permission denied")
        return real(self, other)

    monkeypatch.setattr(Path, "replace", refuse)

    assert save_beside(target, write_new)[0] == next_free_name(target).with_name("graded (2).xlsx")
    assert target.read_text() == "old"


def test_a_folder_that_refuses_is_an_error_with_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, other: Path) -> Path:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", refuse)

    with pytest.raises(RunError, match="cannot be written: Permission denied") as caught:
        save_beside(tmp_path / "graded.xlsx", write_new)
    assert caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_what_goes_wrong_while_writing_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "graded.xlsx"
    target.write_text("old")

    def fail(path: Path) -> None:
        path.write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(RunError, match="No space left"):
        save_beside(target, fail)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"graded.xlsx": "old"}
