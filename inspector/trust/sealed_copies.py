"""Sealed copies of runs: for whom, of what, and written where."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from inspector.errors import InspectorError
from inspector.runfile import files
from inspector.runfile.load import load_run
from inspector.runfile.save import to_bytes
from inspector.trust.export_log import note_export
from inspector.trust.sealing import recipients_in
from inspector.trust.unsealing import sealed_elsewhere

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inspector.runfile.model import PipelineRun

_LARGEST = 2**30


class For(NamedTuple):
    """Who is to open a sealed copy: the owners of public keys, or who knows a passphrase."""

    keys: tuple[str, ...] = ()
    passphrase: str = ""

    def __repr__(self) -> str:
        """Say for how many, and no passphrase."""
        return f"For({len(self.keys)} keys{', a passphrase' if self.passphrase else ''})"


def keys_among(text: str) -> tuple[str, ...]:
    """Return the public keys that stand in a text, one a line, each once.

    Raises:
        InspectorError: A line is no public key, or there is none.

    """
    lines = [line.strip() for line in text.splitlines()]
    wanted = [line for line in lines if line and not line.startswith("#")]
    if not wanted:
        raise InspectorError("A public key is needed.", hint="One of age begins with age1.")
    for line in wanted:
        if not line.startswith(("age1", "ssh-", "AGE-SECRET-KEY-", "age-secret-key-")):
            raise InspectorError(
                f"{line[:20]}… is no public key.", hint="One of age begins with age1."
            )
    return tuple(dict.fromkeys(key for line in wanted for key in recipients_in(line)))


def bytes_of_copy(run: PipelineRun, origin: Path | None) -> bytes:
    """Return what is sealed: the file as it is where it still holds this run, else the run.

    So that what was signed stays as it was signed.
    """
    if origin is not None:
        try:
            with origin.open("rb") as file:
                data = file.read(_LARGEST + 1)
            if len(data) <= _LARGEST and load_run(data, use_cache=False).id == run.id:
                return data
        except (OSError, InspectorError):
            pass  # it is of another program, or was changed since
    return to_bytes(run)


def write_sealed(
    run: PipelineRun,
    origin: Path | None,
    place: Path,
    wanted: For,
    cancelled: Callable[[], bool] = lambda: False,
) -> str:
    """Write a sealed copy, and a line about it into the log of exports.

    Args:
        run: What is sealed.
        origin: Its file, which stays as it is.
        place: Where the copy goes.
        wanted: Who may open it.
        cancelled: Whether nobody wants it any more.

    Returns:
        Why it is not in the log, in words; empty when it is.

    Raises:
        InspectorError: A key is none, it was stopped, or it cannot be written.

    """
    if origin is not None and _is_same(place, origin):
        raise InspectorError(
            f"{origin.name} is the run itself and would be overwritten.",
            hint="Choose another name.",
        )
    sealed = sealed_elsewhere(bytes_of_copy(run, origin), wanted.keys, wanted.passphrase, cancelled)
    try:
        for _ in files.replace(str(place), [sealed]):
            pass
    except OSError as error:
        raise InspectorError(f"Cannot write {place}: {error.strerror or error}.") from error
    return note_export(run, "seal", {str(place): sealed}, None)


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.exists() and one.samefile(other)
    except OSError:
        return False
