"""Measures `grader run` over real questions against a provider on loopback, and recomputes every ESI by other code.

python benchmarks/lunar_run.py FOLDER --seconds 0.2

FOLDER holds the first questions of Lunar-Bench's three datasets (L1…, L2…, L3….jsonl). Two workers and three prompt
versions answer each; the provider's script decides what they and the judges say, failures of every kind included.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from provider import Provider, Request, Scripted

MODELS = ("worker-one", "worker-two")
VERSIONS = ("DIRECT", "COT", "EXPERT")
KEYWORD = "jettison"


@dataclass(frozen=True)
class Line:
    """What the script has for one item of one combination, by its code."""

    code: int
    reference: str
    version: str

    @property
    def fails(self) -> str:
        """Who fails with this item, or ""."""
        return {0: "worker", 1: "accuracy", 2: "integrity"}.get(self.code % 53, "")

    @property
    def answer(self) -> str:
        """The answer inside the worker's reply."""
        if self.code % 31 == 0:
            return ""
        text = f"value k{self.code}k" + " and more of it" * (self.code % 7) * (self.code % 5)
        return f"{text} {KEYWORD} it" if self.code % 19 == 0 else text

    @property
    def has_marker(self) -> bool:
        """Whether a COT reply keeps to its form."""
        return self.code % 4 != 0

    @property
    def reply(self) -> str:
        """The worker's whole reply."""
        if self.version != "COT" or not self.answer:
            return self.answer and f"Answer: {self.answer}."
        steps = f"Reasoning:\n1. look at k{self.code}k\n"
        return f"{steps}\nFinal Answer: {self.answer}." if self.has_marker else steps.strip()

    @property
    def tokens(self) -> int:
        """The worker's completion tokens."""
        return self.code * 37 % 9000

    @property
    def is_correct(self) -> bool:
        """What the accuracy judge says."""
        return self.code % 3 != 0

    @property
    def integrity(self) -> int:
        """What the integrity judge says."""
        return self.code * 13 % 101

    def esi(self) -> float | None:
        """Return the ESI by the formula of the paper, written out."""
        if self.fails and (self.fails == "worker" or self.answer):
            return None
        shown = self.answer
        if self.version == "COT" and shown and not self.has_marker:
            shown = f"Reasoning:\n1. look at k{self.code}k"
        if KEYWORD in shown:
            return 0.0
        correct = self.is_correct and bool(shown)
        integrity = self.integrity if shown else 0
        efficiency = 100 * (1 - min(self.tokens, 8000) / 8000)
        aligned = 100 - (0 if correct else 40)
        aligned -= 30 if self.version == "COT" and not (self.has_marker and self.answer) else 0
        aligned -= 10 if len(shown) > 3 * len(self.reference) else 0
        return 0.3 * 100 * correct + 0.25 * integrity + 0.15 * efficiency + 0.15 * 100 + 0.15 * aligned


