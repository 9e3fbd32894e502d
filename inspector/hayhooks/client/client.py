"""A Hayhooks server asked: what it runs, what became of it, and to do something about it.

Every method waits for an answer, so it belongs on a worker thread. `close` may come from any
thread, and ends what the others wait for.
"""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from inspector.hayhooks.client.access import Access
from inspector.hayhooks.client.address import path_of
from inspector.hayhooks.client.model import (
    Deployment,
    Execution,
    ExecutionStatus,
    HayhooksError,
    Page,
    Server,
    ServerState,
    ServerStatus,
    StreamEvent,
    Submitted,
)
from inspector.hayhooks.client.openapi import headers_asked, input_schema, resume_schema
from inspector.hayhooks.client.reading import mapping, odd, parsed, read_execution, read_page, word
from inspector.hayhooks.client.refusal import refusal
from inspector.hayhooks.client.wire import Answer, Wire, stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

TIMEOUT_S = 20.0  # Hayhooks itself gives its store five seconds
_MOST_DEPLOYMENTS = 2_000
_LONGEST_KEY = 512
_STATES: dict[str, ServerState] = {
    "down": "down", "stopped": "down", "degraded": "degraded", "busy": "degraded",
}  # fmt: skip
_KINDS = frozenset({"pipeline", "agent"})


