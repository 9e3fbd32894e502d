"""An agent of A2A asked: what it takes, its tasks, and to answer what one of them asks for.

    client = A2AClient("http://127.0.0.1:1418/approver/")
    task = client.send("Settle the bill")
    for event in client.stream(task.id):
        if event.task.asks:
            client.send(data={"approved": True}, task_id=task.id)

Speaks JSON-RPC of A2A 1.0, and of 0.3 where the card says no more. Needs no SDK. Every method
waits for an answer, so it belongs on a worker thread; `close` may come from any thread.
"""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from inspector.hayhooks.a2a.cards import A2ACard, asked_address, read_card
from inspector.hayhooks.a2a.events import A2AEvent, Told
from inspector.hayhooks.a2a.rpc import Rpc
from inspector.hayhooks.client.access import Access
from inspector.hayhooks.client.address import address_of
from inspector.hayhooks.client.model import HayhooksError
from inspector.hayhooks.client.reading import mapping, parsed
from inspector.hayhooks.client.wire import Wire, stopped
from inspector.importers.a2a_told import A2ATask, is_task, read_message, read_task, tasks_in, word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

TIMEOUT_S = 20.0
_CARDS = ("/.well-known/agent-card.json", "/.well-known/agent.json")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,200}\Z")
_MOST_PAGES = 200
_PAGE = 100


@dataclass(frozen=True, slots=True)
class TaskPage:
    """Some tasks of an agent, what changed last first.

    Args:
        total: How many there are; None where nobody says.
        cursor: Where the next page begins; None when this was the last.

    """

    tasks: tuple[A2ATask, ...]
    cursor: str | None = None
    total: int | None = None


