"""Runs of LangSmith: rows that say where they stand in `dotted_order`, or bodies of ingestion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from inspector.importers.foreign import ForeignSpan, nanoseconds
from inspector.importers.texts import pieces, tree_of, whole_items
from inspector.importers.traces import runs_of
from inspector.runfile.leaf import LeafError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.head import Head
    from inspector.importers.imported import Context, ImportedRun

_KINDS = {"llm": "LLM", "tool": "TOOL", "retriever": "RETRIEVER", "embedding": "EMBEDDING",
          "prompt": "PROMPT"}  # fmt: skip
_INGESTED = frozenset({"post", "patch"})
_RUN = frozenset({"run_type", "dotted_order", "trace_id", "parent_run_id"})
_TOKENS = (
    ("prompt", ("input_tokens", "prompt_tokens")),
    ("completion", ("output_tokens", "completion_tokens")),
    ("total", ("total_tokens",)),
)
_LONGEST_LINE = 500


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    if len(head.keys & _RUN) >= 2 and head.has("run_type", "dotted_order"):
        return 85
    if head.keys & _INGESTED and head.has("run_type", "dotted_order"):
        return 85
    return 80 if "runs" in head.keys and head.has("run_type") else 0


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield a run for each trace in the file."""
    rows: dict[str, dict[str, Any]] = {}
    for piece in pieces(context.source, context.name, context.losses, context.at):
        try:
            tree = tree_of(piece.text, context.losses, piece.where)
        except LeafError as error:
            context.losses.skip("part that is cut off or damaged", f"{piece.where} {error}")
            tree = whole_items(piece.text)
        _take(tree, rows, context)
    titles: dict[str, dict[str, Any]] = {}
    spans = [_span(row) for row in rows.values()]
    for span in spans:
        if span.parent is None:
            titles.setdefault(span.trace, {"title": span.name})
    yield from runs_of(spans, context, facts=titles)


def _take(tree: Any, rows: dict[str, dict[str, Any]], context: Context) -> None:
    """Gather the rows of a document; what was told in two bodies is one run."""
    waiting = [tree]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += reversed(each)
            continue
        if not isinstance(each, dict):
            context.losses.skip("entry that is no run")
            continue
        inner = [each[key] for key in ("post", "patch", "runs") if isinstance(each.get(key), list)]
        if inner and "id" not in each:
            waiting += reversed(inner)
            continue
        key = str(each.get("id") or each.get("run_id") or "")
        if not key:
            context.losses.skip("entry that is no run")
            continue
        known = rows.setdefault(key, {"id": key})
        known |= {name: value for name, value in each.items() if value is not None}
        children = each.get("child_runs")
        if isinstance(children, list):
            for child in reversed(children):
                if isinstance(child, dict):
                    child.setdefault("parent_run_id", key)
                    child.setdefault("trace_id", known.get("trace_id", key))
                    waiting.append(child)


def _span(row: dict[str, Any]) -> ForeignSpan:
    path = [part[-36:] for part in str(row.get("dotted_order") or "").split(".") if "Z" in part]
    parent = row.get("parent_run_id") or (path[-2] if len(path) > 1 else None)
    trace = row.get("trace_id") or (path[0] if path else None) or row["id"]
    span = ForeignSpan(str(trace), str(row["id"]), str(parent) if parent else None, _name(row))
    span.start = nanoseconds(row.get("start_time"))
    span.end = nanoseconds(row.get("end_time"))
    kind = _KINDS.get(str(row.get("run_type")), "AGENT" if _is_agent(row) else "CHAIN")
    attributes: dict[str, Any] = {"openinference.span.kind": kind}
    for key, name in (("inputs", "input.value"), ("outputs", "output.value")):
        if row.get(key) not in (None, {}, []):
            attributes[name] = _text(row[key])
    if kind == "LLM":
        _note_call(attributes, row)
    if kind == "TOOL":
        attributes["tool.name"] = span.name
    for key in ("tags", "session_name", "status", "total_cost"):
        if row.get(key) not in (None, "", [], {}):
            attributes[f"langsmith.{key}"] = row[key]
    span.attributes = attributes
    error = row.get("error")
    span.failed = bool(error) or row.get("status") == "error"
    if span.failed:
        span.events = [("exception", None, _exception(str(error or "")))]
    return span


def _name(row: dict[str, Any]) -> str:
    return str(row.get("name") or row.get("run_type") or "run")


def _is_agent(row: dict[str, Any]) -> bool:
    return "agent" in _name(row).lower() and row.get("run_type") == "chain"


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()


def _exception(text: str) -> dict[str, Any]:
    """Return an error, which is written as a traceback whose last line, or first, names it."""
    lines = [line for line in text.strip().split("\n") if line.strip()]
    last = lines[-1] if lines and lines[0].startswith("Traceback") else (lines[0] if lines else "")
    kind, colon, message = last.partition(":")
    if not colon or " " in kind:
        kind, message = "", last
    if kind and "(" in kind:
        # As Python shows an exception, before its traceback: Name('words')
        kind, message = "", last
    if not colon and "(" in last:
        kind, _, message = last.partition("(")
        message = message.rpartition(")")[0].strip("'\"")
    made = {
        "exception.type": kind.strip(),
        "exception.message": message.strip()[:_LONGEST_LINE],
        "exception.stacktrace": text if len(lines) > 1 else "",
    }
    return {key: value for key, value in made.items() if value}


def _note_call(attributes: dict[str, Any], row: dict[str, Any]) -> None:
    outputs = row.get("outputs")
    outputs = outputs if isinstance(outputs, dict) else {}
    llm_output = outputs.get("llm_output")
    llm_output = llm_output if isinstance(llm_output, dict) else {}
    extra = row.get("extra")
    metadata = extra.get("metadata") if isinstance(extra, dict) else None
    metadata = metadata if isinstance(metadata, dict) else {}
    message = _message_in(outputs)
    for usage in (
        outputs.get("usage_metadata"), outputs.get("usage"), llm_output.get("token_usage"),
        message.get("usage_metadata"), metadata.get("usage_metadata"), row,
    ):  # fmt: skip
        if isinstance(usage, dict) and _note_tokens(attributes, usage):
            break
    model = metadata.get("ls_model_name") or llm_output.get("model_name") or outputs.get("model")
    if isinstance(model, str) and model:
        attributes["llm.model_name"] = model
    if isinstance(provider := metadata.get("ls_provider"), str):
        attributes["llm.provider"] = provider


def _note_tokens(attributes: dict[str, Any], usage: dict[str, Any]) -> bool:
    found = False
    for ours, theirs in _TOKENS:
        count = next((usage[key] for key in theirs if isinstance(usage.get(key), int)), None)
        if count:
            attributes[f"llm.token_count.{ours}"] = count
            found = True
    details = usage.get("input_token_details")
    if found and isinstance(details, dict) and isinstance(details.get("cache_read"), int):
        attributes["llm.token_count.prompt_details.cache_read"] = details["cache_read"]
    return found


def _message_in(outputs: dict[str, Any]) -> dict[str, Any]:
    """Return what LangChain wrote of the message that a model gave back."""
    generations = outputs.get("generations")
    while isinstance(generations, list) and generations:
        generations = generations[0]
    message = generations.get("message") if isinstance(generations, dict) else None
    fields = message.get("kwargs", message) if isinstance(message, dict) else None
    return fields if isinstance(fields, dict) else {}
