"""Takes keys out of texts that are shown or kept, by their value and by their look; knows no provider."""

from __future__ import annotations

import os
import re
from functools import lru_cache

_SECRET_NAME = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
_LOOKS_LIKE_KEY = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|AIza|key|nvapi|r8)[-_][A-Za-z0-9_\-*]{8,}|\bAIza[A-Za-z0-9_\-]{20,}"
    r"|(?i:\bbearer\s+)[A-Za-z0-9._~+/=\-]{8,}"
    r"|(?<=://)[^/@\s\"]+:[^/@\s\"]+(?=@)"
)
_SHORTEST_SECRET = 8  # anything shorter would blot out ordinary words


def redact(text: str) -> str:
    """Return `text` with every key from the environment, and whatever looks like one, replaced by `[redacted]`."""
    for secret in _secrets(tuple(sorted(os.environ.items()))):
        text = text.replace(secret, "[redacted]")
    return _LOOKS_LIKE_KEY.sub("[redacted]", text)


@lru_cache(maxsize=4)
def _secrets(environment: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    values = {value for name, value in environment if _SECRET_NAME.search(name) and len(value) >= _SHORTEST_SECRET}
    return tuple(sorted(values, key=len, reverse=True))
