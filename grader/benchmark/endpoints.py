"""Says where each model of a benchmark is called, by which key, and how many calls at once; makes no call itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from grader.benchmark.settings import BenchmarkSettings
from grader.errors import GraderError, JudgeError
from grader.judging.judges import OFFLINE, is_local
from grader.judging.prices import Price, find_price
from grader.judging.stopping import StoppedEarly
from grader.records import JudgeSettings

ROLES = ("WORKER", "ACCURACY_JUDGE", "INTEGRITY_JUDGE")
_CHAT_PATH = "/chat/completions"
_OPENROUTER = "openrouter.ai"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEndpoint:
    """One model in one role, and the endpoint that it shares with others of the same address or provider."""

    name: str
    """As the settings call the model, such as `internlm/x`."""
    endpoint: str
    """What shares one budget of concurrent calls."""
    role: str
    """One of `ROLES`."""
    judge: JudgeSettings
    price: Price | None = field(default=None)

    @property
    def is_offline(self) -> bool:
        """Whether it only matches text."""
        return self.name == OFFLINE

    @property
    def is_priced(self) -> bool:
        """Whether what it costs is known."""
        return self.price is not None or is_local(self.judge.model)


def model_endpoint(settings: BenchmarkSettings, role: str, name: str) -> ModelEndpoint:
    """Return how the model `name` is called in `role`, one of `ROLES`."""
    url = _base(getattr(settings, f"{role}_API_URL").strip())
    api_base = None if is_local(name) or not url else url
    is_worker = role == "WORKER"
    return ModelEndpoint(
        name=name,
        role=role,
        endpoint=api_base or name.partition("/")[0],
        judge=JudgeSettings(
            model=f"openai/{name}" if api_base else name,
            api_base=api_base,
            temperature=settings.WORKER_TEMPERATURE if is_worker else 0.0,
            timeout_seconds=settings.REQUEST_TIMEOUT_SECONDS,
            api_key=getattr(settings, f"{role}_API_TOKEN").strip() or None,
            headers=_headers(settings, api_base),
        ),
        price=_price(settings, name),
    )


def _base(url: str) -> str:
    """Return the address that a client adds its path to, whether or not the settings gave that path."""
    return url.rstrip("/").removesuffix(_CHAT_PATH).rstrip("/")


def _headers(settings: BenchmarkSettings, api_base: str | None) -> Mapping[str, str]:
    host = urlsplit(api_base or "").hostname or ""
    if host != _OPENROUTER and not host.endswith(f".{_OPENROUTER}"):
        return {}
    named = {"HTTP-Referer": settings.OPENROUTER_HTTP_REFERER, "X-Title": settings.OPENROUTER_X_TITLE}
    return {name: value for name, value in named.items() if value.strip()}


def _price(settings: BenchmarkSettings, name: str) -> Price | None:
    if name in settings.PRICES:
        prompt_usd, completion_usd = settings.PRICES[name]
        return Price(prompt_usd=prompt_usd / 1e6, completion_usd=completion_usd / 1e6)
    return None if is_local(name) else find_price(name)


def outage(endpoint: ModelEndpoint, error: Exception) -> GraderError:
    """Return the error of a model that cannot be called, told in the words of the settings."""
    reason = str(error).removeprefix(f"{endpoint.judge.model}: ")
    message = f"{endpoint.role}: the model {endpoint.name} cannot be called: {reason}"
    start = endpoint.role
    hint = f"Check {start}_API_URL, {start}_API_TOKEN and the model's name in the settings, then run it again."
    if isinstance(error, StoppedEarly):
        return StoppedEarly(message, hint=hint)
    return JudgeError(message, retryable=False, hint=hint)


def concurrent_calls(settings: BenchmarkSettings, combination_count: int, most: int) -> int:
    """Return how many calls an endpoint may get at once.

    All combinations run side by side, so it is MAX_CONCURRENT_ITEMS_PER_COMBO for each of them, and never above `most`.
    """
    return max(1, min(most, settings.MAX_CONCURRENT_ITEMS_PER_COMBO * combination_count))


def all_endpoints(settings: BenchmarkSettings, models: Sequence[str]) -> tuple[ModelEndpoint, ...]:
    """Return the endpoints of the worker `models` and of both judges."""
    return (
        *(model_endpoint(settings, "WORKER", model) for model in models),
        model_endpoint(settings, "ACCURACY_JUDGE", settings.ACCURACY_JUDGE_MODEL_ID),
        model_endpoint(settings, "INTEGRITY_JUDGE", settings.INTEGRITY_JUDGE_MODEL_ID),
    )
