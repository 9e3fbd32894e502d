"""Replaying what runs bit by bit: `Pipeline.stream` and `Pipeline.run_async_generator`."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from inspector.recording.streams import Stream, stream_through
from inspector.replay.mode import ReplayError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from inspector.replay.api import Replayer
    from inspector.runfile.drift import DriftReport

_CALLBACK = "streaming_callback"


class ReplayedStream(Stream):
    """A stream of a replay: the recorded chunks, then the result, the run and the report."""

    def __init__(self, handle: Any, replayer: Replayer) -> None:
        super().__init__(handle, lambda: replayer.run)
        self._replayer = replayer

    @property
    def report(self) -> DriftReport:
        """What the replay found."""
        return self._replayer.report


def replay_stream(
    replayer: Replayer, pipeline: Any, data: Any, options: dict[str, Any],
    stream: Callable[..., Any] | None = None,
) -> ReplayedStream:  # fmt: skip
    """Stream a replay of a pipeline."""
    data = without_recorded_callbacks(replayer.recorded_data()) if data is None else data

    async def run_async(data: Any, **kwargs: Any) -> Any:
        return await replayer.play_through(pipeline.run_async, data, **kwargs)

    handle = stream_through(pipeline, run_async, data, options, stream)
    return ReplayedStream(handle, replayer)


def without_recorded_callbacks(data: Any) -> Any:
    """Leave out whom the chunks went to when the run was recorded: nobody, in its place."""
    if not isinstance(data, dict):
        return data
    return {
        name: {key: value for key, value in given.items() if key != _CALLBACK}
        if isinstance(given, dict)
        else given
        for name, given in data.items()
        if name != _CALLBACK
    }


async def replay_partials(
    replayer: Replayer, pipeline: Any, data: Any, options: dict[str, Any]
) -> AsyncIterator[dict[str, Any]]:
    """Yield the partial outputs of a replay, as `run_async_generator` does.

    The replay goes on in a task of its own. A generator runs in the context of whoever asks
    it for the next item, who would be in the replay between two items, and cut off from all.
    """
    if not callable(getattr(pipeline, "run_async_generator", None)):
        raise ReplayError(
            f"A {type(pipeline).__name__} has no run_async_generator.",
            hint="Replay it with play_async.",
        )
    items: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue(maxsize=1)

    async def run_async(*args: Any, **kwargs: Any) -> Any:
        last: dict[str, Any] = {}
        async for last in pipeline.run_async_generator(*args, **kwargs):
            await items.put(last)
        return last

    async def play() -> None:
        try:
            await replayer.play_through(run_async, data, **options)
        finally:
            await items.put(None)

    task = asyncio.create_task(play())
    try:
        while (item := await items.get()) is not None:
            yield item
        await task
    finally:
        if not task.done():
            task.cancel()
            while not items.empty():
                items.get_nowait()
            with suppress(asyncio.CancelledError):
                await task
