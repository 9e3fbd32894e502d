"""Opening run files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import orjson

from inspector.errors import RunFileError
from inspector.runfile.columns import Columns
from inspector.runfile.leaf import LeafError, read_leaf
from inspector.runfile.model import PipelineRun, Problem, RunParts
from inspector.runfile.source import MemorySource
from inspector.runfile.store import PlainIndex, ValueStore

if TYPE_CHECKING:
    from collections.abc import Callable


class _MemoryRecords:
    def __init__(self, texts: list[bytes]) -> None:
        self._texts = texts

    def text(self, row: int) -> bytes:
        return self._texts[row]


def load_run(
    source: str | Path | bytes | BinaryIO,
    *,
    use_cache: bool = True,
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> PipelineRun:
    """Open a run file.

    Raises:
        RunFileError: It cannot be read, or holds no run.

    """
    path = Path(source) if isinstance(source, (str, Path)) else None
    name = path.name if path else "The file"
    if path is not None:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise RunFileError(f"Cannot open {name}: {error.strerror}.") from error
    else:
        data = source if isinstance(source, bytes) else source.read()
    try:
        tree, _ = read_leaf(data)
    except LeafError as error:
        raise RunFileError(f"{name} {error}.") from None
    if not isinstance(tree, dict) or tree.get("format") != "haystack-run":
        raise RunFileError(f"{name} is not a run file.")
    header = tree.get("run")
    columns = Columns()
    texts = []
    for span in tree.get("spans", []):
        columns.add(span, 0, 0)
        texts.append(orjson.dumps(span))
    blob = bytearray()
    index = PlainIndex()
    for digest, value in tree.get("values", {}).items():
        text = orjson.dumps(value)
        index[digest] = (len(blob), len(text))
        blob += text
    table = columns.table()
    known = {"format", "version", "run", "spans", "values", "record_digests", "digest"}
    extra: dict[str, Any] = {key: item for key, item in tree.items() if key not in known}
    return PipelineRun(
        RunParts(
            header=header if isinstance(header, dict) else {},
            table=table,
            records=_MemoryRecords(texts),
            values=ValueStore(MemorySource(bytes(blob)), index),
            problems=tuple(Problem(said) for said in columns.problems),
            origin=path,
            extra=extra,
        )
    )
