"""Measures what starting costs: CPU of `grader --help` and `grader rubrics` against that of `import click`."""

from __future__ import annotations

import resource
import subprocess
import sys

from measuring import compile_grader

_TIMES = 15


def main() -> None:
    """Print the least CPU of several starts, and the ratio to `import click` (at most 2.5 is wanted)."""
    floor = cpu_seconds("-c", "import click")
    print(f"import click: {1000 * floor:.0f} ms CPU")
    for arguments in (("--help",), ("rubrics",)):
        seconds = cpu_seconds("-m", "grader", *arguments)
        print(f"grader {' '.join(arguments)}: {1000 * seconds:.0f} ms CPU, {seconds / floor:.2f} x import click")


def cpu_seconds(*arguments: str) -> float:
    """Return the least CPU seconds that Python took for `arguments` in several starts."""
    compile_grader()
    return min(_once(arguments) for _ in range(_TIMES))


def _once(arguments: tuple[str, ...]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
