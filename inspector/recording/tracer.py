"""The tracer: every span that Haystack opens, recorded and passed on to whoever else listens.

Haystack keeps one proxy, `haystack.tracing.tracer`, so that tracers can be exchanged.
Other tools put themselves into it with `enable_tracing`, at any time, some from a
component's constructor. We stand in front of the proxy's public methods instead: the
proxy stays theirs, nobody displaces anybody, and what they install is what we pass on to.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from haystack.tracing.tracer import NullTracer, Span, Tracer
from haystack.tracing.tracer import tracer as proxy

from inspector.recording.guest import complain
from inspector.recording.operations import OPENERS, TAGS, open_other, take_tag
from inspector.recording.session import CURRENT, NOBODYS, LiveSpan
from inspector.recording.whereabouts import place_of

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from contextvars import Token
    from types import TracebackType

    from inspector.recording.whereabouts import Place

_NO_TAGS: dict[str, Any] = {}


class RecordedSpan(Span):
    """What Haystack is handed while an operation runs, and the operation's context manager."""

    __slots__ = ("_inner_context", "_inner_span", "_live", "_token")

    def __init__(
        self,
        live: LiveSpan | None,
        inner: AbstractContextManager[Span] | None,
        inner_span: Span | None = None,
    ) -> None:
        self._live = live
        self._inner_context = inner
        self._inner_span = inner_span
        self._token: Token[LiveSpan | None] | None = None

    @property
    def live(self) -> LiveSpan | None:
        """The span that is being recorded."""
        return self._live

    @property
    def inner(self) -> Span | None:
        """The span of the tracer that we pass everything on to, if there is one."""
        return self._inner_span

    def __enter__(self) -> Span:
        live = self._live
        if self._inner_context is not None:
            try:
                self._inner_span = self._inner_context.__enter__()
            except BaseException as error:
                # It would have broken the run without us, too.
                if live is not None:
                    _end(live, error)
                raise
        if live is not None:
            live.handle = self
            self._token = CURRENT.set(live)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        live = self._live
        if live is not None:
            if error is None:
                live.end()
            else:
                _end(live, error)
            live.handle = None
            token, self._token = self._token, None
            if token is not None:
                try:  # noqa: SIM105 - on every span's way out
                    CURRENT.reset(token)
                except ValueError:
                    pass  # an abandoned async generator is closed in another context
        if self._inner_context is None:
            return None
        return self._inner_context.__exit__(kind, error, trace)

    def set_tag(self, key: str, value: Any) -> None:
        """Record a tag and pass it on."""
        live = self._live
        if live is not None:
            try:
                if (taker := TAGS.get(key)) is None:
                    take_tag(live, key, value)
                else:
                    taker(live, value)
            except Exception as error:  # noqa: BLE001 - a guest never raises into its host
                live.miss(key, error)
        if self._inner_span is not None:
            self._inner_span.set_tag(key, value)

    def set_content_tag(self, key: str, value: Any) -> None:
        """Record content, which whoever starts a recording asked for.

        Whether it goes on from here is for the other tracer to decide.
        """
        live = self._live
        if live is not None:
            try:
                if (taker := TAGS.get(key)) is None:
                    take_tag(live, key, value)
                else:
                    taker(live, value)
            except Exception as error:  # noqa: BLE001 - a guest never raises into its host
                live.miss(key, error)
        if self._inner_span is not None:
            self._inner_span.set_content_tag(key=key, value=value)

    def raw_span(self) -> Any:
        """Give access to the other tracer's own span, as without us."""
        return self if self._inner_span is None else self._inner_span.raw_span()

    def get_correlation_data_for_logs(self) -> dict[str, Any]:
        """Let logs be correlated with the other tracer's traces, as without us."""
        return {} if self._inner_span is None else self._inner_span.get_correlation_data_for_logs()

    def __getattr__(self, name: str) -> Any:
        # Spans of other tracers have methods of their own, and their friends call them.
        if name.startswith("_") or self._inner_span is None:
            raise AttributeError(name)
        return getattr(self._inner_span, name)


class UnrecordedSpan(RecordedSpan):
    """The root of a run that nobody keeps: nothing inside of it is a run of its own."""

    __slots__ = ()

    def __enter__(self) -> Span:
        super().__enter__()
        self._token = CURRENT.set(NOBODYS)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        if self._token is not None:
            # As in the recorded one: a generator may be closed in another context.
            with suppress(ValueError):
                CURRENT.reset(self._token)
        return super().__exit__(kind, error, trace)


def _end(live: LiveSpan, error: BaseException | None) -> None:
    if error is not None and not (isinstance(error, GeneratorExit) and live.stopped_ns is not None):
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
        theirs, explicit = parent_span, None
        if isinstance(parent_span, RecordedSpan):
            theirs, explicit = parent_span.inner, parent_span.live
        inner: AbstractContextManager[Span] | None = None
        if "trace" in _behind:
            inner = _behind["trace"](operation_name, tags=tags, parent_span=theirs)
        elif type(others := proxy.actual_tracer) is not NullTracer:
            # Some derive from the null tracer, and do record.
            inner = others.trace(operation_name, tags=tags, parent_span=theirs)
        live = _opened(operation_name, tags or _NO_TAGS, explicit)
        if live is None and inner is not None:
            return inner
        if live is NOBODYS:
            return UnrecordedSpan(None, inner)
        return RecordedSpan(live, inner)

    def current_span(self) -> Span | None:
        """Return the innermost span of this thread or task."""
        live = CURRENT.get()
        if live is None or live is NOBODYS:
            behind = _behind.get("current_span") or proxy.actual_tracer.current_span
            span: Span | None = behind()
            return span
        if live.handle is None:
            live.handle = _handle_for(live)
        handle: Span = live.handle
        return handle


def _handle_for(live: LiveSpan) -> RecordedSpan:
    """Make what Haystack asks for of a span that a wrapper opened."""
    above = live.parent
    while above is not None and above.handle is None:
        above = above.parent
    return RecordedSpan(live, None, None if above is None else above.handle.inner)


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
        live.put("parent", place.parent.id, channel="inferred")
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
