"""Calls of A2A as JSON-RPC, in either of its versions."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from inspector.hayhooks.client.line import Line
from inspector.hayhooks.client.model import ErrorKind, HayhooksError
from inspector.hayhooks.client.reading import parsed
from inspector.hayhooks.client.sse import EventParser, TooLongError
from inspector.importers.a2a_told import SCHEMA, word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from inspector.hayhooks.a2a.cards import A2ACard
    from inspector.hayhooks.client.wire import Wire

_TICK_S = 0.2
_SILENCE_S = 60.0  # servers say every fifteen seconds that they are there
_MOST_PROBLEMS = 20
_OLD_NAMES = {
    "SendMessage": "message/send",
    "SendStreamingMessage": "message/stream",
    "GetTask": "tasks/get",
    "CancelTask": "tasks/cancel",
    "SubscribeToTask": "tasks/resubscribe",
}
_KINDS: dict[int, ErrorKind] = {
    -32001: "not_found", -32002: "conflict", -32004: "conflict", -32602: "invalid",
    -32005: "invalid",
}  # fmt: skip


class Rpc:
    """Asks one agent, whose card is known.

    Args:
        wire: Where its calls go.
        headers: What is shown to it.
        card: Says which version of A2A it speaks.

    """

    def __init__(self, wire: Wire, headers: Mapping[str, str], card: A2ACard) -> None:
        self._wire = wire
        self._is_old = card.protocol == "0.3"
        # Exactly the address of the card: some answer at `/agent/` only, others at `/agent` only.
        self._path = "/" if card.url.endswith("/") or urlsplit(card.url).path == "" else ""
        self._headers = dict(headers) if self._is_old else {**headers, "A2A-Version": "1.0"}

    def call(
        self, method: str, params: Mapping[str, Any], *, timeout_s: float | None = None
    ) -> Any:
        """Return what a call results in.

        Raises:
            HayhooksError: The agent refuses, or cannot be reached.

        """
        body = self._body(method, params)
        answer = self._wire.ask("POST", self._path, self._headers, body, timeout_s=timeout_s)
        if answer.status != 200:
            raise self._refused(answer.status)
        return self._result(answer.data)

    def stream(
        self, method: str, params: Mapping[str, Any], ended: Callable[[], bool]
    ) -> Iterator[dict[str, Any]]:
        """Yield what comes of a call that goes on.

        Raises:
            HayhooksError: The agent refuses, or the connection broke.

        """
        headers = {**self._headers, "Accept": "text/event-stream"}
        body = self._body(method, params)
        with self._wire.opened(self._path, headers, body) as (response, sock):
            kind = (response.headers.get("content-type") or "").lower()
            if response.status != 200:
                raise self._refused(response.status)
            if not kind.startswith("text/event-stream"):
                result = self._result(self._wire.read_all(response))
                if isinstance(result, dict):
                    yield result
                return
            sock.settimeout(_SILENCE_S)
            line = Line(response, sock)
            parser = EventParser()
            try:
                while not ended():
                    piece = line.next(_TICK_S)
                    if piece is None:
                        return
                    for sent in parser.feed(piece):
                        result = self._result(sent.data)
                        if isinstance(result, dict):
                            yield result
            except TooLongError as error:
                raise HayhooksError(
                    f"{self._wire.name} sends an event that is too large.", kind="odd"
                ) from error
            finally:
                line.hang_up()

    def say_when(self, params: dict[str, Any], *, wait: bool) -> None:
        """Say in the parameters of a message whether its answer waits for the task."""
        params["configuration"] = (
            {"blocking": wait} if self._is_old else {"returnImmediately": not wait}
        )

    def close(self) -> None:
        """End what goes on."""
        self._wire.close()

    def _body(self, method: str, params: Mapping[str, Any]) -> bytes:
        if self._is_old:
            if method not in _OLD_NAMES:
                raise HayhooksError(
                    "The agent speaks A2A 0.3, which has no list of tasks.",
                    kind="conflict",
                    hint="Its tasks can be had one by one, by their ids.",
                )
            method, params = _OLD_NAMES[method], _as_old(params)
        call = {"jsonrpc": "2.0", "id": uuid.uuid4().hex, "method": method, "params": params}
        try:
            return json.dumps(call, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise HayhooksError("That is no JSON.", kind="invalid") from error

    def _result(self, data: bytes | str) -> Any:
        tree = parsed(data)
        if not isinstance(tree, dict):
            raise HayhooksError(f"{self._wire.name} does not speak JSON-RPC.", kind="odd")
        error = tree.get("error")
        if isinstance(error, dict):
            raise self._said_no(error)
        return tree.get("result")

    def _said_no(self, error: Mapping[str, Any]) -> HayhooksError:
        code = error.get("code")
        words = word(error.get("message")) or "it gives no reason"
        fields = tuple(map(_field, _problems(error.get("data"))))
        kind: ErrorKind = _KINDS.get(code, "odd") if isinstance(code, int) else "odd"
        return HayhooksError(
            words if words.endswith((".", "?", "!")) else f"The agent refuses: {words}.",
            kind=kind,
            fields=fields,
        )

    def _refused(self, status: int) -> HayhooksError:
        name = self._wire.name
        if status in {401, 403}:
            return HayhooksError(
                f"{name} does not let us in.",
                kind="unauthorized" if status == 401 else "forbidden",
                status=status,
                hint="It wants a token, or to know who you are.",
            )
        if status == 404:
            return HayhooksError(
                f"There is no agent at {name} any more.", kind="not_found", status=404
            )
        return HayhooksError(f"{name} refused with status {status}.", kind="odd", status=status)


def _problems(data: Any) -> list[str]:
    """Return what is wrong with what was sent, where the agent says it, as ours does."""
    waiting, found = [data], list[str]()
    while waiting and len(found) < _MOST_PROBLEMS:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each[:_MOST_PROBLEMS]
        elif isinstance(each, dict):
            problems = each.get("problems")
            found += [word(one) for one in problems] if isinstance(problems, list) else []
            waiting += [each["metadata"]] if SCHEMA not in each and "metadata" in each else []
    return found[:_MOST_PROBLEMS]


def _field(problem: str) -> tuple[str, str]:
    """Return where in the input something is wrong, and what; `it` is all of it."""
    place, colon, why = problem.partition(": ")
    if not colon or " " in place:
        return "", problem
    return ("" if place == "it" else place), why


def _as_old(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters as A2A 0.3 has them."""
    made = dict(params)
    message = made.get("message")
    if isinstance(message, dict):
        parts = [
            {"kind": "text", **part} if "text" in part else {"kind": "data", **_object(part)}
            for part in message["parts"]
        ]
        made["message"] = {**message, "kind": "message", "role": "user", "parts": parts}
    return made


def _object(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return a data part: in 0.3 it is an object."""
    data = part.get("data")
    return {"data": data if isinstance(data, dict) else {"value": data}}
