"""A run cut to what a replay in a test needs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from inspector.runfile.compact import compact
from inspector.runfile.layout import run_file
from inspector.runfile.leaf import LeafError, read_leaf
from inspector.runfile.load import load_run
from inspector.runfile.save import header_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inspector.runfile.model import PipelineRun

_REF = re.compile(rb'"\$ref":"([^"\\]{1,200})"')
# A replay gives the reply of a stream in pieces of its own when there are none.
_SPAN_FIELDS = frozenset({"chunks", "channels", "thread", "state_changes"})
_RUN_FIELDS = frozenset({"snapshot", "cost_estimate", "budget", "findings", "definition_errors"})
_USAGE = "raw"  # a provider's own words for figures that stand beside them
_TRACEBACK = "traceback"
_CUT = {"what": "streamed chunks, costs and tracebacks", "why": "cut out of a fixture"}


def cut(run: PipelineRun) -> bytes:
    """Return the file of a run with all that its replay, its answer and its decisions need.

    Raises:
        RunFileError: The run cannot be read to its end.

    """
    header = _tree(header_text(run))
    if isinstance(header, dict):
        for name in _RUN_FIELDS:
            header.pop(name, None)
        if isinstance(header.get("error"), dict):
            header["error"] = _without_tracebacks(header["error"])
        noted = header.get("not_recorded")
        header["not_recorded"] = [*(noted if isinstance(noted, list) else ()), _CUT]
    spans = [_span(_tree(text)) for _, text in _in_rows(run)]
    head, records = compact(header, str), [compact(span, str) for span in spans]
    values = dict(_values(run, [head, *records]))
    return b"".join(run_file(head, records, values.items(), named_by_digest=False))


def cut_run(run: PipelineRun) -> tuple[PipelineRun, bytes]:
    """Return the cut run and its file."""
    data = cut(run)
    return load_run(data), data


def _in_rows(run: PipelineRun) -> list[tuple[int, bytes]]:
    return sorted(run.record_texts())


def _span(span: Any) -> Any:
    if not isinstance(span, dict):
        return span
    kept = {name: value for name, value in span.items() if name not in _SPAN_FIELDS}
    if isinstance(usage := kept.get("usage"), dict):
        kept["usage"] = {name: value for name, value in usage.items() if name != _USAGE}
    if isinstance(error := kept.get("error"), dict):
        kept["error"] = _without_tracebacks(error)
    return kept


def _without_tracebacks(error: dict[str, Any]) -> dict[str, Any]:
    """Return an error without the lines of code, which name folders and change by themselves."""
    kept = {name: value for name, value in error.items() if name != _TRACEBACK}
    for name in ("cause", "context"):
        if isinstance(inner := kept.get(name), dict):
            kept[name] = _without_tracebacks(inner)
    return kept


def _values(run: PipelineRun, records: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield the values that are still referred to, in the order of the file."""
    wanted: set[str] = set()
    texts = list(records)
    while texts:
        for found in _REF.findall(texts.pop()):
            name = found.decode()
            if name not in wanted and name in run.values:
                wanted.add(name)
                texts.append(run.values.raw(name))
    for name in run.values.digests():
        if name in wanted:
            yield name, compact(_tree(run.values.raw(name)), str)


def _tree(text: bytes) -> Any:
    try:
        return read_leaf(text)[0]
    except LeafError as error:
        return {"$": "opaque", "type": "json", "repr": "", "why": f"it {error}"}
