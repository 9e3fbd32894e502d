"""What A2A says of tasks, whichever version of it said so: values, read from its JSON.

Everything textual in here is a stranger's. Nothing in it raises: what makes no sense is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from inspector.importers.foreign import nanoseconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

STATES = frozenset(
    {
        "submitted", "working", "input-required", "auth-required", "completed", "failed",
        "canceled", "rejected",
    }
)  # fmt: skip
OVER = frozenset({"completed", "failed", "canceled", "rejected"})
ASKS = frozenset({"input-required", "auth-required"})
UNKNOWN = "unknown"
SCHEMA = "expected_input_schema"
_LONGEST_WORD = 2_000
_MOST = 10_000
_DEEPEST = 120


@dataclass(frozen=True, slots=True)
class A2APart:
    """A part of a message or an artifact.

    Args:
        kind: `text`, `data` or `file`.
        text: Of a text; where a file is, of one that is elsewhere.
        data: JSON of a data part; base64 of a file that came along.

    """

    kind: str
    text: str = ""
    data: Any = None
    filename: str = ""
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class A2AMessage:
    """Something that the user or the agent said. `at_ns` is 0 where nobody says when."""

    id: str
    role: str
    parts: tuple[A2APart, ...]
    metadata: Mapping[str, Any] = field(default_factory=dict)
    at_ns: int = 0

    @property
    def text(self) -> str:
        """Its texts, one a line."""
        return "\n".join(part.text for part in self.parts if part.kind == "text")

    @property
    def data(self) -> tuple[Any, ...]:
        """What its data parts hold."""
        return tuple(part.data for part in self.parts if part.kind == "data")

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The JSON Schema of what would answer it, where it says so."""
        for tree in (*self.data, self.metadata):
            schema = tree.get(SCHEMA) if isinstance(tree, dict) else None
            if isinstance(schema, dict):
                return schema
        return None


@dataclass(frozen=True, slots=True)
class A2AArtifact:
    """Something that the agent made."""

    id: str
    name: str
    parts: tuple[A2APart, ...]
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Its texts together: pieces of a stream belong to each other."""
        return "".join(part.text for part in self.parts if part.kind == "text")


@dataclass(frozen=True, slots=True)
class A2ATask:
    """A task as it is at one time.

    Args:
        state: One of `STATES`, or `unknown`.
        message: What the agent says about where it stands, such as what it asks for.
        changed_ns: When it came to stand there; 0 where nobody says.

    """

    id: str
    context_id: str
    state: str
    message: A2AMessage | None = None
    changed_ns: int = 0
    history: tuple[A2AMessage, ...] = ()
    artifacts: tuple[A2AArtifact, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        """Whether nothing will happen to it any more."""
        return self.state in OVER

    @property
    def asks(self) -> bool:
        """Whether it waits for somebody to answer."""
        return self.state in ASKS

    @property
    def text(self) -> str:
        """What it came to: its results as text, else what the agent said last."""
        made = [each.text for each in self.artifacts if each.text and not _is_stream(each)]
        made = made or [each.text for each in self.artifacts[-1:]]
        said = self.message.text if self.message is not None else ""
        return "\n".join(filter(None, made)) or said


def _is_stream(artifact: A2AArtifact) -> bool:
    return artifact.name.startswith("stream-")


def is_task(tree: Any) -> bool:
    """Whether JSON is a task."""
    if not isinstance(tree, dict) or not isinstance(tree.get("id"), str):
        return False
    status = tree.get("status")
    return isinstance(status, dict) and "state" in status


def tasks_in(tree: Any) -> list[dict[str, Any]]:
    """Return the tasks that an answer, a list, or a file of ours holds, as JSON."""
    waiting, found = [tree], list[dict[str, Any]]()
    while waiting and len(found) < _MOST:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += reversed(each[:_MOST])
        elif is_task(each):
            found.append(each)
        elif isinstance(each, dict):
            waiting += [each[key] for key in ("tasks", "task", "result") if key in each]
    return found


def read_task(tree: Mapping[str, Any]) -> A2ATask:
    """Return a task from its JSON."""
    status = _object(tree.get("status"))
    said = status.get("message")
    return A2ATask(
        id=word(tree.get("id")),
        context_id=word(tree.get("contextId")),
        state=state_of(status.get("state")),
        message=read_message(said) if isinstance(said, dict) else None,
        changed_ns=nanoseconds(status.get("timestamp")) or 0,
        history=tuple(read_message(each) for each in _objects(tree.get("history"))),
        artifacts=tuple(read_artifact(each) for each in _objects(tree.get("artifacts"))),
        metadata=_object(tree.get("metadata")),
    )


def state_of(said: Any) -> str:
    """Return a state by its plain name."""
    name = word(said).removeprefix("TASK_STATE_").lower().replace("_", "-")
    name = "canceled" if name == "cancelled" else name
    return name if name in STATES else UNKNOWN


def read_message(tree: Mapping[str, Any]) -> A2AMessage:
    """Return a message from its JSON."""
    metadata = _object(tree.get("metadata"))
    return A2AMessage(
        id=word(tree.get("messageId")),
        role="user" if word(tree.get("role")).lower().endswith("user") else "agent",
        parts=read_parts(tree.get("parts")),
        metadata=metadata,
        at_ns=nanoseconds(metadata.get("at") or metadata.get("timestamp")) or 0,
    )


def read_artifact(tree: Mapping[str, Any]) -> A2AArtifact:
    """Return an artifact from its JSON."""
    return A2AArtifact(
        id=word(tree.get("artifactId")),
        name=word(tree.get("name")) or word(tree.get("artifactId")),
        parts=read_parts(tree.get("parts")),
        metadata=_object(tree.get("metadata")),
    )


def read_parts(tree: Any) -> tuple[A2APart, ...]:
    """Return the parts of a message or an artifact."""
    return tuple(_part(each) for each in _objects(tree))


def _part(tree: Mapping[str, Any]) -> A2APart:
    file = _object(tree.get("file"))
    media = word(tree.get("mediaType") or file.get("mimeType"))
    name = word(tree.get("filename") or file.get("name"))
    if isinstance(tree.get("text"), str):
        return A2APart("text", tree["text"], media_type=media)
    if "data" in tree:
        return A2APart("data", data=_plain(tree["data"]), media_type=media)
    carried = tree.get("raw", file.get("bytes"))
    address = tree.get("url", file.get("uri"))
    return A2APart("file", word(address), carried, name, media)


def _plain(tree: Any, level: int = 0) -> Any:
    """Return data with whole numbers as integers: protobuf, which A2A is made of, has none."""
    if isinstance(tree, float):
        return int(tree) if tree.is_integer() and abs(tree) < 2**53 else tree
    if level > _DEEPEST:
        return tree
    if isinstance(tree, dict):
        return {key: _plain(item, level + 1) for key, item in tree.items()}
    return [_plain(item, level + 1) for item in tree] if isinstance(tree, list) else tree


def word(value: Any) -> str:
    """Return a short text, empty when it is none."""
    return value[:_LONGEST_WORD] if isinstance(value, str) else ""


def _object(tree: Any) -> dict[str, Any]:
    return tree if isinstance(tree, dict) else {}


def _objects(tree: Any) -> Iterable[dict[str, Any]]:
    listed = tree[:_MOST] if isinstance(tree, list) else []
    return (each for each in listed if isinstance(each, dict))
