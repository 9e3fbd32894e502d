"""Getting at the bytes of a run: a path, bytes, an open file, a pipe; compressed or not."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from inspector.errors import RunFileError
from inspector.runfile.bounds import BLOCK, IN_MEMORY, MIB
from inspector.runfile.naming import NAMELESS, in_a_sentence, shown_name
from inspector.runfile.problems import Problems
from inspector.runfile.sniff import refuse_others, utf16_of
from inspector.runfile.source import ByteSource, FileSource, MemorySource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from inspector.runfile.bounds import Limits

    _Refuse = Callable[[bytes, int, str], None]

_HEAD = 64 * 1024
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"


@dataclass(slots=True)
class Intake:
    """The bytes of a run, uncompressed, and what was noticed while getting them."""

    source: ByteSource
    name: str
    path: Path | None
    problems: Problems
    whole: bool = True

    @property
    def plain_file(self) -> FileSource | None:
        """The file itself, where it is one and its bytes are the run's."""
        return self.source if self.path and isinstance(self.source, FileSource) else None


def take_in(
    given: str | Path | bytes | BinaryIO,
    limits: Limits,
    *,
    cancelled: Callable[[], bool] | None = None,
    refuse: Callable[[bytes, int, str], None] = refuse_others,
) -> Intake:
    """Open what was given; `refuse` gets its first bytes, its size and its name.

    Raises:
        RunFileError: It cannot be opened, or cannot be a run.

    """
    problems = Problems()
    if isinstance(given, (bytes, bytearray, memoryview)):
        intake = Intake(MemorySource(bytes(given)), NAMELESS, None, problems)
    elif isinstance(given, (str, Path)):
        intake = _open_path(Path(given), problems, limits, refuse)
    else:
        name = getattr(given, "name", None)
        name = Path(name).name if isinstance(name, str) and name else NAMELESS
        stream = getattr(given, "buffer", given)
        if not callable(getattr(stream, "read", None)):
            raise RunFileError(
                f"A run cannot be read from a value of type {type(given).__name__}.",
                hint="Give a path, bytes, or a file that is open for reading.",
            )
        blocks = _blocks_of_stream(stream, name, cancelled)
        intake = Intake(_gathered(blocks, name, limits, refuse), name, None, problems)
    head = intake.source.read_at(0, min(_HEAD, intake.source.size))
    if head.startswith((_GZIP, _ZSTD)):
        _unpack(intake, limits, cancelled, refuse)
        head = intake.source.read_at(0, min(_HEAD, intake.source.size))
    if (encoding := utf16_of(head)) is not None and intake.source.size <= IN_MEMORY:
        text = intake.source.read_at(0, intake.source.size)[2:].decode(encoding, "replace")
        intake.source = MemorySource(text.encode("utf-8", "replace"))
        problems.add("It is written in UTF-16, not UTF-8.", hint="Save it again as UTF-8.")
        head = intake.source.read_at(0, min(_HEAD, intake.source.size))
    refuse(head, intake.source.size, intake.name)
    return intake


def _open_path(path: Path, problems: Problems, limits: Limits, refuse: _Refuse) -> Intake:
    name = shown_name(path)
    descriptor = open_for_reading(path)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return Intake(FileSource(descriptor, name), name, path, problems)
    if stat.S_ISDIR(mode):
        os.close(descriptor)
        raise _is_a_directory(name)
    # A pipe, such as a shell's <(command): there is no going back in it.
    with os.fdopen(descriptor, "rb", buffering=0) as stream:
        blocks = _blocks_of_stream(stream, name, None)
        return Intake(_gathered(blocks, name, limits, refuse), name, None, problems)


def open_for_reading(path: Path) -> int:
    """Open a file, or say why that cannot be.

    Raises:
        RunFileError: It is not there, may not be read, is a directory ...

    """
    name = shown_name(path)
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        # Not to wait for a writer where the path is a pipe without one.
        descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError as error:
        raise RunFileError(
            f"Cannot open {name}: there is no such file.", hint=_where(path)
        ) from error
    except IsADirectoryError as error:
        raise _is_a_directory(name) from error
    except PermissionError as error:
        if _is_directory(path):
            raise _is_a_directory(name) from error
        raise RunFileError(
            f"Cannot open {name}: you may not read it.",
            hint="Ask its owner, or change its permissions.",
        ) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise RunFileError(
            f"Cannot open {name}: {reason}.", hint="Look for a mistake in the path."
        ) from error
    if hasattr(os, "set_blocking"):
        os.set_blocking(descriptor, True)
    return descriptor


def _is_a_directory(name: str) -> RunFileError:
    return RunFileError(
        f"Cannot open {name}: it is a directory.", hint="Choose a *.run.json file inside it."
    )


def _is_directory(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # it lies where we may not look
        return False


def _where(path: Path) -> str:
    if not _is_directory(path.parent):
        return f"The directory {path.parent} does not exist."
    return "Look for a spelling mistake; paths count from where the program was started."


def _blocks_of_stream(
    stream: Any, name: str, cancelled: Callable[[], bool] | None
) -> Iterator[bytes]:
    while True:
        if cancelled is not None and cancelled():
            raise RunFileError(f"Opening {in_a_sentence(name)} was stopped.")
        try:
            block = stream.read(BLOCK)
        except (OSError, ValueError) as error:
            raise RunFileError(f"Cannot read {in_a_sentence(name)}: {error}.") from error
        if not block:
            return
        yield block.encode("utf-8", "surrogatepass") if isinstance(block, str) else bytes(block)


def _blocks_of_source(
    source: ByteSource, name: str, cancelled: Callable[[], bool] | None
) -> Iterator[bytes]:
    # Small, because what is left of a block is copied for every member that ends in it.
    for at in range(0, source.size, _HEAD):
        if cancelled is not None and cancelled():
            raise RunFileError(f"Opening {in_a_sentence(name)} was stopped.")
        yield source.read_at(at, min(_HEAD, source.size - at))


def _gathered(blocks: Iterable[bytes], name: str, limits: Limits, refuse: _Refuse) -> ByteSource:
    from inspector.runfile.unpack import Spool

    spool = Spool(name, limits)
    for block in blocks:
        if spool.size == 0 and not block.startswith((_GZIP, _ZSTD)):
            # An endless stream of something else is not worth waiting for.
            _refuse_early(block, name, refuse)
        spool.add(block)
    return spool.finish()


def _unpack(
    intake: Intake, limits: Limits, cancelled: Callable[[], bool] | None, refuse: _Refuse
) -> None:
    from inspector.runfile.unpack import CutOffError, Spool, unpacked

    packed = intake.source
    spool = Spool(intake.name, limits, packed.size)
    try:
        for piece in unpacked(_blocks_of_source(packed, intake.name, cancelled)):
            if spool.size == 0:
                _refuse_early(piece, intake.name, refuse)
            spool.add(piece)
    except CutOffError as error:
        intake.whole = False
        if not spool.size:
            raise RunFileError(
                f"Nothing can be read of {in_a_sentence(intake.name)}: {error}.",
                hint="Copy or download it again.",
            ) from error
        much = spool.size >= MIB
        size = f"{spool.size / MIB:,.1f} MiB" if much else f"{spool.size:,} bytes"
        intake.problems.add(
            f"Only the first {size} could be unpacked: {error}.",
            hint="Copy or download it again.",
        )
    intake.source = spool.finish()


def _refuse_early(block: bytes, name: str, refuse: _Refuse) -> None:
    if utf16_of(block) is None and len(block.strip()) > 0:
        refuse(block, len(block), name)
