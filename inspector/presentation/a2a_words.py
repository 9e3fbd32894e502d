"""Agents of A2A and their tasks in words: how they stand, what a cancel does, what is wrong."""

import json
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Protocol

from inspector.hayhooks.a2a.cards import A2ACard
from inspector.importers.a2a_told import SCHEMA, A2AMessage, A2APart, A2ATask
from inspector.presentation.execution_words import CancelWords, Look, when_words
from inspector.presentation.hayhooks_words import Said, Seen
from inspector.presentation.visible import one_line, visible_text
from inspector.presentation.words import number_words, plural, sentence

_LOOKS = {
    "submitted": Look("submitted", "◌", "clock", "secondary"),
    "working": Look("working", "●", "running", "live"),
    "input-required": Look("asks for an answer", "❙❙", "paused", "changed"),
    "auth-required": Look("asks for a sign-in", "❙❙", "paused", "changed"),
    "completed": Look("completed", "✓", "completed", "same"),
    "failed": Look("failed", "✕", "failed", "failed"),
    "canceled": Look("canceled", "⊘", "canceled", "secondary"),
    "rejected": Look("rejected", "✕", "failed", "failed"),
}
_UNKNOWN = Look("unknown", "?", "unfinished", "secondary")
STATES = tuple(_LOOKS)
"""States of a task, in the order in which one may choose them."""

_LONGEST_DATA = 20_000


class SeenAgent(Seen, Protocol):
    """What is known of an agent, as far as words depend on it."""

    @property
    def name(self) -> str: ...
    @property
    def asking(self) -> int: ...


def task_look(state: str) -> Look:
    """Return how a state of a task is shown."""
    return _LOOKS.get(state, _UNKNOWN)


def message_words(message: A2AMessage | None) -> str:
    """Return what a message says, its data as JSON; the schema of an answer is not said."""
    if message is None:
        return ""
    texts = {part.text for part in message.parts if part.kind == "text"}
    return "\n".join(filter(None, (_part_words(part, texts) for part in message.parts)))


def _part_words(part: A2APart, texts: AbstractSet[str]) -> str:
    match part.kind:
        case "text":
            return visible_text(part.text)
        case "data":
            return visible_text(_json_words(_not_said(part.data, texts)))
        case _:
            what = sentence([one_line(part.filename), one_line(part.media_type)])
            return f"[file {what or 'without a name'} {one_line(part.text)}]".replace(" ]", "]")


def _not_said(data: Any, texts: AbstractSet[str]) -> Any:
    """Return data without the schema of an answer, and without what stands in words beside it."""
    if not isinstance(data, dict):
        return data
    # What kind of answer a question of durable agents is for stands over it: `kind_asked`.
    unsaid = {SCHEMA, "kind"} if _is_in(data.get("message"), texts) else {SCHEMA}
    return {
        key: value for key, value in data.items() if key not in unsaid and not _is_in(value, texts)
    }


def _is_in(value: Any, texts: AbstractSet[str]) -> bool:
    return isinstance(value, str) and value in texts


def kind_asked(task: A2ATask) -> str:
    """Return what a task asks for: `Asks for approval`."""
    if task.state == "auth-required":
        return "Wants you to sign in elsewhere, and to say so"
    data = task.message.data if task.message is not None else ()
    kinds = [each.get("kind") for each in data if isinstance(each, dict)]
    kind = next((one_line(each)[:60] for each in kinds if isinstance(each, str)), "")
    return f"Asks for {kind}" if kind else "Asks for an answer"


def _json_words(data: Any) -> str:
    if data in ({}, [], None):
        return ""
    try:
        # Protobuf keeps no order: without one of ours it would change from look to look.
        said = json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return "[data that cannot be shown]"
    short = " ".join(said.split())
    said = short if len(short) <= 120 else said
    return said if len(said) <= _LONGEST_DATA else f"{said[:_LONGEST_DATA]}…"


def wish_words(task: A2ATask) -> str:
    """Return what was asked of the agent first, on one line."""
    first = next((each for each in task.history if each.role == "user"), None)
    return one_line(message_words(first))


def task_words(task: A2ATask) -> str:
    """Return what the agent says of where a task stands, on one line."""
    return one_line(message_words(task.message)) or one_line(task.text if task.is_over else "")


