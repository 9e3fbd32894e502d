"""Which LLM was asked, with which settings, what it was sent and what it said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec
import orjson

from inspector.diff.glance import LargeError, loaded, tag_in
from inspector.diff.histories import key_of
from inspector.diff.model import Agreement, Decision, DecisionKind, Severity
from inspector.diff.said import (
    article,
    conversation_text,
    is_left_out,
    listed,
    quoted,
    replies_text,
    short,
    value_words,
)
from inspector.diff.text import text_diff
from inspector.diff.values import value_changes
from inspector.runfile.kinds import SpanKind

if TYPE_CHECKING:
    from inspector.diff.context import Both, SideView
    from inspector.runfile.model import Span

# How a reply travels does not change what is said.
_TRANSPORT = frozenset({"stream", "stream_options", "user", "timeout"})
_MODELS = ("model", "model_name", "azure_deployment", "model_id")
_PROMPTS = ("messages", "prompt")
_MOST_WORDS = 400
_MOST_OF_A_TOOL = 20
# Of a message an LLM gets what it says, and not what was noted on it when it was made.
_NOTED = re.compile(r"(?:^|[\].])meta(?:$|[.\[])")


class _Continued(msgspec.Struct):
    """A conversation that goes on where another one ends."""

    after: msgspec.Raw
    items: msgspec.Raw


_CONTINUED = msgspec.json.Decoder(_Continued)


def is_llm(both: Both) -> bool:
    """Whether a pair is a call of an LLM."""
    return both.kind is SpanKind.LLM or (both.kind is SpanKind.COMPONENT and both.role == "llm")


def llms(both: Both) -> Iterator[Decision]:
    """Yield which LLM was asked, and with which settings."""
    if not is_llm(both) or _is_shell(both):
        return
    given = [None if span is None else settings_of(view, span) for view, span in both.sides]
    same = both.context.settings.get((id(given[0]), id(given[1])))
    if same is not None:
        yield both.decision(DecisionKind.LLM, f"{both.name} is {same}", [same] * 2, Agreement.SAME)
        return
    left, right = (None if each is None else dict(each) for each in given)
    words = [None if each is None else _setting_words(each) for each in (left, right)]
    title = f"{both.name} is {words[0] or words[1]}"
    if (agreement := both.one_sided) is not None:
        title = both.only("was asked", "was {} asked")
        yield both.decision(DecisionKind.LLM, title, words, agreement, Severity.MAJOR)
        return
    assert left is not None
    assert right is not None
    for each, other in ((left, right), (right, left)):
        # A call that failed was answered by nobody, which is no setting.
        if "answered by" not in other:
            each.pop("answered by", None)
    agreement, changes = both.compare(left, right, "settings")
    if left == right == given[0] == given[1] and words[0] == words[1]:
        # Both stay where they are for as long as the comparison takes.
        both.context.settings[id(given[0]), id(given[1])] = words[0] or ""
    differing = [name for name in dict.fromkeys((*left, *right))
                 if left.get(name) != right.get(name)]  # fmt: skip
    if agreement is not Agreement.DIFFERS:
        yield both.decision(DecisionKind.LLM, title, words, agreement, changes=changes)
        return
    told = set(differing)
    if "model" in told:
        told.discard("answered by")
    if "class" in told and None in (left.get("model"), right.get("model")):
        # A generator that asks others has no model of its own.
        told.discard("model")
    said = [_other(name, left.get(name), right.get(name)) for name in differing if name in told]
    grave = {"model", "answered by", "tools"}.intersection(differing)
    yield both.decision(
        DecisionKind.LLM, short(f"{both.name} {listed(said)}", _MOST_WORDS), words, agreement,
        Severity.MAJOR if grave else Severity.MINOR, changes=changes,
    )  # fmt: skip


def _is_shell(both: Both) -> bool:
    """Whether another call inside it is the one that counts, as in a fallback generator."""
    # On both sides: that a generator became one of several is told.
    return all(
        any(view.glance.facts(row).role == "llm" for row in view.run.table.children(span.row))
        for view, span in both.sides if span is not None
    )  # fmt: skip


def settings_of(view: SideView, span: Span) -> Mapping[str, Any]:
    """Return what decides how an LLM answers: model, class, generation settings, tools."""
    facts, glance = view.facts(span), view.glance
    inputs = glance.members(facts.inputs)
    settings, tools = (bytes(inputs.get(name, b"")) for name in ("generation_kwargs", "tools"))
    llm = glance.peek(facts.llm)
    named = llm.get("name") if isinstance(llm, dict) else None
    answered_by = named if isinstance(named, str) else None
    key = (view.place(span), facts.type, answered_by, settings, tools)
    known = view.settings.get(key)
    if known is None:
        known = view.settings[key] = _settings(view, span, facts.type, answered_by)
    return known


def _settings(view: SideView, span: Span, kind: str, answered_by: Any) -> dict[str, Any]:
    parameters = view.parameters(span)
    inputs = span.inputs if isinstance(span.inputs, Mapping) else {}
    found: dict[str, Any] = {}
    model = next((parameters[name] for name in _MODELS if parameters.get(name)), None)
    if model is not None:
        found["model"] = model
    if answered_by:
        found["answered by"] = answered_by
    if kind:
        found["class"] = kind
    for holder in (parameters, inputs):
        settings = holder.get("generation_kwargs")
        if isinstance(settings, Mapping):
            found.update(
                (str(name), value)
                for name, value in settings.items()
                if name not in _TRANSPORT and value is not None
            )
    if tools := inputs.get("tools") or parameters.get("tools"):
        found["tools"] = tools
    return found


def _setting_words(settings: Mapping[str, Any]) -> str:
    kind = str(settings.get("class", "an LLM")).rpartition(".")[2]
    said = [value_words(settings.get("model") or settings.get("answered by") or kind, 60)]
    for name, value in settings.items():
        if name == "tools":
            said.append(f"tools {', '.join(tool_names(value))}")
        elif name not in ("model", "answered by", "class"):
            said.append(f"{name} {value_words(value, 40)}")
    return ", ".join(said)


def tool_names(tools: Any) -> list[str]:
    """Return the names of the tools that an LLM was offered."""
    names = []
    for tool in tools if isinstance(tools, list) else [tools]:
        named = tool.get("name") if isinstance(tool, Mapping) else tool
        data = tool.get("data") if isinstance(tool, Mapping) else None
        if named is None and isinstance(data, Mapping):
            named = data.get("name")
        names.append(value_words(named, 60) if named is not None else "a tool")
    return names


def _other(name: str, left: Any, right: Any) -> str:
    if name == "model":
        return f"is {_words(right)} instead of {_words(left)}"
    if name == "answered by":
        return f"was answered by {_words(right)} instead of {_words(left)}"
    if name == "class":
        one, other = (str(each).rpartition(".")[2] for each in (left, right))
        return f"is {article(other)} {other} instead of {article(one)} {one}"
    if name == "tools":
        before, after = tool_names(left or []), tool_names(right or [])
        if before == after:
            return _described_otherwise(before, left, right)
        return f"was offered {_names(after)} instead of {_names(before)}"
    return f"has {name} {_words(right)} instead of {_words(left)}"


def _described_otherwise(names: list[str], left: Any, right: Any) -> str:
    """Say of tools with the same names which of them is described in another way, and how."""
    sides = [each if isinstance(each, list) else [each] for each in (left, right)]
    said = []
    for name, one, other in zip(names, *sides, strict=True):
        changes = [change for change in value_changes(one, other, most=_MOST_OF_A_TOOL)[0]
                   if change.noise is None]  # fmt: skip
        if changes:
            leaf = changes[0].leaf.removeprefix("data.")
            head, dot, rest = leaf.partition(".")
            what = f"other {head} ({rest})" if dot else f"another {leaf}"
            more = f" and {len(changes) - 1} more" if len(changes) > 1 else ""
            said.append(f"{name} with {what}{more}")
    return f"was offered {listed(said)}" if said else "was offered other tools"


def _names(names: list[str]) -> str:
    return listed(names, 6) or "no tools"


def _words(value: Any) -> str:
    return "none" if value is None else value_words(value, 60)


def prompts(both: Both) -> Iterator[Decision]:
    """Yield what an LLM was sent."""
    if not is_llm(both) or both.alone or _is_shell(both):
        return
    raws = [_raw_prompt(view, span) for view, span in both.sides]
    if raws == [b"", b""]:
        return
    title = f"{both.name} was sent the same"
    known = (key_of(raws[0]), key_of(raws[1]))
    if both.pair.same:
        both.context.prompts.add(known)
        both.context.equal_prompts.add(known)
        last = value_words(both.view.glance.last(msgspec.Raw(raws[0])))
        yield both.decision(DecisionKind.PROMPT, title, [last] * 2, Agreement.SAME)
        return
    news = [_news(view, raw) for (view, _), raw in zip(both.sides, raws, strict=True)]
    added = all(news) and (news[0][0], news[1][0]) in both.context.prompts
    after_equal = added and (news[0][0], news[1][0]) in both.context.equal_prompts
    both.context.prompts.add(known)
    if added:
        # What both were told before was compared then: only what is new says something.
        left, right = news[0][1], news[1][1]
    else:
        left, right = (
            view.run.resolve(loaded(raw)) for (view, _), raw in zip(both.sides, raws, strict=True)
        )
    agreement, changes = both.compare(left, right, "inputs.messages")
    if agreement is Agreement.UNKNOWN or is_left_out(left) != is_left_out(right):
        title = f"{both.name}: not all that it was sent was kept on both sides"
        words = [_last_words(each) for each in (left, right)]
        yield both.decision(DecisionKind.PROMPT, title, words, Agreement.UNKNOWN)
        return
    if agreement is not Agreement.DIFFERS:
        if after_equal or not added:
            both.context.equal_prompts.add(known)
        words = [_last_words(each) for each in (left, right)]
        if not added or raws[0] == raws[1]:
            yield both.decision(DecisionKind.PROMPT, title, words, agreement, changes=changes)
            return
        title = f"{both.name} was told the same, after what differed before"
        yield both.decision(DecisionKind.PROMPT, title, words, Agreement.DIFFERS, changes=changes)
        return
    texts = conversation_text(left), conversation_text(right)
    words = [_size(each) for each in texts]
    counted = [change.leaf for change in changes if change.noise is None]
    if texts[0] == texts[1] and counted and all(map(_NOTED.search, counted)):
        title = f"{both.name} was sent the same, with other notes on how it was made"
        yield both.decision(DecisionKind.PROMPT, title, words, agreement, changes=changes)
        return
    title = f"{both.name} was {'told something else' if added else 'sent another prompt'}"
    diff = both.context.texts(*texts)
    if diff is not None and not diff.same:
        title += f": {change_words(diff)}"
    yield both.decision(
        DecisionKind.PROMPT, title, words, agreement, Severity.MAJOR,
        text=diff, changes=changes if diff is None or diff.same else (),
    )  # fmt: skip


def _last_words(sent: Any) -> str:
    return short(conversation_text(sent[-1:] if isinstance(sent, list) else sent))


def _raw_prompt(view: SideView, span: Span | None) -> bytes:
    if span is None:
        return b""
    inputs = view.glance.members(view.facts(span).inputs)
    found = (bytes(inputs[socket]) for socket in _PROMPTS if socket in inputs)
    return next((raw for raw in found if raw != b"null"), b"")


def _news(view: SideView, raw: bytes) -> tuple[str, Any]:
    """Return what a conversation continues, and what was added to it; nothing and None else."""
    text = view.glance.followed(msgspec.Raw(raw or b"null"))
    if tag_in(text) != "list":
        return "", None
    with suppress(msgspec.MsgspecError, RecursionError, UnicodeDecodeError, LargeError):
        found = _CONTINUED.decode(text)
        return key_of(bytes(found.after)), view.glance.at_once(bytes(found.items))
    tree = loaded(text)
    return key_of(orjson.dumps(tree.get("after"))), view.glance.resolved(tree.get("items"))


def _size(text: str) -> str:
    return f"{len(text):,} characters".replace(",", "\u202f")


def change_words(text: Any) -> str:
    """Say how two texts differ, by the most of what comes and goes in them."""
    gone = [part.text for part in text.parts if part.kind == "left" and part.text.strip()]
    new = [part.text for part in text.parts if part.kind == "right" and part.text.strip()]
    lost, found = (max(each, key=len, default="").strip() for each in (gone, new))
    if lost and lost == found:
        said = [f"{quoted(found, 60)} moved"]
    else:
        said = [f"{word} {quoted(each, 60)}" for word, each in (("without", lost), ("with", found))
                if each]  # fmt: skip
    more = len(gone) + len(new) - (2 if lost and lost == found else len(said))
    return (", ".join(said) or "other spaces") + (f" and {more} more changes" if more > 1 else "")


def replies(both: Both, answers: tuple[str | None, str | None]) -> Iterator[Decision]:
    """Yield what an LLM said, where that is not the answer of the whole run."""
    if not is_llm(both) or both.alone or not both.worked or _is_shell(both):
        return
    # Which tools an agent's LLM calls for is told where they are called.
    calls = both.kind is not SpanKind.LLM
    if both.pair.same:
        said = replies_text(both.view.glance.peek(both.facts.outputs), calls=calls)
        if said and (said, said) != answers:
            title = f"{both.name} said {quoted(said)}"
            yield both.decision(DecisionKind.REPLY, title, [quoted(said)] * 2, Agreement.SAME)
        return
    left, right = (
        replies_text(view.glance.value(view.facts(span).outputs), calls=calls)
        if span is not None
        else None
        for view, span in both.sides
    )
    if left is None and right is None:
        return
    if (answers[0] and answers[1] and (left, right) == answers) or not (left or right):
        return
    if not calls and not (left and right):
        # One of them called tools in place of saying something.
        return
    words = [None if each is None else quoted(each) for each in (left, right)]
    if left == right:
        title = f"{both.name} said {words[0]}"
        yield both.decision(DecisionKind.REPLY, title, words, Agreement.SAME)
    elif left is None or right is None:
        title = f"{both.name}: what it said was recorded on one side only"
        yield both.decision(DecisionKind.REPLY, title, words, Agreement.UNKNOWN)
    else:
        title = f"{both.name} said {words[1]} instead of {words[0]}"
        yield both.decision(
            DecisionKind.REPLY, title, words, Agreement.DIFFERS, Severity.MINOR,
            text=text_diff(left, right),
        )  # fmt: skip
