"""What workers do for the list of executions: ask servers, and read the index. Knows no Qt."""

import time
from collections.abc import Callable, Iterable, Mapping
from heapq import merge
from itertools import islice
from typing import NamedTuple

from inspector.errors import InspectorError
from inspector.hayhooks.client.client import HayhooksClient
from inspector.hayhooks.client.index import ExecutionIndex
from inspector.hayhooks.client.model import (
    Deployment,
    ExecutionStatus,
    HayhooksError,
    Server,
    ServerStatus,
)
from inspector.presentation.execution_list import Listed

MOST_ROWS = 20_000
"""How many rows the table shows; the index and the search know all of them."""

_REFUSED = ("unauthorized", "forbidden")


class Asked(NamedTuple):
    """How a server answered, and its deployments with their schemas, where it had them.

    `unlisted` are the deployments whose executions it does not list to us, and why;
    `list_problem` is why it lists none at all.
    """

    status: ServerStatus
    deployments: tuple[Deployment, ...]
    list_problem: str
    unlisted: tuple[tuple[str, str], ...]
    is_refused: bool
    took_s: float
    retry_after_s: float | None = None

    @property
    def is_well(self) -> bool:
        """Whether it answered, and lists its executions."""
        return self.status.state == "up" and not self.list_problem


def ask_server(
    client: HayhooksClient, index: ExecutionIndex, cancelled: Callable[[], bool]
) -> Asked:
    """Ask a server how it is and what is new of its executions. Raises no error of a server."""
    began = time.monotonic()
    status = client.status()
    if status.state in ("down", "refused") or cancelled():
        refused = status.state == "refused"
        return Asked(status, (), "", (), refused, time.monotonic() - began)
    problem, refused, later = "", False, None
    unlisted: dict[str, str] = {}
    deployments = status.deployments
    try:
        deployments = client.deployments()
    except HayhooksError as error:
        problem, later = _said(error), error.retry_after_s
    for deployment in deployments:
        if cancelled():
            break
        if not deployment.is_durable:
            continue
        try:
            if deployment.is_listed:
                index.refresh(client, [deployment], None, cancelled)
            else:
                _ask_for_ours(client, index, deployment.name, cancelled)
        except HayhooksError as error:
            unlisted[deployment.name] = _said(error)
            refused = refused or error.kind in _REFUSED
            later = later or error.retry_after_s
            if error.kind in ("down", "degraded", "stopped"):
                problem = problem or _said(error)
                break
    asked = [each for each in deployments if each.is_durable]
    if asked and len(unlisted) == len(asked):
        problem = problem or next(iter(unlisted.values()))
    took = time.monotonic() - began
    return Asked(status, deployments, problem, tuple(unlisted.items()), refused, took, later)


def _ask_for_ours(
    client: HayhooksClient, index: ExecutionIndex, deployment: str, cancelled: Callable[[], bool]
) -> None:
    """Ask what became of executions that no list shows, but that were started from here."""
    for execution in index.unfinished(client.server, client.scope, deployment):
        if cancelled():
            return
        try:
            row = client.inspect(deployment, execution).row
        except HayhooksError as error:
            if error.kind != "not_found":
                raise
            index.note_gone(client.server, execution)
        else:
            index.note_rows(client.server, [row], client.scope)


class Shown(NamedTuple):
    """What the table shows."""

    rows: tuple[Listed, ...]
    matching: int
    total: int
    waiting: int


def listed_rows(
    index: ExecutionIndex,
    servers: Iterable[Server],
    stale: Mapping[str, frozenset[str] | None],
    *,
    server: str,
    deployment: str,
    status: ExecutionStatus | None,
    search: str,
) -> Shown:
    """Read the executions that fit, of all servers, the newest first.

    `stale` has by server the deployments of which nothing new is known; None is all of them.
    """
    known = list(servers)
    parts, matching = [], 0
    for one in known:
        if server and one.name != server:
            continue
        found = index.rows(
            server=one, deployment=deployment or None, status=status, search=search,
            limit=MOST_ROWS,
        )  # fmt: skip
        full = len(found) < MOST_ROWS
        matching += len(found) if full else index.count(
            server=one, deployment=deployment or None, status=status, search=search
        )  # fmt: skip
        old = stale.get(one.name, frozenset())
        parts.append([Listed(one.name, row, old is None or row.deployment in old) for row in found])
    rows = merge(*parts, key=lambda each: (each.row.created_at_ns, each.row.id), reverse=True)
    total = sum(index.count(server=one) for one in known)
    waiting = sum(index.count(server=one, status=ExecutionStatus.WAITING) for one in known)
    return Shown(tuple(islice(rows, MOST_ROWS)), matching, total, waiting)


def _said(error: InspectorError) -> str:
    return f"{error} {error.hint}".strip()
