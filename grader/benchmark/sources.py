"""Names the files that decide the scores of a benchmark, each with its hash; looks for them, and reads no meaning."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from grader.assets import asset_dirs, find_asset, list_assets
from grader.benchmark.own_sub_scores import JudgedRule, find_own_rules
from grader.benchmark.planning import BenchmarkPlan
from grader.benchmark.worker import find_worker_template
from grader.inputs.rubric_file import read_rubric

_JUDGED_BY = ("accuracy", "integrity")
_KINDS = ("rubrics", "rubrics/benchmark", "templates", "templates/benchmark", "templates/worker")


def source_digests(plan: BenchmarkPlan) -> dict[str, str]:
    """Return the SHA-256 of settings, datasets or answers, prompt versions, rubrics and their templates, by name.

    What lies where a project keeps it is called by that place, such as `templates/worker/COT.j2`; the rest by its path.
    """
    paths = [*plan.source_paths, *_worker_templates(plan), *_rubrics(plan)]
    return {_name(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths if path.is_file()}


def _worker_templates(plan: BenchmarkPlan) -> Iterator[Path]:
    """Yield the templates of the prompt versions; none where the answers were given."""
    for version in dict.fromkeys(job.combination.prompt_version for job in plan.jobs if job.worker is None):
        yield find_worker_template(version)


def _rubrics(plan: BenchmarkPlan) -> Iterator[Path]:
    """Yield the rubrics that judges go by, their templates, and what these include."""
    for rubric in _JUDGED_BY:
        yield find_asset("rubrics", f"{rubric}.yaml")
        yield read_rubric(rubric)[1]
    for rule in find_own_rules(plan.file.settings.SUB_SCORES, plan.file.folder).values():
        if isinstance(rule, JudgedRule):
            yield from (rule.path, rule.template_path)
    yield from (path for name, path in list_assets("templates").items() if name.startswith("_"))


def _name(path: Path) -> str:
    places = (f"{kind}/{path.name}" for kind in _KINDS if path.parent in asset_dirs(kind))
    return next(places, str(path))
