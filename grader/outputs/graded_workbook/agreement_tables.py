"""The tables of the sheet Agreement: figures with intervals, counts of score against score, disputed criteria."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from grader.outputs.graded_workbook.distribution import class_index, score_classes
from grader.outputs.graded_workbook.formats import Formats
from grader.outputs.graded_workbook.sheet import Sheet, checked
from grader.records import format_number
from grader.rubric import Scale
from grader.statistics.agreement_records import (
    Agreement,
    AgreementReport,
    CriterionAgreement,
    GroupAgreement,
    PairAgreement,
)
from grader.statistics.estimate import Estimate
from grader.statistics.ratings import EXPERTS, JUDGE

_HEADER_POINTS = 30
_FEW, _MANY = "#FFFFFF", "#7FAFD8"
_FIGURES = ("Same", "Near", "Kappa", "Alpha", "Spearman", "Mean difference")
_SHARES = 2
_LEAST_PAIRS = 3
"""With fewer, next to nothing of a system can be computed: it is named below its table and has no row."""
_DISPUTED = ("Item", "n", "Level", "No.", "Same", "95 %", "Judge: met", "Experts: met")


class AgreementTables:
    """Writes each table at a row, from the top down, and returns the row behind it."""

    def __init__(self, sheet: Sheet, formats: Formats, report: AgreementReport, scale: Scale) -> None:
        self._sheet = sheet
        self._formats = formats
        self._report = report
        self._classes = score_classes(scale)

    def explanations(self) -> Iterator[str]:
        """Yield what the figures mean, one sentence or two for each."""
        yield "Same: share of answers to which both gave the same. Wilson interval."
        yield f"Near: share of answers on which both are at most {self._report.step.words} apart. Wilson interval."
        yield (
            "Kappa: agreement beyond what chance alone would give; 1 is full agreement, 0 is chance; a disagreement "
            "weighs as the square of its distance. Large-sample interval."
        )
        yield (
            "Alpha (Krippendorff): the same idea for judge and all experts together, where ratings may be missing. "
            f"Interval by bootstrap over questions, {self._report.resamples:,} resamples, seed {self._report.seed}."
        )
        yield "Spearman: whether both put the answers in the same order, from -1 to 1. Interval on Fisher's z."
        yield "Mean difference: expert minus judge, or second name minus first. Student's t interval."
        yield from self._report.notes

    def write_figures(self, row: int, agreement: Agreement, title: str) -> int:
        """Write a row for all systems and for each, then for each expert and for each two experts."""
        self._header(row, (title, "n", *(label for name in _FIGURES for label in (name, "95 %"))))
        rows = list(_labelled(agreement))
        for line, (name, pair, group) in enumerate(rows, start=row + 1):
            self._sheet.text(line, 0, name, self._formats["row_label"])
            self._write_estimates(line, pair, group)
        return row + 1 + len(rows)

    def _write_estimates(self, row: int, pair: PairAgreement | None, group: GroupAgreement | None) -> None:
        alpha = group.alpha if group else None
        n = pair.n if pair else alpha.n if alpha else 0
        self._sheet.number(row, 1, n, self._formats["count"])
        figures = (pair.exact, pair.near, pair.kappa, alpha, pair.spearman, pair.difference) if pair else ()
        for place, estimate in enumerate(figures or (None, None, None, alpha, None, None)):
            style = "share" if place < _SHARES else "signed_mean" if place == len(_FIGURES) - 1 else "mean"
            self._write_estimate(row, 2 + 2 * place, estimate, style)

    def _write_estimate(self, row: int, column: int, estimate: Estimate | None, style: str) -> None:
        if estimate is None or estimate.value is None:
            self._sheet.text(row, column, "" if estimate is None else "–", self._formats["count"])
            self._sheet.blank(row, column + 1, self._formats["count"])
            return
        self._sheet.number(row, column, estimate.value, self._formats[style])
        self._sheet.text(row, column + 1, _interval(estimate, is_share=style == "share"), self._formats["count"])

    def reasons(self, agreement: Agreement) -> list[str]:
        """Return why rows, figures or intervals are missing, each reason once with the rows that it is about."""
        few = [f"{pair.system} ({pair.n})" for pair in agreement.judge_and_experts[1:] if _is_too_few(agreement, pair)]
        unlisted = f"Without a row of their own, as they have fewer than {_LEAST_PAIRS} pairs (n): {', '.join(few)}."
        missing: dict[str, list[str]] = {}
        for name, pair, group in _labelled(agreement):
            named = {"kappa": pair.kappa, "Spearman": pair.spearman, "difference": pair.difference} if pair else {}
            for figure, estimate in (named | ({"alpha": group.alpha} if group else {})).items():
                if estimate.reason:
                    missing.setdefault(f"{figure}: {estimate.reason}", []).append(name)
        why = [f"{', '.join(names)}: {reason}." for reason, names in missing.items()]
        return [unlisted, *why] if few else why

    def write_counts(self, row: int, agreement: Agreement) -> int:
        """Write how often which score of the judge met which of an expert; the same score is the diagonal."""
        labels = [each.label for each in self._classes]
        counts: Counter[tuple[int, int]] = Counter()
        for judge, expert, count in agreement.counts:
            counts[self._place(judge), self._place(expert)] += count
        if any(len(self._classes) in places for places in counts):
            labels.append("other")
        self._header(row, ("Judge (down), expert (across)", *labels))
        for down, label in enumerate(labels):
            self._sheet.text(row + 1 + down, 0, label, self._formats["row_label"])
            for across in range(len(labels)):
                self._write_count(row + 1 + down, 1 + across, counts[down, across])
        last = row + len(labels)
        colours = {"type": "2_color_scale", "min_color": _FEW, "max_color": _MANY}
        checked(self._sheet.raw.conditional_format(row + 1, 1, last, len(labels), colours))
        self._stress_diagonal(row + 1, len(self._classes))
        return last + 1

    def _write_count(self, row: int, column: int, count: int) -> None:
        if count:
            self._sheet.number(row, column, count, self._formats["count"])
        else:
            self._sheet.blank(row, column, self._formats["count"])

    def _stress_diagonal(self, row: int, size: int) -> None:
        bold = {"type": "no_blanks", "format": self._formats.conditional(bold=True)}
        for place in range(size):
            checked(self._sheet.raw.conditional_format(row + place, 1 + place, row + place, 1 + place, bold))

    def _place(self, score: float) -> int:
        place = class_index(self._classes, score)
        return len(self._classes) if place is None else place

    def write_disputed(self, row: int, disputed: Sequence[CriterionAgreement]) -> int:
        """Write the criteria on which judge and experts differ most often."""
        self._header(row, ("Disputed criteria: item", *_DISPUTED[1:]))
        for line, each in enumerate(disputed, start=row + 1):
            level = "" if each.level is None else format_number(each.level)
            self._sheet.text(line, 0, each.item_id, self._formats["row_label"])
            self._sheet.number(line, 1, each.exact.n, self._formats["count"])
            self._sheet.text(line, 2, level, self._formats["count"])
            self._sheet.number(line, 3, each.number, self._formats["count"])
            self._write_estimate(line, 4, each.exact, "share")
            self._sheet.number(line, 6, each.judge_mean, self._formats["share"])
            self._sheet.number(line, 7, each.expert_mean, self._formats["share"])
        return row + 1 + len(disputed)

    def _header(self, row: int, labels: Sequence[str]) -> None:
        checked(self._sheet.raw.set_row(row, _HEADER_POINTS))
        for column, label in enumerate(labels):
            style = "table_header" if column else "table_header_left"
            self._sheet.text(row, column, label, self._formats[style])


def _labelled(agreement: Agreement) -> Iterator[tuple[str, PairAgreement | None, GroupAgreement | None]]:
    """Yield each row's name with its figures of two raters, and its alpha of all."""
    groups = {group.system: group for group in agreement.together if JUDGE in group.raters}
    overall, *systems = agreement.judge_and_experts
    if len(systems) > 1:
        yield "All systems", overall, groups.get(None)
    for pair in systems:
        if not _is_too_few(agreement, pair):
            yield str(pair.system), pair, groups.get(pair.system)
    if overall.second != EXPERTS:
        return
    for pair in agreement.judge_and_each:
        yield f"judge and {pair.second}", pair, None
    for pair in agreement.between_experts:
        yield f"{pair.first} and {pair.second}", pair, None
    for group in agreement.together:
        if JUDGE not in group.raters:
            yield "all experts", None, group


def _is_too_few(agreement: Agreement, pair: PairAgreement) -> bool:
    """Return whether a system among several has too few pairs for a row; all systems together have one in any case."""
    return len(agreement.judge_and_experts) > 2 and pair.n < _LEAST_PAIRS


def _interval(estimate: Estimate, *, is_share: bool) -> str:
    if estimate.low is None or estimate.high is None:
        return "–"
    if is_share:
        return f"{100 * estimate.low:.0f} to {100 * estimate.high:.0f} %"
    return f"{estimate.low:.2f} to {estimate.high:.2f}"
