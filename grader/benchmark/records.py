"""The records of a benchmark are in `grader.benchmark_records`, below `grader.outputs`, which writes them too.

Left here so that the imports of this room need not change all at once; import from there.
"""

from __future__ import annotations

from grader.benchmark_records import SUB_SCORES as SUB_SCORES
from grader.benchmark_records import BenchmarkItem as BenchmarkItem
from grader.benchmark_records import BenchmarkRun as BenchmarkRun
from grader.benchmark_records import Combination as Combination
from grader.benchmark_records import ItemStatus as ItemStatus
from grader.benchmark_records import SkippedLine as SkippedLine
from grader.benchmark_records import SubScores as SubScores
