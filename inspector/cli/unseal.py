"""Write what is sealed as a plain run file. The window opens sealed runs without that."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.cli.asking import PLACES, secret_from
from inspector.cli.exit_codes import FINE
from inspector.cli.output import STDIN, note, place_to_write, write_line
from inspector.errors import InspectorError
from inspector.presentation.words import byte_words

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from inspector.trust.sealing import Secret


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument("file", help="a sealed run")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="the plain file; - is standard output"
    )
    parser.add_argument("--key-file", metavar="FILE", help="with the secret key of age or ssh")
    parser.add_argument(
        "--from", dest="place", metavar="PLACE",
        help=f"of the key (default: keyring) or passphrase (default: prompt): {PLACES}",
    )  # fmt: skip


def run(args: Namespace) -> int:
    """Unseal a run.

    Raises:
        InspectorError: It is not sealed, the secret does not open it, or it cannot be written.

    """
    from inspector.runfile.files import replace
    from inspector.runfile.intake import open_for_reading
    from inspector.trust.sealing import is_sealed, unseal

    if not args.output:
        raise InspectorError(
            "Unsealing writes a plain file, which needs a name.",
            hint="Name it with -o, or open the sealed file in the window, which writes none.",
        )
    source = Path(args.file)
    place = None if args.output == STDIN else place_to_write(Path(args.output))
    if place == Path(os.path.realpath(source)):
        raise InspectorError(
            "The plain file cannot take the place of the sealed one.",
            hint="Name another file with -o.",
        )
    with os.fdopen(open_for_reading(source), "rb") as file:
        data = file.read()
    if not is_sealed(data):
        raise InspectorError(f"{source.name} is not sealed.")
    plain = unseal(data, _secret(args, data))
    if place is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(plain)
        return FINE
    try:
        for _ in replace(str(place), [plain]):
            pass
    except OSError as error:
        raise InspectorError(f"Cannot write {place}: {error.strerror}.") from error
    write_line(f"{place}: {byte_words(len(plain))}")
    note("It is not sealed any more.")
    return FINE


def _secret(args: Namespace, data: bytes) -> Secret:
    from inspector.trust.sealing import (
        IDENTITY,
        PASSPHRASE,
        SealedBy,
        Secret,
        keys_in,
        keys_of_file,
        sealed_by,
    )

    if sealed_by(data) is SealedBy.PASSPHRASE:
        place = args.place or "prompt"
        return Secret(passphrase=secret_from(place, PASSPHRASE, "Passphrase"))
    if args.key_file:
        return Secret(keys=keys_of_file(Path(args.key_file)))
    return Secret(keys=keys_in(secret_from(args.place or "keyring", IDENTITY, "Secret key")))
