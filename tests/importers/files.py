"""The foreign files, and what a run looks like written down as the table has it."""

from __future__ import annotations

from pathlib import Path

FOREIGN = Path(__file__).parents[1] / "data" / "foreign"


def drawn(run):
    """Return the tree of a run as `parent(child child)`."""

    def one(span):
        inside = " ".join(map(one, run.children(span)))
        return f"{span.name}({inside})" if inside else span.name

    return " ".join(map(one, run.roots))


def total_tokens(run):
    """Return the tokens that the calls report; None where none does."""
    return (run.usage or {}).get("total_tokens")


def import_note(run):
    """Return what a run says of where it was imported from."""
    return run.extensions["import"]
