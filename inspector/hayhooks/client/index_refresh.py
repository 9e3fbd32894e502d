"""How the index catches up with a server: on over its list, then what was not over, one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.hayhooks.client.model import HayhooksError, Page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from inspector.hayhooks.client.client import HayhooksClient
    from inspector.hayhooks.client.index import ExecutionIndex

_MOST_PAGES = 10_000


def refresh_deployment(
    index: ExecutionIndex, client: HayhooksClient, deployment: str, stop: Callable[[], bool]
) -> Iterator[int]:
    """Yield how many rows came, page by page.

    A cursor says after which execution a page begins and stays good for ever, but a last page
    has none to go on from: so that page is read again the next time.

    Raises:
        HayhooksError: The server cannot be asked.

    """
    server, scope = client.server, client.scope
    cursor = index.walked_to(server, scope, deployment)
    seen: set[str] = set()
    for _number in range(_MOST_PAGES):
        page = _page(client, deployment, cursor)
        index.note_rows(server, page.rows, scope)
        seen |= {row.id for row in page.rows}
        yield len(page.rows)
        if page.cursor is None or page.cursor == cursor:
            break
        cursor = page.cursor
        index.note_walk(server, scope, deployment, cursor)
        if stop():
            return
    seen -= index.unexplained(server, scope, deployment)
    for execution in index.unfinished(server, scope, deployment):
        if stop():
            return
        if execution in seen:
            continue
        try:
            index.note_rows(server, [client.inspect(deployment, execution).row], scope)
        except HayhooksError as error:
            if error.kind != "not_found":
                raise
            index.note_gone(server, execution)
        else:
            yield 1


def _page(client: HayhooksClient, deployment: str, cursor: str | None) -> Page:
    try:
        return client.page(deployment, cursor=cursor)
    except HayhooksError as error:
        # A cursor of another store, such as one that was set up anew: from the start, then.
        if cursor is None or error.kind != "invalid":
            raise
    return client.page(deployment)
