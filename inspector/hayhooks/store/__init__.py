"""Keeps durable executions in a SQLite file: an `ExecutionStore` for `hayhooks.durable`.

Needs `hayhooks`. Nothing of it is imported before one of these names is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspector.hayhooks.store.database import ExecutionDatabase
    from inspector.hayhooks.store.faults import StoreDamagedError, StoreUnavailableError
    from inspector.hayhooks.store.file import default_path
    from inspector.hayhooks.store.sqlite_store import SQLiteExecutionStore

__all__ = [
    "ExecutionDatabase",
    "SQLiteExecutionStore",
    "StoreDamagedError",
    "StoreUnavailableError",
    "default_path",
]

_MODULES = {
    "ExecutionDatabase": "database",
    "SQLiteExecutionStore": "sqlite_store",
    "StoreDamagedError": "faults",
    "StoreUnavailableError": "faults",
    "default_path": "file",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _MODULES:
        raise AttributeError(name)
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
