from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel, built from an sdist, as an installer from source would."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_the_sdist_holds_what_a_wheel_is_built_from(distributions: Path) -> None:
    (sdist,) = distributions.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "LICENSE", "README.md", "rubrics/tiered.yaml", "templates/tiered.j2"} <= names
    assert not [name for name in names if name.startswith(("Result/", ".venv"))]


def test_the_wheel_holds_rubrics_and_templates_and_no_tests(distributions: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    for kind in ("rubrics", "templates"):
        for path in (ROOT / kind).rglob("*.*"):
            assert f"grader/_bundled/{kind}/{path.relative_to(ROOT / kind).as_posix()}" in names
    assert "grader/py.typed" in names
    assert not [name for name in names if name.startswith(("tests/", "Data/", "rubrics/"))]


def test_the_installed_wheel_grades_from_another_folder(
    distributions: Path, tmp_path: Path, criteria_path: Path, answers_path: Path
) -> None:
    (wheel,) = distributions.glob("*.whl")
    venv.create(tmp_path / "venv", with_pip=False)
    packages = next((tmp_path / "venv" / "lib").glob("python*")) / "site-packages"
    zipfile.ZipFile(wheel).extractall(packages)  # what installing a pure wheel does, without asking a registry
    # Its dependencies are this environment's, but the checkout is not on the path.
    others = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "dependencies.pth").write_text("\n".join(others))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    python = tmp_path / "venv" / "bin" / "python"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [str(python), "-m", "grader", "score", "--criteria", str(criteria_path), "--answers", str(answers_path)]
    done = subprocess.run(command, cwd=elsewhere, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (elsewhere / "Result" / "criteria" / "graded.xlsx").is_file()
    where = [str(python), "-c", "import grader; print(grader.__file__)"]
    found = subprocess.run(where, cwd=elsewhere, env=environment, capture_output=True, text=True)
    assert Path(found.stdout.strip()).is_relative_to(tmp_path), found.stdout
