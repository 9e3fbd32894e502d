"""Exceptions as data: what was raised, where, and because of what."""

from __future__ import annotations

import linecache
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.recording.encoding.walk import Walk, mro_of, type_name
from inspector.runfile.interned import Deferred
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from inspector.recording.capture import Capture

_LONGEST_CHAIN = 20
_MOST_FRAMES = 60
_MOST_ATTRIBUTES = 40
_MESSAGE_CHARS = 100_000
_PRIMITIVES = (str, int, float, bool)


def encode_exception(c: Capture, value: BaseException, depth: int, walk: Walk) -> Any:
    """Encode an exception that is a value."""
    return {TAG: "exception", **error_fields(c, value, walk, depth)}


def error_fields(
    c: Capture, error: BaseException, walk: Walk, depth: int, chain: int = _LONGEST_CHAIN,
    seen: set[int] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return an exception with what caused it."""
    seen = {id(error)} if seen is None else seen | {id(error)}
    tree: dict[str, Any] = {"type": type_name(type(error)), "message": _message(c, error)}
    frames = _frames(error)
    if frames:
        tree["traceback"] = Deferred(_traceback_text, frames)
    attributes = _attributes(c, error, depth, walk)
    if attributes:
        tree["attributes"] = attributes
    tree["mro"] = [type_name(base) for base in mro_of(type(error))[:-1]]
    if chain <= 0:
        return tree
    cause, context = error.__cause__, error.__context__
    if cause is not None and id(cause) not in seen:
        tree["cause"] = error_fields(c, cause, walk, depth + 1, chain - 1, seen)
    if context is not None and not error.__suppress_context__ and id(context) not in seen:
        tree["context"] = error_fields(c, context, walk, depth + 1, chain - 1, seen)
    if BaseExceptionGroup in mro_of(type(error)):
        inner = BaseExceptionGroup.exceptions.__get__(error)
        tree["exceptions"] = [
            error_fields(c, part, walk, depth + 2, chain - 1, seen)
            for part in inner
            if id(part) not in seen
        ]
    return tree


def _message(c: Capture, error: BaseException) -> Any:
    try:
        text = str(error)
    except KeyboardInterrupt:
        raise
    except BaseException as trouble:  # noqa: BLE001 - anything may come out of a stranger's str
        return f"<its message raised {type_name(type(trouble))}>"
    if type(text) is not str:
        return "<its message is not a string>"
    if len(text) > _MESSAGE_CHARS:
        text = text[:_MESSAGE_CHARS] + "…"
    return text if len(text) <= 200 else c.text(text)


def _attributes(c: Capture, error: BaseException, depth: int, walk: Walk) -> dict[str, Any]:
    try:
        fields = dict(object.__getattribute__(error, "__dict__"))
    except Exception:  # noqa: BLE001 - no attributes, then
        return {}
    told: dict[str, Any] = {}
    for name, item in fields.items():
        if len(told) >= _MOST_ATTRIBUTES:
            break
        if type(name) is str and name[:2] != "__" and type(item) in _PRIMITIVES:
            told[name] = c.node(item, depth + 2, walk)
    return told


def _frames(error: BaseException) -> list[tuple[str, int, str]]:
    """Return where it passed, names and numbers only: a frame would keep its locals alive."""
    frames: list[tuple[str, int, str]] = []
    left_out = 0
    step = error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        frames.append((code.co_filename, step.tb_lineno, code.co_name))
        if len(frames) > 2 * _MOST_FRAMES:
            del frames[_MOST_FRAMES]  # the first and the last tell the most
            left_out += 1
        step = step.tb_next
    if left_out:
        frames.insert(_MOST_FRAMES, ("", left_out, ""))
    return frames


def _traceback_text(frames: list[tuple[str, int, str]]) -> str:
    """Return the frames as Python prints them; reads source files, so not on the host's thread."""
    lines = ["Traceback (most recent call last):"]
    for filename, number, name in frames:
        if not filename:
            lines.append(f"  [{number} frames left out]")
            continue
        lines.append(f'  File "{shown_path(filename)}", line {number}, in {name}')
        source = linecache.getline(filename, number).strip()
        if source:
            lines.append(f"    {source}")
    return "\n".join(lines) + "\n"


def shown_path(filename: str) -> str:
    """Return a file's place below the import path, or below the home directory.

    Whoever shares a run shall not have to share where, and under which name, they work.
    """
    roots = {str(Path(entry).absolute()) for entry in sys.path if isinstance(entry, str)}
    for root in sorted(roots, key=len, reverse=True):
        if filename.startswith(root + os.sep):
            return filename[len(root) + 1 :]
    home = str(Path.home())
    return "~" + filename[len(home) :] if filename.startswith(home + os.sep) else filename
