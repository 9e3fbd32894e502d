"""Token figures, whoever reported them, in one set of words.

Unknown stays `None`: a provider that said nothing about reasoning is not a
provider that said zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one call used.

    `input_tokens` counts everything that was sent, cached or not, and
    `output_tokens` everything that was produced, reasoning included, so that
    providers that split these figures and providers that nest them compare.
    What an embedder read is `embedding_tokens` and in no other figure.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    audio_input_tokens: int | None = None
    audio_output_tokens: int | None = None
    embedding_tokens: int | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)

    @property
    def known(self) -> bool:
        """Whether any figure was reported at all."""
        return any(getattr(self, name) is not None for name in FIGURES)


FIGURES: tuple[str, ...] = tuple(each.name for each in fields(Usage) if each.name != "raw")

# Where each figure stands, in the words of those who report it; the first one counts.
# OpenAI chat completions and Haystack's own words, OpenAI responses and Anthropic,
# Bedrock, Google (its API and its SDK), Cohere, Ollama.
_INPUT = (
    "prompt_tokens", "input_tokens", "inputTokens", "promptTokenCount", "prompt_token_count",
    "tokens.input_tokens", "billed_units.input_tokens", "prompt_eval_count",
)  # fmt: skip
_OUTPUT = (
    "completion_tokens", "output_tokens", "outputTokens", "candidatesTokenCount",
    "candidates_token_count", "tokens.output_tokens", "billed_units.output_tokens", "eval_count",
)  # fmt: skip
_TOTAL = ("total_tokens", "totalTokens", "totalTokenCount", "total_token_count")
_CACHED = (
    "prompt_tokens_details.cached_tokens", "input_tokens_details.cached_tokens",
    "cache_read_input_tokens", "cacheReadInputTokens", "cachedContentTokenCount",
    "cached_content_token_count", "cached_tokens", "prompt_cache_hit_tokens",
)  # fmt: skip
_CACHE_WRITTEN = (
    "cache_creation_input_tokens", "cache_write_input_tokens", "cacheWriteInputTokens",
    "prompt_tokens_details.cache_write_tokens",
)  # fmt: skip
_REASONING = (
    "completion_tokens_details.reasoning_tokens", "output_tokens_details.reasoning_tokens",
    "thoughtsTokenCount", "thoughts_token_count", "reasoning_tokens",
)  # fmt: skip
_AUDIO_IN = ("prompt_tokens_details.audio_tokens", "input_tokens_details.audio_tokens")
_AUDIO_OUT = ("completion_tokens_details.audio_tokens", "output_tokens_details.audio_tokens")
_TOOL_PROMPT = ("toolUsePromptTokenCount", "tool_use_prompt_token_count")

_ANTHROPIC = frozenset({"cache_creation_input_tokens", "cache_read_input_tokens"})
_BEDROCK = frozenset({"cacheReadInputTokens", "cacheWriteInputTokens", "cache_write_input_tokens"})
_GOOGLE = frozenset({"thoughtsTokenCount", "thoughts_token_count"})


def recorded_usage(tree: Mapping[str, Any]) -> Usage:
    """Return the usage that a span holds: already normalised when it was written."""
    raw = tree.get("raw")
    words = raw if isinstance(raw, dict) else {}
    figures: dict[str, Any] = {name: _count(tree[name]) for name in FIGURES if name in tree}
    if words and all(figure is None for figure in figures.values()):
        return normalise_usage(words) or Usage(raw=words)
    return Usage(**figures, raw=words)


def normalise_usage(raw: Mapping[str, Any], *, provider: str | None = None) -> Usage | None:
    """Return what a provider reported in our words, or None where it reported nothing.

    Args:
        raw: The figures as the provider, or Haystack's integration for it, gives them.
        provider: Its name, where known; settles what the words alone leave open.

    """
    said_input, said_output = _first(raw, _INPUT), _first(raw, _OUTPUT)
    said_total = _first(raw, _TOTAL)
    if not any(_is_said(raw, place) for place in _OUTPUT):
        # Nobody who answers leaves out the answer: this is an embedder or a ranker.
        read = said_total if said_input is None else said_input
        return None if read is None else Usage(embedding_tokens=read, raw=raw)
    cached, written = _first(raw, _CACHED), _first(raw, _CACHE_WRITTEN)
    reasoning = _first(raw, _REASONING)
    total_input, total_output = said_input, said_output
    if total_input is not None and _keeps_cache_outside(raw, provider, total_input):
        total_input += (cached or 0) + (written or 0)
    if total_input is not None:
        total_input += _first(raw, _TOOL_PROMPT) or 0
    if total_output is not None and reasoning and _keeps_thoughts_outside(raw, provider):
        total_output += reasoning
    if total_input is not None and total_output is not None:
        # The parts are certain; what providers call the total leaves out some of them.
        said_total = max(said_total or 0, total_input + total_output)
    usage = Usage(
        input_tokens=total_input,
        output_tokens=total_output,
        total_tokens=said_total,
        cached_input_tokens=cached,
        cache_write_tokens=written,
        reasoning_tokens=reasoning,
        audio_input_tokens=_first(raw, _AUDIO_IN),
        audio_output_tokens=_first(raw, _AUDIO_OUT),
        raw=raw,
    )
    return usage if usage.known else None


def total(usages: Iterable[Usage]) -> Usage | None:
    """Return the sum; a figure that nobody reported stays unknown."""
    sums: dict[str, Any] = {}
    for usage in usages:
        for name in FIGURES:
            if (figure := getattr(usage, name)) is not None:
                sums[name] = sums.get(name, 0) + figure
    return Usage(**sums) if sums else None


def _keeps_cache_outside(raw: Mapping[str, Any], provider: str | None, said: int) -> bool:
    """Whether cached tokens come on top of the input that was reported."""
    cached = (_first(raw, _CACHED) or 0) + (_first(raw, _CACHE_WRITTEN) or 0)
    if not cached:
        return False
    if raw.keys() & _BEDROCK or "bedrock" in (provider or ""):
        return True
    if raw.keys() & _ANTHROPIC:
        # Anthropic itself keeps them apart; Haystack's integration folds them in when it
        # renames the figures, in its newer versions.
        return "prompt_tokens" not in raw or cached > said
    return False


def _keeps_thoughts_outside(raw: Mapping[str, Any], provider: str | None) -> bool:
    return bool(raw.keys() & _GOOGLE) or (
        "google" in (provider or "") and "completion_tokens_details" not in raw
    )


def _first(raw: Mapping[str, Any], places: tuple[str, ...]) -> int | None:
    for place in places:
        if (count := _count(_at(raw, place))) is not None:
            return count
    return None


def _is_said(raw: Mapping[str, Any], place: str) -> bool:
    above, _, key = place.rpartition(".")
    inside = raw.get(above) if above else raw
    return isinstance(inside, Mapping) and key in inside


def _at(raw: Mapping[str, Any], place: str) -> Any:
    above, _, key = place.rpartition(".")
    inside = raw.get(above) if above else raw
    return inside.get(key) if isinstance(inside, Mapping) else None


def _count(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if 0 <= value < 2**53 else None
    # Cohere counts in floats.
    if isinstance(value, float) and 0 <= value < 2**53:
        return int(value)
    return None
