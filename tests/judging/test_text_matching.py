from __future__ import annotations

import time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from grader.judging.criterion_parts import parse_criterion
from grader.judging.text_matching import match_criterion
from grader.judging.text_tokens import fold, read_text, split_words, stem


@pytest.mark.parametrize(
    ("criterion", "answer"),
    [
        pytest.param('mention the option "-depth"', "Pass `-depth 3` to it.", id="quoted option"),
        pytest.param("mention the --dry-run flag", "Try it with --dry-run first.", id="bare option, two dashes"),
        pytest.param('mention the "-depth" option', "Set the `depth` parameter.", id="option named without its dash"),
        pytest.param("mention max_open_files", "Raise MAX_OPEN_FILES.", id="case"),
        pytest.param("use set_log_retention", "Run set_log_retenton 5 now.", id="misspelt name"),
        pytest.param(
            "give the command `copy_tree -to /srv -quiet`",
            "Run `copy_tree -quiet -verbose -to /srv`.",
            id="options in another order",
        ),
        pytest.param("give the command `save_plot <file> -dpi 300`", "save_plot a.png -dpi 300", id="gap to fill"),
        pytest.param(
            'give "resize -to N" (N is a number greater than 640)',
            "Use resize -to 800.",
            id="placeholder within bounds",
        ),
        pytest.param('give "resize ^" (^ indicates an integer at most 10)', "resize 9", id="placeholder, at most"),
        pytest.param('give "resize X" (X is any number)', "resize 9", id="placeholder without a bound"),
        pytest.param("set `-ratio` to less than 2", "Put -ratio at 1.5 or so.", id="bound in the wording"),
        pytest.param("say the width is 0.4u", "Its width is 0.40 u.", id="number with a unit"),
        pytest.param("say that 12,000 rows are read", "It reads 12000 rows.", id="thousands"),
        pytest.param("mention `-a1` or `-b2`", "Use -b2.", id="either term"),
        pytest.param("mention the option `-a1` or the option `-b2`", "Use -a1.", id="either option"),
        pytest.param("mention caching, or give the command `warm_up`", "Run warm_up.", id="either clause"),
        pytest.param("mention caching or say `warm_up`", "It helps if caching is on.", id="either clause, no comma"),
        pytest.param('mention caching or "-cache" in the answer', "Switch caching on.", id="word or term"),
        pytest.param("suggest longer rows or columns", "Make the columns longer.", id="either word"),
        pytest.param(
            "explain that the number of legs must be even",
            "Every animal is checked. Legs have to come in pairs, so an even count of legs is needed.",
            id="wording",
        ),
        pytest.param(
            'explain the error "the file could not be opened for writing"',
            "The error says that opening the file for writing failed.",
            id="quoted sentence in other words",
        ),
        pytest.param("「保存先」を指定すると説明する", "保存先を設定で指定すればよい。", id="Japanese"),
        pytest.param("説明缓存大小会影响性能", "缓存大小对性能会影响很大。", id="Chinese"),
        pytest.param("erwähnt, dass die Größe „2048“ zu klein ist", "Die Größe 2048 ist zu klein.", id="German"),
        pytest.param("nennt mindestens 3 Gründe", "Es gibt 4 Gründe.", id="German bound"),
        pytest.param("mention ｍａｘ＿ｓｉｚｅ", "Use max_size.", id="full width"),
        pytest.param("use C++", "It is written in C++.", id="name that ends in punctuation"),
        pytest.param("does not mention `rm_all`", "Delete the folder by hand.", id="negated"),
        pytest.param("must not suggest a reinstall", "Restart it.", id="negated wording"),
        pytest.param("use", "They use it.", id="nothing but a word that says little"),
        pytest.param("ひらがな", "ひらがな", id="hiragana alone"),
    ],
)
def test_is_met(criterion: str, answer: str) -> None:
    assert match_criterion(criterion, answer).is_met


@pytest.mark.parametrize(
    ("criterion", "answer"),
    [
        pytest.param('mention the option "-depth"', "The depth of the tree matters.", id="option as a plain word"),
        pytest.param("mention the `-pin` flag", "Use -pin_names for it.", id="part of another option"),
        pytest.param("mention read_file", "Call read_files.", id="another name, one letter apart"),
        pytest.param("mention `read_file`", "You read file by file.", id="name as plain words"),
        pytest.param("mention make_index", "See make_index_2.", id="name inside another"),
        pytest.param(
            "give the command `copy_tree -to /srv -quiet`",
            "Run `copy_tree -to /srv`.",
            id="command with a part missing",
        ),
        pytest.param(
            "give the command `copy_tree -to /srv`",
            f"Run copy_tree. {'Then wait. ' * 30}-to /srv",
            id="scattered command",
        ),
        pytest.param('give "resize -to N" (N is a number greater than 640)', "Use resize -to 320.", id="out of bounds"),
        pytest.param("say that it takes 12 hours", "It takes 120 hours.", id="another number"),
        pytest.param("mention `-a1` and `-b2`", "Use -b2.", id="one of two terms"),
        pytest.param(
            "use `fetch` with `-depth`, `-quiet`, `-jobs`", "-depth, -quiet and -jobs help.", id="term missing"
        ),
        pytest.param(
            "explain that the number of legs must be even", "The error is about legs. Check the file.", id="wording"
        ),
        pytest.param("does not mention `rm_all`", "Call rm_all.", id="negated"),
        pytest.param("「保存先」を指定すると説明する", "設定を確認してください。", id="Japanese"),
        pytest.param("", "Anything.", id="empty criterion"),
        pytest.param("???", "Anything.", id="criterion without words"),
        pytest.param("does not mention `rm_all`", "", id="empty answer, negated"),
    ],
)
def test_is_not_met(criterion: str, answer: str) -> None:
    assert not match_criterion(criterion, answer).is_met


