"""Measures `grader score` as a whole process against a provider on loopback: wall time, CPU, memory, requests.

python benchmarks/score_speed.py --items 1000 --concurrency 50 --seconds 2
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from measuring import Measured, by_provider, measure, write_job
from provider import Provider, Scripted


def main() -> None:
    """Grade once, and once more from the store, and print what each took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--concurrency", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=2.0, help="how long the provider takes for one reply")
    parser.add_argument("--transport", choices=("litellm", "direct"), default="litellm")
    options = parser.parse_args()
    provider = Provider()
    provider.script = lambda _: Scripted(seconds=options.seconds)
    with tempfile.TemporaryDirectory() as folder:
        judge = by_provider(provider, concurrency=options.concurrency, transport=options.transport)
        command = (*write_job(Path(folder), options.items), *judge)
        limit = options.items * options.seconds / options.concurrency
        _print("first run", measure(command, provider), limit, options.items, provider)
        _print("again, from the store", measure(command, provider), 0, options.items, provider)
    provider.close()


def _print(name: str, took: Measured, limit_seconds: float, items: int, provider: Provider) -> None:
    ratio = f"{took.wall_seconds / limit_seconds:.2f} x the limit, " if limit_seconds else ""
    cpu = f"{took.cpu_seconds:.1f} s CPU ({1000 * took.cpu_seconds / items:.1f} ms an item"
    judging = f", {1000 * took.judging_cpu_seconds / items:.2f} while judging)" if took.requests else ")"
    memory = f"{took.judging_mb:.0f} MB while judging, {took.most_mb:.0f} MB at most"
    requests = f"{took.requests} requests, {provider.most_in_flight} at once"
    print(f"{name}: {took.wall_seconds:.1f} s, {ratio}{cpu}{judging}, {memory}, {requests}", flush=True)


if __name__ == "__main__":
    main()
