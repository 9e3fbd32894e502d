"""Token figures, whoever reported them, in one set of words.

Unknown stays `None`: a provider that said nothing about reasoning is not a
provider that said zero.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one call used.

    `input_tokens` counts everything that was sent, cached or not, and
    `output_tokens` everything that was produced, reasoning included, so that
    providers that split these figures and providers that nest them compare.
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


def recorded_usage(tree: Mapping[str, Any]) -> Usage:
    """Return the usage that a span holds: already normalised when it was written."""
    raw = tree.get("raw")
    words = raw if isinstance(raw, dict) else {}
    figures = {name: _count(tree.get(name)) for name in FIGURES}
    if words and all(figure is None for figure in figures.values()):
        return normalise_usage(words) or Usage(raw=words)
    return Usage(**figures, raw=words)


# Where each figure stands, by the words of those who report it. Dots descend.
_INPUT = ("prompt_tokens", "input_tokens", "inputTokens", "promptTokenCount", "prompt_token_count",
          "prompt_eval_count")  # fmt: skip


def normalise_usage(raw: Mapping[str, Any], *, provider: str | None = None) -> Usage | None:
    """Return what a provider reported in our words, or None where it reported nothing."""
    figures = {"input_tokens": next((n for k in _INPUT if (n := _count(raw.get(k))) is not None), None),
               "output_tokens": _count(raw.get("completion_tokens", raw.get("output_tokens"))),
               "total_tokens": _count(raw.get("total_tokens"))}  # fmt: skip
    usage = Usage(**figures, raw=raw)
    return usage if usage.known else None


def total(usages: Iterable[Usage]) -> Usage | None:
    """Return the sum; a figure that nobody reported stays unknown."""
    sums: dict[str, int] = {}
    for usage in usages:
        for name in FIGURES:
            if (figure := getattr(usage, name)) is not None:
                sums[name] = sums.get(name, 0) + figure
    return Usage(**sums) if sums else None


def _count(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value == value and abs(value) < 2**53:
        return int(value)
    return None