class A2AClient:
    """Asks one agent.

    Args:
        url: Of the agent, or of its card.
        secrets: A token, which goes out as a bearer, and headers that say who asks.
        timeout_s: How long to wait for each part of an answer.

    Raises:
        HayhooksError: The address is none, or a secret would travel in the open.

    """

    def __init__(
        self, url: str, secrets: Access | None = None, *, timeout_s: float = TIMEOUT_S
    ) -> None:
        for path in _CARDS:
            url = url.strip().removesuffix(path)
        self.url = url.rstrip("/")
        self._headers = _headers(secrets or Access(), self.url)
        self._timeout_s = timeout_s
        self._root = Wire(self.url, timeout_s)
        self._card: A2ACard | None = None
        self._rpc: Rpc | None = None
        self._closed = False

    def __repr__(self) -> str:
        """Say who is asked, and nothing that is shown to them."""
        return f"A2AClient({self.url!r})"

    def __enter__(self) -> Self:
        """Return the client; leaving closes it."""
        return self

    def __exit__(self, *_raised: object) -> None:
        """Close it."""
        self.close()

    def agents(self) -> tuple[str, ...]:
        """Return the addresses of the agents here: this one, or those that a server lists.

        Raises:
            HayhooksError: There are none.

        """
        try:
            self.card()
        except HayhooksError as error:
            if error.kind != "not_found":
                raise
        else:
            return (self.url,)
        answer = self._root.ask("GET", "/status", self._headers)
        tree = parsed(answer.data) if answer.status == 200 else {}
        names = tree.get("agents") if isinstance(tree, dict) else None
        listed = [word(each) for each in names] if isinstance(names, list) else []
        found = tuple(f"{self.url}/{each}/" for each in listed if _NAME.match(each))
        if not found:
            raise _no_agent(self._root.name)
        return found

    def card(self) -> A2ACard:
        """Return what the agent says of itself; it is asked once.

        Raises:
            HayhooksError: There is no agent, or its calls would go to another server.

        """
        if self._card is None:
            tree = self._card_tree()
            card = read_card(tree)
            self._rpc = Rpc(
                Wire(asked_address(self.url, card.url), self._timeout_s), self._headers, card
            )
            self._card = card
        return self._card

    def _card_tree(self) -> dict[str, Any]:
        for path in _CARDS:
            answer = self._root.ask("GET", path, self._headers)
            if answer.status == 200:
                return mapping(parsed(answer.data))
            if answer.status in {401, 403}:
                raise HayhooksError(
                    f"{self._root.name} does not show its card to us.",
                    kind="unauthorized",
                    status=answer.status,
                )
        raise _no_agent(self._root.name)

    def tasks(self, *, limit: int = 1_000, context_id: str | None = None) -> tuple[A2ATask, ...]:
        """Return the tasks of the agent, what changed last first, without what they made.

        Raises:
            HayhooksError: It cannot list them, as A2A 0.3 cannot.

        """
        found: list[A2ATask] = []
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            page = self.page(
                limit=min(_PAGE, limit - len(found)), cursor=cursor, context_id=context_id
            )
            found += page.tasks
            cursor = page.cursor
            if cursor is None or not page.tasks or len(found) >= limit:
                break
        return tuple(found[:limit])

    def page(
        self,
        *,
        limit: int = _PAGE,
        cursor: str | None = None,
        context_id: str | None = None,
        with_artifacts: bool = False,
    ) -> TaskPage:
        """Return one page of its tasks.

        Raises:
            HayhooksError: It cannot list them, as A2A 0.3 cannot.

        """
        params: dict[str, Any] = {"pageSize": max(1, min(limit, _PAGE))}
        params |= {"pageToken": cursor} if cursor else {}
        params |= {"contextId": context_id} if context_id else {}
        params |= {"includeArtifacts": True} if with_artifacts else {}
        tree = mapping(self._asked().call("ListTasks", params))
        more, total = tree.get("nextPageToken"), tree.get("totalSize")
        listed = [read_task(each) for each in tasks_in(tree.get("tasks"))]
        return TaskPage(
            tuple(listed),
            more if isinstance(more, str) and more and more != cursor else None,
            total if isinstance(total, int) else None,
        )

    def task(self, task_id: str) -> A2ATask:
        """Return a task with its history and what it made.

        Raises:
            HayhooksError: There is none.

        """
        return read_task(self.task_tree(task_id))

    def task_tree(self, task_id: str) -> Mapping[str, Any]:
        """Return a task as the agent tells it, as JSON."""
        tree = self._asked().call("GetTask", {"id": task_id})
        if not is_task(tree):
            raise HayhooksError(f"{self._root.name} answered with no task.", kind="odd")
        return mapping(tree)

    def send(
        self,
        text: str | None = None,
        *,
        data: Any = None,
        task_id: str | None = None,
        context_id: str | None = None,
        message_id: str | None = None,
        wait: bool = False,
    ) -> A2ATask:
        """Begin a task, or answer what one asks for. The same `message_id` does it once.

        Args:
            text: What to say.
            data: JSON, such as what a form was filled in with; None with a text for none.
            task_id: The task that is answered.
            context_id: What the task belongs to.
            message_id: Tells the message from others; made up when not given.
            wait: Whether to wait until the task is over or asks, however long that takes.

        Raises:
            HayhooksError: It is not accepted: what is wrong with it stands in the sentence.

        """
        params = _sending(text, data, task_id, context_id, message_id)
        rpc = self._asked()
        rpc.say_when(params, wait=wait)
        tree = mapping(rpc.call("SendMessage", params, timeout_s=86_400.0 if wait else None))
        for each in (tree, tree.get("task")):
            if is_task(each):
                return read_task(mapping(each))
        said = tree.get("message", tree)
        message = read_message(mapping(said))
        return A2ATask("", message_id or "", "completed", message)

    def cancel(self, task_id: str) -> A2ATask:
        """Ask a task to stop; one that runs may go on for a while.

        Raises:
            HayhooksError: There is none, or it is over.

        """
        return read_task(mapping(self._asked().call("CancelTask", {"id": task_id})))

    def stream(
        self, task_id: str, *, cancelled: Callable[[], bool] | None = None
    ) -> Iterator[A2AEvent]:
        """Yield a task as it is, and again with each thing that happens to it.

        Ends when the task is over or asks for something. A broken connection is an error: call
        it again, and it goes on from what the task is then.

        Raises:
            HayhooksError: It cannot be watched, or the connection broke.

        """
        try:
            yield from self._followed("SubscribeToTask", {"id": task_id}, cancelled)
        except HayhooksError as error:
            if error.kind != "conflict":
                raise
            # Most servers do not let anybody watch what is over.
            task = self.task(task_id)
            if not task.is_over:
                raise
            yield A2AEvent("task", task)

    def send_and_stream(
        self,
        text: str | None = None,
        *,
        data: Any = None,
        task_id: str | None = None,
        context_id: str | None = None,
        message_id: str | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Iterator[A2AEvent]:
        """Say something, as `send` does, and yield what happens then, as `stream` does."""
        params = _sending(text, data, task_id, context_id, message_id)
        yield from self._followed("SendStreamingMessage", params, cancelled)

    def close(self) -> None:
        """End everything that goes on; nothing can be asked any more."""
        self._closed = True
        self._root.close()
        if self._rpc is not None:
            self._rpc.close()

    def _asked(self) -> Rpc:
        if self._closed:
            raise stopped()
        self.card()
        assert self._rpc is not None
        return self._rpc

    def _followed(
        self, method: str, params: Mapping[str, Any], cancelled: Callable[[], bool] | None
    ) -> Iterator[A2AEvent]:
        def is_enough() -> bool:
            return self._closed or (cancelled is not None and cancelled())

        last: A2ATask | None = None
        for event in Told().events(self._asked().stream(method, params, is_enough)):
            last = event.task
            yield event
        if not (is_enough() or (last is not None and (last.is_over or last.asks))):
            raise HayhooksError(
                f"The connection to {self._root.name} ended before the task did.", kind="down"
            )


def _sending(
    text: str | None,
    data: Any,
    task_id: str | None,
    context_id: str | None,
    message_id: str | None,
) -> dict[str, Any]:
    parts: list[dict[str, Any]] = []
    if text is not None:
        parts.append({"text": text})
    if data is not None or text is None:
        parts.append({"data": data})
    message: dict[str, Any] = {
        "messageId": message_id or uuid.uuid4().hex,
        "role": "ROLE_USER",
        "parts": parts,
    }
    message |= {"taskId": task_id} if task_id else {}
    message |= {"contextId": context_id} if context_id else {}
    return {"message": message}


def _headers(secrets: Access, url: str) -> dict[str, str]:
    headers = dict(secrets.owner)
    if secrets.token:
        headers.setdefault("Authorization", f"Bearer {secrets.token}")
    if headers and not address_of(url).is_secret:
        raise HayhooksError(
            "What says who you are would travel in the open.",
            kind="invalid",
            hint="Use https, or this machine.",
        )
    return headers


def _no_agent(name: str) -> HayhooksError:
    return HayhooksError(
        f"There is no agent of A2A at {name}.",
        kind="not_found",
        status=404,
        hint="Its address ends with the agent's name, such as http://localhost:1418/my_agent/.",
    )
