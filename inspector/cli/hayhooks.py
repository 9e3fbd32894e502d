"""Watch, start, answer and cancel durable executions on Hayhooks servers.

An execution is named by its id, or by as much of its beginning as is like no other's.
"""

from __future__ import annotations

from argparse import REMAINDER, ArgumentParser, RawDescriptionHelpFormatter
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from argparse import Namespace


class Command(NamedTuple):
    """A command of `run-inspector hayhooks`: the module that holds it, and what it is for.

    The module has `add_arguments(parser)` and `run(args)`, which returns the exit code.
    """

    module: str
    summary: str


COMMANDS: dict[str, Command] = {
    "servers": Command(
        "inspector.cli.hayhooks_servers", "the servers you know: add, remove, login"
    ),
    "status": Command("inspector.cli.hayhooks_status", "say how servers are and what they run"),
    "list": Command("inspector.cli.hayhooks_list", "list executions, newest first"),
    "show": Command("inspector.cli.hayhooks_show", "print all there is of one execution"),
    "watch": Command(
        "inspector.cli.hayhooks_watch", "print what an execution streams, as it comes"
    ),
    "submit": Command("inspector.cli.hayhooks_submit", "start an execution"),
    "resume": Command("inspector.cli.hayhooks_resume", "answer what an execution waits for"),
    "cancel": Command("inspector.cli.hayhooks_cancel", "ask that an execution ends"),
    "fetch": Command("inspector.cli.hayhooks_fetch", "write an execution as a run file"),
    "fork": Command("inspector.cli.hayhooks_fork", "go on from the checkpoint of an execution"),
    "stitch": Command("inspector.cli.hayhooks_stitch", "make one run of recorded attempts"),
    "example": Command("inspector.cli.hayhooks_example", "serve an example, for trying"),
    "a2a": Command("inspector.cli.hayhooks_a2a", "offer durable agents over A2A"),
    "a2a-fetch": Command("inspector.cli.hayhooks_a2a_fetch", "list or keep tasks of A2A agents"),
}


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    width = max(map(len, COMMANDS))
    told = (f"  {name:{width}}  {command.summary}" for name, command in COMMANDS.items())
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = "commands:\n" + "\n".join(told)
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="one of these below")
    parser.add_argument("rest", nargs=REMAINDER, metavar="...", help="see COMMAND --help")


def run(args: Namespace) -> int:
    """Run one of the commands.

    Raises:
        InspectorError: It could not be done.

    """
    module = import_module(COMMANDS[args.command].module)
    name = f"run-inspector hayhooks {args.command}"
    parser = ArgumentParser(prog=name, description=module.__doc__)
    module.add_arguments(parser)
    code: int = module.run(parser.parse_args(args.rest))
    return code