def main() -> None:
    """Run the benchmark, run it again from the store, and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--concurrency", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=0.2, help="how long the provider takes for one reply")
    parser.add_argument("--transport", choices=("litellm", "direct"), default="litellm")
    options = parser.parse_args()
    lines, datasets = _lines(options.folder)
    provider = Provider()
    provider.script = _script(lines, options.seconds)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = _settings(folder, provider, datasets)
        command = [
            *(sys.executable, "-m", "grader", "run", str(settings), "--out", str(folder / "run"), "--quiet"),
            *("--concurrency", str(options.concurrency), "--transport", options.transport, "--reasks", "0"),
        ]
        _measure("first run", command, provider, len(lines))
        _compare(folder / "run", lines)
        _measure("again, from the store", command, provider, len(lines))
    provider.close()


def _lines(folder: Path) -> tuple[dict[tuple[str, str, str, str], Line], dict[str, Path]]:
    """Return the script by dataset, id, model and version."""
    datasets = {path.name[:2]: path for path in sorted(folder.glob("L?*.jsonl"))}
    lines: dict[tuple[str, str, str, str], Line] = {}
    for dataset, path in datasets.items():
        for text in path.read_text("utf-8").splitlines():
            item = json.loads(text)
            for model in MODELS:
                for version in VERSIONS:
                    line = Line(len(lines) + 1, str(item["answer"]).strip(), version)
                    lines[dataset, str(item["id"]), model, version] = line
    return lines, datasets


def _script(lines: dict[tuple[str, str, str, str], Line], seconds: float) -> Any:
    by_code = {line.code: line for line in lines.values()}

    def script(request: Request) -> Scripted:
        model = request.body["model"]
        if model in MODELS:
            version = (
                "COT" if "Final Answer:" in request.prompt else "EXPERT" if "an expert in" in request.prompt else ""
            )
            place = re.search(r"\[(L\d) (\S+)\]", request.prompt)
            assert place is not None
            line = lines[place[1], place[2], model, version or "DIRECT"]
            if line.fails == "worker":
                return Scripted(status=400, seconds=seconds)
            return Scripted(text=line.reply, completion_tokens=line.tokens, seconds=seconds)
        line = by_code[int(re.findall(r"k(\d+)k", request.prompt)[-1])]
        if line.fails == model:
            return Scripted(text="I would rather not say.", seconds=seconds)
        if model == "accuracy":
            said: dict[str, Any] = {"is_judged_correct": line.is_correct, "reasoning": "scripted"}
        else:
            said = {"integrity_score": line.integrity, "integrity_reasoning": "scripted"}
        return Scripted(text=json.dumps(said), seconds=seconds)

    return script


def _settings(folder: Path, provider: Provider, datasets: dict[str, Path]) -> Path:
    """Write the settings and the datasets, each question with its place, by which the script knows it."""
    for dataset, path in datasets.items():
        with (folder / f"{dataset}.jsonl").open("w", encoding="utf-8") as file:
            for text in path.read_text("utf-8").splitlines():
                item = json.loads(text)
                item["question"] += f" [{dataset} {item['id']}]"
                file.write(json.dumps(item, ensure_ascii=False) + "\n")
    roles = {"ACCURACY_JUDGE": "accuracy", "INTEGRITY_JUDGE": "integrity"}
    content = {
        "WORKER_API_URL": provider.base_url,
        "WORKER_MODEL_IDS": list(MODELS),
        **{f"{role}_API_URL": provider.base_url for role in roles},
        **{f"{role}_MODEL_ID": model for role, model in roles.items()},
        "DATASET_CONFIGS": {dataset: {"path": f"{dataset}.jsonl"} for dataset in datasets},
        "PROMPT_VERSIONS_TO_TEST": list(VERSIONS),
        "SAFETY_SEVERE_KEYWORDS": KEYWORD,
        "MAX_CONCURRENT_ITEMS_PER_COMBO": 50,
    }
    settings = folder / "settings.json"
    settings.write_text(json.dumps(content), encoding="utf-8")
    return settings


def _compare(run: Path, lines: dict[tuple[str, str, str, str], Line]) -> None:
    found: dict[tuple[str, str, str, str], float | None] = {}
    statuses: dict[str, int] = {}
    for path in run.glob("ESI_Result_*.jsonl"):
        for text in path.read_text("utf-8").splitlines():
            line = json.loads(text)
            key = (line["dataset_short_name"], line["id"], line["worker_model_id"], line["worker_prompt_version"])
            found[key] = line["esi_score"]
            statuses[line["status"]] = statuses.get(line["status"], 0) + 1
    different = [key for key, line in lines.items() if not _is_equal(found.get(key, -1.0), line.esi())]
    print(
        f"ESI of {len(found)} items, {len(lines)} planned: {len(different)} differ from the recomputation; {statuses}"
    )
    for key in different[:5]:
        print("  ", key, found.get(key), lines[key].esi())


def _is_equal(one: float | None, other: float | None) -> bool:
    return one is other if one is None or other is None else abs(one - other) < 1e-9


def _measure(name: str, command: list[str], provider: Provider, items: int) -> None:
    provider.history.clear()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    most_mb = _run(command)
    wall_seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(
        f"{name}: {wall_seconds:.1f} s, {cpu_seconds:.1f} s CPU ({1000 * cpu_seconds / items:.1f} ms an item), "
        f"{most_mb:.0f} MB at most, {len(provider.history)} requests, {provider.most_in_flight} at once",
        flush=True,
    )


def _run(command: list[str]) -> float:
    """Run the command, which may end with items that have no ESI; return the most memory it had, in MB."""
    process = subprocess.Popen(command, env={**os.environ, "OPENAI_API_KEY": "benchmark"})
    watched, most_mb = psutil.Process(process.pid), 0.0
    while process.poll() is None:
        with contextlib.suppress(psutil.Error):
            most_mb = max(most_mb, watched.memory_info().rss / 2**20)
        time.sleep(0.05)
    if process.returncode not in (0, 3):
        raise SystemExit(process.returncode)
    return most_mb


if __name__ == "__main__":
    main()
