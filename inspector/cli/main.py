"""`run-inspector`: arguments in, one call of the core, text out."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TextIO

from inspector.cli.exit_codes import COULD_NOT, FINE, INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Sequence


class Command(NamedTuple):
    """A command: what it is for, and the module that holds it.

    The module has `add_arguments(parser)` and `run(args)`, which returns the exit code.
    """

    module: str
    summary: str


COMMANDS: dict[str, Command] = {
    "open": Command("inspector.cli.open_window", "show runs in a window"),
    "record": Command("inspector.cli.record", "run a pipeline or an agent and keep what it did"),
    "show": Command("inspector.cli.show", "print what happened in a run"),
    "diff": Command("inspector.cli.diff", "compare two runs, decisions first"),
    "replay": Command("inspector.cli.replay", "run a pipeline again with the recorded answers"),
    "cost": Command("inspector.cli.cost", "estimate what a run cost, and show how"),
    "check": Command("inspector.cli.check", "say what a person should look at in a run"),
    "export": Command("inspector.cli.export", "give a run to people who have no Run Inspector"),
    "shrink": Command("inspector.cli.shrink", "cut a run to what still shows what you choose"),
    "redact": Command("inspector.cli.redact", "take secrets and personal data out of a run"),
    "convert": Command("inspector.cli.convert", "make a run file of what another program wrote"),
    "fetch": Command("inspector.cli.fetch", "list and keep the runs of a GitHub issue or gist"),
    "verify": Command("inspector.cli.verify", "say whether a file is as it was recorded"),
    "sign": Command("inspector.cli.sign", "sign a file, so that others can tell whose it is"),
    "seal": Command("inspector.cli.seal", "encrypt a run, for those you name"),
    "unseal": Command("inspector.cli.unseal", "write a sealed run as a plain file"),
    "log": Command("inspector.cli.log", "show what has left this machine"),
    "hayhooks": Command("inspector.cli.hayhooks", "watch and decide durable executions on servers"),
    "doctor": Command("inspector.cli.doctor", "look at what this program needs of the machine"),
}

_CANNOT_WRITE = (errno.ENOSPC, errno.EFBIG, errno.EIO)

_USAGE = """\
usage: run-inspector FILE...            open runs in the window; - is standard input
       run-inspector COMMAND [...]      see run-inspector COMMAND --help

Looks into recorded runs of Haystack pipelines and agents.

commands:
{commands}

exit code: 0 all is well, 1 something was found, 2 it could not be done
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. 0: all is well. 1: it found something. 2: it could not."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _make_safe()
    code = FINE
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except SystemExit as stop:  # argparse has said what it had to say
        return stop.code if isinstance(stop.code, int) else COULD_NOT
    except BrokenPipeError:
        # Who stops reading still gets to know what was found.
        _let_go_of_stdout()
        return code
    except OSError as error:
        if error.errno not in _CANNOT_WRITE:
            return _failed()
        _let_go_of_stdout()
        sys.stderr.write(f"run-inspector: Cannot write all of it: {error.strerror}.\n")
        return COULD_NOT
    except KeyboardInterrupt:
        sys.stderr.write("\nrun-inspector: stopped\n")
        return INTERRUPTED
    except BaseException:  # noqa: BLE001 - Python's own exit code would say "it found something"
        return _failed()
    return code


def _failed() -> int:
    """Say what went wrong in here, where it should not have."""
    from traceback import print_exc

    with suppress(Exception):  # nobody may be there to read it
        print_exc()
    return COULD_NOT


def console() -> None:
    """Start from the installed script."""
    sys.exit(main())


def _run(arguments: list[str]) -> int:
    from inspector.errors import InspectorError

    first = arguments[0] if arguments else ""
    if first in {"-h", "--help", "help"}:
        width = max(map(len, COMMANDS))
        lines = (f"  {name:{width}}  {command.summary}" for name, command in COMMANDS.items())
        sys.stdout.write(_USAGE.format(commands="\n".join(lines)))
        return FINE
    if first in {"-V", "--version"}:
        from importlib.metadata import PackageNotFoundError, version

        try:
            sys.stdout.write(f"run-inspector {version('haystack-run-inspector')}\n")
        except PackageNotFoundError:  # run from a checkout that is not installed
            sys.stdout.write("run-inspector, not installed\n")
        return FINE
    name, rest = (first, arguments[1:]) if first in COMMANDS else ("open", arguments)
    try:
        if name != first:
            _refuse_misspelt(first)
        return _call(name, rest)
    except InspectorError as error:
        from inspector.cli.output import complain

        complain(str(error), error.hint)
        return COULD_NOT


def _call(name: str, arguments: list[str]) -> int:
    from argparse import ArgumentParser

    module = import_module(COMMANDS[name].module)
    parser = ArgumentParser(prog=f"run-inspector {name}", description=module.__doc__)
    module.add_arguments(parser)
    code: int = module.run(parser.parse_args(arguments))
    return code


def _refuse_misspelt(word: str) -> None:
    """Say so when the first word is meant as a command and is none.

    Raises:
        InspectorError: It is neither a command nor a file.

    """
    from inspector.errors import InspectorError

    with suppress(OSError):  # such as a name that is too long for a file
        if not word.isalpha() or Path(word).exists():
            return
    close = get_close_matches(word.lower(), COMMANDS, n=1)
    hint = f"Did you mean `run-inspector {close[0]}`?" if close else "See run-inspector --help."
    raise InspectorError(f"There is no command and no file called {word[:60]}.", hint=hint)


def _make_safe() -> None:
    """Write what the terminal's encoding lacks as escapes, instead of falling over it.

    Where a program was started without an output, what it says goes nowhere.
    """
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _let_go_of_stdout() -> None:
    # Nobody reads on; Python would complain about that once more when it ends.
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError, AttributeError):
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


if __name__ == "__main__":
    console()
