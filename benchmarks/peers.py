"""Gives grader and its peers one job against one provider on loopback: wall time, CPU, memory, requests.

python benchmarks/peers.py --items 1000 --concurrency 50 --seconds 0.2

The job: every answer judged once by one criterion. `make bench-peers` installs the peers into .bench/ first; what is
not installed is left out. How each is started is as its own documentation says for such a job.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import xlsxwriter

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from measuring import compile_grader
from provider import Provider, Scripted

ROOT = Path(__file__).parents[1]
PEERS = ROOT / ".bench"
AUTORUBRIC = PEERS / "autorubric" / "bin" / "python"
INSPECT = PEERS / "inspect" / "bin" / "inspect"
PROMPTFOO = PEERS / "npm" / "node_modules" / ".bin" / "promptfoo"
REQUIREMENT = "The answer explains the topic and gives at least one reason."


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be done: answers, how many at once, and where."""

    folder: Path
    base_url: str
    items: int
    concurrency: int

    def rows(self) -> list[tuple[str, str, str]]:
        """Return id, question and answer of every item."""
        text = "It works because of its shape. " * 20
        return [(str(n), f"Why {n}?", f"Answer {n}. {text}") for n in range(1, self.items + 1)]


@dataclass(frozen=True, slots=True)
class Peer:
    """A tool at the job: what the judge replies to it, and how it is started."""

    name: str
    reply: str
    command: Callable[[Job], list[str]]
    environment: Mapping[str, str] = field(default_factory=dict)
    needs: Path | None = None


def main() -> None:
    """Run every tool that is installed, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--concurrency", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=0.2, help="how long the provider takes for one reply")
    parser.add_argument("--only", action="append", help="names of tools; by default all")
    options = parser.parse_args()
    limit = options.items * options.seconds / options.concurrency
    print(
        f"{options.items} answers, {options.concurrency} at once, {options.seconds:g} s a reply: limit {limit:.1f} s\n"
    )
    print("| tool | wall | x the limit | CPU | memory | requests | most at once |\n|---|---|---|---|---|---|---|")
    for peer in TOOLS:
        if options.only and peer.name not in options.only:
            continue
        if peer.needs is not None and not peer.needs.exists():
            print(f"| {peer.name} | not installed: `make bench-peers` | | | | | |")
            continue
        print(_measure(peer, options, limit), flush=True)


def _measure(peer: Peer, options: argparse.Namespace, limit_seconds: float) -> str:
    compile_grader()
    provider = Provider()
    provider.script = lambda _: Scripted(text=peer.reply, seconds=options.seconds)
    with tempfile.TemporaryDirectory() as folder:
        job = Job(Path(folder), provider.base_url, options.items, options.concurrency)
        command = peer.command(job)
        before, started = _cpu_seconds(), time.perf_counter()
        code, most_mb = _run(command, job, peer.environment)
        wall, cpu = time.perf_counter() - started, _cpu_seconds() - before
        log = Path(folder, "log.txt").read_text(encoding="utf-8", errors="replace")
    provider.close()
    if code not in (0, 100):  # promptfoo ends with 100 where an answer has not passed
        return f"| {peer.name} | failed with {code}: {log.strip()[-200:]!r} | | | | | |"
    requests = f"{len(provider.history)} | {provider.most_in_flight}"
    return f"| {peer.name} | {wall:.1f} s | {wall / limit_seconds:.2f} | {cpu:.1f} s | {most_mb:.0f} MB | {requests} |"


def _run(command: list[str], job: Job, environment: Mapping[str, str]) -> tuple[int, float]:
    """Run a tool; return its exit code and the most memory that it and its children had, in MB."""
    variables = {**os.environ, "OPENAI_API_KEY": "benchmark", **environment}
    variables = {name: value.replace("BASE", job.base_url) for name, value in variables.items()}
    most_mb = 0.0
    with (job.folder / "log.txt").open("w") as log:
        process = subprocess.Popen(command, cwd=job.folder, env=variables, stdout=log, stderr=log)
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            with contextlib.suppress(psutil.Error):
                family = [watched, *watched.children(recursive=True)]
                most_mb = max(most_mb, sum(each.memory_info().rss for each in family) / 2**20)
            time.sleep(0.1)
    return process.returncode, most_mb


def _cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _grader(*more: str) -> Callable[[Job], list[str]]:
    def command(job: Job) -> list[str]:
        with xlsxwriter.Workbook(str(job.folder / "criteria.xlsx")) as workbook:
            sheet = workbook.add_worksheet()
            sheet.write_row(0, 0, ["id", "criterion", "points", "question"])
            for row, (item_id, question, _) in enumerate(job.rows(), start=1):
                sheet.write_row(row, 0, [item_id, REQUIREMENT, 1, question])
        with (job.folder / "system.jsonl").open("w", encoding="utf-8") as file:
            for item_id, _, answer in job.rows():
                file.write(json.dumps({"id": item_id, "answer": answer}) + "\n")
        return [
            *(sys.executable, "-m", "grader", "score", "--criteria", "criteria.xlsx", "--answers", "system.jsonl"),
            *("--model", "openai/gpt-4o", "--api-base", job.base_url, "--concurrency", str(job.concurrency)),
            *("--out", "run", "--quiet", *more),
        ]

    return command


_AUTORUBRIC = """
import asyncio, json, sys
from autorubric import EvalConfig, EvalRunner, LLMConfig, Rubric, RubricDataset
from autorubric.graders import CriterionGrader
base, concurrency, requirement = sys.argv[1], int(sys.argv[2]), sys.argv[3]
rubric = Rubric.from_dict([{"name": "explains", "weight": 1.0, "requirement": requirement}])
dataset = RubricDataset(name="bench", prompt="Grade the answer", rubric=rubric)
for line in open("rows.jsonl"):
    row = json.loads(line)
    dataset.add_item(submission=row["answer"], description=row["question"])
