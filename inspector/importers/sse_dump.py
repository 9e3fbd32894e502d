"""Streamed answers as they came over the wire: server-sent events, written to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.errors import RunFileError
from inspector.importers.chat_log import is_cut, tags_of_answer
from inspector.importers.exchanges import Exchange, run_of
from inspector.importers.texts import whole
from inspector.importers.wire_stream import is_events, streamed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.head import Head
    from inspector.importers.imported import Context, ImportedRun


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    return 80 if is_events(head.text[:4096].decode("utf-8", "replace")) else 0


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield one run, with a span for each answer in the stream.

    Raises:
        RunFileError: None of its events can be read.

    """
    told = streamed(whole(context.source, context.name).decode("utf-8", "replace"))
    if told.broken:
        context.losses.skip("event that cannot be read", "it is cut off or no JSON", told.broken)
    if not told.answers:
        raise RunFileError(
            f"{context.name} is a stream of events, and none of them can be read.",
            hint="Copy or download it again.",
        )
    context.losses.lose("requests", "a stream of events holds the answers only")
    found = [
        Exchange(
            answer=answer,
            lacking={"inputs": "a stream of events holds the answer only"},
            tags=tags_of_answer(answer),
            cut=is_cut(answer) and not (told.ended and len(told.answers) == 1),
        )
        for answer in told.answers
    ]
    yield run_of(
        found,
        context,
        "stream",
        why_untimed="a stream of events holds no times but whole seconds of its answers",
        events=told.pieces,
    )
