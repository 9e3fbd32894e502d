"""What a replay would add to its recording, in words and as rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.presentation.previews import short_type
from inspector.presentation.table_cells import Cell, TableRow
from inspector.presentation.visible import one_line
from inspector.presentation.words import byte_words, plural, sentence

if TYPE_CHECKING:
    from inspector.replay.extend import News

NEWS_TITLES = ("Call", "Component", "Take", "Source")
_SOURCES = {
    "live": "ran live", "executed": "ran here again", "verified": "was asked again",
    "edited": "was made up",
}  # fmt: skip
_ICONS = {"llm": "llm", "tool": "tool", "agent": "agent", "hook": "hook"}
_MOST = 1_000


def news_words(news: News, name: str) -> str:
    """Return in a sentence what would be added, and to which file."""
    if not news.calls:
        return "Nothing is new: every call is in the recording already."
    size = f", about {byte_words(news.size)}" if news.size else ""
    return f"{plural(len(news.calls), 'call')}{size} would be added to {one_line(name)}."


def news_rows(news: News) -> list[TableRow]:
    """Return the calls as rows with the columns `NEWS_TITLES`."""
    rows = []
    for key, call in enumerate(news.calls[:_MOST]):
        source = _SOURCES.get(call.source, one_line(call.source))
        take = f"{call.take}" if call.take > 1 else "first"
        kind = short_type(call.type) if call.type else call.kind
        cells = (
            Cell(
                one_line(call.path), icon=_ICONS.get(call.kind, "component"), icon_ink="secondary"
            ),
            Cell(one_line(kind), ink="secondary"),
            Cell(take, figure=True),
            Cell(source, ink="live" if call.source == "live" else "text"),
        )
        spoken = sentence([one_line(call.path), kind, f"take {take}", source], ", ")
        rows.append(TableRow(key, cells, spoken))
    return rows


def kept_words(news: News) -> str:
    """Return what stays as it is, and what happens to calls beyond those that are listed."""
    more = len(news.calls) - _MOST
    listed = f"{plural(more, 'more call')} not listed. " if more > 0 else ""
    return (
        f"{listed}What was recorded stays: a call that was made otherwise gets a second take, "
        "and a replay finds each by what it was given."
    )
