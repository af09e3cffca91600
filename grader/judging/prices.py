"""What tokens cost and how many a text has, from the tables that LiteLLM ships, without importing LiteLLM."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from grader.records import NONCE_PLACEHOLDER, NONCE_STAND_IN, Message, Usage

_TOKENS_PER_MESSAGE = 4
"""Chat formats add about this many tokens around each message (OpenAI's counting guide)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars per token."""

    prompt_usd: float
    completion_usd: float

    def cost_usd(self, usage: Usage) -> float:
        """Return what a call of this size costs."""
        return usage.prompt_tokens * self.prompt_usd + usage.completion_tokens * self.completion_usd


def find_price(model: str) -> Price | None:
    """Return the list price of `model`, or `None` where LiteLLM's local price map does not know it.

    A name such as `openai/gpt-4o` is looked up as it is, then without its provider.
    """
    entry = describe_model(model) or describe_model(model.partition("/")[2])
    if entry.get("input_cost_per_token") is None:
        return None
    return Price(
        prompt_usd=float(entry["input_cost_per_token"]), completion_usd=float(entry.get("output_cost_per_token") or 0)
    )


def describe_model(name: str) -> Mapping[str, Any]:
    """Return what the price map says of a model, such as its `mode` and what it takes; empty where it is unknown."""
    text, quoted = _price_file(), json.dumps(name, ensure_ascii=False).encode("utf-8", "replace")
    if quoted not in text:
        return {}
    entry: Mapping[str, Any] = _entry_as_written(text, quoted) or _price_map().get(name) or {}
    return entry


def count_tokens(messages: Iterable[Message]) -> int:
    """Return how many tokens `messages` have by the tokenizer of OpenAI's models; other models count a little else."""
    encoding = _encoding()
    return sum(
        len(encoding.encode(message["content"], disallowed_special=())) + _TOKENS_PER_MESSAGE for message in messages
    )


def most_tokens(messages: Iterable[Message]) -> int:
    """Return a number of tokens that `messages` cannot exceed as sent: one a byte, since tokenizers split no finer."""
    texts = (message["content"].replace(NONCE_PLACEHOLDER, NONCE_STAND_IN) for message in messages)
    return sum(len(text.encode("utf-8", "replace")) + _TOKENS_PER_MESSAGE for text in texts)


def _entry_as_written(text: bytes, quoted_name: bytes) -> Mapping[str, Any] | None:
    """Return an entry found by its place in the file, which is indented: all of it takes ten times as long to parse."""
    head = b"\n    " + quoted_name + b": {"
    begin, end = text.find(head), text.find(b"\n    }", text.find(head))
    if begin < 0:
        return None
    entry: Mapping[str, Any] = json.loads(text[begin + len(head) - 1 : end] + b"}")
    return entry


@lru_cache(maxsize=1)
def _price_map() -> Mapping[str, Any]:
    prices: Mapping[str, Any] = json.loads(_price_file())
    return prices


def _price_file() -> bytes:
    return (_litellm_dir() / "model_prices_and_context_window_backup.json").read_bytes()


@lru_cache(maxsize=1)
def _encoding() -> Any:  # tiktoken.Encoding; the library is imported on first use
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(_litellm_dir() / "litellm_core_utils" / "tokenizers"))
    import tiktoken

    return tiktoken.get_encoding("cl100k_base")


def _litellm_dir() -> Path:
    spec = find_spec("litellm")
    if spec is None or spec.origin is None:  # pragma: no cover - a declared dependency
        raise ModuleNotFoundError("litellm is not installed")
    return Path(spec.origin).parent
