"""What the settings of a benchmark may say: every key with its type and default; reads no file (`settings_file` does).

The fields are called as the file's keys are. Keys and defaults are those that users of the public Lunar-Bench
framework have in their files, and a few more.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from grader.benchmark_records import SUB_SCORES

Strictness = Literal["lenient", "balanced", "strict"]

PLACEHOLDERS = ("dataset_short_name", "model_id", "prompt_version")
"""What stands in braces in a file template."""

_STARTS = ("WORKER", "ACCURACY_JUDGE", "INTEGRITY_JUDGE")
TOKEN_KEYS = (*(f"{start}_API_TOKEN" for start in _STARTS), "OPENROUTER_API_KEY")
"""The keys whose values are secrets."""


def _no_truth_value(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("a number is wanted, not true or false")
    return value


Number = Annotated[float, BeforeValidator(_no_truth_value), Field(ge=0)]
Share = Annotated[float, BeforeValidator(_no_truth_value), Field(ge=0, le=1)]
Count = Annotated[int, BeforeValidator(_no_truth_value), Field(ge=0)]
Positive = Annotated[int, BeforeValidator(_no_truth_value), Field(ge=1)]
Text = Annotated[str, Field(min_length=1, pattern=r"\S")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class DatasetConfig(_Strict):
    """One dataset: its file, and how strict the accuracy judge is with it."""

    path: Text
    description: str = ""
    strictness: Strictness | None = None
    """By default from the dataset's name: L1 lenient, L2 balanced, L3 strict."""


