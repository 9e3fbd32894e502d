"""A small run with something in every field there is, and the places of its texts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.hostile.words import Bait

Make = Callable[[Bait], bytes]
_CALL = {"id": "c1", "name": "search", "arguments": {"q": "tide"}, "extra": {"a": "b"}}
_ERROR = {
    "type": "builtins.ValueError", "message": "no tide", "traceback": "Traceback: no tide",
    "cause": {"type": "builtins.OSError", "message": "no sea", "traceback": "Traceback: no sea"},
    "context": {"type": "builtins.KeyError", "message": "k"}, "attributes": {"status_code": "500"},
    "mro": ["builtins.Exception"],
}  # fmt: skip
_MESSAGES = [
    {"$": "chat_message", "role": "system", "content": [{"text": "Be brief."}], "meta": {}},
    {"$": "chat_message", "role": "user", "name": "ada", "meta": {"a": "b"}, "content": [
        {"text": "When is high tide?"},
        {"$": "image", "data": {"$": "bytes", "base64": "AAAA"}, "mime_type": "image/png",
         "detail": "low", "meta": {"file_path": "a.png"}},
        {"$": "file", "data": {"$": "bytes", "base64": "AAAA"}, "mime_type": "application/pdf",
         "filename": "a.pdf", "extra": {"a": "b"}},
    ]},
    {"$": "chat_message", "role": "assistant", "meta": {"model": "m", "finish_reason": "stop"},
     "content": [{"reasoning": {"text": "Hm.", "extra": {"a": "b"}}}, {"tool_call": _CALL}]},
    {"$": "chat_message", "role": "tool", "meta": {},
     "content": [{"tool_result": {"call": _CALL, "result": "noon", "error": False}}]},
]  # fmt: skip
_ODD = {
    "stream": {"$": "byte_stream", "data": {"$": "bytes", "base64": "AAAA"}, "mime_type": "a/b",
               "meta": {"file_path": "a.txt"}},
    "answer": {"$": "answer", "type": "generated", "data": "noon", "query": "tide", "meta": {}},
    "state": {"$": "state", "data": {"a": "b"}, "schema": {"a": {"type": "str", "handler": "h"}}},
    "tool": {"$": "tool", "name": "search", "description": "looks", "parameters": {"a": "b"}},
    "object": {"$": "object", "type": "a.B", "fields": {"a": "b"}},
    "component": {"$": "component", "type": "a.B"},
    "opaque": {"$": "opaque", "type": "a.B", "repr": "<B>", "why": "w"},
    "truncated": {"$": "truncated", "type": "str", "size": 9, "why": "w", "head": "abc"},
    "redacted": {"$": "redacted", "rule": "email", "placeholder": "<email:1>"},
    "missing": {"$": "missing", "ref": "00", "why": "w"},
    "callable": {"$": "callable", "name": "a.b"},
    "of_type": {"$": "type", "name": "list[str]"},
    "enum": {"$": "enum", "type": "a.B", "name": "C", "value": "c"},
    "path": {"$": "path", "value": "a/b"},
    "secret": {"$": "secret", "env_vars": ["A_KEY"]},
    "when": {"$": "datetime", "value": "2026-11-29T14:00:00"},
    "decimal": {"$": "decimal", "value": "1.5"},
    "int": {"$": "int", "value": "9007199254740993"},
    "float": {"$": "float", "value": "nan"},
    "uuid": {"$": "uuid", "value": "0"},
    "array": {"$": "array", "dtype": "float32", "shape": [1], "base64": "AAAA"},
    "dict": {"$": "dict", "items": [["a", "b"]], "type": "a.B"},
    "exception": {"$": "exception", **_ERROR},
    "strange": {"$": "new_tag", "a": "b"},
}  # fmt: skip


def _span(number: int, parent: int | None, kind: str, name: str, path: str, **more: Any) -> Any:
    return {
        "id": f"s{number}", "parent": None if parent is None else f"s{parent}", "kind": kind,
        "operation": f"haystack.{kind}.run", "name": name, "path": path, "visit": 1,
        "start_ns": number * 1000, "end_ns": 90_000 - number * 1000, "status": "ok", **more,
    }  # fmt: skip


def base() -> dict[str, Any]:
    """Return a run that means no harm, as a tree."""
    document = {"$": "document", "id": "d1", "content": "High tide is at noon.",
                "meta": {"file_path": "tides.txt", "url": "https://tides.example"}, "score": 0.5}  # fmt: skip
    component = {"type": "a.Retriever", "package": "a", "version": "1", "role": "retrieval",
                 "inputs": {"query": "str"}, "outputs": {"documents": "list"}}  # fmt: skip
    reply = {"replies": [_MESSAGES[2]]}
    drift = {"kind": "input", "path": "llm#1", "visit": 1, "grade": "major", "leaf": "a",
             "recorded": "a", "live": "b", "candidate": "c", "message": "m", "details": ["d"]}  # fmt: skip
    spans = [
        _span(1, None, "pipeline", "tides", "", role="pipeline", inputs={"a": {"q": "tide"}},
              outputs={"llm": reply}, tags={"t": "u"}, thread="t1", not_recorded={"a": "why"},
              channels={"inputs": "wrapper"}, extensions={"a": {"b": "c"}}, error=dict(_ERROR)),
        _span(2, 1, "component", "retriever", "retriever#1", type="a.Retriever", role="retrieval",
              senders={"query": [None, "a"]}, receivers={"documents": ["llm"]},
              inputs={"query": "tide"}, outputs={"documents": [document], "odd": dict(_ODD)},
              retrieval={"query": "tide", "filters": {"field": "meta.a", "operator": "==",
                         "value": "b"}, "top_k": 2, "store": {"type": "a.Store", "name": "s"},
                         "embedder": {"model": "m"},
                         "documents": [{"id": "d1", "digest": "0", "score": 0.5, "rank": 1}]}),
        _span(3, 1, "agent", "agent", "agent#1", role="agent", inputs={"messages": _MESSAGES},
              outputs={"exit_reason": "text", "last_message": _MESSAGES[2]}),
        _span(4, 3, "step", "step", "agent#1/step0", step=0),
        _span(5, 4, "llm", "llm", "agent#1/step0/llm", role="llm", type="a.Llm",
              inputs={"messages": _MESSAGES, "generation_kwargs": {"response_format": "r"}},
              outputs=reply,
              llm={"name": "gpt-4o-mini", "provider": "openai", "finish_reason": "stop",
                   "service_tier": "default", "processing": "batch"},
              usage={"input_tokens": 9, "output_tokens": 3, "total_tokens": 12, "raw": {"a": "b"}},
              chunks=[[6000, {"$": "streaming_chunk", "content": "At", "meta": {"a": "b"},
                              "component": {"name": "n", "type": "t"}, "finish_reason": "stop",
                              "reasoning": {"text": "r"}}]]),
        _span(6, 4, "tool", "search", "agent#1/step0/tool:search[0]", role="tool",
              status="failed", inputs={"q": "tide"}, arguments={"q": "tide"}, outputs="noon",
              tool_call={"id": "c1", "index": 0}, error=dict(_ERROR), source="recorded",
              state_changes={"a": {"before": "b", "after": "c"}}),
    ]  # fmt: skip
    run = {
        "id": "01M8M4ZS3P6ZYDM51Q3F20SR8P", "kind": "pipeline", "name": "tides", "mode": "sync",
        "status": "failed", "started_at": "2026-11-29T14:00:00Z", "utc_offset_s": 0,
        "duration_ns": 90_000, "inputs": {"a": {"q": "tide"}}, "outputs": {"llm": reply},
        "error": dict(_ERROR),
        "topology": {"components": {"retriever": component, "llm": {"type": "a.Llm"}},
                     "connections": [{"sender": "retriever.documents", "receiver": "llm.docs"}]},
        "definition": {"components": {"retriever": {"type": "a.Retriever", "init_parameters": {
            "template": "a {{ b }}", "key": {"type": "env_var", "env_vars": ["A"]}}}},
            "connections": [{"sender": "retriever.documents", "receiver": "llm.docs"}],
            "metadata": {"name": "tides"}},
        "definition_errors": {"llm": "no to_dict"},
        "environment": {"python": "3.11", "platform": "Linux", "packages": {"a": "1"},
                        "recorder": "0.1", "hash_seed": "0", "tz": "UTC"},
        "usage": {"input_tokens": 9, "output_tokens": 3, "raw": {"a": "b"}},
        "cost_estimate": {
            "openai/gpt-4o-mini": 0.1, "total": 0.1, "total_usd": 0.1, "currency": "USD",
            "pricing_source": "p", "pricing_snapshot_date": "2026-11-10", "as_of": "2026-11-29",
            "pricing_digest": "sha256:0", "calls": 1, "unknown_calls": 1, "llms": [
                {"llm": "openai/gpt-4o-mini", "amount": "0.1", "calls": 1, "matched": "m",
                 "standings": {"priced": 1}, "why": ["w"], "multiplications": [
                     {"what": "input", "count": 9, "price": "0.1", "per": 1, "amount": "0.1"}]}]},
        "budget": {"usd": "1", "action": "stop", "spent": {"usd": "2"}, "exceeded": "usd",
                   "stopped": True, "at": "s5"},
        "recorder": {"version": "0.1", "channels": ["tracing"], "settings": {"a": "b"}},
        "not_recorded": [{"what": "a", "why": "b"}], "snapshot": {"a": {"b": "c"}},
        "continues": "01A", "replay_of": "01B",
        "findings": [{"kind": "replay", "report": {"version": 1, "same": False, "live_calls": 0,
                      "not_verified": ["a"], "drifts": [drift]}}],
        "redaction": [{"rule": "email", "count": 1, "distinct": 1, "paths": ["s1: a"]}],
        "redacted": {"placeholders": "numbered", "rules_version": 1, "off": ["a"],
                     "fields": ["b"], "rules": {"c": "d+"}, "names": "names not checked"},
        "extensions": {"inspector": {"a": "b"}, "x": {"y": "z"}},
    }  # fmt: skip
    return {"format": "haystack-run", "version": 1, "run": run, "spans": spans, "values": {},
            "extensions": {"a": "b"}}  # fmt: skip


# Steps down the tree, by key or place in a list; `*` is a new key, which says it too.
_RUN = [
    "id",
    "kind",
    "name",
    "mode",
    "status",
    "started_at",
    "inputs/*",
    "inputs/a/q",
    "outputs/llm/replies/0/content/0/text",
    "error/type",
    "error/message",
    "error/traceback",
    "error/cause/message",
    "error/context/type",
    "error/attributes/*",
    "error/mro/0",
    "topology/components/*",
    "topology/components/retriever/type",
    "topology/components/retriever/package",
    "topology/components/retriever/inputs/*",
    "topology/connections/0/sender",
    "definition/components/*",
    "definition/metadata/name",
    "definition/components/retriever/init_parameters/template",
    "definition_errors/*",
    "environment/python",
    "environment/packages/*",
    "environment/tz",
    "usage/raw/*",
    "cost_estimate/*",
    "cost_estimate/currency",
    "cost_estimate/pricing_source",
    "cost_estimate/llms/0/llm",
    "cost_estimate/llms/0/amount",
    "cost_estimate/llms/0/why/0",
    "budget/exceeded",
    "budget/at",
    "recorder/channels/0",
    "recorder/settings/*",
    "not_recorded/0/what",
    "not_recorded/0/why",
    "snapshot/*",
    "continues",
    "replay_of",
    "findings/0/kind",
    "findings/0/report/drifts/0/message",
    "findings/0/report/drifts/0/live",
    "findings/0/report/drifts/0/path",
    "redaction/0/rule",
    "redaction/0/paths/0",
    "redacted/rules/*",
    "redacted/names",
    "extensions/*",
]
_SPANS = [
    "0/id",
    "0/kind",
    "0/operation",
    "0/name",
    "0/type",
    "0/role",
    "0/status",
    "0/path",
    "0/thread",
    "0/tags/*",
    "0/channels/*",
    "0/not_recorded/*",
    "0/extensions/*",
    "0/error/message",
    "1/name",
    "1/type",
    "1/path",
    "1/senders/query/0",
    "1/receivers/documents/0",
    "1/inputs/*",
    "1/outputs/*",
    "1/outputs/documents/0/content",
    "1/outputs/documents/0/id",
    "1/outputs/documents/0/meta/*",
    "1/outputs/documents/0/meta/url",
    "1/outputs/documents/0/meta/file_path",
    "1/retrieval/query",
    "1/retrieval/filters/field",
    "1/retrieval/store/name",
    "1/retrieval/documents/0/id",
    "2/name",
    "2/inputs/messages/1/content/0/text",
    "2/inputs/messages/1/name",
    "2/inputs/messages/1/role",
    "2/inputs/messages/1/meta/*",
    "2/inputs/messages/1/content/1/mime_type",
    "2/inputs/messages/1/content/1/data",
    "2/inputs/messages/1/content/1/meta/file_path",
    "2/inputs/messages/1/content/2/filename",
    "2/inputs/messages/1/content/2/mime_type",
    "2/inputs/messages/2/content/0/reasoning/text",
    "2/inputs/messages/2/content/1/tool_call/name",
    "2/inputs/messages/2/content/1/tool_call/arguments/*",
    "2/inputs/messages/2/content/1/tool_call/id",
    "2/inputs/messages/3/content/0/tool_result/result",
    "2/outputs/exit_reason",
    "4/llm/name",
    "4/llm/provider",
    "4/llm/finish_reason",
    "4/llm/service_tier",
    "4/usage/raw/*",
    "4/usage/input_tokens",
    "4/chunks/0/1/content",
    "4/chunks/0/1/component/name",
    "4/inputs/generation_kwargs/response_format",
    "5/name",
    "5/arguments/*",
    "5/outputs",
    "5/tool_call/id",
    "5/error/message",
    "5/error/traceback",
    "5/source",
    "5/state_changes/*",
]
_ODDS = [
    "stream/mime_type",
    "answer/data",
    "state/schema/*",
    "tool/description",
    "tool/name",
    "object/type",
    "object/fields/*",
    "component/type",
    "opaque/repr",
    "truncated/head",
    "redacted/placeholder",
    "missing/why",
    "callable/name",
    "of_type/name",
    "enum/name",
    "path/value",
    "secret/env_vars/0",
    "when/value",
    "decimal/value",
    "int/value",
    "float/value",
    "uuid/value",
    "array/dtype",
    "array/base64",
    "dict/type",
    "exception/message",
    "strange/$",
]
PLACES = (
    *(f"run/{place}" for place in _RUN),
    *(f"spans/{place}" for place in _SPANS),
    *(f"spans/1/outputs/odd/{place}" for place in _ODDS),
    "extensions/*",
)


def put(tree: dict[str, Any], place: str, words: Any) -> None:
    """Say something in one place of a run."""
    *above, last = place.split("/")
    node: Any = tree
    for step in above:
        node = node[int(step)] if isinstance(node, list) else node[step]
    if isinstance(node, list):
        node[int(last)] = words
    else:
        node[words if last == "*" else last] = words


def saying(places: tuple[str, ...], words: Callable[[Bait], Any]) -> Make:
    """Return what makes a run that says this in these places."""

    def make(bait: Bait) -> bytes:
        tree = json.loads(json.dumps(base()))  # what is shared becomes each its own
        for place in places:
            put(tree, place, words(bait))
        return json.dumps(tree).encode()

    return make
