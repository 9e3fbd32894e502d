"""A server of the documented shapes, on loopback, whose executions a test moves by hand."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

BEGINNING_S = 1_795_000_000.0
RAG_INPUT = {
    "type": "object",
    "title": "RagInput",
    "required": ["question"],
    "properties": {
        "question": {"type": "string", "title": "Question", "description": "What to find out."},
        "top_k": {"type": "integer", "title": "Top K", "default": 5, "minimum": 1, "maximum": 50},
        "style": {"enum": ["short", "long"], "title": "Style", "default": "short"},
        "fresh": {"type": "boolean", "title": "Fresh", "default": False},
        "filters": {"$ref": "#/$defs/Filters"},
        "tags": {"type": "array", "title": "Tags", "items": {"type": "string"}, "default": []},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "title": "Note", "default": None},
    },
    "$defs": {
        "Filters": {
            "type": "object",
            "title": "Filters",
            "required": ["field"],
            "properties": {
                "field": {"type": "string", "title": "Field"},
                "least": {"type": "number", "title": "Least", "default": 0.5},
            },
        }
    },
}
APPROVAL = {
    "type": "object",
    "title": "Decision",
    "required": ["approved"],
    "properties": {
        "approved": {"type": "boolean", "title": "Approved"},
        "amount": {"type": "number", "title": "Amount", "maximum": 100},
        "comment": {"type": "string", "title": "Comment", "description": "Shown to the agent."},
    },
}


@dataclass
class Made:
    """One execution of the scripted server."""

    id: str
    deployment: str
    kind: str
    status: str = "queued"
    attempt: int = 0
    version: int = 1
    created: float = BEGINNING_S
    updated: float = BEGINNING_S
    result: Any = None
    error: dict[str, Any] | None = None
    waiting: dict[str, Any] | None = None
    progress: list[dict[str, Any]] = field(default_factory=list)
    chunks: list[tuple[int, Any]] = field(default_factory=list)
    pending: bool = False
    key: str = ""
    given: Any = None
    answers: list[Any] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        return self.status in ("completed", "failed", "canceled")

    def told(self) -> dict[str, Any]:
        """Return it as an ExecutionResult."""
        return {
            "execution_id": self.id, "status": self.status, "attempt": self.attempt,
            "sequence": self.version, "progress": self.progress, "result": self.result,
            "error": self.error, "waiting": self.waiting,
            "cancellation_requested_at": stamp(self.updated) if self.pending else None,
            "created_at": stamp(self.created), "updated_at": stamp(self.updated), "links": {},
        }  # fmt: skip

    def row(self) -> dict[str, Any]:
        """Return it as a list shows it."""
        return {
            "execution_id": self.id, "deployment": self.deployment, "kind": self.kind,
            "revision": "r1", "status": self.status, "attempt": self.attempt,
            "created_at": stamp(self.created), "updated_at": stamp(self.updated),
            "cancellation_pending": self.pending, "available_at": None,
        }  # fmt: skip


class ScriptedHayhooks:
    """What the server knows, and how a test changes it. Every change wakes whoever streams."""

    def __init__(self, token: str = "") -> None:
        self.token = token
        self.deployments = [("rag", "pipeline"), ("assistant", "agent")]
        self.descriptions = {"rag": "Answers from the handbook.", "assistant": "Asks first."}
        self.inputs: dict[str, Any] = {"rag": RAG_INPUT, "assistant": {"type": "object"}}
        self.made: dict[str, Made] = {}
        self.refuses: list[tuple[int, Any]] = []  # answers to the next submits and resumes
        self.asked: list[str] = []
        self.submits = 0
        self.changed = threading.Condition()
        self.is_closing = False
        self.gate = threading.Event()  # held shut, every question waits
        self.gate.set()

    def add(self, deployment: str = "rag", *, id: str = "", **known: Any) -> Made:  # noqa: A002
        """Add an execution."""
        with self.changed:
            kind = dict(self.deployments)[deployment]
            name = id or f"{len(self.made):032x}"
            made = self.made[name] = Made(name, deployment, kind, **known)
            self.changed.notify_all()
        return made

    def move(self, made: Made, status: str, *, after: float = 1.0, **known: Any) -> None:
        """Have an execution change, some seconds after its last change."""
        with self.changed:
            made.status = status
            made.version += 1
            made.updated += after
            for name, value in known.items():
                setattr(made, name, value)
            self.changed.notify_all()

    def say(self, made: Made, *payloads: Any) -> None:
        """Stream chunks of the attempt of now."""
        with self.changed:
            made.chunks += [(made.attempt, payload) for payload in payloads]
            self.changed.notify_all()

    def report(self, made: Made, message: str, after: float = 0.5) -> None:
        """Report progress."""
        with self.changed:
            made.version += 1
            made.updated += after
            made.progress.append(
                {
                    "sequence": len(made.progress) + 1, "kind": "step", "message": message,
                    "timestamp": stamp(made.updated), "metadata": {},
                }
            )  # fmt: skip
            self.changed.notify_all()


def stamp(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def handle_error(self, _request: Any, _address: Any) -> None:
        """Say nothing of whoever hung up."""


@contextmanager
def serving(world: ScriptedHayhooks, port: int = 0) -> Iterator[str]:
    """Serve it, and yield its address. Leaving ends every stream."""
    server = _Server(("127.0.0.1", port), type("Bound", (Handler,), {"world": world}))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    world.is_closing = False
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        with world.changed:
            world.is_closing = True
            world.changed.notify_all()
        world.gate.set()
        server.shutdown()
        server.server_close()
        thread.join()


class Handler(BaseHTTPRequestHandler):
    world: ScriptedHayhooks
    protocol_version = "HTTP/1.1"

    def log_message(self, *_words: object) -> None:
        pass

    def do_GET(self) -> None:
        self.world.gate.wait()
        self.world.asked.append(self.path)
        parts = urlsplit(self.path)
        steps = [step for step in parts.path.split("/") if step]
        if steps == ["status"]:
            self._answer(200, _status(self.world))
        elif steps == ["openapi.json"]:
            self._answer(200, _openapi(self.world))
        elif len(steps) == 2 and steps[1] == "executions":
            self._list(steps[0], parse_qs(parts.query))
        elif len(steps) >= 3 and steps[2] in self.world.made:
            made = self.world.made[steps[2]]
            if len(steps) == 4:
                self._stream(made)
            else:
                self._answer(200, made.told())
        else:
            self._answer(404, {"detail": "Not found"})

    def do_POST(self) -> None:
        self.world.gate.wait()
        length = int(self.headers.get("Content-Length") or 0)
        data = self.rfile.read(length)
        given = json.loads(data) if data else None
        steps = [step for step in self.path.split("/") if step]
        if steps[-1] in ("run-durable", "resume") and self.world.refuses:
            status, detail = self.world.refuses.pop(0)
            self._answer(status, {"detail": detail})
        elif steps[-1] == "run-durable":
            self._submit(steps[0], given)
        elif steps[-1] == "cancel":
            made = self.world.made[steps[2]]
            rests = made.status in ("queued", "waiting")
            self.world.move(
                made, "canceled" if rests else made.status, pending=not rests, waiting=None
            )
            self._answer(200 if rests else 202, made.told())
        elif steps[-1] == "resume":
            made = self.world.made[steps[2]]
            made.answers.append(given)
            self.world.move(made, "queued", waiting=None)
            self._answer(202, made.told())

    def _submit(self, deployment: str, given: Any) -> None:
        self.world.submits += 1
        key = self.headers.get("Idempotency-Key") or ""
        known = next((one for one in self.world.made.values() if key and one.key == key), None)
        if known is None:
            made = self.world.add(deployment, key=key, given=given)
            self._answer(202, made.told())
        else:
            self._answer(202, known.told(), {"Idempotent-Replay": "true"})

    def _list(self, deployment: str, query: dict[str, list[str]]) -> None:
        if self.world.token and self.headers.get("Authorization") != f"Bearer {self.world.token}":
            self._answer(401, {"detail": "Invalid token"})
            return
        rows = [one.row() for one in self.world.made.values() if one.deployment == deployment]
        start = int(query.get("cursor", ["0"])[0])
        size = int(query.get("limit", ["50"])[0])
        more = start + size < len(rows)
        page = {
            "executions": rows[start : start + size], "has_more": more,
            "next_cursor": str(start + size) if more else None, "skipped_controls": 0,
        }  # fmt: skip
        self._answer(200, page)

    def _stream(self, made: Made) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        last = self.headers.get("Last-Event-ID")
        sent = int(last.partition("-")[2]) if last else 0
        with suppress(OSError):  # whoever watched has gone
            while not self.world.is_closing:
                with self.world.changed:
                    while not (self.world.is_closing or made.is_over or len(made.chunks) > sent):
                        self.world.changed.wait()
                    new, over, told = made.chunks[sent:], made.is_over, made.told()
                for attempt, payload in new:
                    sent += 1
                    if attempt == made.attempt:
                        data = json.dumps({"attempt": attempt, "payload": payload})
                        self._event(f"id: 0-{sent}\nevent: chunk\ndata: {data}\n\n")
                if over and sent == len(made.chunks):
                    self._event(f"event: {told['status']}\ndata: {json.dumps(told)}\n\n")
                    return

    def _event(self, text: str) -> None:
        self.wfile.write(text.encode())
        self.wfile.flush()

    def _answer(self, status: int, told: Any, more: dict[str, str] | None = None) -> None:
        data = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in (more or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


def _status(world: ScriptedHayhooks) -> dict[str, Any]:
    return {
        "status": "Up!",
        "pipelines": [name for name, _kind in world.deployments],
        "deployments": [
            {
                "name": name, "type": kind, "execution_mode": "durable", "revision": "r1",
                "description": world.descriptions.get(name, ""), "execution_enumeration": True,
                "state": "Up!",
            }
            for name, kind in world.deployments
        ],
    }  # fmt: skip


def _openapi(world: ScriptedHayhooks) -> dict[str, Any]:
    paths, schemas = {}, {}
    for name, schema in world.inputs.items():
        own = f"{name}Input"
        text = json.dumps(schema).replace("#/$defs/", "#/components/schemas/")
        found = json.loads(text)
        schemas.update(found.pop("$defs", {}))
        schemas[own] = found
        content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{own}"}}}
        paths[f"/{name}/run-durable"] = {"post": {"requestBody": {"content": content}}}
    return {"openapi": "3.1.0", "paths": paths, "components": {"schemas": schemas}}
