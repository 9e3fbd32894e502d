"""Write an execution as a run file.

With our recorder in the wrapper, and --segments, the whole run. Otherwise what is known from
outside: what the server tells, what was seen here of its stream, its traces, and with --store
the input, the last checkpoint and what is kept of the stream. The run says what it lacks.
"""

from __future__ import annotations

import os
from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.cli.exit_codes import FINE
from inspector.cli.hayhooks_asking import (
    add_execution_choice,
    add_server_choice,
    asking,
    execution_meant,
)
from inspector.cli.output import (
    note,
    note_problems,
    place_to_write,
    to_json,
    write_json,
    write_line,
)
from inspector.errors import InspectorError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from inspector.hayhooks.client.model import Server
    from inspector.runfile.model import PipelineRun

STORE = "RUN_INSPECTOR_HAYHOOKS_STORE"


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.formatter_class = RawDescriptionHelpFormatter
    add_execution_choice(parser)
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the run file")
    parser.add_argument(
        "--segments", metavar="DIR", help="where the recorder of the wrapper writes"
    )
    add_store_choice(parser)
    add_server_choice(parser)
    parser.add_argument("--json", action="store_true", help="for programs")


def add_store_choice(parser: ArgumentParser) -> None:
    """Let a command say where the store of a server is."""
    parser.add_argument(
        "--store", metavar="PLACE",
        help="of the server: redis://HOST:PORT/0 or sqlite:PATH, or env:NAME, which holds that"
        f" (default: {STORE}, or what `servers add --redis` said)",
    )  # fmt: skip


def store_of(named: str | None, server: Server) -> str | None:
    """Return where the store of a server is, as far as anybody says.

    Raises:
        InspectorError: A variable that was named is not set.

    """
    if named and named.startswith("env:"):
        name = named.removeprefix("env:")
        if not (place := os.environ.get(name)):
            raise InspectorError(f"The variable {name[:80]} is not set.")
        return place
    return named or os.environ.get(STORE) or server.redis_url


def run(args: Namespace) -> int:
    """Write the run file.

    Raises:
        InspectorError: The execution cannot be had, or the file not be written.

    """
    from dataclasses import replace

    from inspector.hayhooks.as_run import fetched, recorded, skeleton

    place = place_to_write(Path(args.output))
    with asking(args) as at:
        known = execution_meant(at, args.execution, args.deployment)
        found = recorded(Path(args.segments), known.id) if args.segments else None
        silent: tuple[str, ...] = ()
        if found is None:
            if args.segments:
                note(f"note: nothing was recorded of {known.id} in {args.segments}.")
            execution = at.client.inspect(known.deployment, known.id)
            row = replace(execution.row, kind=known.kind, revision=known.revision)
            execution = replace(execution, row=row)
            at.index.note_rows(at.server, [row])
            store = store_of(args.store, at.server)
            data, silent = fetched(at.client, at.index, execution, place=store)
            found = skeleton(data)
    found.save(place)
    for sentence in silent:
        note(f"note: {sentence}")
    return tell_written(found, place, as_json=args.json)


def tell_written(found: PipelineRun, place: Path, *, as_json: bool, **more: Any) -> int:
    """Say what was written, and what it lacks."""
    told = found.extensions.get("hayhooks")
    facts = told if isinstance(told, dict) else {}
    if as_json:
        lacks = [dict(each) for each in found.not_recorded if isinstance(each, dict)]
        tree = {
            "file": str(place), "id": found.id, "name": found.name, "status": str(found.status),
            "spans": len(found.spans), "execution": facts.get("execution"),
            "skeleton": bool(facts.get("skeleton")), "not_recorded": lacks, **more,
        }  # fmt: skip
        write_json([to_json(tree)])
        return FINE
    count = len(found.spans)
    write_line(f"{place}: {found.name}, {count:,} {'span' if count == 1 else 'spans'}")
    if facts.get("skeleton"):
        note("It is a skeleton. Not recorded:")
        for each in found.not_recorded:
            if isinstance(each, dict):
                note(f"  {each.get('what')}: {each.get('why')}")
    note_problems(found)
    return FINE