judge = LLMConfig(model="openai/mock", api_base=base, api_key="x", max_parallel_requests=concurrency, max_retries=5)
grader = CriterionGrader(judge_model_config=judge, llm_calls="per_criterion")
config = EvalConfig(show_progress=False, experiment_name="run1", experiments_dir="runs", resume=True)
asyncio.run(EvalRunner(dataset=dataset, grader=grader, config=config).run())
"""

_INSPECT = """
import json
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import model_graded_qa
from inspect_ai.solver import solver

@solver
def recorded():
    async def solve(state, generate):
        state.output = ModelOutput.from_content("recorded", state.metadata["graded_answer"])
        return state
    return solve

@task
def bench():
    rows = [json.loads(line) for line in open("rows.jsonl")]
    samples = [Sample(id=row["id"], input=row["question"], target=row["criterion"],
                      metadata={"graded_answer": row["answer"]}) for row in rows]
    return Task(dataset=samples, solver=recorded(),
                scorer=model_graded_qa(partial_credit=True, model="openai-api/mock/mock"))
"""


def _write_rows(job: Job) -> None:
    with (job.folder / "rows.jsonl").open("w", encoding="utf-8") as file:
        for item_id, question, answer in job.rows():
            row = {"id": item_id, "question": question, "answer": answer, "criterion": REQUIREMENT}
            file.write(json.dumps(row) + "\n")


def _autorubric(job: Job) -> list[str]:
    _write_rows(job)
    (job.folder / "bench.py").write_text(_AUTORUBRIC, encoding="utf-8")
    return [str(AUTORUBRIC), "bench.py", job.base_url, str(job.concurrency), REQUIREMENT]


def _inspect(job: Job) -> list[str]:
    _write_rows(job)
    (job.folder / "bench.py").write_text(_INSPECT, encoding="utf-8")
    limits = ["--max-connections", str(job.concurrency), "--max-samples", str(job.concurrency)]
    return [str(INSPECT), "eval", "bench.py", "--model", "none", *limits]


def _promptfoo(job: Job) -> list[str]:
    judge = {"id": "openai:chat:mock", "config": {"apiBaseUrl": job.base_url, "apiKey": "x"}}
    tests = [{"vars": {"question": question, "answer": answer}} for _, question, answer in job.rows()]
    config = {
        "providers": ["echo"],
        "prompts": ["{{answer}}"],
        "defaultTest": {
            "assert": [{"type": "llm-rubric", "threshold": 0.5, "value": REQUIREMENT}],
            "options": {"provider": judge},
        },
        "tests": tests,
    }
    (job.folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    quiet = ["--no-cache", "--no-table", "--no-progress-bar", "--no-share", "-o", "out.json"]
    return [
        shutil.which("node") or "node",
        str(PROMPTFOO),
        "eval",
        "-c",
        "config.json",
        "-j",
        str(job.concurrency),
        *quiet,
    ]


_MET = '{"items": [{"item": 1, "met": true, "evidence": "It works because of its shape."}]}'
TOOLS = (
    Peer("grader, LiteLLM", _MET, _grader()),
    Peer("grader, direct", _MET, _grader("--transport", "direct")),
    Peer(
        "AutoRubric",
        '{"criterion_status": "MET", "explanation": "It does."}',
        _autorubric,
        {"LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        AUTORUBRIC,
    ),
    Peer(
        "Inspect AI",
        "It does.\n\nGRADE: C",
        _inspect,
        {"MOCK_BASE_URL": "BASE", "MOCK_API_KEY": "x", "INSPECT_DISPLAY": "none"},
        INSPECT,
    ),
    Peer(
        "promptfoo",
        '{"reason": "ok", "pass": true, "score": 0.8}',
        _promptfoo,
        {
            "PROMPTFOO_CONFIG_DIR": ".",
            **dict.fromkeys(("PROMPTFOO_DISABLE_TELEMETRY", "PROMPTFOO_DISABLE_UPDATE"), "1"),
            **dict.fromkeys(("PROMPTFOO_DISABLE_DEBUG_LOG", "PROMPTFOO_DISABLE_ERROR_LOG"), "1"),
            "PROMPTFOO_DISABLE_REMOTE_GENERATION": "true",
        },
        PROMPTFOO,
    ),
)


if __name__ == "__main__":
    main()
