"""What workers do for the list of agents: ask them for card and tasks. Knows no Qt."""

import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

from inspector.errors import InspectorError
from inspector.hayhooks.a2a.cards import A2ACard
from inspector.hayhooks.a2a.client import A2AClient
from inspector.hayhooks.client.access import Access
from inspector.hayhooks.client.address import checked_url
from inspector.hayhooks.client.model import HayhooksError, Server
from inspector.importers.a2a_told import A2ATask
from inspector.presentation.visible import one_line

MOST_TASKS = 2_000
_MOST_PAGES = 40
_MOST_AGENTS = 50
_REFUSED = ("unauthorized", "forbidden")


class AskedAgent(NamedTuple):
    """How an agent answered; `card` and `tasks` are None where it said nothing of them."""

    state: str
    message: str
    card: A2ACard | None
    tasks: tuple[A2ATask, ...] | None
    list_problem: str
    took_s: float
    retry_after_s: float | None = None

    @property
    def is_well(self) -> bool:
        """Whether it answered as it should."""
        return self.state == "up"

    @property
    def is_refused(self) -> bool:
        """Whether it wants to be shown something."""
        return self.state == "refused"


def ask_agent(
    client: A2AClient, known: Iterable[A2ATask], cancelled: Callable[[], bool]
) -> AskedAgent:
    """Ask an agent for its card, and for the tasks that changed. Raises no error of an agent."""
    began = time.monotonic()
    card: A2ACard | None = None
    try:
        card = client.card()
        tasks = _changed(client, {task.id: task for task in known}, cancelled)
    except HayhooksError as error:
        took = time.monotonic() - began
        if card is not None and error.kind in ("conflict", "odd", "invalid"):
            tasks = _one_by_one(client, known, cancelled)
            return AskedAgent("up", "", card, tasks, _said(error), took, error.retry_after_s)
        state = "refused" if error.kind in _REFUSED else "down"
        return AskedAgent(state, _said(error), card, None, "", took, error.retry_after_s)
    return AskedAgent("up", "", card, tasks, "", time.monotonic() - began)


def _changed(
    client: A2AClient, known: dict[str, A2ATask], cancelled: Callable[[], bool]
) -> tuple[A2ATask, ...]:
    """Return all tasks: pages are read until one holds nothing new and none is missing."""
    merged, seen = dict(known), set[str]()
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = client.page(cursor=cursor)
        fresh = [task for task in page.tasks if merged.get(task.id) != task]
        merged.update((task.id, task) for task in fresh)
        seen.update(task.id for task in page.tasks)
        cursor = page.cursor
        if cursor is None or not page.tasks:
            merged = {key: task for key, task in merged.items() if key in seen}
            break
        all_there = page.total is not None and page.total == len(merged)
        if cancelled() or (not fresh and all_there) or len(seen) >= MOST_TASKS:
            break
    return newest_first(merged.values())


def _one_by_one(
    client: A2AClient, known: Iterable[A2ATask], cancelled: Callable[[], bool]
) -> tuple[A2ATask, ...]:
    """Ask for the tasks that were begun from here, of an agent that lists none."""
    found = []
    for task in known:
        now = task
        if not task.is_over and not cancelled():
            try:
                now = client.task(task.id)
            except HayhooksError as error:
                if error.kind == "not_found":
                    continue
        found.append(now)
    return newest_first(found)


def newest_first(tasks: Iterable[A2ATask]) -> tuple[A2ATask, ...]:
    """Return tasks in the order in which they changed, the last first."""
    return tuple(sorted(tasks, key=lambda task: (task.changed_ns, task.id), reverse=True))


def found_agents(client: A2AClient, server: Server, secrets: Access) -> tuple[Server, ...]:
    """Return the agents at an address, by the names they give themselves unless one was typed.

    One that cannot be asked now is taken as it was given.

    Raises:
        HayhooksError: Somebody answers there, and it is no agent.

    """
    try:
        # As they are kept: secrets are found again by the address.
        urls = [checked_url(url) for url in client.agents()[:_MOST_AGENTS]]
    except HayhooksError as error:
        if error.kind in ("down", "degraded", "busy", *_REFUSED):
            return (server,)
        raise
    names = [server.name] if server.name and len(urls) == 1 else None
    return tuple(
        Server(name, url, owner_headers=server.owner_headers)
        for name, url in zip(names or (_name_at(url, secrets) for url in urls), urls, strict=False)
    )


def _name_at(url: str, secrets: Access) -> str:
    last = url.rstrip("/").rpartition("/")[2]
    try:
        with A2AClient(url, secrets) as client:
            return one_line(client.card().name)[:100].strip() or last
    except HayhooksError:
        return last


def _said(error: InspectorError) -> str:
    return f"{error} {error.hint}".strip()
