"""What a worker tells its host, sent from a thread of its own so that nobody waits for it."""

from __future__ import annotations

import queue
import threading
from typing import IO, TYPE_CHECKING, Any

from inspector.replay.protocol import LONGEST_LINE, encode
from inspector.runfile.drift import bounded
from inspector.runfile.interned import Interned

if TYPE_CHECKING:
    from inspector.replay.step_gate import Pause

_BEAT_S = 1.0
_MOST_WAITING = 100_000
_LONGEST_VALUE = 4 * 1024 * 1024
_DEEPEST = 200
_SPAN_FIELDS = (
    "id", "parent", "kind", "operation", "name", "type", "role", "path", "visit", "step",
    "start_ns",
)  # fmt: skip


class Mouth:
    """Writes events, in order. What is only nice to know is left out when nobody reads."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._queue: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self.left_out = 0
        self._thread = threading.Thread(target=self._write, name="inspector-worker", daemon=True)
        self._thread.start()

    def say(self, event: str, *, droppable: bool = False, **more: Any) -> None:
        """Send an event; never blocks and never raises."""
        if droppable and self._queue.qsize() >= _MOST_WAITING:
            self.left_out += 1
            return
        self._queue.put({"event": event, **more})

    def close(self) -> None:
        """Write what waits, and end."""
        self._queue.put(None)
        self._thread.join()

    def _write(self) -> None:
        try:
            while (event := self._next()) is not None:
                self._pipe.write(_line(event))
                if self._queue.empty():
                    self._pipe.flush()
            self._pipe.flush()
        except (OSError, ValueError):
            return  # the host is gone, which the other pipe says as well

    def _next(self) -> dict[str, Any] | None:
        try:
            return self._queue.get(timeout=_BEAT_S)
        except queue.Empty:
            return {"event": "alive"}


def _line(event: dict[str, Any]) -> bytes:
    try:
        line = encode(event)
    except TypeError:  # lone surrogates, numbers beyond 64 bits
        return encode(_cleaned(event))
    return line if len(line) <= LONGEST_LINE else encode(bounded(event))


class Teller:
    """Watches a replay and says what happens."""

    def __init__(self, mouth: Mouth) -> None:
        self._mouth = mouth

    def began(self, span: dict[str, Any]) -> None:
        said = {name: span[name] for name in _SPAN_FIELDS if name in span}
        self._mouth.say("began", droppable=True, **said)

    def ended(self, span_id: str, end_ns: int, status: str, fields: dict[str, Any]) -> None:
        more: dict[str, Any] = {}
        if "source" in fields:
            more["source"] = fields["source"]
        error = plain(fields.get("error")) if "error" in fields else None
        if isinstance(error, dict):
            more["error"] = bounded({name: error.get(name) for name in ("type", "message")})
        said = {"id": span_id, "end_ns": end_ns, "status": status, **more}
        self._mouth.say("ended", droppable=True, **said)

    def chunk(self, span_id: str, at_ns: int, chunk: Any) -> None:
        self._mouth.say("chunk", droppable=True, id=span_id, at_ns=at_ns, chunk=plain(chunk))

    def drifted(self, drift: Any) -> None:
        self._mouth.say("drift", drift=drift.to_dict())

    def paused(self, pause: Pause) -> None:
        """Say which call is held, and what it is given or gives back."""
        stop = pause.stop
        values, cut = shown(stop.values)
        state = None if stop.state is None else shown(stop.state)[0]
        self._mouth.say(
            "paused", pause=pause.number, phase=stop.phase, path=stop.path, visit=stop.visit,
            kind=stop.kind, role=stop.role, name=stop.name, id=stop.span_id,
            source=stop.source,
            can_edit=stop.can_edit, values=values, cut=cut,
            raised=isinstance(stop.values, BaseException), state=state,
            because=list(pause.because),
        )  # fmt: skip


def shown(value: Any) -> tuple[Any, bool]:
    """Return a live value as a tree, and whether something of it had to be left out."""
    try:
        # One that waits for no writer: what is shown here is never written.
        from inspector.replay.held_writer import HeldCapture

        capture = HeldCapture()
        raised = isinstance(value, BaseException)
        tree = plain(capture.error(value) if raised else capture.at_once(value))
        if len(encode({"value": tree})) <= _LONGEST_VALUE:
            return tree, False
        return bounded(tree), True
    except Exception as error:  # noqa: BLE001 - a value that cannot be shown shall not end the replay
        return {"$": "unreadable", "type": type(value).__name__, "why": str(error)}, True


def plain(tree: Any, depth: int = 0) -> Any:
    """Return a value tree without the nodes that a writer would keep once."""
    while isinstance(tree, Interned):
        tree = tree.build()
    if depth >= _DEEPEST:
        return {"$": "truncated", "why": "nested too deeply"}
    if isinstance(tree, dict):
        return {key: plain(value, depth + 1) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        return [plain(item, depth + 1) for item in tree]
    return tree


def _cleaned(tree: Any) -> Any:
    """Return JSON that any reader of JSON reads."""
    if isinstance(tree, str):
        return tree.encode("utf-8", "replace").decode("utf-8")
    if isinstance(tree, int) and not -(2**63) <= tree < 2**63:
        return str(tree)
    if isinstance(tree, dict):
        return {_cleaned(str(key)): _cleaned(value) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        return [_cleaned(item) for item in tree]
    return tree
