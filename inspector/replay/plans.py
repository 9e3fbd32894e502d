"""What is to be done with one call."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.recording.session import LiveSpan
    from inspector.replay.answers import Answer

    Then = Callable[[LiveSpan, Any], Any]


class Source:
    """Where the result of a call came from, as the spans of a replay say it."""

    RECORDED = "recorded"
    LIVE = "live"
    EXECUTED = "executed"
    VERIFIED = "verified"
    EDITED = "edited"


class Plan:
    """Answer from the recording, or run; and what to do with the result."""

    __slots__ = (
        "answer",
        "edited",
        "function",
        "function_async",
        "is_live",
        "source",
        "streams",
        "then",
    )

    def __init__(
        self, source: str, answer: Answer | None = None, *, streams: bool = False,
        then: Then | None = None, function: Callable[..., Any] | None = None,
        edited: tuple[Any] | None = None,
    ) -> None:  # fmt: skip
        self.source = source
        self.answer = answer
        self.streams = streams
        self.then = then  # gets the result of what ran, and gives back what counts
        self.function = function  # what to run in place of the method
        self.function_async: Callable[..., Any] | None = None  # and in place of `run_async`
        self.edited = edited  # what counts in place of the answer
        self.is_live = source == Source.LIVE

    @property
    def is_given(self) -> bool:
        """Whether the result is known already, and nothing has to run."""
        return self.answer is not None or self.edited is not None

    def value(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the answer, or raise what was recorded."""
        if self.edited is not None:
            return copy.copy(self.edited[0])
        assert self.answer is not None
        return self.answer.value(args, kwargs)

    def warm(self, instance: Any) -> None:
        """Prepare what was spared it, since it was going to be answered."""
        from inspector.replay.warmth import warm_up

        warm_up(instance)

    async def warm_async(self, instance: Any) -> None:
        """Prepare it on the event loop that it is going to run on."""
        from inspector.replay.warmth import warm_up_on_loop

        await warm_up_on_loop(instance)
