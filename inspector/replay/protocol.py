"""What a replay's worker and its host say to each other: lines of JSON on two pipes.

The host writes the job first, then commands; the worker writes events. Neither uses the
standard streams, which belong to the code that is replayed.

| Event | Says |
|---|---|
| `hello` | the worker lives: `version`, `pid`, `python` |
| `alive` | it still does; once a second when there is nothing else to say |
| `started` | the target was found and the replay begins: `target`, `kind`, `run` |
| `began`, `ended` | a span did: `id`, `parent`, `kind`, `name`, `path`, `visit`, ... |
| `chunk` | a piece of a stream arrived: `id`, `at_ns`, `chunk` |
| `drift` | a drift was found: `drift` as in a report |
| `paused` | a call is held: `pause`, `phase`, `path`, `kind`, `name`, `values`, `state`, ... |
| `resumed` | held calls were let go: `pauses` |
| `edited`, `reset`, `breakpoint` | a command was carried out: `pause`; `number`, `key` |
| `refused` | a command could not be carried out: `message`, `hint`, what to `do`, `pause` |
| `finished` | the last one: `outcome`, `report`, `run`, `error`, `news` |

A pause also says what the agent around it has in its `state`, and the keys (or numbers) of
the breakpoints it is `because` of.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import orjson

from inspector.replay.mode import ReplayError

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION = 1
LONGEST_LINE = 64 * 1024 * 1024
# What the writer of JSON says, and what a person is told instead.
_REFUSED = {
    "64-bit": "Numbers are at most 64 bits long.",
    "surrogate": "A text in it holds half of a character, such as \\ud83d without what follows.",
}


class Outcome(StrEnum):
    """How a replay in a worker ended."""

    SAME = "same"
    DRIFT = "drift"
    FAILED = "failed"  # the target raised something that was not recorded
    STOPPED = "stopped"
    COULD_NOT = "could_not"  # it never began


class ProtocolError(ReplayError):
    """The other side said something that is no message."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """What a worker is to replay, and how.

    Args:
        target: `package.module:attribute`, a pipeline YAML, or nothing with `stub`.
        run: The run file.
        output: Where the replay is kept as a run.
        data: Other inputs than the recorded ones, as JSON.
        overrides: `inputs`, `parameters`, `answers` as `Overrides` takes them.
        add_new: Whether RECORD_NEW writes what is new into the file. Otherwise it is only told,
            in `news` of the last event, and `Worker.add_new` writes it once somebody has agreed.
        breakpoints: Each as `Breakpoint` takes it.
        pause_at_first: Pause at the first place there is.
        stub: Build stubs from the recording in place of a target.
        classes: With `stub`, the classes that are really made; None makes those that can do
            no harm.
        live_from: The recorded call from which on everything runs live.

    """

    target: str
    run: str
    output: str = ""
    mode: str = "strict"
    asynchronous: bool = False
    data: Any = None
    allow_live: bool = False
    live_budget: int | None = None
    live_budget_usd: str | None = None
    verify_retrieval: bool = False
    pace: str = "at once"
    overrides: Mapping[str, Any] = field(default_factory=dict)
    treat: Mapping[str, str] = field(default_factory=dict)
    add_new: bool = True
    breakpoints: tuple[Mapping[str, Any], ...] = ()
    pause_at_first: bool = False
    stub: bool = False
    classes: tuple[str, ...] | None = None
    live_from: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {"job": VERSION, **asdict(self)}

    @classmethod
    def from_dict(cls, said: Mapping[str, Any]) -> Job:
        """Read a job from what the host said.

        Raises:
            ProtocolError: It comes from another version, or is none.

        """
        if said.get("job") != VERSION:
            raise ProtocolError(
                "The window and the worker are of different versions of Run Inspector.",
                hint="Install the same version in the environment of the pipeline.",
            )
        known = {each.name for each in fields(cls)}
        given = {name: value for name, value in said.items() if name in known}
        given["breakpoints"] = tuple(given.get("breakpoints") or ())
        try:
            return cls(**given)
        except TypeError as error:
            raise ProtocolError(f"The job of a replay cannot be read: {error}.") from error


def encode(message: Mapping[str, Any]) -> bytes:
    """Return a message as one line."""
    options = orjson.OPT_NON_STR_KEYS | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(message, default=_other, option=options)


def why_unsaid(error: TypeError) -> str:
    """Return in words for a person why `encode` refused a message."""
    return next((hint for sign, hint in _REFUSED.items() if sign in str(error)), "")


def decode(line: bytes) -> dict[str, Any]:
    """Return the message of a line.

    Raises:
        ProtocolError: It is none.

    """
    try:
        said = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        start = line[:80].decode("utf-8", "backslashreplace").strip()
        raise ProtocolError(f"This is no message of a replay: {start!r}.") from error
    if not isinstance(said, dict):
        raise ProtocolError("A message of a replay is an object.")
    return said


def _other(value: Any) -> Any:
    if isinstance(value, Decimal):
        return str(value)
    return repr(value)
