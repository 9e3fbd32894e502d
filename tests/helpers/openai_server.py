"""A small OpenAI on this machine, and an independent log of what it was asked.

The recorder is tested against the real Haystack generators and the real `openai` client;
only the far end is ours. What the server saw and sent is kept here, out of reach of the
code under test, so that a recording can be compared with it.

    with OpenAIServer(lambda request: Reply("Hello.")) as server:
        generator = OpenAIChatGenerator(api_base_url=server.url)
"""

import json
import os
import secrets
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.helpers import openai_wire as wire
from tests.helpers.openai_script import Call, Reply, Request, Script, call, echo, refuse, say

__all__ = [
    "Call",
    "Exchange",
    "OpenAIServer",
    "Reply",
    "Request",
    "call",
    "echo",
    "refuse",
    "say",
]

KEY_VARIABLE = "OPENAI_API_KEY"


@dataclass(slots=True)
class Exchange:
    """One request and what was answered: an entry of the independent log."""

    request: Request
    arrived_s: float  # seconds since the server started
    status: int = 0
    reply: Reply | None = None
    body: dict[str, Any] | None = None  # what was sent whole
    chunks: list[dict[str, Any]] = field(default_factory=list)  # what was streamed
    usage: dict[str, Any] | None = None  # the figures the client was told
    calls: list[dict[str, Any]] = field(default_factory=list)
    finished: bool = False  # every byte was handed to the client


