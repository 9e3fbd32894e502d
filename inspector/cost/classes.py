"""The tokens of one call by the class that has a price of its own.

`Usage` nests: input counts what was cached, output what was reasoned. A bill does not:
here each token is in exactly one class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspector.runfile.usage import Usage

INPUT = "input"
CACHED_INPUT = "cached_input"
CACHE_WRITE = "cache_write"
CACHE_WRITE_5M = "cache_write_5m"
CACHE_WRITE_1H = "cache_write_1h"
AUDIO_INPUT = "audio_input"
CACHED_AUDIO = "cached_audio"
OUTPUT = "output"
REASONING = "reasoning"
AUDIO_OUTPUT = "audio_output"
EMBEDDING = "embedding"
WEB_SEARCH = "web_search"
REQUEST = "request"

# Whose price counts where a class has none of its own. Audio has none to fall back to: it
# costs several times what text does, with those who do not list it, too.
FALLS_BACK_TO: dict[str, str] = {
    CACHED_INPUT: INPUT,
    CACHE_WRITE_5M: CACHE_WRITE,
    CACHE_WRITE_1H: CACHE_WRITE,
    CACHE_WRITE: INPUT,
    EMBEDDING: INPUT,
    REASONING: OUTPUT,
}
CLASSES: tuple[str, ...] = (
    INPUT, CACHED_INPUT, CACHE_WRITE, CACHE_WRITE_5M, CACHE_WRITE_1H, AUDIO_INPUT, CACHED_AUDIO,
    OUTPUT, REASONING, AUDIO_OUTPUT, EMBEDDING, WEB_SEARCH, REQUEST,
)  # fmt: skip

# Tiers that are the plain price; `auto` lets the provider choose, and this is its default.
_PLAIN_TIERS = frozenset({"default", "standard", "auto", "standard_only", "on_demand"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Billed:
    """What one call is billed for.

    `doubt` is a sentence where something that is billed is not known: then `counts` are
    the least it can be. `input_tokens` is all that was sent, which is what prices that
    depend on the length of a prompt go by.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    input_tokens: int = 0
    doubt: str = ""


def billed(usage: Usage) -> Billed:
    """Sort what a call reported into classes that do not overlap."""
    parts = list(_parts(usage.raw))
    counts: dict[str, int] = {}
    doubts: list[str] = []
    if usage.embedding_tokens is not None:
        counts[EMBEDDING] = usage.embedding_tokens
        return Billed(counts=counts, input_tokens=usage.embedding_tokens)
    sent, produced = _billed_units(parts) or (usage.input_tokens, usage.output_tokens)
    if sent is None:
        doubts.append("how many tokens were sent was not reported")
    else:
        _sort_input(usage, sent, parts, counts, doubts)
    if produced is None:
        doubts.append("how many tokens were produced was not reported")
    else:
        _sort_output(usage, produced, counts, doubts)
    if searches := _summed(parts, "server_tool_use", "web_search_requests"):
        counts[WEB_SEARCH] = searches
    counts[REQUEST] = max(1, len(parts))
    kept = {name: count for name, count in counts.items() if count or name in (INPUT, OUTPUT)}
    return Billed(counts=kept, input_tokens=sent or 0, doubt="; ".join(doubts))


def _sort_input(
    usage: Usage, sent: int, parts: list[Mapping[str, Any]], counts: dict[str, int],
    doubts: list[str],
) -> None:  # fmt: skip
    cached, written = usage.cached_input_tokens or 0, usage.cache_write_tokens or 0
    audio = usage.audio_input_tokens or _by_modality(parts, "prompt_tokens_details")
    cached_audio = 0
    if audio and cached:
        found = _cached_audio(parts)
        if found is None:
            # Any guess could make it dearer than it was; the sum has to be the least.
            doubts.append("how many of the cached tokens were audio was not reported")
            return
        cached_audio = min(found, cached, audio)
    plain = sent - cached - written - (audio - cached_audio)
    if plain < 0:
        doubts.append("more tokens were cached than were sent, by what was reported")
        return
    counts[INPUT] = plain
    counts[CACHED_INPUT] = cached - cached_audio
    counts[CACHED_AUDIO] = cached_audio
    counts[AUDIO_INPUT] = audio - cached_audio
    brief = _summed(parts, "cache_creation", "ephemeral_5m_input_tokens")
    long = _summed(parts, "cache_creation", "ephemeral_1h_input_tokens")
    if brief + long == written:
        counts[CACHE_WRITE_5M], counts[CACHE_WRITE_1H] = brief, long
    else:
        counts[CACHE_WRITE] = written


