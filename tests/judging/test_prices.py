from __future__ import annotations

import json
import secrets
import socket
import subprocess
import sys

import pytest

from grader.judging import prices
from grader.judging.prices import Price, count_tokens, find_price, most_tokens
from grader.records import NONCE_PLACEHOLDER, Item, Prompt, Usage


def test_a_price_is_found_with_and_without_the_provider() -> None:
    price = find_price("gpt-4o")
    assert price is not None
    assert find_price("openai/gpt-4o") == price
    assert 0 < price.prompt_usd < price.completion_usd < 0.001


@pytest.mark.parametrize("model", ["openai/my-own", "", "/", "no-such-model", "openai/"])
def test_an_unknown_model_has_no_price(model: str) -> None:
    assert find_price(model) is None


@pytest.mark.parametrize("indent", [4, None])
def test_a_model_that_is_not_paid_by_token_has_no_price(indent: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    table = {
        "a": {"input_cost_per_second": 1},
        "b": {"input_cost_per_token": 0.5},
        "c": {"input_cost_per_token": 0.0, "output_cost_per_token": 0.0},
    }
    monkeypatch.setattr(prices, "_price_file", lambda: json.dumps(table, indent=indent).encode())
    prices._price_map.cache_clear()
    assert find_price("a") is None
    assert find_price("b") == Price(prompt_usd=0.5, completion_usd=0)
    assert find_price("c") == Price(prompt_usd=0, completion_usd=0)
    prices._price_map.cache_clear()


def test_what_a_call_costs() -> None:
    price = Price(prompt_usd=2.5e-6, completion_usd=1e-5)
    assert price.cost_usd(Usage(prompt_tokens=1000, completion_tokens=100)) == pytest.approx(0.0035)


TEXTS = [
    "",
    "a",
    "hello world",
    "full-width：１００",
    "走る" * 50,
    "🚀👩\u200d🚀",
    "<|endoftext|>",
    "\ud800",
    "x" * 1000,
    "\x00\x01",
]


@pytest.mark.parametrize("text", TEXTS)
def test_no_text_has_more_tokens_than_the_bound(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("the tokenizer went to the network"))
    messages = [{"role": "user", "content": text}, {"role": "user", "content": ""}]
    assert 8 <= count_tokens(messages) <= most_tokens(messages)


def test_the_bound_counts_nonces_as_they_are_sent() -> None:
    texts = (f"<answer-{NONCE_PLACEHOLDER}>\n走る\n</answer-{NONCE_PLACEHOLDER}>", "plain")
    messages = tuple({"role": "user", "content": text} for text in texts)
    sent = Prompt(item=Item(id="1", system="s", answer="a"), messages=messages).with_nonce(secrets.token_hex(4))
    assert most_tokens(messages) == most_tokens(sent) > sum(len(each["content"].encode()) for each in sent)


def test_tokens_are_counted_as_openais_models_do() -> None:
    assert count_tokens([{"role": "user", "content": "hello world"}]) == 2 + 4


def test_litellm_is_not_imported_for_prices() -> None:
    code = (
        "import sys; from grader.judging.prices import find_price, count_tokens; find_price('gpt-4o');"
        "count_tokens([{'content': 'x'}]); sys.exit('litellm' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


def test_entries_are_read_as_the_whole_file_has_them() -> None:
    names = ["gpt-4o", *list(prices._price_map())[::97]]
    assert [prices.describe_model(name) for name in names] == [prices._price_map()[name] for name in names]
    assert prices.describe_model("no such model") == {}
