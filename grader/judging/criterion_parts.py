"""Takes an expert's criterion apart into alternatives of terms, wording and bounds; looks into no answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from grader.judging.number_bounds import BOUND, Bound, cut_placeholders, exactly, read_bound
from grader.judging.text_tokens import CJK, even, split_words, stem


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One stretch of a term without spaces: a name, an option, a number, or a placeholder for a bounded number."""

    text: str
    """As it is searched: folded, without the punctuation around it."""
    bound: Bound | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """Something to be found as it stands: a command, an option, a name, a number, a short quotation."""

    text: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word that matters outside the terms, or two with an `or` between them."""

    text: str
    stems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """One way to meet a criterion: all that should be found for it."""

    terms: tuple[Term, ...] = ()
    bounds: tuple[Bound, ...] = ()
    words: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionParts:
    """A criterion taken apart: met where one of its alternatives is; where negated, if none is."""

    alternatives: tuple[Alternative, ...]
    is_negated: bool


_FENCE = re.compile(r"```\w*\n")
_QUOTED = re.compile(
    r"```(.{1,999}?)```|``(.{1,999}?)``|`([^`]{1,999})`|\"([^\"]{1,999})\"|(?<!\w)'([^']{1,999})'(?!\w)"
    r"|「([^」]{1,999})」|『([^』]{1,999})』|«([^»]{1,999})»|《([^》]{1,999})》"
)
"""Text in any kind of quotes; its length is bounded so that a stray quote costs no time."""

_BARE_TERM = re.compile(
    rf"(?<![\w-])--?[a-z][\w-]*"  # an option
    rf"|(?<![^\W{CJK}])[^\W{CJK}]*(?:_|::)[^\W{CJK}]+(?:::[^\W{CJK}]+)*"  # a name with an underscore or a scope
    rf"|(?<![^\W{CJK}])[a-z]+\d[a-z\d]*"  # letters and digits: disk3
    rf"|(?<![\w.])-?\d+(?:\.\d+)*",  # a number
    re.IGNORECASE,
)
_FIRST_MARK, _MARK_COUNT = 0xE000, 6400
_MARK = re.compile("[\ue000-\uf8ff]")
"""One character stands for each term that was cut out, so that an `or` inside it parts nothing."""

_NEGATED = re.compile(
    "(?:the )?(?:answer |response |it )?(?:(?:must|should|does|do|did|shall|may|can) ?(?:not|n't)|never) "
    "(?=mention|contain|include|use|suggest|recommend|claim|state|say|give|provide|propose|invent)"
    "|avoids? |no mention of ",
    re.IGNORECASE,
)
_GAP = re.compile(r"<[^<>]*>|\.\.\.")
"""A gap in a quoted command, for the answer to fill: `save_plot <file>`."""

_ASK = "mention|explain|give|provide|suggest|state|say|describe|specify|show|indicate|note|identify|propose|recommend"
_KIND = "(?:option|command|flag|parameter|argument)s?"
_LEAD = rf"(?:(?:the|a|an|either|{_KIND}) )*"
_OR = "(?: or | oder | ?(?:または|もしくは|或者|或是) ?)"
_CLAUSE_OR = re.compile(
    rf"[,;] or |{_OR}(?=(?:{_ASK})\w* )|(?<!{_MARK.pattern}){_OR}(?={_LEAD}{_MARK.pattern})", re.IGNORECASE
)
"""An `or` that parts clauses: behind a comma, before a verb of asking, between wording and a term."""
_TERM_OR = re.compile(rf"({_MARK.pattern})(?: {_KIND})?{_OR}{_LEAD}({_MARK.pattern})", re.IGNORECASE)
"""An `or` between two terms, which share the rest of their clause."""
_WORD_OR = re.compile(r"(?<![^\W_])([^\W_]+) (?:or|oder) ([^\W_]+)")

_IGNORED = frozenset(
    (
        # what a rubric says about an answer, and what kind of thing a term is
        f"{_ASK.replace('|', ' ')} answer response correct complete full command option flag parameter argument value"
        " name example use using used set setting enable adjust change number reason cause caused due occur occurs"
        " ensure specific such"
        # English
        " a an and are as at be been being both but by can could do does each either for from had has have how if in"
        " into is it its may might must need needs of on or other out shall should so some than that the their them"
        " then there these they this those to too up was were what when where which while who why will with would you"
        " your"
        # German
        " der die das den dem des ein eine einen einem einer und oder ist sind wird werden mit von zu zum zur im für"
        " auf dass nennt erwähnt erklärt gibt"
        # Japanese and Chinese: mention, explain, use
        " 言及 説明 使用 提到 说明 解释 给出 建议"
    ).split()
)
"""Words that say nothing about whether a criterion is met; terms are never taken from here."""

_AROUND = "()[]{}\"'`*=|,;:!?"
"""What may stand around a part without belonging to it; a dash in front makes an option, `C++` ends in pluses."""

_PHRASE_WORDS = 4
"""A quotation of this many words, none of them a name, is a sentence: answers put it into other words."""


@lru_cache(maxsize=4096)
def parse_criterion(text: str) -> CriterionParts:
    """Return `text` taken apart; cached, because every system's answer is held against the same criteria."""
    evened = _on_one_line(even(_FENCE.sub("```", text)))
    negation = _NEGATED.match(evened)
    if negation:
        evened = evened[negation.end() :]
    evened, placeholders = cut_placeholders(evened)
    marked, found = _mark(evened, placeholders)
    ways = (_alternative(way, found) for clause in _CLAUSE_OR.split(marked) for way in _ways(clause))
    alternatives = tuple(way for way in ways if way.terms or way.bounds or way.words)
    return CriterionParts(
        alternatives=alternatives or (Alternative(words=_words(evened, frozenset())),),
        is_negated=negation is not None,
    )