class OpenAIServer:
    """Serves chat completions, responses and embeddings on a port of its own.

    While it is open, the key it accepts stands in `OPENAI_API_KEY`, where the generators
    look for it; the key is made up on the spot and good for nothing else.
    """

    def __init__(
        self, script: Script = echo, *, port: int = 0, dimensions: int = 64, name: str = "127.0.0.1"
    ) -> None:
        self.script = script
        self.key = f"made-up-{secrets.token_hex(8)}"
        self.dimensions = dimensions
        self.log: list[Exchange] = []
        self.stopping = threading.Event()
        self._started = time.monotonic()
        self._changed = threading.Condition()
        self._seen: Counter[str] = Counter()
        self._http = _Http((name, port), _Handler)
        self._http.owner = self
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._key_before: str | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def environment(self) -> dict[str, str]:
        """What a child process needs in its environment to talk to this server."""
        return {KEY_VARIABLE: self.key, "OPENAI_BASE_URL": self.url}

    def __enter__(self) -> Self:
        self._key_before = os.environ.get(KEY_VARIABLE)
        os.environ[KEY_VARIABLE] = self.key
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
        if self._key_before is None:
            os.environ.pop(KEY_VARIABLE, None)
        else:
            os.environ[KEY_VARIABLE] = self._key_before

    def count(self, path: str = "") -> int:
        """Say how many requests came in, or how many to addresses ending in `path`."""
        return sum(exchange.request.path.endswith(path) for exchange in list(self.log))

    def wait_for(self, number: int, *, finished: bool = False, timeout_s: float = 30.0) -> None:
        """Return once `number` requests have arrived, or have been answered."""

        def enough() -> bool:
            return sum(exchange.finished or not finished for exchange in self.log) >= number

        with self._changed:
            if not self._changed.wait_for(enough, timeout_s):
                raise TimeoutError(f"Only {len(self.log)} of {number} requests came.")

    # -- what the handler asks ---------------------------------------------------------------

    def open_exchange(self, path: str, body: dict[str, Any]) -> Exchange:
        text = json.dumps([path, body], sort_keys=True)
        with self._changed:
            request = Request(len(self.log) + 1, self._seen[text], path, body)
            self._seen[text] += 1
            exchange = Exchange(request, time.monotonic() - self._started)
            self.log.append(exchange)
            self._changed.notify_all()
        return exchange

    def close_exchange(self, exchange: Exchange) -> None:
        with self._changed:
            exchange.finished = True
            self._changed.notify_all()

    def decide(self, exchange: Exchange) -> Reply:
        said = self.script(exchange.request)
        exchange.reply = reply = say(said) if isinstance(said, str) else said
        exchange.status = reply.status
        if reply.hold is not None:
            reply.hold.wait(60.0)
        self.stopping.wait(reply.first_token_s)
        return reply


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    owner: OpenAIServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients of these tests are killed and cancelled on purpose."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name it has in http.server
        """Keep the terminal of the tests clean; `OpenAIServer.log` knows more anyway."""

    def do_POST(self) -> None:
        owner = self.server.owner
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        exchange = owner.open_exchange(self.path, body)
        if self.headers.get("Authorization") != f"Bearer {owner.key}":
            exchange.reply = refuse(401)
            exchange.status = 401
            return self._refuse(exchange, exchange.reply)
        if self.path.endswith("/embeddings"):
            return self._embed(exchange)
        reply = owner.decide(exchange)
        if reply.status >= 400:
            return self._refuse(exchange, reply)
        if self.path.endswith("/chat/completions"):
            return self._complete(exchange, reply)
        if self.path.endswith("/responses"):
            return self._respond(exchange, reply)
        return self._refuse(exchange, refuse(404, f"Unknown request URL: POST {self.path}."))

    def _embed(self, exchange: Exchange) -> None:
        body = exchange.request.body
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        size = body.get("dimensions") or self.server.owner.dimensions
        encoding = body.get("encoding_format", "float")
        exchange.status = 200
        answer = wire.embeddings(body["model"], texts, size, encoding)
        exchange.usage = answer["usage"]
        self._send(exchange, 200, answer)

    def _complete(self, exchange: Exchange, reply: Reply) -> None:
        request = exchange.request
        exchange.calls = calls = _wire_calls(request, reply)
        texts = list(reply.texts) * max(1, request.body.get("n") or 1)
        texts = texts[: max(len(reply.texts), request.body.get("n") or 1)]
        figures = _figures(request, reply, texts, calls)
        usage = None if figures is None else wire.chat_usage(**figures)
        finish = reply.finish_reason or ("tool_calls" if calls else "stop")
        model = reply.model or wire.snapshot_of(request.body["model"])
        if not request.streams:
            exchange.usage = usage
            answer = wire.chat_completion(request.key, model, texts, calls, finish, usage)
            return self._send(exchange, 200, answer)
        exchange.usage = told = usage if request.wants_usage else None
        pieces = wire.pieces_of(texts[0]) if reply.pieces is None else list(reply.pieces)
        chunks = wire.chat_chunks(request.key, model, pieces, calls, finish, told)
        return self._stream(exchange, reply, ((None, chunk) for chunk in chunks), "[DONE]")

    def _respond(self, exchange: Exchange, reply: Reply) -> None:
        request = exchange.request
        exchange.calls = calls = _wire_calls(request, reply)
        figures = _figures(request, reply, [reply.text], calls)
        exchange.usage = usage = None if figures is None else wire.responses_usage(**figures)
        model = reply.model or wire.snapshot_of(request.body["model"])
        items = wire.response_items(request.key, reply.text, reply.reasoning, calls)
        status = "incomplete" if reply.finish_reason == "length" else "completed"
        if not request.streams:
            answer = wire.response(request.key, model, items, usage, status=status)
            return self._send(exchange, 200, answer)
        events = wire.response_events(request.key, model, items, usage, status)
        return self._stream(exchange, reply, ((event["type"], event) for event in events), None)

    def _refuse(self, exchange: Exchange, reply: Reply) -> None:
        body = wire.error_body(reply.message, reply.error_type, reply.code, None)
        self._send(exchange, reply.status, body, reply.headers)

    def _send(
        self,
        exchange: Exchange,
        status: int,
        answer: dict[str, Any],
        headers: Mapping[str, str] | None = None,
    ) -> None:
        data = wire.compact(answer).encode()
        exchange.status, exchange.body = status, answer
        self._head(
            status, "application/json", {"Content-Length": str(len(data)), **(headers or {})}
        )
        self.wfile.write(data)
        self.server.owner.close_exchange(exchange)

    def _head(self, status: int, content_type: str, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        # One connection a request: nothing is left open for the garbage collector to find.
        self.send_header("Connection", "close")
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _stream(
        self,
        exchange: Exchange,
        reply: Reply,
        events: Iterator[tuple[str | None, dict[str, Any]]],
        ending: str | None,
    ) -> None:
        self._head(200, "text/event-stream; charset=utf-8", {"Transfer-Encoding": "chunked"})
        for number, (name, event) in enumerate(events):
            if number == reply.drop_after:
                self.close_connection = True
                self.connection.close()
                return
            if number and reply.token_s:
                self.server.owner.stopping.wait(reply.token_s)
            head = "" if name is None else f"event: {name}\n"
            self._write_part(f"{head}data: {wire.compact(event)}\n\n")
            exchange.chunks.append(event)
        if ending is not None:
            self._write_part(f"data: {ending}\n\n")
        self.wfile.write(b"0\r\n\r\n")
        self.server.owner.close_exchange(exchange)

    def _write_part(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))


def _wire_calls(request: Request, reply: Reply) -> list[dict[str, Any]]:
    return [
        {
            "id": asked.id or f"call_{request.key[:16]}{index}",
            "type": "function",
            "function": {
                "name": asked.name,
                "arguments": asked.arguments
                if isinstance(asked.arguments, str)
                else wire.compact(asked.arguments),
            },
        }
        for index, asked in enumerate(reply.calls)
    ]


def _figures(
    request: Request, reply: Reply, texts: list[str], calls: list[dict[str, Any]]
) -> dict[str, int] | None:
    """Count the tokens of both sides, unless the script says what to report."""
    if reply.usage is None:
        return None
    counted = {
        "prompt": wire.count_tokens(json.dumps(request.messages))
        + wire.count_tokens(json.dumps(request.body.get("tools") or "")),
        "completion": sum(map(wire.count_tokens, [*texts, reply.reasoning]))
        + sum(wire.count_tokens(item["function"]["arguments"]) + 4 for item in calls),
        "cached": 0,
        "reasoning": wire.count_tokens(reply.reasoning),
    }
    return {**counted, **reply.usage}
