"""A task as what was said and made in it, one after the other.

It is made anew whenever something comes, so it costs the same however long the task has become:
of long texts the beginning is shown, of many messages the last.
"""

from typing import NamedTuple

from inspector.importers.a2a_told import A2AArtifact, A2AMessage, A2APart, A2ATask
from inspector.presentation.a2a_words import message_words, task_look
from inspector.presentation.visible import one_line, visible_text
from inspector.presentation.words import plural

_LONGEST = 40_000
_ALL = 200_000
_MOST = 200
_STEP = 100  # so many messages leave at once: what is left need not be written anew each time
_MORE = "\n… the rest stands under Artifacts"


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
    left_out = max(0, len(task.history) - _MOST + _STEP - 1) // _STEP * _STEP
    told = [_said(each) for each in task.history[left_out:]]
    if left_out:
        told.insert(0, Saying("agent", f"{plural(left_out, 'earlier message')} left out", ""))
    room = _ALL
    for place, artifact in enumerate(task.artifacts[:_MOST]):
        if room <= 0:
            more = f"{plural(len(task.artifacts) - place, 'more artifact')} left out"
            told.append(Saying("made", more, ""))
            break
        told.append(_made(artifact, min(room, _LONGEST)))
        room -= len(told[-1].text) + 1
    last = task.message
    if last is not None and not _is_known(last, task):
        is_bad = task.state in ("failed", "rejected")
        kind = "asks" if task.asks else "failed" if is_bad else "agent"
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


def _made(artifact: A2AArtifact, room: int) -> Saying:
    title = f"Artifact {one_line(artifact.name)[:80]}"
    parts, length = list[A2APart](), 0
    for part in artifact.parts:
        parts.append(part)
        length += len(part.text)
        if length > room or len(parts) > room:
            break
    if parts and all(part.kind == "text" for part in parts):
        words = visible_text("".join(part.text for part in parts))  # pieces of one text
    else:
        words = message_words(A2AMessage("", "agent", tuple(parts)))
    is_whole = len(parts) == len(artifact.parts) and len(words) <= room
    return Saying("made", title, words if is_whole else words[:room] + _MORE)


def _cut(words: str) -> str:
    if len(words) <= _LONGEST:
        return words
    return f"{words[:_LONGEST]}\n… {plural(len(words) - _LONGEST, 'more character')}"
