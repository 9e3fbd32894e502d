"""Logs of calls: requests with their answers, answers alone, pieces of streamed answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.errors import RunFileError
from inspector.importers.exchanges import Exchange, run_of
from inspector.importers.texts import pieces, tree_of, whole_items
from inspector.importers.wire_stream import joined
from inspector.runfile.leaf import LeafError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.head import Head
    from inspector.importers.imported import Context, ImportedRun

_WHY = "the log holds no times but whole seconds of some answers"
_NO_REQUEST = "the log holds the answer only"
_TAGS = ("id", "created", "created_at", "system_fingerprint", "timestamp", "time", "latency",
         "latency_ms", "duration", "duration_ms", "request_id", "error", "metadata")  # fmt: skip
_REQUEST = ("request", "req", "input", "kwargs", "payload")
_RESULT = ("response", "res", "output", "completion", "result")
_SPOKEN = frozenset({"user", "assistant", "system", "tool", "developer"})


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    keys = head.keys
    if keys >= {"choices"} and keys & {"model", "created", "object", "id"}:
        return 75
    if _is_answer_by_keys(keys, head):
        return 70
    for asked in _REQUEST:
        if asked in keys and keys & set(_RESULT):
            inner = head.inner_keys(asked)
            if inner & {"messages", "contents"} or inner >= {"model", "input"}:
                return 72
    if "messages" in keys and "interactions" not in keys:
        inner = head.inner_keys("messages")
        return 60 if "role" in inner and not keys & {"version", "samples", "type"} else 0
    if head.in_list and keys >= {"role", "content"} and not keys & {"uuid", "kind", "parts"}:
        return 55
    return 0


def _is_answer_by_keys(keys: frozenset[str], head: Head) -> bool:
    if keys >= {"candidates", "usageMetadata"}:
        return True
    if keys >= {"object", "output", "model"} and b'"response"' in head.data:
        return True
    return keys >= {"role", "content", "stop_reason", "usage"}


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield one run, with a span for each call.

    Raises:
        RunFileError: Nothing in it can be read.

    """
    found: list[Exchange] = []
    chunks: list[Any] = []
    for piece in pieces(context.source, context.name, context.losses, context.at):
        try:
            tree = tree_of(piece.text, context.losses, piece.where)
        except LeafError as error:
            context.losses.skip("entry that cannot be read", f"{piece.where} {error}")
            tree = whole_items(piece.text)
        for entry in _entries(tree):
            if _is_chunk(entry):
                chunks.append(entry)
                continue
            exchange = _exchange(entry)
            if exchange is None:
                context.losses.skip("entry that is no call", piece.where)
            else:
                found.append(exchange)
    if chunks:
        found += _streamed_calls(chunks)
    if not found:
        raise RunFileError(
            f"Nothing can be read of {context.name}: a log of calls that is cut off or damaged.",
            hint="Copy or download it again.",
        )
    yield run_of(found, context, "chat log", why_untimed=_WHY)


def _streamed_calls(chunks: list[Any]) -> list[Exchange]:
    """Return the calls whose answers came in pieces."""
    told = joined(chunks)
    lacking = {"inputs": _NO_REQUEST}
    return [
        Exchange(answer=answer, lacking=lacking, tags=tags_of_answer(answer), cut=is_cut(answer))
        for answer in told.answers
    ]


def is_cut(answer: Any) -> bool:
    """Whether an answer that came in pieces breaks off: none of its choices says why it ended."""
    if not isinstance(answer, dict) or answer.get("error"):
        return False
    choices = answer.get("choices")
    if isinstance(choices, list):
        return not any(choice.get("finish_reason") for choice in choices)
    if "done" in answer:
        return not answer["done"]
    return answer.get("role") == "assistant" and not answer.get("stop_reason")


def _entries(tree: Any) -> list[Any]:
    if isinstance(tree, list):
        if tree and all(isinstance(each, dict) and each.get("role") in _SPOKEN for each in tree):
            return [{"messages": tree}]
        return tree
    if isinstance(tree, dict) and isinstance(tree.get("data"), list) and "object" in tree:
        # A list of stored completions, as the API answers it.
        first = tree["data"][0] if tree["data"] else None
        if isinstance(first, dict) and "choices" in first:
            return list(tree["data"])
    return [tree]


def _is_chunk(entry: Any) -> bool:
    if not isinstance(entry, dict):
        return False
    choices = entry.get("choices")
    if entry.get("object") == "chat.completion.chunk":
        return True
    return isinstance(choices, list) and any(
        isinstance(each, dict) and "delta" in each for each in choices
    )


def _exchange(entry: Any) -> Exchange | None:
    if not isinstance(entry, dict):
        return None
    if isinstance(entry.get("choices"), list) or _is_answer(entry):
        asked = entry.get("messages")
        request = {"messages": asked} if isinstance(asked, list) else None
        lacking = {} if request else {"inputs": _NO_REQUEST}
        return Exchange(request, entry, lacking=lacking, tags=tags_of_answer(entry))
    request = next((entry[key] for key in _REQUEST if isinstance(entry.get(key), dict)), None)
    answer = next((entry[key] for key in _RESULT if entry.get(key) is not None), None)
    if request is None and isinstance(entry.get("messages"), list):
        if answer is None:
            return _conversation(entry)
        request = {key: value for key, value in entry.items() if key not in _RESULT}
    if request is None:
        return None
    error = entry.get("error")
    if answer is None and error:
        answer = {"error": error}
    if isinstance(answer, list) and answer and all(map(_is_chunk, answer)):
        answer = joined(answer).answers[0]
    return Exchange(
        request,
        answer,
        status=_status(entry, answer),
        tags={**tags_of_answer(answer), **tags_of_answer(entry)},
    )


def _status(entry: dict[str, Any], answer: Any) -> int | None:
    for tree in (entry, answer):
        if isinstance(tree, dict):
            for key in ("status_code", "http_status"):
                if isinstance(tree.get(key), int):
                    return int(tree[key])
    return None


def _is_answer(entry: dict[str, Any]) -> bool:
    return (
        isinstance(entry.get("candidates"), list)
        or (entry.get("object") == "response" and isinstance(entry.get("output"), list))
        or (entry.get("role") == "assistant" and "stop_reason" in entry)
    )


def _conversation(entry: dict[str, Any]) -> Exchange | None:
    """Return a conversation as one call: its last message is the answer, if a model said it."""
    spoken = entry["messages"]
    if not spoken:
        return None
    rest = {key: value for key, value in entry.items() if key != "messages"}
    last = spoken[-1]
    if isinstance(last, dict) and last.get("role") == "assistant":
        answer = {"choices": [{"message": last}]}
        return Exchange({**rest, "messages": spoken[:-1]}, answer)
    return Exchange({**rest, "messages": spoken}, lacking={"outputs": "the log holds no answer"})


def tags_of_answer(tree: Any) -> dict[str, Any]:
    """Return what else an answer, or an entry of a log, says of itself."""
    if not isinstance(tree, dict):
        return {}
    return {key: tree[key] for key in _TAGS if tree.get(key) not in (None, "", {}, [])}
