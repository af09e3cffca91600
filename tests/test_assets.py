from __future__ import annotations

from pathlib import Path

import pytest

from grader import assets
from grader.assets import asset_dirs, find_asset, list_assets
from grader.errors import RubricError


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of the user's own with one template, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "own.j2").write_text("own")
    return tmp_path


@pytest.mark.parametrize("name", ["own.j2", "tiered.j2"])
def test_what_is_the_users_and_what_is_shipped_is_found(project: Path, name: str) -> None:
    assert find_asset("templates", name).name == name
    assert name in list_assets("templates")


def test_the_users_own_comes_before_the_shipped(project: Path) -> None:
    assert find_asset("templates", "tiered.j2").parent != project / "templates"
    (project / "templates" / "tiered.j2").write_text("own")
    assert find_asset("templates", "tiered.j2") == project / "templates" / "tiered.j2"
    assert list_assets("templates")["tiered.j2"] == project / "templates" / "tiered.j2"


def test_what_a_wheel_brings_is_found(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = project / "site-packages" / "grader"
    (package / "_bundled" / "rubrics").mkdir(parents=True)
    (package / "_bundled" / "rubrics" / "x.yaml").write_text("x")
    monkeypatch.setattr(assets, "_PACKAGE_DIR", package)
    assert list(list_assets("rubrics")) == ["x.yaml"]


def test_hidden_files_and_folders_are_none(project: Path) -> None:
    (project / "templates" / ".hidden").write_text("x")
    (project / "templates" / "folder").mkdir()
    assert {".hidden", "folder"}.isdisjoint(list_assets("templates"))
    with pytest.raises(RubricError):
        find_asset("templates", "folder")


def test_what_does_not_exist_is_said_with_what_does(project: Path) -> None:
    with pytest.raises(RubricError, match=r"no template “none\.j2”") as caught:
        find_asset("templates", "none.j2")
    assert "own.j2" in (caught.value.hint or "")


def test_where_there_is_nothing_it_says_none(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assets, "_PACKAGE_DIR", project / "empty" / "grader")
    with pytest.raises(RubricError) as caught:
        find_asset("rubrics", "x.yaml")
    assert caught.value.hint == "There are: none."


def test_one_folder_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(assets.__file__).parents[1])
    assert len(list(asset_dirs("rubrics"))) == 1
