"""What the output of a model says about itself: its name, why it stopped, what it used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from inspector.recording.roles import provider_of
from inspector.runfile.usage import FIGURES, Usage, normalise_usage, total

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.recording.session import LiveSpan

MODEL_ROLES = frozenset({"llm", "embedding"})


def note_reply(live: LiveSpan, outputs: Any) -> None:
    """Put `llm` and `usage` on the span of a model, unless a span inside it has them.

    A component that only contains a model hands on replies that were counted where
    they arose; one without any figures counts as unknown, never as zero.
    """
    if not isinstance(outputs, Mapping):
        return
    metas = list(_metas(outputs))
    if not metas and live.chunk_usage is None:
        return
    provider = provider_of(live.type)
    if llm := _llm(metas, provider):
        live.fields["llm"] = llm
    if live.usage_below:
        return
    usage = _usage(metas, provider)
    if usage is None and live.chunk_usage is not None:
        usage = normalise_usage(live.chunk_usage, provider=provider)
    live.recording.add_usage(live, usage)
    if usage is not None:
        figures: dict[str, Any] = {
            name: figure for name in FIGURES if (figure := getattr(usage, name)) is not None
        }
        figures["raw"] = live.recording.capture.at_once(dict(usage.raw))
        live.fields["usage"] = figures


def _metas(outputs: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield what each reply says about itself; generators of text say it beside them."""
    replies = outputs.get("replies")
    for reply in replies if isinstance(replies, (list, tuple)) else ():
        meta = getattr(reply, "meta", None)
        if isinstance(meta, Mapping):
            yield meta
    beside = outputs.get("meta")
    for meta in beside if isinstance(beside, (list, tuple)) else (beside,):
        if isinstance(meta, Mapping):
            yield meta


def _llm(metas: list[Mapping[str, Any]], provider: str | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, field in (("model", "name"), ("finish_reason", "finish_reason")):
        word = next((meta[key] for meta in metas if isinstance(meta.get(key), str)), None)
        if word is not None:
            found[field] = word
    if provider is not None:
        found["provider"] = provider
    return found


def _usage(metas: list[Mapping[str, Any]], provider: str | None) -> Usage | None:
    raws: list[Mapping[str, Any]] = []
    for meta in metas:
        raw = meta.get("usage")
        # Several choices of one call repeat the figures of the whole call.
        if isinstance(raw, Mapping) and raw and raw not in raws:
            raws.append(raw)
    known = [usage for raw in raws if (usage := normalise_usage(raw, provider=provider))]
    if len(known) < 2:
        return known[0] if known else None
    summed = total(known)
    if summed is None:
        return None
    figures = {name: getattr(summed, name) for name in FIGURES}
    return Usage(**figures, raw={"parts": [dict(usage.raw) for usage in known]})