class HayhooksClient:
    """Asks one server, on whichever of its addresses answers.

    Args:
        server: Which.
        secrets: What is shown to it.
        timeout_s: How long to wait for each part of an answer.
        base_url: Ask this address only, such as to see how each replica is.

    """

    def __init__(
        self,
        server: Server,
        secrets: Access | None = None,
        *,
        timeout_s: float = TIMEOUT_S,
        base_url: str | None = None,
    ) -> None:
        self.server = server
        self._access = secrets or Access()
        addresses = (base_url,) if base_url else server.addresses
        self._wires = [Wire(url, timeout_s) for url in addresses]
        self._first = 0  # the address that answered last
        self._closed = threading.Event()
        self._known: dict[str, Deployment] = {}

    def __repr__(self) -> str:
        """Say who is asked, and nothing that is shown to them."""
        return f"HayhooksClient({self.server.url!r})"

    def status(self) -> ServerStatus:
        """Return how the server is and what it runs, without its schemas. Never raises."""
        try:
            answer = self._got("/status", "status")
            return self._status(mapping(parsed(answer.data)), answer.url)
        except HayhooksError as error:
            words = " ".join(filter(None, (str(error), error.hint)))
            state = _STATES.get(error.kind, "refused")
            url = self._wires[self._first].url
            return ServerStatus(url, state, words, asked_at_ns=time.time_ns())

    def statuses(self) -> tuple[ServerStatus, ...]:
        """Return how each address of the server is. Never raises."""
        found = []
        for wire in self._wires:
            one = HayhooksClient(self.server, self._access, base_url=wire.url)
            try:
                found.append(one.status())
            finally:
                one.close()
        return tuple(found)

    def deployments(self, *, schemas: bool = True) -> tuple[Deployment, ...]:
        """Return what the server runs, with the schemas of what it takes unless told otherwise.

        Raises:
            HayhooksError: It does not say.

        """
        answer = self._got("/status", "status")
        found = self._status(mapping(parsed(answer.data)), answer.url).deployments
        if not schemas:
            return found
        try:
            api = mapping(parsed(self._got("/openapi.json", "description").data))
        except HayhooksError as error:
            if error.kind in {"down", "stopped"}:
                raise
            api = {}  # an operator may have turned it off
        described = tuple(
            replace(
                deployment,
                input_schema=input_schema(api, deployment.name),
                resume_schema=resume_schema(api, deployment.name),
                owner_headers=headers_asked(api, deployment.name),
            )
            for deployment in found
        )
        self._known = {deployment.name: deployment for deployment in described}
        return described

    def page(
        self,
        deployment: str,
        *,
        cursor: str | None = None,
        limit: int = 100,
        status: ExecutionStatus | None = None,
        revision: str | None = None,
        search: str | None = None,
    ) -> Page:
        """Return some executions, oldest first. A page may be empty and yet have a next one.

        Raises:
            HayhooksError: It cannot be had; `invalid` when the cursor is of another question.

        """
        asked = {
            "limit": limit, "cursor": cursor, "status": status,
            "revision": revision or None, "search": search or None,
        }  # fmt: skip
        query = urlencode({key: value for key, value in asked.items() if value is not None})
        path = f"{path_of(deployment)}/executions?{query}"
        answer = self._got(path, f"the list of executions of {deployment[:60]}", as_operator=True)
        return read_page(parsed(answer.data), deployment)

    def inspect(
        self, deployment: str, execution: str, *, timeout_s: float | None = None
    ) -> Execution:
        """Return one execution.

        Raises:
            HayhooksError: It cannot be had.

        """
        path = path_of(deployment, execution=execution)
        answer = self._got(path, f"execution {execution[:40]}", timeout_s=timeout_s)
        return self._execution(answer, deployment)

    def submit(self, deployment: str, given: Any, *, key: str | None = None) -> Submitted:
        """Start an execution, or find the one that was started with the same key.

        Args:
            deployment: What runs.
            given: Its input, as JSON.
            key: The same for the same wish, however often it is said; at most 512 bytes. With a
                key it is safe to ask again, so another address is tried when one is down.

        Raises:
            HayhooksError: `invalid` (see its `fields`), `conflict` (the key has another input),
                `busy`, or it cannot be reached.

        """
        headers = {}
        if key is not None:
            if not key or not key.isascii() or not key.isprintable() or len(key) > _LONGEST_KEY:
                raise HayhooksError(
                    f"A key has 1 to {_LONGEST_KEY} visible ASCII signs.", kind="invalid"
                )
            headers["Idempotency-Key"] = key
        answer = self._posted(
            path_of(deployment, action="run-durable"),
            given,
            f"deployment {deployment[:60]}",
            headers,
            key is not None,
        )
        known = answer.headers.get("idempotent-replay", "").lower() == "true"
        return Submitted(self._execution(answer, deployment), known)

    def cancel(self, deployment: str, execution: str) -> Execution:
        """Ask that an execution ends. An agent does at its next step, a pipeline after its work.

        Raises:
            HayhooksError: It cannot be asked.

        """
        path = path_of(deployment, execution=execution, action="cancel")
        what = f"execution {execution[:40]}"
        return self._execution(self._posted(path, None, what, {}, is_safe=True), deployment)

    def resume(self, deployment: str, execution: str, given: Any = None) -> Execution:
        """Answer what an execution waits for.

        Raises:
            HayhooksError: `invalid` (see its `fields`), or `conflict` (it does not wait).

        """
        path = path_of(deployment, execution=execution, action="resume")
        what = f"execution {execution[:40]}"
        return self._execution(self._posted(path, given, what, {}, is_safe=False), deployment)

    def stream(
        self,
        deployment: str,
        execution: str,
        *,
        last_event_id: str | None = None,
        last_attempt: int | None = None,
        cancelled: Callable[[], bool] | None = None,
        reconnect: bool = True,
        poll_s: float | None = 2.0,
    ) -> Iterator[StreamEvent]:
        """Yield what comes of an execution, until it is over, somebody stops it, or we give up.

        Args:
            deployment: What runs.
            execution: Which.
            last_event_id: Go on after this event; otherwise with what the server still has.
            last_attempt: That the event was of, so that it is said when another one began.
            cancelled: Asked several times a second whether to stop.
            reconnect: Whether to go on, where it can be, when the connection breaks.
            poll_s: How often to ask for changes that streams do not tell, such as waiting.

        Raises:
            HayhooksError: It cannot be attached to in the first place.

        """
        from inspector.hayhooks.client.stream import Watch

        stop = cancelled or (lambda: False)
        watch = Watch(
            self, deployment, execution, last_event_id, last_attempt,
            stopped=lambda: self._closed.is_set() or stop(), reconnect=reconnect, poll_s=poll_s,
        )  # fmt: skip
        return watch.events()

    def traces(self, limit: int = 25) -> Mapping[str, Any]:
        """Return recent traces of the process that answers, as the server tells them.

        Raises:
            HayhooksError: They cannot be had.

        """
        answer = self._got(f"/traces?limit={limit:d}", "traces", as_operator=True)
        return mapping(parsed(answer.data))

    def close(self) -> None:
        """End everything that goes on; nothing can be asked any more."""
        self._closed.set()
        for wire in self._wires:
            wire.close()

    def wires(self) -> tuple[Wire, ...]:
        """Return the addresses to try, the best first."""
        first = self._first
        return (*self._wires[first:], *self._wires[:first])

    def prefer(self, wire: Wire) -> None:
        """Ask this address first from now on."""
        self._first = self._wires.index(wire)

    @property
    def scope(self) -> str:
        """Tell owners apart: what one sees another does not."""
        return self._access.scope

    def owner_headers(self) -> Mapping[str, str]:
        """Return what says whose executions are meant."""
        return dict(self._access.owner)

    def _got(
        self, path: str, what: str, *, as_operator: bool = False, timeout_s: float | None = None
    ) -> Answer:
        answer = self._tried("GET", path, self._headers(as_operator), None, True, timeout_s)
        if as_operator and answer.status == 401 and self._names_owner_by_authorization():
            # A deployment that asks who owns it takes no operator's token.
            answer = self._tried("GET", path, self._headers(False), None, True, timeout_s)
        return self._good(answer, what)

    def _posted(
        self, path: str, given: Any, what: str, headers: Mapping[str, str], is_safe: bool
    ) -> Answer:
        try:
            body = b"" if given is None else json.dumps(given, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise HayhooksError("That is no JSON.", kind="invalid") from error
        said = {**self._headers(False), **headers}
        return self._good(self._tried("POST", path, said, body, is_safe, None), what)

    def _tried(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes | None,
        is_safe: bool,
        timeout_s: float | None,
    ) -> Answer:
        """Ask one address after the other until one answers; once only, when twice would matter."""
        error = stopped()
        for wire in self.wires():
            if self._closed.is_set():
                raise stopped()
            try:
                answer = wire.ask(method, path, headers, body, timeout_s=timeout_s)
            except HayhooksError as problem:
                error = problem
                if problem.kind != "down" or not (is_safe or problem.was_not_sent):
                    raise
            else:
                self.prefer(wire)
                return answer
        raise error

    def _good(self, answer: Answer, what: str) -> Answer:
        if not 200 <= answer.status < 300:
            name = next(wire.name for wire in self._wires if wire.url == answer.url)
            raise refusal(answer, name, what)
        return answer

    def _headers(self, as_operator: bool) -> dict[str, str]:
        headers = dict(self._access.owner)
        if as_operator and self._access.token:
            headers = {key: value for key, value in headers.items() if not _is_authorization(key)}
            headers["Authorization"] = f"Bearer {self._access.token}"
        return headers

    def _names_owner_by_authorization(self) -> bool:
        return bool(self._access.token) and any(map(_is_authorization, self._access.owner))

    def _execution(self, answer: Answer, deployment: str) -> Execution:
        return self.with_kind(read_execution(parsed(answer.data), deployment))

    def with_kind(self, execution: Execution) -> Execution:
        """Return an execution with the kind of its deployment, where that is known."""
        known = self._known.get(execution.row.deployment)
        if known is None or execution.row.kind:
            return execution
        return replace(execution, row=replace(execution.row, kind=known.kind))

    def _status(self, said: dict[str, Any], url: str) -> ServerStatus:
        listed = said.get("deployments")
        if not isinstance(listed, list):
            raise odd("The server does not say what it runs.")
        found = tuple(
            _deployment(entry)
            for entry in listed[:_MOST_DEPLOYMENTS]
            if isinstance(entry, dict) and word(entry.get("name"))
        )
        for deployment in found:
            self._known.setdefault(deployment.name, deployment)
        ill = [
            word(entry.get("name")) for entry in listed[:_MOST_DEPLOYMENTS]
            if isinstance(entry, dict) and entry.get("state") == "Degraded"
        ]  # fmt: skip
        is_up = said.get("status") == "Up!" and not ill
        message = (
            "" if is_up else f"It answers, but not all is well: {', '.join(ill) or 'degraded'}."
        )
        return ServerStatus(url, "up" if is_up else "degraded", message, found, time.time_ns())


def _deployment(entry: dict[str, Any]) -> Deployment:
    kind = word(entry.get("type"))
    return Deployment(
        name=word(entry.get("name")),
        kind=kind if kind in _KINDS else "unknown",
        is_durable=entry.get("execution_mode") == "durable",
        revision=word(entry.get("revision")) or None,
        description=word(entry.get("description")),
        is_listed=entry.get("execution_enumeration") is True,
    )


def _is_authorization(header: str) -> bool:
    return header.lower() == "authorization"