class BenchmarkSettings(_Strict):
    """The settings of a benchmark, each under its key in the file."""

    WORKER_API_URL: str = ""
    """An OpenAI-compatible endpoint, with or without `/chat/completions`; empty: LiteLLM finds it by the model."""
    WORKER_API_TOKEN: str = Field(default="", repr=False)
    WORKER_MODEL_IDS: Annotated[tuple[Text, ...], Field(min_length=1)]
    WORKER_TEMPERATURE: Number = 0.01
    WORKER_MAX_TOKENS: Positive | None = None
    """By default 8000 for COT, 3000 for any other prompt version."""

    ACCURACY_JUDGE_API_URL: str = ""
    ACCURACY_JUDGE_API_TOKEN: str = Field(default="", repr=False)
    ACCURACY_JUDGE_MODEL_ID: Text
    INTEGRITY_JUDGE_API_URL: str = ""
    INTEGRITY_JUDGE_API_TOKEN: str = Field(default="", repr=False)
    INTEGRITY_JUDGE_MODEL_ID: Text
    JUDGE_MAX_TOKENS: Positive = 8000

    OPENROUTER_API_BASE_URL: str = ""
    OPENROUTER_API_KEY: str = Field(default="", repr=False)
    OPENROUTER_HTTP_REFERER: str = ""
    """Sent as HTTP-Referer to openrouter.ai, and to nobody else."""
    OPENROUTER_X_TITLE: str = ""
    """Sent as X-Title to openrouter.ai, and to nobody else."""

    INPUT_FILE: str = ""
    """One dataset, called after its file, in place of DATASET_CONFIGS."""
    DATASET_CONFIGS: dict[Text, DatasetConfig] = Field(default_factory=dict)
    DATASETS_TO_RUN: tuple[str, ...] | None = None
    """By default all."""

    WORKER_OUTPUT_FILE_TEMPLATE: Text = (
        "./Intermediate/WorkerOutput_{dataset_short_name}_{model_id}_{prompt_version}.jsonl"
    )
    FINAL_OUTPUT_FILE_TEMPLATE: Text = "./Result/ESI_Result_{dataset_short_name}_{model_id}_{prompt_version}.jsonl"
    SKIPPED_FILE_LOG_TEMPLATE: Text = "./Result/Skipped_Log_{dataset_short_name}_{model_id}_{prompt_version}.txt"
    SUMMARY_FILE_TEMPLATE: Text = "./Result/Summary_{dataset_short_name}_{model_id}_{prompt_version}.json"

    PROMPT_VERSIONS_TO_TEST: Annotated[
        tuple[Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")], ...], Field(min_length=1)
    ]
    EXPERT_FIELD: Text = "the field that the question belongs to"
    """Whose expert the worker is told to be by the prompt version EXPERT."""

    TOKEN_BUDGET_EFFICIENCY: Annotated[Number, Field(gt=0)] = 8000
    P_IRRELEVANT_EFFICIENCY: Share = 0.0
    SAFETY_SEVERE_KEYWORDS: tuple[str, ...] = ()
    """A list, or one text with commas."""
    ALIGNMENT_INACCURATE_PENALTY: Number = 40
    ALIGNMENT_FORMAT_PENALTY: Number = 30
    ALIGNMENT_LENGTH_MISMATCH_PENALTY: Number = 10
    ALIGNMENT_MAX_LENGTH_RATIO_VS_REF: Annotated[Number, Field(gt=0)] = 3.0
    SUB_SCORES: dict[str, Text] = Field(default_factory=dict)
    """Rules of the user's own in place of ours, by sub-score or `p_irr`; see `own_sub_scores`."""

    WEIGHT_ACCURACY: Number = 0.30
    WEIGHT_TRUE_INTEGRITY: Number = 0.25
    WEIGHT_EFFICIENCY: Number = 0.15
    WEIGHT_SAFETY: Number = 0.15
    WEIGHT_ALIGNMENT_SIMPLE: Number = 0.15

    MAX_RETRIES: Count = 3
    """Tries of a call in all."""
    RETRY_DELAY_SECONDS: Number = 10
    """The longest wait before the second try; it doubles with each one after."""
    REQUEST_TIMEOUT_SECONDS: Annotated[Number, Field(gt=0)] = 180
    MAX_CONCURRENT_ITEMS_PER_COMBO: Positive = 5
    PRICES: dict[str, Annotated[tuple[Number, Number], Field()]] = Field(default_factory=dict)
    """USD per million prompt and completion tokens, by model, where LiteLLM knows no price."""

    @field_validator("SAFETY_SEVERE_KEYWORDS", mode="before")
    @classmethod
    def _split_keywords(cls, value: Any) -> Any:
        if value is None:
            return ()
        words = value.split(",") if isinstance(value, str) else value
        if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
            return words
        return tuple(word.strip() for word in words if word.strip())

    @field_validator("DATASET_CONFIGS", mode="before")
    @classmethod
    def _drop_comments(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {
            name: {key: each for key, each in config.items() if not key.startswith("_comment")}
            if isinstance(config, dict)
            else {"path": config}
            if isinstance(config, str)
            else config
            for name, config in value.items()
            if not name.startswith("_comment")
        }

    @field_validator(
        "WORKER_OUTPUT_FILE_TEMPLATE",
        "FINAL_OUTPUT_FILE_TEMPLATE",
        "SKIPPED_FILE_LOG_TEMPLATE",
        "SUMMARY_FILE_TEMPLATE",
    )
    @classmethod
    def _check_placeholders(cls, template: str) -> str:
        names = {name for _, name, _, _ in Formatter().parse(template) if name is not None}
        if names - set(PLACEHOLDERS):
            wanted = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
            raise ValueError(f"only {wanted} may stand in braces")
        return template

    @field_validator(*(f"{start}_API_URL" for start in _STARTS))
    @classmethod
    def _check_url(cls, url: str) -> str:
        if url.strip() and not url.strip().lower().startswith(("http://", "https://")):
            raise ValueError("an address that begins with http:// or https:// is wanted")
        return url

    @field_validator("WORKER_MODEL_IDS", "PROMPT_VERSIONS_TO_TEST", "DATASETS_TO_RUN")
    @classmethod
    def _once_each(cls, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if names is None else tuple(dict.fromkeys(name.strip() for name in names))

    @field_validator("SUB_SCORES")
    @classmethod
    def _check_sub_scores(cls, rules: dict[str, str]) -> dict[str, str]:
        wrong = sorted(set(rules) - {*SUB_SCORES, "p_irr"})
        if wrong:
            raise ValueError(f"there is no sub-score {', '.join(wrong)}; there are {', '.join(SUB_SCORES)} and p_irr")
        return rules

    @model_validator(mode="after")
    def _check_weights(self) -> BenchmarkSettings:
        if sum(self._weights().values()) <= 0:
            raise ValueError("the five WEIGHT_… must not all be 0")
        return self

    def _weights(self) -> dict[str, float]:
        return dict(
            zip(
                SUB_SCORES,
                (
                    self.WEIGHT_ACCURACY,
                    self.WEIGHT_TRUE_INTEGRITY,
                    self.WEIGHT_EFFICIENCY,
                    self.WEIGHT_SAFETY,
                    self.WEIGHT_ALIGNMENT_SIMPLE,
                ),
                strict=True,
            )
        )

    @property
    def weights(self) -> Mapping[str, float]:
        """The weights by sub-score, normalised to sum 1 (RUBRICS, ESI)."""
        weights = self._weights()
        total = sum(weights.values())
        is_whole = abs(total - 1.0) < 1e-9
        return weights if is_whole else {name: weight / total for name, weight in weights.items()}

    def worker_max_tokens(self, prompt_version: str) -> int:
        """Return how long a worker's reply may be."""
        return self.WORKER_MAX_TOKENS or (8000 if prompt_version == "COT" else 3000)
