"""A task as what was said and made in it, one after the other."""

from typing import NamedTuple

from inspector.importers.a2a_told import A2AArtifact, A2AMessage, A2ATask
from inspector.presentation.a2a_words import message_words, task_look
from inspector.presentation.visible import one_line, visible_text
from inspector.presentation.words import plural

_LONGEST = 200_000
_MOST = 2_000


class Saying(NamedTuple):
    """Something that was said or made.

    Args:
        kind: user, agent, asks, made, or failed.
        title: Who said it, or what it is called.
        text: What it says, with nothing in it that could act.

    """

    kind: str
    title: str
    text: str


def sayings(task: A2ATask) -> tuple[Saying, ...]:
    """Return messages in their order, what was made, and last where the task stands."""
    told = [_said(each) for each in task.history[-_MOST:]]
    if len(task.history) > _MOST:
        left_out = plural(len(task.history) - _MOST, "earlier message")
        told.insert(0, Saying("agent", f"{left_out} left out", ""))
    told += [_made(each) for each in task.artifacts[:_MOST]]
    last = task.message
    if last is not None and not _is_known(last, task):
        kind = (
            "asks" if task.asks else "failed" if task.state in ("failed", "rejected") else "agent"
        )
        title = f"Agent, {task_look(task.state).word}"
        told.append(Saying(kind, title, _cut(message_words(last))))
    return tuple(told)


def _is_known(message: A2AMessage, task: A2ATask) -> bool:
    """Whether a message of the status stands in the history, too; a question always counts."""
    if task.asks or not message.id:
        return False
    return any(each.id == message.id for each in task.history[-50:])


def _said(message: A2AMessage) -> Saying:
    who = "You, or another client" if message.role == "user" else "Agent"
    return Saying(message.role, who, _cut(message_words(message)))


def _made(artifact: A2AArtifact) -> Saying:
    words = message_words(A2AMessage("", "agent", artifact.parts))
    texts = [part for part in artifact.parts if part.kind == "text"]
    if texts and len(texts) == len(artifact.parts):
        words = visible_text(artifact.text[: 2 * _LONGEST])  # pieces of one text
    return Saying("made", f"Artifact {one_line(artifact.name)[:80]}", _cut(words))


def _cut(words: str) -> str:
    if len(words) <= _LONGEST:
        return words
    return f"{words[:_LONGEST]}\n… {plural(len(words) - _LONGEST, 'more character')}"
