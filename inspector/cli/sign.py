"""Sign a file, so that others can tell whose it is, in the format of minisign."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from inspector.cli.asking import PLACES, secret_from
from inspector.cli.exit_codes import FINE
from inspector.cli.output import opened, place_to_write, write_line
from inspector.errors import InspectorError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

PASSWORD = "MINISIGN_PASSWORD"  # noqa: S105 - what it is called in the keyring


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument("file", nargs="?", help="a run file")
    parser.add_argument("--key", metavar="FILE", help="with the secret key of minisign")
    parser.add_argument("-o", "--output", metavar="FILE", help="default: beside it, *.minisig")
    parser.add_argument(
        "--password-from", default="prompt", metavar="PLACE",
        help=f"of the key: {PLACES} ({PASSWORD} in the keyring)",
    )  # fmt: skip
    parser.add_argument(
        "--make-key", metavar="FILE", help="make a key there, and the public one beside it"
    )


def run(args: Namespace) -> int:
    """Write a signature, or make a key.

    Raises:
        InspectorError: The file is no run, the key no key, or nothing can be written.

    """
    from inspector.trust.signing import make_key, sign_file

    if args.make_key:
        place = Path(args.make_key)
        password = secret_from(
            args.password_from, PASSWORD, f"Password for {place.name}", twice=True
        )
        public = make_key(place, password)
        write_line(f"{place}: the secret key. It stays with you.")
        write_line(f"{public}: the public key. Give it to who is to check your signatures.")
        return FINE
    if not args.file or not args.key:
        raise InspectorError(
            "A signature needs a file and a key.",
            hint="run-inspector sign FILE --key KEY, or first --make-key KEY",
        )
    key = Path(args.key)
    output = place_to_write(Path(args.output)) if args.output else None
    opened(args.file)  # what is no run is not vouched for by a slip of the hand
    place = sign_file(
        Path(args.file),
        key,
        lambda: secret_from(args.password_from, PASSWORD, f"Password of {key.name}"),
        output=output,
    )
    write_line(str(place))
    return FINE
