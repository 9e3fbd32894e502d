"""What a live call cost, where somebody knows the prices."""

from __future__ import annotations

import importlib.util
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from inspector.runfile.usage import normalise_usage

if TYPE_CHECKING:
    from collections.abc import Mapping


def prices_are_known() -> bool:
    """Say whether there are any prices at all in this environment."""
    return importlib.util.find_spec("genai_prices") is not None


def price_of(result: Any) -> Decimal | None:
    """Return what the replies of a live call cost in US dollars; None when nobody knows."""
    replies = result.get("replies") if isinstance(result, dict) else None
    metas = [meta for reply in replies or () if (meta := _meta_of(reply))]
    beside = result.get("meta") if isinstance(result, dict) else None
    if isinstance(beside, dict):
        metas.append(beside)
    if not metas:
        # No reply of a model: a tool, a store. Whatever that costs, it is not told in tokens.
        return Decimal(0)
    total = Decimal(0)
    for meta in metas:
        price = _price(meta)
        if price is None:
            return None
        total += price
    return total


def _meta_of(reply: Any) -> Mapping[str, Any] | None:
    meta = getattr(reply, "meta", None)
    return meta if isinstance(meta, dict) else None


def _price(meta: Mapping[str, Any]) -> Decimal | None:
    raw, model = meta.get("usage"), meta.get("model")
    usage = normalise_usage(raw) if isinstance(raw, dict) else None
    if usage is None or not isinstance(model, str):
        return None
    try:
        from genai_prices import Usage, calc_price

        told = Usage(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cached_input_tokens,
        )
        return calc_price(told, model_ref=model).total_price
    except (ImportError, LookupError):
        return None
