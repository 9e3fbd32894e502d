"""The process that renders prompt templates: `python -m inspector.replay.preview_worker`.

A template is code of a sort, and the one in a file may be a stranger's. So it is rendered under
the limits of a replay of stubs, by Haystack's own builders, from the recorded values. Requests
and answers are lines of JSON; the process serves many, and is ended when one takes too long.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

_LONGEST = 100_000  # characters of all rendered texts together that are handed back
_MOST = 200  # messages
LONGEST_REQUEST = 64 * 1024 * 1024
_LIMITS = "--limits"
_FILE = "<template>"


def main(argv: Sequence[str]) -> int:
    """Serve requests until there are none."""
    from inspector.replay.limits import Limits

    # Whatever is printed shall not be taken for an answer.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    Limits.from_words(argv[argv.index(_LIMITS) + 1]).impose(_load)
    _serve(sys.stdin.buffer, answers)
    return 0


def _load() -> None:
    import haystack.components.builders
    import haystack.dataclasses

    import inspector.replay.revive  # noqa: F401

    # Made once, so that all it imports is there before nothing may be read any more.
    chat, text = haystack.components.builders.ChatPromptBuilder, _text_builder("{{ a }}")
    text.run(a="")
    message = '{% message role="user" %}{{ a }}{% endmessage %}'
    chat(template=message, required_variables="*").run(a="a")


def _serve(requests: BinaryIO, answers: BinaryIO) -> None:
    import orjson

    answers.write(b'{"ready":true}\n')
    answers.flush()
    while line := requests.readline(LONGEST_REQUEST):
        answers.write(orjson.dumps(_answer(line), option=orjson.OPT_APPEND_NEWLINE))
        answers.flush()


def _answer(line: bytes) -> dict[str, Any]:
    import orjson

    try:
        return rendered(orjson.loads(line))
    except Exception as error:  # noqa: BLE001 - what a template made may be anything
        return {"error": _words(error)}


def rendered(request: dict[str, Any]) -> dict[str, Any]:
    """Return what a template makes of values.

    Args:
        request: `texts`, each with a role and a text; a role of "" is a template that is one
            text. `values` are the variables as value trees.

    """
    from inspector.replay.revive import CannotReviveError, Reviver

    values, lost = {}, []
    for name, tree in request["values"].items():
        try:
            values[name] = Reviver().value(tree)
        except CannotReviveError:
            lost.append(name)
    used: dict[str, None] = {}
    messages: list[dict[str, Any]] = []
    for number, (role, text) in enumerate(request["texts"]):
        try:
            variables, made = _rendered(role, text, values)
        except Exception as error:  # noqa: BLE001 - a template may raise anything
            return {"error": _words(error), "line": _line_of(error), "text": number,
                    "used": list(used), "lost": lost}  # fmt: skip
        used.update(dict.fromkeys(variables))
        messages += made
    more = len(messages) - _MOST
    return {"messages": _cut(messages), "more": max(0, more), "used": list(used), "lost": lost}


def _cut(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return as much of the messages as anybody reads: a template may make millions."""
    left, kept = _LONGEST, []
    for each in messages[:_MOST]:
        text = each["text"][:left]
        left -= len(text)
        kept.append({**each, "text": text})
    return kept


def _rendered(
    role: str, text: str, values: dict[str, Any]
) -> tuple[list[str], list[dict[str, Any]]]:
    if role not in ("", "system", "user"):
        return [], [_message(role, text)]  # as the builder does
    if role == "" and "endmessage" in text:
        from haystack.components.builders import ChatPromptBuilder

        chat = ChatPromptBuilder(template=text, required_variables=[])
        known = {name: value for name, value in values.items() if name in chat.variables}
        said = chat.run(template_variables=known)["prompt"]
        return sorted(chat.variables), [_message(each.role.value, each.text or "") for each in said]
    builder = _text_builder(text)
    known = {name: value for name, value in values.items() if name in builder.variables}
    return sorted(builder.variables), [_message(role, builder.run(**known)["prompt"])]


def _text_builder(text: str) -> Any:
    from haystack.components.builders import PromptBuilder

    return PromptBuilder(template=text, required_variables=[])


def _message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "text": text, "length": len(text)}


def _words(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "The template makes more text than there may be memory for."
    if isinstance(error, RecursionError):
        return "The template calls itself without an end."
    words = str(error).strip().partition("\n")[0][:500]
    return words or f"The template raised a {type(error).__name__}."


def _line_of(error: BaseException) -> int | None:
    """Return the line of the template in which an error was raised, from 1."""
    found = getattr(error, "lineno", None)
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == _FILE:
            found = trace.tb_lineno
        trace = trace.tb_next
    return found if isinstance(found, int) else None


if __name__ == "__main__":
    main(sys.argv[1:])
