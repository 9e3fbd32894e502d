"""Encrypt a run, so that only those you name can open it, in the age format."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.cli.asking import PLACES, secret_from
from inspector.cli.exit_codes import FINE
from inspector.cli.logged import log_export
from inspector.cli.output import note, place_to_write, write_line
from inspector.errors import InspectorError
from inspector.presentation.words import byte_words

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

_LARGEST = 2**30


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument("file", nargs="?", help="a run file")
    parser.add_argument(
        "--to", action="append", default=[], metavar="KEY",
        help="who may open it: a public key (age1…, ssh-ed25519 …), or a file with one a line",
    )  # fmt: skip
    parser.add_argument(
        "--passphrase", action="store_true", help="who knows a passphrase may open it; it is asked"
    )
    parser.add_argument(
        "--passphrase-from", metavar="PLACE",
        help=f"the same, but not asked: {PLACES} (AGE_PASSPHRASE in the keyring)",
    )  # fmt: skip
    parser.add_argument("-o", "--output", metavar="FILE", help="such as shared.run.json.age")
    parser.add_argument(
        "--make-key", action="store_true",
        help="put a new secret key into the keyring, and print the public one for others",
    )  # fmt: skip


def run(args: Namespace) -> int:
    """Write a sealed copy; the run itself stays as it is.

    Raises:
        InspectorError: The file is no run, a key is none, or nothing can be written.

    """
    if args.make_key:
        return _make_key()
    from inspector.runfile.files import replace
    from inspector.runfile.load import load_run
    from inspector.trust.sealing import PASSPHRASE, recipients_in, seal

    if not args.file or not args.output:
        raise InspectorError(
            "A run to seal and a file to write to are needed.",
            hint="run-inspector seal FILE --to KEY -o FILE.age",
        )
    place = place_to_write(Path(args.output))
    source = Path(args.file)
    if place == Path(os.path.realpath(source)):
        raise InspectorError("The sealed copy cannot take the place of the run.")
    keys = [key for given in args.to for key in recipients_in(given)]
    data = _whole(source)
    loaded = load_run(data, use_cache=False)  # what is no run is not sealed by a slip of the hand
    passphrase = ""
    if args.passphrase or args.passphrase_from:
        where = args.passphrase_from or "prompt"
        passphrase = secret_from(where, PASSPHRASE, "Passphrase", twice=True)
        if not passphrase:
            raise InspectorError("An empty passphrase seals nothing.")
    sealed = seal(data, to=keys, passphrase=passphrase)
    try:
        for _ in replace(str(place), [sealed]):
            pass
    except OSError as error:
        raise InspectorError(f"Cannot write {place}: {error.strerror}.") from error
    log_export(loaded, "seal", {str(place): sealed}, None)
    write_line(f"{place}: {byte_words(len(sealed))}")
    return FINE


def _whole(source: Path) -> bytes:
    from inspector.runfile.intake import open_for_reading

    with os.fdopen(open_for_reading(source), "rb") as file:
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise InspectorError(f"{source.name} is larger than is sealed here.")
    return data


def _make_key() -> int:
    from inspector.replay.keyring_asking import keep_in_ring, read_ring
    from inspector.trust.sealing import IDENTITY, new_key

    there = read_ring((IDENTITY,))
    if there.values:
        raise InspectorError(
            f"There is a key {IDENTITY} in the keyring already.",
            hint=f"keyring del run-inspector {IDENTITY}, if nothing is sealed for it any more.",
        )
    secret, public = new_key()
    problem = there.problem or keep_in_ring(IDENTITY, secret).problem
    if problem:
        raise InspectorError(
            f"The key was not kept. {problem}", hint="age-keygen -o FILE makes one in a file."
        )
    write_line(public)
    note("The secret key is in the keyring. Others seal for this one: --to")
    return FINE
