"""Files of batch APIs, a request or an answer a line: OpenAI's, and Anthropic's.

Answers stand in no order; what belongs together has the same `custom_id`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.errors import RunFileError
from inspector.importers.exchanges import Exchange, run_of
from inspector.importers.texts import pieces, tree_of
from inspector.runfile.leaf import LeafError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.head import Head
    from inspector.importers.imported import Context, ImportedRun

_ASKED = frozenset({"body", "params"})
_ANSWERED = frozenset({"response", "error", "result"})
_NO_REQUEST = "the file of answers does not hold the requests"
_NO_ANSWER = "the file of requests does not hold the answers"


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    return 85 if "custom_id" in head.keys and head.keys & (_ASKED | _ANSWERED) else 0


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield one run, with a span for each request.

    Raises:
        RunFileError: Nothing in it can be read.

    """
    found: dict[str, Exchange] = {}
    for piece in pieces(context.source, context.name, context.losses, context.at):
        try:
            tree = tree_of(piece.text, context.losses, piece.where)
        except LeafError as error:
            context.losses.skip("line that cannot be read", f"{piece.where} {error}")
            continue
        for each in tree if isinstance(tree, list) else [tree]:
            if not isinstance(each, dict) or not each.keys() & (_ASKED | _ANSWERED):
                context.losses.skip("line that is neither request nor answer", piece.where)
                continue
            _take(each, found, context)
    if not found:
        raise RunFileError(
            f"Nothing can be read of {context.name}: a file of a batch that is cut off or damaged.",
            hint="Copy or download it again.",
        )
    for exchange in found.values():
        if exchange.request is None:
            exchange.lacking["inputs"] = _NO_REQUEST
        elif exchange.answer is None and exchange.error is None:
            exchange.lacking["outputs"] = _NO_ANSWER
    if all(each.request is None for each in found.values()):
        context.losses.lose("requests", f"{_NO_REQUEST}; the file that was sent does")
    if all(each.answer is None and each.error is None for each in found.values()):
        context.losses.lose("answers", f"{_NO_ANSWER}; open the file of the results")
    yield run_of(
        list(found.values()),
        context,
        "batch",
        why_untimed="a batch says nothing of when each of its requests was answered",
        in_order=False,
    )


def _take(line: dict[str, Any], found: dict[str, Exchange], context: Context) -> None:
    name = str(line.get("custom_id") or f"line {len(found) + 1}")
    known = found.get(name)
    asked = line.get("body", line.get("params"))
    if known is not None and (
        known.request is not None if asked is not None else _is_answered(known)
    ):
        context.losses.problem(f"Two lines have the custom_id {name}.")
        while name in found:
            name += "'"
        known = None
    exchange = known or found.setdefault(name, Exchange(name=name))
    if asked is not None:
        exchange.request = asked
        exchange.url = str(line.get("url") or "")
        if line.get("method"):
            exchange.tags["method"] = line["method"]
        return
    if line.get("id"):
        exchange.tags["id"] = line["id"]
    response = line.get("response")
    if isinstance(response, dict):
        exchange.answer = response.get("body", response)
        status = response.get("status_code")
        exchange.status = status if isinstance(status, int) else None
        if response.get("request_id"):
            exchange.tags["request_id"] = response["request_id"]
    if isinstance(result := line.get("result"), dict):
        _take_result(exchange, result)
    if error := line.get("error"):
        exchange.error = _error(error, exchange.answer)


def _is_answered(exchange: Exchange) -> bool:
    return exchange.answer is not None or exchange.error is not None


def _take_result(exchange: Exchange, result: dict[str, Any]) -> None:
    """Take a result as Anthropic writes it: succeeded, errored, canceled or expired."""
    if isinstance(result.get("message"), dict):
        exchange.answer = result["message"]
    elif result.get("type") != "succeeded":
        error = result.get("error")
        inner = error.get("error", error) if isinstance(error, dict) else error
        exchange.error = _error(inner or {"type": result.get("type")}, None)


def _error(error: Any, answer: Any) -> dict[str, str]:
    if not isinstance(error, dict):
        return {"message": str(error)}
    message = error.get("message")
    body = answer.get("error") if isinstance(answer, dict) else None
    if not message and isinstance(body, dict):
        message = body.get("message")
    made = {"type": error.get("code") or error.get("type"), "message": message}
    return {key: str(value) for key, value in made.items() if value} or {"message": "it failed"}