def state_words(task: A2ATask, *, is_stale: bool = False) -> str:
    """Return how a task stands; of one that cannot be asked, how it stood."""
    word = task_look(task.state).word
    if task.is_over:
        return word.capitalize()
    if is_stale and task.asks:
        return f"Was {word.replace('asks', 'asking')}"
    return f"Was {word}" if is_stale else word.capitalize()


def fact_words(task: A2ATask, now_ns: int) -> str:
    """Return what is known of a task, on one line."""
    return sentence(
        [
            f"changed {when_words(task.changed_ns, now_ns)}" if task.changed_ns else "",
            plural(len(task.history), "message"),
            plural(len(task.artifacts), "artifact") if task.artifacts else "",
            f"context {one_line(task.context_id)[:24]}" if task.context_id else "",
        ]
    )


def cancel_words(task: A2ATask) -> CancelWords:
    """Say what canceling a task does, as far as A2A says it."""
    if task.asks or task.state == "submitted":
        return CancelWords(
            "The agent is asked to give the task up; nothing of it is running.",
            "What it did before, outside, stays done.",
        )
    return CancelWords(
        "The agent is asked to stop, and says itself when it has.",
        "The call under way may run on for a while, and what it does outside stays. "
        "An agent that cannot stop refuses.",
    )


def card_facts(card: A2ACard) -> str:
    """Return the small print of a card, on one line."""
    return sentence(
        [
            f"version {one_line(card.version)[:40]}" if card.version else "",
            f"A2A {card.protocol}",
            "can be watched" if card.streams else "is asked again and again",
            "says what it takes" if card.input_schema else "takes words",
        ]
    )


def head_words(agents: Sequence[SeenAgent]) -> str:
    """Return how all agents are, in one sentence."""
    if not agents:
        return "No agent yet"
    counts = {
        state: sum(each.state == state for each in agents)
        for state in ("up", "down", "refused", "asking")
    }
    asking = sum(each.asking for each in agents)
    return sentence(
        [
            f"{plural(counts['up'], 'agent')} up" if counts["up"] else "",
            f"{counts['down']} down" if counts["down"] else "",
            f"{counts['refused']} refused" if counts["refused"] else "",
            "asking…" if counts["asking"] else "",
            f"{plural(asking, 'task')} {'asks' if asking == 1 else 'ask'} for an answer"
            if asking
            else "",
        ]
    )


def trouble_words(agent: SeenAgent | None, now_ns: int) -> Said | None:
    """Return what is wrong with an agent; None when nothing is."""
    if agent is None or not agent.is_stale:
        return None
    name = one_line(agent.name)
    since = (
        f"What is shown of it is of {when_words(agent.answered_at_ns, now_ns)}."
        if agent.answered_at_ns
        else ""
    )
    words = f"{one_line(agent.message or agent.list_problem)} {since}".strip()
    if agent.state == "down":
        return Said(f"{name} cannot be reached.", words, "Try again")
    if agent.state == "refused":
        return Said(f"{name} does not let us in.", words, "Token…")
    return Said(f"{name} does not list its tasks.", words, "Try again")


def empty_words(agent: SeenAgent | None, *, total: int, is_narrowed: bool) -> Said:
    """Return why no task is shown."""
    if agent is None:
        return Said(
            "Talk to long-running agents",
            "Add the address of an A2A agent: its card and its tasks are shown here, what they "
            "ask for is answered from a form, and new ones are begun. Nothing is asked before.",
            "Add an agent…",
        )
    if agent.state == "asking":
        return Said("Asking…", "The card comes first, then the tasks.", "")
    if is_narrowed and total:
        return Said("Nothing fits", f"None of {plural(total, 'task')} fits.", "Show all")
    if agent.state in ("down", "refused"):
        return Said("Nothing is known yet", "The agent could not be asked so far.", "Try again")
    if agent.list_problem:
        return Said(
            "Its tasks are not listed",
            "What you send it from here shows here all the same.",
            "Send a message…",
        )
    return Said("No tasks yet", "Send a message, and the task it begins shows here.",
                "Send a message…")  # fmt: skip


def count_words(shown: int, total: int) -> str:
    """Return how many tasks are shown, of how many."""
    if shown < total:
        return f"{number_words(shown)} of {plural(total, 'task')}"
    return plural(total, "task")
