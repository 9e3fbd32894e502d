"""What a test tells the local server to answer, and what it can ask about a request."""

import hashlib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.helpers import openai_wire as wire


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call of a reply. `arguments` may be text, to send arguments that are not JSON."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the server shall answer.

    Args:
        texts: One text a choice; more than one only for requests with `n`.
        calls: Tool calls, all in the one reply.
        pieces: The text as it is streamed; by default it is cut at word boundaries.
        usage: Figures that replace the counted ones: `prompt`, `completion`, `cached`,
            `reasoning`. `None` reports no usage at all.
        first_token_s: How long the model thinks before its first token.
        token_s: How long it takes from one token to the next.
        status: An HTTP status of 400 or above makes this an error.
        hold: The reply waits for this event, so that a test decides when it comes.
        drop_after: Close the connection after so many chunks, without an ending.
    """

    texts: Sequence[str] = ("",)
    calls: Sequence[Call] = ()
    reasoning: str = ""
    pieces: Sequence[str] | None = None
    finish_reason: str = ""
    usage: Mapping[str, int] | None = field(default_factory=dict)
    model: str = ""
    first_token_s: float = 0.0
    token_s: float = 0.0
    status: int = 200
    message: str = ""
    error_type: str = ""
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    hold: threading.Event | None = None
    drop_after: int | None = None

    @property
    def text(self) -> str:
        return self.texts[0]


def say(text: str, **more: Any) -> Reply:
    return Reply(texts=(text,), **more)


def call(*calls: Call, text: str = "", **more: Any) -> Reply:
    """Ask for tools, all of them at once."""
    return Reply(texts=(text,), calls=calls, **more)


def refuse(status: int, message: str = "", **more: Any) -> Reply:
    """Fail as the provider does with this status."""
    kind, code, words = _REFUSALS.get(status, ("server_error", None, "The server had an error."))
    more = {"error_type": kind, "code": code, **more}
    return Reply(status=status, message=message or words, **more)


_REFUSALS: dict[int, tuple[str, str | None, str]] = {
    400: (
        "invalid_request_error",
        "context_length_exceeded",
        "This model's maximum context length is 128000 tokens.",
    ),
    401: ("invalid_request_error", "invalid_api_key", "Incorrect API key provided."),
    404: ("invalid_request_error", "model_not_found", "The model does not exist."),
    429: ("requests", "rate_limit_exceeded", "Rate limit reached for requests."),
    500: ("server_error", None, "The server had an error while processing your request."),
}


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it arrived, with the questions a script asks about it."""

    number: int  # in order of arrival, from 1
    repeat: int  # how often this very body had come before
    path: str
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation, whichever of the two APIs it came by."""
        said = self.body.get("messages", self.body.get("input", []))
        return said if isinstance(said, list) else [{"role": "user", "content": said}]

    @property
    def text(self) -> str:
        """What the user said last."""
        return next((_text(m) for m in reversed(self.messages) if m.get("role") == "user"), "")

    @property
    def system(self) -> str:
        return "\n".join(
            _text(m) for m in self.messages if m.get("role") in ("system", "developer")
        )

    @property
    def whole_text(self) -> str:
        return "\n".join(map(_text, self.messages))

    @property
    def tool_results(self) -> list[str]:
        """The results of tools so far, in order."""
        results = (
            m.get("output") if m.get("type") == "function_call_output" else m.get("content")
            for m in self.messages
            if m.get("role") == "tool" or m.get("type") == "function_call_output"
        )
        return [item if isinstance(item, str) else wire.compact(item) for item in results]

    @property
    def tool_names(self) -> list[str]:
        tools = self.body.get("tools") or []
        return [tool.get("function", tool)["name"] for tool in tools]

    @property
    def turn(self) -> int:
        """How many replies of the model the conversation holds already."""
        return sum(m.get("role") == "assistant" for m in self.messages)

    @property
    def streams(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def wants_usage(self) -> bool:
        return bool((self.body.get("stream_options") or {}).get("include_usage"))

    @property
    def key(self) -> str:
        """A name for this request that is the same in every run of the same program."""
        text = json.dumps([self.path, self.body, self.repeat], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:24]


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


Script = Callable[[Request], Reply | str]


def echo(request: Request) -> Reply:
    """Answer with the question: the default, and enough to tell runs apart."""
    return say(f"You asked: {request.text}")
