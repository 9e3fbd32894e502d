"""How much a model can read at once, as far as the price library knows."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=500)
def context_window(llm: str, provider: str | None = None) -> int | None:
    """Return the most tokens of a prompt and its answer; None where that is not known."""
    if not llm:
        return None
    from inspector.cost.bundled import window_of

    return window_of(llm, provider)