def _sort_output(usage: Usage, produced: int, counts: dict[str, int], doubts: list[str]) -> None:
    reasoned, spoken = usage.reasoning_tokens or 0, usage.audio_output_tokens or 0
    plain = produced - reasoned - spoken
    if plain < 0:
        doubts.append("more tokens were reasoned or spoken than produced, by what was reported")
        return
    counts[OUTPUT], counts[REASONING], counts[AUDIO_OUTPUT] = plain, reasoned, spoken


def context_of(
    llm: Mapping[str, Any] | None, raw: Mapping[str, Any], asked: Mapping[str, Any]
) -> dict[str, str]:
    """Return what selects other prices than the plain ones: batch, a service tier, a speed.

    What the reply says counts before what the call asked for. A batch is a way to submit
    calls, and no tier: some who report it among the tiers mean this all the same.

    Args:
        llm: What the span says of the model.
        raw: The provider's own words for the usage.
        asked: The call's `generation_kwargs`.

    """
    told, used = llm or {}, next(_parts(raw), {})
    context: dict[str, str] = {}
    tier = _first_word(used.get("service_tier"), told.get("service_tier"))
    tier = tier or _first_word(asked.get("service_tier"))
    if tier == "batch" or told.get("processing") == "batch":
        context["processing"] = "batch"
    elif tier and tier not in _PLAIN_TIERS:
        context["service_tier"] = tier
    speed = _first_word(used.get("speed"), told.get("speed"))
    if speed and speed != "standard":
        context["speed"] = speed
    return context


def tier_words(context: Mapping[str, str]) -> str:
    """Return how a context is called: `batch`, `flex tier`, `fast speed`."""
    words = {"processing": "", "service_tier": " tier", "speed": " speed"}
    return ", ".join(f"{value}{words.get(key, '')}" for key, value in context.items())


def _first_word(*values: Any) -> str:
    return next((value.lower() for value in values if isinstance(value, str) and value), "")


def _parts(raw: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the reports of a call: several where it was made of several."""
    parts = raw.get("parts")
    if isinstance(parts, list):
        yield from (part for part in parts if isinstance(part, Mapping))
    elif raw:
        yield raw


def _billed_units(parts: list[Mapping[str, Any]]) -> tuple[int | None, int | None] | None:
    """Return what a provider bills, where it says so: Cohere counts its own additions apart."""
    units = [
        part["billed_units"] for part in parts if isinstance(part.get("billed_units"), Mapping)
    ]
    if not units or len(units) != len(parts):
        return None
    sent = [_count(each.get("input_tokens")) for each in units]
    produced = [_count(each.get("output_tokens")) for each in units]
    return _added(sent), _added(produced)


def _added(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _summed(parts: list[Mapping[str, Any]], above: str, key: str) -> int:
    inside = (part.get(above) for part in parts)
    return sum(_count(each.get(key)) or 0 for each in inside if isinstance(each, Mapping))


def _by_modality(parts: list[Mapping[str, Any]], key: str) -> int:
    """Return the audio tokens of a list such as Google's, of counts by modality."""
    total = 0
    for part in parts:
        listed = part.get(key)
        for each in listed if isinstance(listed, list) else ():
            if isinstance(each, Mapping) and str(each.get("modality")).upper() == "AUDIO":
                total += _count(each.get("token_count")) or _count(each.get("tokenCount")) or 0
    return total


def _cached_audio(parts: list[Mapping[str, Any]]) -> int | None:
    """Return how many of the cached tokens were audio, where anybody says so."""
    if not parts:
        return None
    total = 0
    for part in parts:
        details = part.get("prompt_tokens_details") or part.get("input_tokens_details")
        split = details.get("cached_tokens_details") if isinstance(details, Mapping) else None
        if isinstance(split, Mapping):
            total += _count(split.get("audio_tokens")) or 0
        elif isinstance(part.get("cache_tokens_details"), list):
            total += _by_modality([part], "cache_tokens_details")
        else:
            return None
    return total


def _count(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**53:
        return None
    return int(value)
