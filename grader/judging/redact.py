"""Takes keys out of texts that are shown or kept, by their value and by their look; knows no provider."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import lru_cache

_SECRET_NAME = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
_LOOKS_LIKE_KEY = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|AIza|key|nvapi|r8)[-_][A-Za-z0-9_\-*]{8,}|\bAIza[A-Za-z0-9_\-]{20,}"
    r"|(?i:\bbearer\s+)[A-Za-z0-9._~+/=\-]{8,}"
    r"|(?<=://)[^/@\s\"]+:[^/@\s\"]+(?=@)"
)
_SHORTEST_SECRET = 8  # anything shorter would blot out ordinary words
_SHORTEST_IN_REPLY = 16  # a reply is what a score is read from: nothing but a key may be taken out of it


_KEPT_SECRETS: set[str] = set()


def keep_secret(*values: str) -> None:
    """Have values that did not come from the environment, such as a settings file's keys, taken out as those are."""
    _KEPT_SECRETS.update(value for value in values if len(value) >= _SHORTEST_SECRET)


def redact(text: str) -> str:
    """Return `text` with every known key, and whatever looks like one, replaced by `[redacted]`."""
    for secret in _known_secrets():
        text = text.replace(secret, "[redacted]")
    return _LOOKS_LIKE_KEY.sub("[redacted]", text)


def secrets_in_replies() -> tuple[str, ...]:
    """Return the keys to take out of replies: looked up once for all, since that takes longer than to read a reply."""
    return tuple(each for each in _known_secrets() if len(each) >= _SHORTEST_IN_REPLY or each in _KEPT_SECRETS)


def redact_reply(text: str, secrets: Sequence[str]) -> str:
    """Return a judge's reply without any of `secrets`; what only looks like a key may be a quote."""
    for secret in secrets:
        text = text.replace(secret, "[redacted]")
    return text


def _known_secrets() -> tuple[str, ...]:
    found = _secrets(tuple(sorted(os.environ.items())))
    return tuple(sorted({*found, *_KEPT_SECRETS}, key=len, reverse=True)) if _KEPT_SECRETS else found


@lru_cache(maxsize=4)
def _secrets(environment: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    values = {value for name, value in environment if _SECRET_NAME.search(name) and len(value) >= _SHORTEST_SECRET}
    return tuple(sorted(values, key=len, reverse=True))
