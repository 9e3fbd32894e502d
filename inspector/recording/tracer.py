"""The tracer: every span that Haystack opens, recorded and passed on to whoever else listens.

Haystack keeps one proxy, `haystack.tracing.tracer`, so that tracers can be exchanged.
Other tools put themselves into it with `enable_tracing`, at any time, some from a
component's constructor. We stand in front of the proxy's public methods instead: the
proxy stays theirs, nobody displaces anybody, and what they install is what we pass on to.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from haystack.tracing.tracer import NullTracer, Span, Tracer
from haystack.tracing.tracer import tracer as proxy

from inspector.recording.guest import complain
from inspector.recording.operations import OPENERS, TAGS, open_other, take_tag
from inspector.recording.session import CURRENT, NOBODYS, LiveSpan, Recording
from inspector.recording.whereabouts import place_of

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from contextvars import Token
    from types import TracebackType

    from inspector.recording.whereabouts import Place

_NO_TAGS: dict[str, Any] = {}


class RecordedSpan(LiveSpan, Span):
    """What Haystack is handed while an operation runs, and the operation's context manager."""

    inner_context: AbstractContextManager[Span] | None = None
    inner_span: Span | None = None
    token: Token[LiveSpan | None] | None = None

    def __enter__(self) -> Span:
        if self.inner_context is not None:
            try:
                self.inner_span = self.inner_context.__enter__()
            except BaseException as error:
                # It would have broken the run without us, too.
                _end(self, error)
                raise
        self.token = CURRENT.set(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        if error is None:
            self.end()
        else:
            _end(self, error)
        token = self.token
        if token is not None:
            self.token = None
            try:  # noqa: SIM105 - on every span's way out
                CURRENT.reset(token)
            except ValueError:
                pass  # an abandoned async generator is closed in another context
        inner = self.inner_context
        if inner is None:
            return None
        self.inner_context = None
        return inner.__exit__(kind, error, trace)

    def set_tag(self, key: str, value: Any) -> None:
        """Record a tag and pass it on."""
        try:
            (TAGS.get(key) or partial(take_tag, key))(self, value)
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            self.miss(key, error)
        if self.inner_span is not None:
            self.inner_span.set_tag(key, value)

    def set_content_tag(self, key: str, value: Any) -> None:
        """Record content, which whoever starts a recording asked for.

        Whether it goes on from here is for the other tracer to decide.
        """
        try:
            (TAGS.get(key) or partial(take_tag, key))(self, value)
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            self.miss(key, error)
        if self.inner_span is not None:
            self.inner_span.set_content_tag(key=key, value=value)

    @property
    def nearest_inner(self) -> Span | None:
        """The other tracer's span; a call that only we have a span for happens in one above."""
        span: LiveSpan | None = self
        while isinstance(span, RecordedSpan):
            if span.inner_span is not None:
                return span.inner_span
            span = span.parent
        return None

    def raw_span(self) -> Any:
        """Give access to the other tracer's own span, as without us."""
        inner = self.nearest_inner
        return self if inner is None else inner.raw_span()

    def get_correlation_data_for_logs(self) -> dict[str, Any]:
        """Let logs be correlated with the other tracer's traces, as without us."""
        inner = self.nearest_inner
        return {} if inner is None else inner.get_correlation_data_for_logs()

    def __getattr__(self, name: str) -> Any:
        # Spans of other tracers have methods of their own, and their friends call them.
        inner = None if name.startswith("_") else self.nearest_inner
        if inner is None:
            raise AttributeError(name)
        return getattr(inner, name)


Recording.span_class = RecordedSpan


class BystanderSpan(Span):
    """Stands where nothing is recorded, but something has to be handed to Haystack.

    Inside the root of a run that nobody keeps, nothing is a run of its own.
    """

    def __init__(self, inner: AbstractContextManager[Span] | None, *, hides: bool) -> None:
        self.inner_span: Span | None = None
        self._inner_context = inner
        self._hides = hides
        self._token: Token[LiveSpan | None] | None = None

    def __enter__(self) -> Span:
        if self._inner_context is not None:
            self.inner_span = self._inner_context.__enter__()
        if self._hides:
            self._token = CURRENT.set(NOBODYS)
        return self if self.inner_span is None else self.inner_span

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        if self._token is not None:
            # A generator may be closed in another context.
            with suppress(ValueError):
                CURRENT.reset(self._token)
        if self._inner_context is None:
            return None
        return self._inner_context.__exit__(kind, error, trace)

    def set_tag(self, key: str, value: Any) -> None:
        """Do nothing: nobody is there."""


def _end(live: LiveSpan, error: BaseException) -> None:
    if not (isinstance(error, GeneratorExit) and live.stopped_ns is not None):
        # A consumer that leaves after the last output has not canceled anything.
        live.fail(error)
    live.end()


class RecordingTracer(Tracer):
    """Records for whoever is recording, and is not noticed otherwise."""

    def trace(  # type: ignore[override]  # a context manager all the same
        self,
        operation_name: str,
        tags: dict[str, Any] | None = None,
        parent_span: Span | None = None,
    ) -> AbstractContextManager[Span]:
        """Open a span here and with the other tracer."""
        parent = parent_span if type(parent_span) is RecordedSpan else None
        inner: AbstractContextManager[Span] | None = None
        if _behind or type(proxy.actual_tracer) is not NullTracer:
            theirs = parent_span if parent is None else parent.nearest_inner
            inner = _theirs(operation_name, tags, theirs)
        live = _opened(operation_name, tags or _NO_TAGS, parent)
        if type(live) is RecordedSpan:
            live.inner_context = inner
            return live
        if live is None and inner is not None:
            return inner
        return BystanderSpan(inner, hides=live is NOBODYS)

    def current_span(self) -> Span | None:
        """Return the innermost span of this thread or task."""
        live = CURRENT.get()
        if isinstance(live, RecordedSpan):
            return live
        behind = _behind.get("current_span") or proxy.actual_tracer.current_span
        span: Span | None = behind()
        return span


def _theirs(
    operation: str, tags: dict[str, Any] | None, parent: Span | None
) -> AbstractContextManager[Span] | None:
    """Open the span of whoever else traces. Some derive from the null tracer, and do record."""
    trace = _behind.get("trace") or proxy.actual_tracer.trace
    span: AbstractContextManager[Span] = trace(operation, tags=tags, parent_span=parent)
    return span


def _opened(operation: str, tags: dict[str, Any], explicit: LiveSpan | None) -> LiveSpan | None:
    try:
        parent = explicit if explicit is not None else CURRENT.get()
        if parent is None or parent.peculiar or parent.recording.finished:
            place = place_of(operation, tags, parent)
            if place is None or place.adopted is not None:
                return place and place.adopted
            return _open_in(place, operation, tags)
        opener = OPENERS.get(operation)
        if opener is None:
            return open_other(parent.recording, parent, operation, tags)
        return opener(parent.recording, parent, tags)
    except Exception as error:  # noqa: BLE001 - a guest never raises into its host
        complain(f"A span ({operation}) was not recorded", error)
        return None


def _open_in(place: Place, operation: str, tags: dict[str, Any]) -> LiveSpan:
    opener = OPENERS.get(operation)
    if opener is None:
        live = open_other(place.recording, place.parent, operation, tags)
    else:
        live = opener(place.recording, place.parent, tags)
    if place.parent is None:
        place.recording.root = live
    elif place.inferred:
        live.note_channel("parent", "inferred")
    return live


# -- standing in front of the proxy ------------------------------------------------------

_lock = threading.Lock()
_users = 0
_tracer = RecordingTracer()
_IN_FRONT = {"trace": _tracer.trace, "current_span": _tracer.current_span}
_behind: dict[str, Any] = {}  # what stood in front of the proxy before us
_kept: set[str] = set()  # where somebody who came later stands in front, and calls us


def install() -> None:
    """Listen, until `uninstall` was called as often."""
    global _users
    with _lock:
        _users += 1
        if _users > 1:
            return
        own = vars(proxy)
        for name, method in _IN_FRONT.items():
            there = own.get(name)
            if there is not None and name in _kept:
                continue
            _kept.discard(name)
            if there is not None:
                _behind[name] = there
            own[name] = method


def uninstall() -> None:
    """Stop listening when nobody records any more."""
    global _users
    with _lock:
        _users = max(0, _users - 1)
        if _users:
            return
        own = vars(proxy)
        for name, method in _IN_FRONT.items():
            if own.get(name) is not method:
                # Whoever has put something in front of us keeps it: we only pass on.
                if name in own:
                    _kept.add(name)
            elif name in _behind:
                own[name] = _behind.pop(name)
            else:
                del own[name]
