"""Go on from the last checkpoint of an execution, here, and record what happens.

The execution itself stays as it is. What was done before the checkpoint is not done again; what
comes after it runs live, in a process of its own: models are called, and tools do what they do.
That is why --allow-live is asked for.
"""

from __future__ import annotations

import json
from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.cli.exit_codes import FOUND
from inspector.cli.hayhooks_asking import (
    add_execution_choice,
    add_server_choice,
    asking,
    execution_meant,
)
from inspector.cli.hayhooks_fetch import add_store_choice, store_of, tell_written
from inspector.cli.output import note, place_to_write
from inspector.errors import InspectorError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.formatter_class = RawDescriptionHelpFormatter
    add_execution_choice(parser)
    parser.add_argument(
        "--target", metavar="TARGET", required=True,
        help="what runs it: the folder of its wrapper, or module:attribute of a wrapper,"
        " a deployment, a pipeline or an agent",
    )  # fmt: skip
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the run file")
    parser.add_argument(
        "--answer", metavar="JSON", help="what it is resumed with, where it waits for something"
    )
    parser.add_argument(
        "--allow-live", action="store_true", help="agree that what comes next runs live"
    )
    parser.add_argument("--python", metavar="PATH", help="the interpreter of the target")
    add_store_choice(parser)
    add_server_choice(parser)
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: Namespace) -> int:
    """Fork an execution. 1: it failed, or waits for an answer.

    Raises:
        InspectorError: There is no checkpoint, the target cannot be loaded, nobody agreed.

    """
    from inspector.hayhooks.fork import NO_ANSWER, fork
    from inspector.hayhooks.stored import read_stored

    answer: Any = NO_ANSWER if args.answer is None else _json(args.answer)
    if not args.allow_live:
        raise InspectorError(
            "What comes after the checkpoint runs live: models are called and tools act.",
            hint="Say --allow-live if that is what you want.",
        )
    place = place_to_write(Path(args.output))
    with asking(args) as at:
        known = execution_meant(at, args.execution, args.deployment)
        store = store_of(args.store, at.server)
    if not store:
        raise InspectorError(
            "A checkpoint is read from the store of the server.",
            hint="Say where that is: --store redis://HOST:PORT/0, or --store sqlite:PATH.",
        )
    stored = read_stored(store, known.deployment, known.id)
    forked = fork(stored, args.target, answer=answer, python=args.python, said=_report)
    forked.run.save(place)
    if forked.error is not None:
        note(f"It failed: {forked.error.get('type')}.")
    if forked.waiting is not None:
        note(f"It waits: {forked.waiting.get('message')} Answer with --answer.")
    code = tell_written(forked.run, place, as_json=args.json, outcome=forked.status)
    return code if forked.status == "completed" else FOUND


def _report(message: str) -> None:
    note(f"  {message}")


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise InspectorError(f"--answer is no JSON: {error}.") from error
