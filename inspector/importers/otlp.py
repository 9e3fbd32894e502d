"""OpenTelemetry traces as OTLP JSON: one document or one a line, in every envelope."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import orjson

from inspector.importers.foreign import ForeignSpan, identifier, nanoseconds
from inspector.importers.texts import pieces, tree_of
from inspector.importers.traces import runs_of
from inspector.runfile.leaf import LeafError
from inspector.runfile.shallow import items_of, members_of, open_end, value_end

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.head import Head
    from inspector.importers.imported import Context, ImportedRun

_WRAPPERS = ("trace", "result")  # Tempo's, and that of Jaeger's newer API
_TOPS = ("resourceSpans", "resource_spans", "batches")
_SCOPES = (
    "scopeSpans",
    "scope_spans",
    "instrumentationLibrarySpans",
    "instrumentation_library_spans",
)
_BESIDE = frozenset({"resourceLogs", "resourceMetrics", "resource_logs", "resource_metrics"})
_RAW = msgspec.Raw()
_CAMEL = ("traceId", "spanId", "parentSpanId", "startTimeUnixNano", "endTimeUnixNano")
_SNAKE = ("trace_id", "span_id", "parent_span_id", "start_time_unix_nano", "end_time_unix_nano")
_FAILED = (2, "2", "STATUS_CODE_ERROR", "ERROR")


class _Scope(msgspec.Struct, gc=False):
    scope: msgspec.Raw = _RAW
    instrumentationLibrary: msgspec.Raw = _RAW  # noqa: N815 - the name in the file
    spans: list[msgspec.Raw] = []


class _Resource(msgspec.Struct, gc=False):
    resource: msgspec.Raw = _RAW
    scopeSpans: list[_Scope] = []  # noqa: N815 - the name in the file
    scope_spans: list[_Scope] = []
    instrumentationLibrarySpans: list[_Scope] = []  # noqa: N815 - the name in the file
    instrumentation_library_spans: list[_Scope] = []


class _Request(msgspec.Struct, gc=False):
    resourceSpans: list[_Resource] = []  # noqa: N815 - the name in the file
    resource_spans: list[_Resource] = []
    batches: list[_Resource] = []
    trace: "_Request | None" = None  # noqa: UP037 - it stands in itself
    result: "_Request | None" = None  # noqa: UP037 - it stands in itself


_REQUEST = msgspec.json.Decoder(_Request)
_REQUESTS = msgspec.json.Decoder(list[_Request])


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    if head.keys & set(_TOPS):
        return 100
    if head.keys & set(_WRAPPERS) and head.has(*_TOPS):
        return 95
    if head.keys & _BESIDE:  # the Collector writes all signals to one file, where it is told so
        return 90 if head.has(*_TOPS) else 60
    return 90 if head.in_list and head.has(*_TOPS) and head.has("scopeSpans", "scope_spans") else 0


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield a run for each trace in the file."""
    resources: dict[str, dict[str, Any]] = {}
    yield from runs_of(_spans(context, resources), context, facts=resources)


def _spans(context: Context, facts: dict[str, dict[str, Any]]) -> Iterator[ForeignSpan]:
    for piece in pieces(context.source, context.name, context.losses, context.at):
        for resource, scope, raw in _parts(piece.text, piece.where, context):
            span = _span(raw, context)
            if span is None:
                continue
            span.scope = scope
            if span.trace not in facts:
                said = attributes_of(_tree(resource).get("attributes"))
                facts[span.trace] = {"resource": said} if said else {}
            yield span


def _parts(text: bytes, where: str, context: Context) -> Iterator[tuple[Any, str, Any]]:
    """Yield of each span its resource, the name of its scope, and its JSON."""
    try:
        requests = _REQUESTS.decode(text) if text[:1] == b"[" else [_REQUEST.decode(text)]
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        yield from _loosely(text, where, context)
        return
    for request in requests:
        inner = request.trace or request.result or request
        for resource in (*inner.resourceSpans, *inner.resource_spans, *inner.batches):
            scopes = (
                *resource.scopeSpans, *resource.scope_spans,
                *resource.instrumentationLibrarySpans, *resource.instrumentation_library_spans,
            )  # fmt: skip
            for scope in scopes:
                name = _scope_name(scope.scope or scope.instrumentationLibrary)
                for raw in scope.spans:
                    yield resource.resource, name, raw


def _loosely(text: bytes, where: str, context: Context) -> Iterator[tuple[Any, str, Any]]:
    """Read what is cut off or has wrong types: as far as it goes."""
    found = False
    for resource in _items(text, 0, len(text), _TOPS):
        whole = _members(text, *resource)
        of_resource = text[slice(*whole["resource"])] if "resource" in whole else b""
        for scope in _items(text, *resource, _SCOPES):
            inside = _members(text, *scope)
            said = inside.get("scope") or inside.get("instrumentationLibrary")
            name = _scope_name(text[slice(*said)] if said else b"")
            for start, end in _items(text, *scope, ("spans",)):
                if text[start : start + 1] == b"{" and text[end - 1 : end] == b"}":
                    found = True
                    yield of_resource, name, text[start:end]
    if found and value_end(text, 0, len(text)) == len(text):
        context.losses.problem("Parts of it are not as they should be; the rest is shown.", where)
    elif found:
        context.losses.problem("It is cut off or damaged; what stands before that is shown.", where)
        context.losses.skip("rest of a document that is cut off", where)
    else:
        context.losses.skip("document that cannot be read", where)


