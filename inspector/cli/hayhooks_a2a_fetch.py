"""List the tasks of an A2A agent, or keep them as files that open as runs.

Of any agent: Hayhooks' own A2A server, ours, anybody's. A2A tells what was said, asked and made;
what happened inside the agent is not in it, and the runs say so.
"""

from __future__ import annotations

import os
from argparse import RawDescriptionHelpFormatter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.cli.exit_codes import FINE, FOUND
from inspector.cli.output import note, place_to_write, to_json, write_json, write_line
from inspector.errors import InspectorError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from inspector.hayhooks.a2a.cards import A2ACard
    from inspector.hayhooks.a2a.client import A2AClient
    from inspector.importers.a2a_told import A2ATask

TOKEN = "RUN_INSPECTOR_A2A_TOKEN"  # noqa: S105 - a name


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.add_argument("url", help="of the agent, such as http://127.0.0.1:1418/my_agent/")
    parser.add_argument("tasks", nargs="*", metavar="TASK", help="ids; otherwise all it lists")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="keep them in a file, which opens as runs"
    )
    parser.add_argument(
        "--limit", type=int, default=100, metavar="N", help="how many of a list (default: 100)"
    )
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: Namespace) -> int:
    """List or keep tasks. 1: there are none.

    Raises:
        InspectorError: They cannot be had, or not be written.

    """
    from inspector.hayhooks.a2a.client import A2AClient
    from inspector.hayhooks.client.access import Access

    if args.limit < 1:
        raise InspectorError("--limit has to be at least 1.")
    place = place_to_write(Path(args.output)) if args.output else None
    secrets = Access(os.environ.get(TOKEN) or None)
    client = A2AClient(args.url, secrets)
    try:
        found = client.agents()
        if found != (client.url,):
            if len(found) > 1 or place is not None:
                return _tell_agents(found, as_json=args.json)
            client.close()
            client = A2AClient(found[0], secrets)
        return _keep(client, args, place) if place is not None else _list(client, args)
    finally:
        client.close()


def _tell_agents(found: tuple[str, ...], *, as_json: bool) -> int:
    if as_json:
        write_json([to_json({"agents": list(found)})])
        return FINE
    note("There are several agents here; name one:")
    for each in found:
        write_line(each)
    return FINE


def _keep(client: A2AClient, args: Namespace, place: Path) -> int:
    from inspector.hayhooks.a2a.as_run import fetched, tasks_as_runs
    from inspector.runfile.files import replace

    data = fetched(client, args.tasks, limit=args.limit)
    try:
        for _ in replace(str(place), [data]):
            pass
    except OSError as error:
        raise InspectorError(f"Cannot write {args.output}: {error.strerror}.") from error
    runs = tasks_as_runs(data)
    if args.json:
        write_json([to_json({"path": str(place), "tasks": [_tree(task) for task, _ in runs]})])
    else:
        write_line(str(place))
    note(f"{len(runs):,} {'task' if len(runs) == 1 else 'tasks'} of {client.card().name}.")
    return FINE


def _list(client: A2AClient, args: Namespace) -> int:
    card = client.card()
    tasks = (
        [client.task(each) for each in args.tasks]
        if args.tasks
        else list(client.tasks(limit=args.limit))
    )
    if args.json:
        write_json([to_json({"agent": _card(card), "tasks": [_tree(task) for task in tasks]})])
    else:
        write_line(f"{card.name} {card.version}: {card.description}")
        for task in tasks:
            write_line(f"{task.id}  {_when(task):20}  {task.state:14}  {_short(task)}")
        if not tasks:
            write_line("It has no tasks.")
    return FINE if tasks else FOUND


def _card(card: A2ACard) -> dict[str, Any]:
    return {
        "name": card.name,
        "description": card.description,
        "version": card.version,
        "url": card.url,
        "protocol": card.protocol,
        "skills": list(card.skills),
        "input_schema": card.input_schema,
        "resume_schema": card.resume_schema,
    }


def _tree(task: A2ATask) -> dict[str, Any]:
    asked = task.message if task.asks else None
    return {
        "id": task.id,
        "context": task.context_id,
        "state": task.state,
        "changed": _when(task) or None,
        "text": task.text,
        "expected_input_schema": asked.schema if asked is not None else None,
    }


def _when(task: A2ATask) -> str:
    if not task.changed_ns:
        return ""
    return f"{datetime.fromtimestamp(task.changed_ns // 10**9, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _short(task: A2ATask) -> str:
    words = " ".join(task.text.split())
    return words if len(words) <= 80 else f"{words[:79]}…"
