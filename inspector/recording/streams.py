"""`Pipeline.stream`: Haystack's own, whose pipeline runs through one of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.errors import RecordingError
from inspector.recording.api import Session
from inspector.recording.targets import is_pipeline, target_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from inspector.redaction.project import Redact
    from inspector.runfile.model import PipelineRun

    RunAsync = Callable[..., Awaitable[dict[str, Any]]]


class Stream:
    """What `stream` gives: go through it with `async for`, then ask for `result` and `run`."""

    def __init__(self, handle: Any, run: Callable[[], PipelineRun]) -> None:
        self._handle = handle
        self._run = run

    def __aiter__(self) -> AsyncIterator[Any]:
        iterator: AsyncIterator[Any] = self._handle.__aiter__()
        return iterator

    @property
    def result(self) -> dict[str, Any]:
        """What the pipeline returned, once it has been streamed to its end."""
        result: dict[str, Any] = self._handle.result
        return result

    @property
    def run(self) -> PipelineRun:
        """The run, once it has ended; waits until it is written."""
        return self._run()

    async def aclose(self) -> None:
        """Stop the pipeline."""
        await self._handle.aclose()


class _Through:
    """A pipeline, but for how it runs. The pipeline itself stays as it is."""

    def __init__(self, pipeline: Any, run_async: RunAsync) -> None:
        self._pipeline = pipeline
        self.run_async = run_async

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pipeline, name)


def stream_through(
    pipeline: Any, run_async: RunAsync, data: Any, options: dict[str, Any],
    stream: Callable[..., Any] | None = None,
) -> Any:  # fmt: skip
    """Let Haystack stream a pipeline that is run by `run_async`, and return its handle.

    Args:
        pipeline: The pipeline.
        run_async: Runs it; takes the data and the options of `Pipeline.run_async`.
        data: What to run it with.
        options: What `Pipeline.stream` takes besides the data.
        stream: The method, where the class has another one by now.

    Raises:
        RecordingError: It is no pipeline, or cannot stream.

    """
    stream = stream or getattr(type(pipeline), "stream", None)
    if not is_pipeline(pipeline) or not callable(stream):
        raise RecordingError(
            f"A {type(pipeline).__name__} has no stream method.",
            hint="Pass a Pipeline of Haystack 3 or later.",
        )
    return stream(_Through(pipeline, run_async), data, **options)


def record_stream(
    pipeline: Any, data: Any, options: dict[str, Any], stream: Callable[..., Any],
    redact: Redact = None,
) -> Stream:  # fmt: skip
    """Stream a pipeline and record it; the run is there when the stream is at its end."""
    sessions: list[Session] = []

    async def run_async(data: Any, **kwargs: Any) -> dict[str, Any]:
        session = Session(target_of(pipeline), (data,), kwargs, None, mode="stream", redact=redact)
        sessions.append(session)
        with session:
            result: dict[str, Any] = await pipeline.run_async(data, **kwargs)
            session.take(result)
        return result

    def run() -> PipelineRun:
        if not sessions:
            raise RecordingError(
                "The stream has not begun.", hint="Go through it with async for first."
            )
        return sessions[0].run()

    return Stream(stream_through(pipeline, run_async, data, options, stream), run)
