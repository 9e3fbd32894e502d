"""`enable()`: `pipeline.run(data, replay=run, mode="strict")` replays a recorded run.

The keyword `record` comes with it: `record=True` gives the result and the run.
"""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any

from inspector.recording import enable as recording
from inspector.replay.api import Replayer
from inspector.replay.streams import replay_stream

if TYPE_CHECKING:
    from inspector.redaction.project import Redact

__all__ = ["disable", "enable"]

_REPLAY = "replay"
_RECORD = "record"
_OPTIONS = tuple(
    name
    for name, parameter in inspect.signature(Replayer).parameters.items()
    if parameter.kind is parameter.KEYWORD_ONLY
)


def enable(redact: Redact = None) -> None:
    """Let `Pipeline` and `Agent` take `record=True` and `replay=` in `run` and `run_async`.

    `Pipeline.stream` takes both as well, and `Pipeline.run_async_generator` takes `replay`.
    With `replay`, all that `Replayer` takes may be passed as well, such as `mode`. Without
    further inputs the recorded ones are used. `redact` is that of `recording()`, for what is
    recorded so.
    """
    recording.enable(_Replays, redact)


def disable() -> None:
    """Undo `enable`."""
    recording.disable()


class _Replays:
    """What the methods of pipelines and agents do when they are asked to replay."""

    @staticmethod
    def run(owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        replayer, data, record = _prepared(owner, args, kwargs)
        result = replayer.play(data)
        return (result, replayer.run) if record else result

    @staticmethod
    async def run_async(owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        replayer, data, record = _prepared(owner, args, kwargs)
        result = await replayer.play_async(data)
        return (result, await asyncio.to_thread(lambda: replayer.run)) if record else result

    @staticmethod
    def stream(owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any], original: Any) -> Any:
        replayer, data, options = _prepared_bit_by_bit(owner, args, kwargs)
        # With the method that the class had: ours would ask for a replay again.
        return replay_stream(replayer, owner, data, options, original)

    @staticmethod
    def partials(owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        replayer, data, options = _prepared_bit_by_bit(owner, args, kwargs)
        return replayer.partials(data, **options)


def _prepared_bit_by_bit(
    owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Replayer, Any, dict[str, Any]]:
    run = kwargs.pop(_REPLAY)
    kwargs.pop(_RECORD, None)  # a stream of a replay has its run anyway
    options = {name: kwargs.pop(name) for name in _OPTIONS if name in kwargs}
    data = args[0] if args else kwargs.pop("data", None)
    return Replayer(owner, run, **options), data, kwargs


def _prepared(
    owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Replayer, Any, bool]:
    inputs = getattr(owner, "__haystack_input__", ())
    run = kwargs.pop(_REPLAY)
    record = bool(kwargs.pop(_RECORD, False)) if _RECORD not in inputs else False
    options = {name: kwargs.pop(name) for name in _OPTIONS if name in kwargs and name not in inputs}
    if hasattr(owner, "graph"):
        data = args[0] if args else kwargs.pop("data", None)
        return Replayer(owner, run, **options, **kwargs), data, record
    names = list(inspect.signature(type(owner).run).parameters)[1:]
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    return Replayer(owner, run, **options), given or None, record
