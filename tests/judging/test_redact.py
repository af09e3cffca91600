from __future__ import annotations

import pytest

from grader.judging.redact import redact


@pytest.mark.parametrize(
    "name", ["OPENAI_API_KEY", "HF_TOKEN", "AWS_SECRET", "DB_PASSWORD", "my_api_key", "GOOGLE_APPLICATION_CREDENTIALS"]
)
def test_values_of_secret_variables_are_taken_out_wherever_they_stand(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "canary 01/23+")
    assert redact("x=canary 01/23+, again:canary 01/23+.") == "x=[redacted], again:[redacted]."


def test_other_variables_and_values_too_short_to_be_keys_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "canary-0123456789")
    monkeypatch.setenv("SHORT_KEY", "the")
    assert redact("the canary-0123456789") == "the canary-0123456789"


def test_of_two_secrets_one_within_the_other_nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "canary01")
    monkeypatch.setenv("B_KEY", "canary01canary02")
    assert redact("canary01canary02") == "[redacted]"


@pytest.mark.parametrize(
    "key",
    [
        "sk-abcdefgh12345678",
        "sk-proj-abc_DEF-12345678",
        "sk-ant-api03-abcdefgh",
        "sk-****************abcd",
        "gsk_abcdefgh12345678",
        "hf_abcdefgh12345678",
        "AIzaSyA0123456789abcdefghijkl",
        "Bearer abcdefgh.ijkl-mnop~1/2+3=",
        "bearer abcdefgh12345678",
    ],
)
def test_what_looks_like_a_key_is_taken_out_though_nobody_knows_it(key: str) -> None:
    assert redact(f"You sent '{key}'.") == "You sent '[redacted]'."


@pytest.mark.parametrize(
    "text", ["", "The task-force met.", "sk-short", "a bearer of news", "risk-assessment-plan", "key"]
)
def test_ordinary_words_are_left(text: str) -> None:
    assert redact(text) == text
