"""Spans for calls that Haystack gives none, and what wrappers add to those that have one."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from inspector.recording.guest import complain
from inspector.recording.replies import MODEL_ROLES, note_reply
from inspector.recording.retrieval import asked_of, note_retrieval
from inspector.recording.session import CURRENT
from inspector.recording.wrappers.origins import HeldCall
from inspector.recording.wrappers.shells import HOLDING, OPEN, Call

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextvars import Token

    from inspector.recording.session import LiveSpan
    from inspector.recording.wrappers.shells import Method

INNER = "inspector.inner"
WRAPPER = "wrapper"
_HAYSTACKS_OWN = ("haystack.", "haystack_integrations.")


def claim(live: LiveSpan, instance: Any) -> None:
    """Take a span that Haystack opened for this very call."""
    live.claimed = instance
    live.recording.channels.add(WRAPPER)


def tell(live: LiveSpan, field: str, tree: Any) -> None:
    """Put a field that is a tree already on the last record of a span."""
    live.fields[field] = tree
    live.channels = {**(live.channels or {}), field: WRAPPER}
    if field == "type":
        live.type = tree


def open_inner(
    parent: LiveSpan, instance: Any, inputs: dict[str, Any], *,
    kind: str, name: str, role: str, type: str,  # noqa: A002 - the field's own name
) -> LiveSpan:  # fmt: skip
    """Open a span for a call inside of `parent`."""
    live = parent.recording.prepare(kind, INNER, name, parent, f"inner:{name}", role, type)
    live.claimed = instance
    live.set("inputs", inputs, channel=WRAPPER)
    if role == "retrieval":
        live.fields["retrieval"] = asked_of(live, inputs)
    live.open()
    return live


def note_outputs(live: LiveSpan, result: Any, /) -> None:
    """Record what a call gave back."""
    live.stopped_ns = perf_counter_ns() - live.recording.zero_ns
    if not live.type.startswith(_HAYSTACKS_OWN):
        live.recording.capture.dirty(likely=False)  # it may have changed what it was given
    tell(live, "outputs", live.recording.capture.at_once(result))
    if live.role in MODEL_ROLES:
        note_reply(live, result)
    elif live.role == "retrieval" and isinstance(result, dict):
        note_retrieval(live, result)


def note_if_untold(result: Any, live: LiveSpan) -> None:
    """Record what a call gave back, unless tracing did."""
    if "outputs" not in live.fields:
        note_outputs(live, result)


class Recorded(HeldCall):
    """A call that goes on inside of a span, and what there is to do when it ends."""

    __slots__ = ("inner", "inside", "then", "token")

    def __init__(
        self, instance: Any, method: Method, args: tuple[Any, ...], kwargs: dict[str, Any], *,
        span: LiveSpan, inner: LiveSpan | None = None, enters: bool = False,
        then: Callable[[Any, BaseException | None], None] | None = None,
    ) -> None:  # fmt: skip
        """Begin.

        Args:
            instance: Whose method is called.
            method: Which one.
            args: What it is called with.
            kwargs: What it is called with.
            span: The span that the call is recorded in.
            inner: The same, when it is one of ours, which ends with the call.
            enters: Whether that span has to be made the current one.
            then: What to do at the end, with the result or the error.

        """
        Call.__init__(self, args, kwargs)
        self.instance = instance
        self.span = span
        self.inner = inner
        self.inside = span if enters or inner is not None else None
        self.then = then
        self.token: Token[LiveSpan | None] | None = None
        if id(instance) in HOLDING:
            self.open(method)
        self.resumed()

    def paused(self) -> None:
        if self.token is not None:
            with suppress(ValueError):
                CURRENT.reset(self.token)
            self.token = None

    def resumed(self) -> None:
        if self.inside is not None and CURRENT.get() is not self.inside:
            self.token = CURRENT.set(self.inside)

    def returned(self, result: Any, /) -> None:
        self._finish(result, None)

    def failed(self, error: BaseException, /) -> None:
        self._finish(None, error)

    def _finish(self, result: Any, error: BaseException | None) -> None:
        self.paused()
        OPEN.pop(id(self), None)
        try:
            if self.then is not None:
                self.then(result, error)
        except Exception as trouble:  # noqa: BLE001 - a guest never raises into its host
            complain("The end of a call was not recorded", trouble)
        inner = self.inner
        if inner is None:
            return
        if error is not None:
            inner.fail(error, channel=WRAPPER)
        else:
            try:
                note_outputs(inner, result)
            except Exception as trouble:  # noqa: BLE001 - a guest never raises into its host
                inner.miss("outputs", trouble)
        inner.end()


def when_untold(live: LiveSpan, result: Any, error: BaseException | None) -> None:
    """Keep a result until the span ends, in case that tracing does not tell it."""
    if error is None:
        live.at_end = partial(note_if_untold, result)
