"""Say whether a run file is as its writer left it, and name the records that are not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.cli.exit_codes import FINE, FOUND
from inspector.cli.output import (
    STDIN,
    add_run_choice,
    note_problems,
    opened,
    to_json,
    write_json,
    write_line,
)
from inspector.errors import InspectorError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from inspector.trust.signing import Signed


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument("file", help="a run file; - is standard input")
    add_run_choice(parser)
    parser.add_argument(
        "--key", metavar="KEY",
        help="the public key of who signed it (a *.pub file of minisign, or RW…): check that, too",
    )  # fmt: skip
    parser.add_argument(
        "--signature", metavar="FILE", help="where the signature is; default: beside it, *.minisig"
    )
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: Namespace) -> int:
    """Check one file. 1: it changed, or nothing in it says whether it did."""
    loaded = opened(args.file, args.number)
    integrity = loaded.verify()
    fine = integrity.state == "ok" and loaded.complete and not loaded.problems
    signed = _signed(args)
    if signed is not None:
        # Where nobody named a key, one that is not known here is no fault of the file.
        fine = fine and signed.state in (("good",) if args.key else ("good", "unknown"))
    if args.json:
        problems = [{"message": str(each), "hint": each.hint} for each in loaded.problems]
        answer: dict[str, Any] = {
            "state": integrity.state,
            "changed": list(integrity.changed),
            "message": integrity.message,
            "complete": loaded.complete,
            "problems": problems,
        }
        if signed is not None:
            answer["signature"] = {
                "state": signed.state,
                "key": signed.key or None,
                "comment": signed.comment or None,
                "message": signed.message,
            }
        write_json([to_json(answer)])
    else:
        write_line(f"{integrity.state}: {integrity.message}")
        for name in integrity.changed:
            write_line(f"  {name}")
        if signed is not None:
            write_line(f"signature {signed.state}: {signed.message}")
            if signed.comment:
                write_line(f"  {signed.comment}")
        note_problems(loaded)
    return FINE if fine else FOUND


def _signed(args: Namespace) -> Signed | None:
    """Return what the signature says, where there is one or somebody asks for it.

    Raises:
        InspectorError: The key is none, or what is piped in cannot have a signature beside it.

    """
    from inspector.trust.signing import check_signature, public_key, signature_beside

    signature = Path(args.signature) if args.signature else None
    if not args.key:
        return None if args.file == STDIN else signature_beside(Path(args.file), signature)
    if args.file == STDIN:
        raise InspectorError("What is piped in has no signature beside it.", hint="Name a file.")
    name, key = public_key(args.key)
    return check_signature(Path(args.file), {name: key}, signature=signature)