def _mark(text: str, placeholders: Mapping[str, Bound | None]) -> tuple[str, list[Term | Bound]]:
    """Return `text` with a mark in place of each term and bound, and these in the order of their marks."""
    found: list[Term | Bound] = []

    def keep(value: Term | Bound) -> str:
        found.append(value)
        return f" {chr(_FIRST_MARK + len(found) - 1)} " if len(found) <= _MARK_COUNT else " "

    def keep_quoted(match: re.Match[str]) -> str:
        quoted = next(filter(None, match.groups())).strip()
        return f" {quoted} " if _is_phrase(quoted) else keep(_term(quoted, placeholders))

    text = _QUOTED.sub(keep_quoted, text)
    text = BOUND.sub(lambda match: keep(read_bound(match)), text)
    text = _BARE_TERM.sub(lambda match: keep(_term(match[0], placeholders)), text)
    return _on_one_line(text), found


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _is_phrase(quoted: str) -> bool:
    return len(split_words(quoted)) >= _PHRASE_WORDS and not _BARE_TERM.search(quoted)


def _term(text: str, placeholders: Mapping[str, Bound | None]) -> Term:
    parts: list[Part] = []
    for piece in _GAP.sub(" ", text.casefold()).split():
        name = next((name for name in placeholders if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", piece, re.I)), "")
        core = (piece.replace(name.casefold(), " ") if name else piece).strip(f"{_AROUND} ").rstrip(".")
        if re.search(r"\w", core):
            parts.append(Part(text=core, bound=exactly(core)))
        bound = placeholders.get(name)
        if bound:
            parts.append(Part(text=name, bound=bound))
    return Term(text=text, parts=tuple(parts))


def _ways(clause: str) -> list[str]:
    """Return the clause once for each of two terms with an `or` between them."""
    found = _TERM_OR.search(clause)
    if found is None:
        return [clause]
    before, behind = clause[: found.start()], clause[found.end() :]
    return [f"{before} {term} {behind}" for term in found.groups()]


def _alternative(clause: str, found: list[Term | Bound]) -> Alternative:
    marked = [found[ord(mark) - _FIRST_MARK] for mark in _MARK.findall(clause)]
    return Alternative(
        terms=tuple(dict.fromkeys(mark for mark in marked if isinstance(mark, Term) and mark.parts)),
        bounds=tuple(mark for mark in marked if isinstance(mark, Bound)),
        words=_words(_MARK.sub(" ", clause), _IGNORED),
    )


def _words(text: str, ignored: frozenset[str]) -> tuple[Word, ...]:
    """Return the words of `text` that are not `ignored`, each once."""
    folded = text.casefold()
    pairs = {word: pair.groups() for pair in _WORD_OR.finditer(folded) for word in pair.groups()}
    groups = dict.fromkeys(pairs.get(word, (word,)) for word in split_words(folded) if word not in ignored)
    return tuple(Word(text=" or ".join(group), stems=tuple(map(stem, group))) for group in groups)
