"""Which releases of what reaches the network may be installed (RELIABILITY 22)."""

from __future__ import annotations

import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]


def test_litellm_is_none_of_the_releases_that_must_not_be_installed() -> None:
    """1.82.7 and 1.82.8 carried code that sent keys away; older ones behave in other ways than the tests hold."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (litellm,) = (each for each in map(Requirement, project["dependencies"]) if each.name == "litellm")
    assert {">=1.84", "<2", "!=1.82.7", "!=1.82.8"} <= {str(each) for each in litellm.specifier}
    assert not [version for version in ("1.82.7", "1.82.8", "1.83.9", "2.0") if litellm.specifier.contains(version)]
    for name in ("run.txt", "test.txt"):
        pinned = (ROOT / "requirements" / name).read_text("utf-8").partition("\nlitellm==")[2].split()[0]
        assert litellm.specifier.contains(pinned), name
