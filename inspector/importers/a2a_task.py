"""Tasks of A2A: what was said to an agent of somebody's, and what it said, asked for and made.

The protocol says nothing of how an agent came to what it says: no calls of models, no tools.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from inspector.errors import RunFileError
from inspector.importers import messages
from inspector.importers.a2a_told import A2AMessage, A2ATask, read_task, tasks_in, word
from inspector.importers.conversations import Told, conversation_run
from inspector.importers.foreign import nanoseconds
from inspector.importers.texts import pieces, tree_of, whole_items
from inspector.importers.trees import converted, error
from inspector.runfile.leaf import LeafError
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.a2a_told import A2APart
    from inspector.importers.head import Head
    from inspector.importers.imported import Context, ImportedRun

_LOST = (
    ("what happened inside the agent", "A2A tells what was said, asked and made"),
    ("tokens and models", "A2A says nothing of them"),
)
_TASK = frozenset({"contextId", "history", "artifacts"})
_WHY = "A2A says when a task came to where it stands, and no more"
_STATUS = {"completed": "ok", "failed": "failed", "rejected": "failed", "canceled": "canceled"}
_LONGEST_NAME = 80


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    if _looks_like_task(head.keys, head.inner_keys("status")):
        return 82
    for way in (("result",), ("result", "task"), ("task",), ("tasks",), ("result", "tasks")):
        if way[0] in head.keys and _looks_like_task(
            head.inner_keys(*way), head.inner_keys(*way, "status")
        ):
            return 82
    return 82 if head.keys >= {"agentCard", "tasks"} else 0


def _looks_like_task(keys: frozenset[str], status: frozenset[str]) -> bool:
    return keys >= {"id", "status"} and bool(keys & _TASK) and "state" in status


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield a run for each task.

    Raises:
        RunFileError: There is none in it.

    """
    found: list[dict[str, Any]] = []
    agent = ""
    for piece in pieces(context.source, context.name, context.losses, context.at):
        try:
            tree = tree_of(piece.text, context.losses, piece.where)
        except LeafError as trouble:
            context.losses.skip("part that is cut off or damaged", f"{piece.where} {trouble}")
            tree = whole_items(piece.text)
        card = tree.get("agentCard") if isinstance(tree, dict) else None
        agent = agent or (word(card.get("name")) if isinstance(card, dict) else "")
        found += tasks_in(tree)
    if not found:
        raise RunFileError(
            f"There is no task in {context.name}.", hint="It may be the card of an agent only."
        )
    for what, why in _LOST:
        context.losses.lose(what, why)
    for number, tree in enumerate(found):
        context.check(number / len(found))
        yield task_run(read_task(tree), context, agent)


def task_run(task: A2ATask, context: Context, agent: str = "") -> ImportedRun:
    """Return a task as a run.

    Args:
        task: What is known of it.
        context: Where it comes from.
        agent: What the agent is called.

    """
    name = agent or word(task.metadata.get("deployment")) or "agent"
    made = conversation_run(
        _told(task, name),
        context,
        name,
        f"a2a {task.id}",
        task_id=task.id,
        context_id=task.context_id,
        state=task.state,
        agent=agent,
        attempts=task.metadata.get("attempt"),
        revision=task.metadata.get("revision"),
    )
    if task.state == "canceled":
        made.header["status"] = "canceled"
    return made


def _told(task: A2ATask, name: str) -> list[Told]:
    history = list(task.history)
    first = next((place for place, each in enumerate(history) if each.role != "user"), len(history))
    asked, later = history[:first], history[first:]
    root = Told("agent", name)
    root.start = nanoseconds(task.metadata.get("created_at"))
    root.status = _STATUS.get(task.state, "unfinished")
    if task.is_over and root.status != "unfinished":
        root.end = task.changed_ns or None
    root.fields["inputs"] = {"messages": [chat(each) for each in asked]} if asked else None
    root.fields["outputs"] = _outputs(task)
    if root.status == "failed":
        said = task.message.text if task.message is not None else ""
        kind, colon, words = said.partition(": ")
        named = bool(colon) and " " not in kind
        root.fields["error"] = error(kind if named else task.state, words if named else said)
    root.fields["tags"] = {"a2a.state": task.state, "a2a.task": task.id}
    if not asked:
        root.lacking["inputs"] = "the task holds no history"
    if root.start is None:
        root.lacking["start_ns"] = _WHY
    return [root, *_inside(task, later, root)]


def _inside(task: A2ATask, later: list[A2AMessage], root: Told) -> Iterator[Told]:
    """Yield what was said after the beginning: what the agent asks is answered by what follows."""
    said: list[A2AMessage | None] = [*later]
    if task.asks and task.message is not None:
        if later and later[-1].id == task.message.id and task.message.id:
            said.pop()
        said.append(task.message)
    for each, following in pairwise([*said, None]):
        if each is None:
            continue
        answer = following if following is not None and following.role == "user" else None
        if each.role == "user":
            continue  # an answer, which stands with its question
        asks = answer is not None or each is task.message
        told = Told("other", "input required" if asks else _name(each), root, each.at_ns or None)
        if asks:
            told.fields["inputs"] = {"messages": [chat(each)]}
            told.fields["outputs"] = None if answer is None else {"messages": [chat(answer)]}
            told.status = "unfinished" if answer is None else "ok"
            told.lacking["end_ns"] = _WHY
        else:
            told.fields["outputs"] = {"messages": [chat(each)]}
            told.end = told.start
        if told.start is None:
            told.lacking["start_ns"] = _WHY
        yield told


def _name(message: A2AMessage) -> str:
    kind = word(message.metadata.get("kind"))
    return kind or " ".join(message.text.split())[:_LONGEST_NAME] or "message"


def _outputs(task: A2ATask) -> dict[str, Any] | None:
    outputs: dict[str, Any] = {}
    made: dict[str, Any] = {}
    for number, each in enumerate(task.artifacts, 1):
        name = each.name or "artifact"
        made[f"{name} {number}" if name in made else name] = _value(each.parts)
    if made:
        outputs["artifacts"] = made
    if task.message is not None and not task.asks:
        outputs["status_message"] = chat(task.message)
    if task.is_over and task.text:
        outputs["last_message"] = messages.chat_message("assistant", [{"text": task.text}])
    return outputs or None


def _value(parts: tuple[A2APart, ...]) -> Any:
    if all(part.kind == "text" for part in parts):
        return "".join(part.text for part in parts)
    if len(parts) == 1 and parts[0].kind == "data":
        return converted(parts[0].data)
    return [_part(part) for part in parts]


def chat(message: A2AMessage) -> dict[str, Any]:
    """Return a message as one of ours."""
    role = "user" if message.role == "user" else "assistant"
    return messages.chat_message(role, [_part(part) for part in message.parts])


def _part(part: A2APart) -> dict[str, Any]:
    if part.kind == "text":
        return {"text": part.text}
    if part.kind == "data":
        return messages.text(converted(part.data))
    kind = "image" if part.media_type.startswith("image/") else "file"
    if isinstance(part.data, str):
        return {
            TAG: kind,
            "data": {TAG: "bytes", "base64": part.data},
            "mime_type": part.media_type,
        }
    return {"text": f"[{part.filename or 'a file'} at {part.text}]"}