def _members(text: bytes, start: int, end: int) -> dict[str, tuple[int, int]]:
    members, whole = members_of(text, start, end)
    found = {member.key: (member.start, member.end) for member in members}
    if not whole:
        after = members[-1].end if members else start
        at = text.find(b"," if members else b"{", after) + 1
        cut = open_end(text, at, end) if at else None
        if cut is not None:
            found[cut[0]] = (cut[1], end)
    return found


def _items(text: bytes, start: int, end: int, names: tuple[str, ...]) -> list[tuple[int, int]]:
    members = _members(text, start, end)
    if not members.keys() & set(names):
        wrapper = next((name for name in _WRAPPERS if name in members), None)
        members = _members(text, *members[wrapper]) if wrapper else members
    found: list[tuple[int, int]] = []
    for name in names:
        if name in members:
            places, whole = items_of(text, *members[name])
            found += places
            if not whole:
                after = places[-1][1] if places else members[name][0]
                at = text.find(b"{", after)
                if 0 <= at < members[name][1]:
                    found.append((at, members[name][1]))
    return found


def _scope_name(raw: Any) -> str:
    tree = _tree(raw)
    name, version = tree.get("name"), tree.get("version")
    return f"{name or ''} {version or ''}".strip()


def _tree(raw: Any) -> dict[str, Any]:
    if not raw:
        return {}
    try:
        tree = orjson.loads(memoryview(raw))
    except orjson.JSONDecodeError:
        return {}
    return tree if isinstance(tree, dict) else {}


def _span(raw: Any, context: Context) -> ForeignSpan | None:
    try:
        tree = orjson.loads(memoryview(raw))
    except orjson.JSONDecodeError:
        try:
            tree = tree_of(bytes(raw), context.losses)
        except LeafError as error:
            context.losses.skip("span that cannot be read", str(error))
            return None
    if not isinstance(tree, dict):
        context.losses.skip("span that is no object")
        return None
    return span_of(tree)


def span_of(tree: dict[str, Any]) -> ForeignSpan:
    """Return a span of the OTLP model, in either spelling of its keys."""
    get = tree.get
    trace, own, above, start, end = _CAMEL if "spanId" in tree else _SNAKE
    span = ForeignSpan(
        identifier(get(trace)), identifier(get(own)), identifier(get(above)) or None,
        str(get("name") or ""),
    )  # fmt: skip
    span.start = nanoseconds(get(start))
    span.end = nanoseconds(get(end))
    span.attributes = attributes_of(get("attributes"))
    status = get("status")
    if isinstance(status, dict) and status:
        span.failed = status.get("code") in _FAILED
        span.message = str(status.get("message") or "")
    events = get("events")
    if isinstance(events, list):
        span.events = [_event(each) for each in events if isinstance(each, dict)]
    links = get("links")
    if isinstance(links, list):
        span.links = links
    return span


def _event(tree: dict[str, Any]) -> tuple[str, int | None, dict[str, Any]]:
    at = nanoseconds(tree.get("timeUnixNano", tree.get("time_unix_nano")))
    return str(tree.get("name") or ""), at, attributes_of(tree.get("attributes"))


def attributes_of(pairs: Any) -> dict[str, Any]:
    """Return attributes by name; they stand as pairs, or as an object already."""
    if isinstance(pairs, dict):
        return pairs
    found: dict[str, Any] = {}
    if not isinstance(pairs, list):
        return found
    for pair in pairs:
        try:
            key, value = pair["key"], pair.get("value")
        except (TypeError, KeyError, AttributeError):
            continue
        if type(value) is dict:
            # Nearly all are texts, so they are asked for first.
            text = value.get("stringValue")
            value = text if text is not None else value_of(value)
        if value is not None:
            found[str(key)] = value
    return found


def value_of(tree: Any) -> Any:
    """Return what an `AnyValue` says; None where it says nothing."""
    if not isinstance(tree, dict):
        return tree
    for key, value in tree.items():
        name = key.replace("_", "").lower()
        if name in ("stringvalue", "boolvalue", "bytesvalue"):
            return value
        if name == "intvalue":
            return _number(value, int)
        if name == "doublevalue":
            return _number(value, float)
        if name == "arrayvalue":
            items = value.get("values") if isinstance(value, dict) else None
            return [value_of(item) for item in items] if isinstance(items, list) else []
        if name == "kvlistvalue":
            return attributes_of(value.get("values") if isinstance(value, dict) else None)
    return None


def _number(value: Any, kind: type) -> Any:
    try:
        return kind(value)
    except (TypeError, ValueError):
        return value
