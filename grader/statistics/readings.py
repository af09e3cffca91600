"""Says in one plain sentence how far two raters agree, in figures only; judges no figure."""

from __future__ import annotations

from grader.records import format_number
from grader.statistics.agreement_records import PairAgreement
from grader.statistics.estimate import Estimate
from grader.statistics.ratings import EXPERTS
from grader.statistics.steps import Step


def pair_reading(pair: PairAgreement, things: str, step: Step | None) -> str:
    """Return the sentence on the judge and the experts; `things` says what both rated, as in `blind answers`."""
    if not pair.n:
        return f"The judge has rated none of the {things}: there is nothing to compare."
    several = pair.second == EXPERTS
    who, gives = ("the experts", "give") if several else (f"the expert ({pair.second})", "gives")
    noun = things if pair.n > 1 else things.removesuffix("s")
    near = f", are at most {step.words} apart on {_counted(pair.near)}" if step and pair.near else ""
    if pair.n == 1 and noun.endswith("criteria"):
        noun = noun.replace("criteria", "criterion")
    said = f"On {pair.n:,} {noun} the judge and {who} agree exactly on {_counted(pair.exact)}{near}"
    if not step:
        return f"{said}."
    return f"{said}, and {who.partition(' (')[0]} {gives} {_difference(pair.difference)}."


def _counted(share: Estimate) -> str:
    """Return a share as `31 (78 %, 62 to 88)`."""
    if share.value is None or share.low is None or share.high is None:
        return "none"
    count, percent = round(share.value * share.n), f"{100 * share.value:.0f}"
    return f"{count:,} ({percent} %, {100 * share.low:.0f} to {100 * share.high:.0f})"


def _difference(mean: Estimate) -> str:
    value = mean.value or 0.0
    words = f"{_short(abs(value))} {'more' if value > 0 else 'less'} on average" if value else "the same on average"
    if mean.low is None or mean.high is None:
        return words
    return f"{words} ({_short(mean.low)} to {_short(mean.high)})"


def _short(number: float) -> str:
    return format_number(float(f"{number:.3g}"))
