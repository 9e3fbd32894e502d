"""What the output of a model says about itself: its name, why it stopped, what it used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from inspector.recording.json_only import json_only
from inspector.runfile.roles import provider_of
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
    if live.reply_known or not isinstance(outputs, Mapping):
        return
    metas = list(_metas(outputs))
    if not metas and live.chunk_usage is None:
        return
    provider = provider_of(live.type)
    if llm := _llm(metas, provider):
        live.fields["llm"] = llm
    if live.usage_below:
        return
    raws = _raws(metas) or ([live.chunk_usage] if live.chunk_usage else [])
    if raws:
        # Copied now, and put into our words on the writer's thread: that takes its time.
        live.used = [{key: _plain(part) for key, part in raw.items()} for raw in raws]
        live.recording.count_above(live)
    spending = live.recording.spending
    if spending is not None:
        spending.note(live)


def told_by(outputs: Any, qualified: str) -> tuple[dict[str, str], list[Mapping[str, Any]]] | None:
    """Return what the output of a call says of its model and its usage.

    None where nothing in it is the reply of a model.
    """
    metas = list(_metas(outputs)) if isinstance(outputs, Mapping) else []
    return (_llm(metas, provider_of(qualified)), _raws(metas)) if metas else None


def usage_of(raws: list[dict[str, Any]], qualified: str) -> Usage | None:
    """Return in our words what the model of this class reported; on the writer's thread."""
    provider = provider_of(qualified)
    known = [usage for raw in raws if (usage := normalise_usage(raw, provider=provider))]
    if len(known) < 2:
        return known[0] if known else None
    summed = total(known)
    if summed is None:
        return None
    figures = {name: getattr(summed, name) for name in FIGURES}
    return Usage(**figures, raw={"parts": [dict(usage.raw) for usage in known]})


def as_fields(usage: Usage, *, with_raw: bool) -> dict[str, Any]:
    """Return usage as it stands in a file: what is not known is absent."""
    fields: dict[str, Any] = {
        name: figure for name in FIGURES if (figure := getattr(usage, name)) is not None
    }
    if with_raw:
        fields["raw"] = json_only(dict(usage.raw))
    return fields


def _plain(part: Any) -> Any:
    return dict(part) if isinstance(part, Mapping) else part


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


# What a reply says in its `meta`, and how the field is called in the file.
_SAID = (
    ("model", "name"),
    ("finish_reason", "finish_reason"),
    ("service_tier", "service_tier"),
    ("processing", "processing"),
)


def _llm(metas: list[Mapping[str, Any]], provider: str | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, field in _SAID:
        word = next((meta[key] for meta in metas if isinstance(meta.get(key), str)), None)
        if word is not None:
            found[field] = word
    if provider is not None:
        found["provider"] = provider
    return found


def _raws(metas: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return what was reported. Several choices of one call repeat the figures of it all."""
    raws: list[Mapping[str, Any]] = []
    for meta in metas:
        raw = meta.get("usage")
        if raw is None and "billed_units" in meta:
            raw = {"billed_units": meta["billed_units"]}  # embedders of Cohere
        if isinstance(raw, Mapping) and raw and raw not in raws:
            raws.append(raw)
    return raws
