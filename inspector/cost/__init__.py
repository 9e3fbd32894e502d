"""What calls of models cost: usage by class of price, prices, estimates and budgets.

Nothing in here asks a network for anything, and only `bundled` knows the price library,
which is loaded when a price is first looked up.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspector.cost.budget import Budget
    from inspector.cost.estimating import estimate
    from inspector.cost.prices import load_prices

_HOMES = {
    "Budget": "inspector.cost.budget",
    "estimate": "inspector.cost.estimating",
    "load_prices": "inspector.cost.prices",
}

__all__ = ["Budget", "estimate", "load_prices"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