def test_a_term_of_the_question_is_weaker_evidence() -> None:
    criterion, answer = "use `open_gate` when horses arrive", "open_gate is a command."
    assert match_criterion(criterion, answer).is_met
    assert not match_criterion(criterion, answer, question="Why does open_gate fail?").is_met


def test_wording_is_looked_up_in_neighbouring_sentences_only() -> None:
    criterion = "explain that frozen pipes burst in winter"
    filler = "Nothing else happens. " * 3
    assert match_criterion(criterion, "Frozen water widens. The pipes burst then.").is_met
    assert not match_criterion(
        criterion, f"Frozen food is good. {filler}Pipes are long. {filler}Winter is cold."
    ).is_met


def test_says_what_was_found_and_what_is_missing() -> None:
    match = match_criterion(
        "use `sort_rows` with `-by`, `-top 5` and max_rows", "sort_rows -by name, top; the max rows -top"
    )
    assert match.found == ("sort_rows", "-by")
    assert match.partly == ("-top 5", "max_rows")
    assert match.missing == ()
    assert 0 < match.coverage < 1
    assert match_criterion("mention `sort_rows`", "No idea.").missing == ("sort_rows",)
    assert match_criterion("never mention `sort_rows`", "sort_rows").is_negated


def test_terms_keep_the_case_of_the_criterion() -> None:
    assert match_criterion("mention README_FIRST", "See readme_first.").found == ("README_FIRST",)


def test_more_terms_than_there_are_marks_are_left_out() -> None:
    assert len(parse_criterion(" ".join(f"a_{n}" for n in range(7000))).alternatives[0].terms) == 6400


def test_characters_used_as_marks_are_harmless_in_a_criterion() -> None:
    assert match_criterion("mention \ue000\ue001 or `read_me`", "read_me").is_met


def test_words_of_cjk_are_pairs_without_bare_hiragana() -> None:
    assert split_words("配線を行うこと ab") == ("配線", "線を", "を行", "行う", "ab")
    assert split_words("字") == ("字",)


@pytest.mark.parametrize(
    "family", ["place placed placing places placement", "connect connected connections connecting"]
)
def test_forms_of_a_word_share_a_stem(family: str) -> None:
    assert len(set(map(stem, family.split()))) == 1


def test_short_words_keep_their_endings() -> None:
    assert stem("ring") == "ring"


def test_dashes_and_quotes_are_evened_out() -> None:
    assert fold("“A” – b\u200b’s") == '"a" - b\'s'
    assert read_text("One. Two!\nSix。四").sentences == tuple(map(frozenset, (["one"], ["two"], ["six"], ["四"])))


texts = st.text(max_size=60) | st.text("ab_-\"'`(){}<>^ 12.,or\n」「ー字か", max_size=60)


@given(criterion=texts, answer=texts, question=texts)
def test_no_text_raises(criterion: str, answer: str, question: str) -> None:
    match = match_criterion(criterion, answer, question=question)
    assert 0 <= match.coverage <= 1


@given(criterion=texts, before=st.sampled_from(["", "It says: "]))
def test_an_answer_that_repeats_the_criterion_meets_it(criterion: str, before: str) -> None:
    assume(fold(criterion).strip())
    assume(not parse_criterion(criterion).is_negated)
    assert match_criterion(criterion, before + criterion + " ").is_met


@given(criterion=texts, answer=st.text(" \n\t\u3000\u200b", max_size=5))
def test_an_empty_answer_meets_nothing(criterion: str, answer: str) -> None:
    assert not match_criterion(criterion, answer).is_met


@pytest.mark.parametrize("unit", ["a", "_", "a_", "1.", "字", "-", "<", '"', "or ", "`a`,"])
def test_long_texts_take_no_time(unit: str) -> None:
    text = unit * (20_000 // len(unit))
    start = time.process_time()
    match_criterion("mention a_b `-c d` 5", text)
    match_criterion(text, "no")
    assert time.process_time() - start < 2
