"""Prompt templates taken apart into the texts that a person edits, and put together again.

Builders take a template as a text, or as a list of chat messages; definitions hold messages
as Haystack's own `to_dict` tells them.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROLES = ("system", "user", "assistant")
_RENDERED = ("system", "user")
_PROMPTS = ("template", "system_prompt", "user_prompt")


class TemplateText(NamedTuple):
    """One text of a template, and whose words they are."""

    role: str  # "" where the template is one text
    text: str
    source: int | None = None
    """Which message of the template it comes from; None for one that is new."""

    @property
    def is_rendered(self) -> bool:
        """Whether variables are filled in: messages of the assistant are taken as they are."""
        return self.role in ("", *_RENDERED)


def is_template(name: str, value: Any) -> bool:
    """Say whether a parameter is a prompt template of a kind that can be edited as text."""
    if name.rpartition(".")[2] not in _PROMPTS:
        return False
    return isinstance(value, str) or (
        isinstance(value, list) and bool(value) and all(map(_is_message, value))
    )


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and "role" in value and isinstance(value.get("content"), list)


def template_texts(value: Any) -> tuple[TemplateText, ...]:
    """Return the texts of a template; images and files in it stay where they are."""
    if isinstance(value, str):
        return (TemplateText("", value, 0),)
    if not isinstance(value, list):
        return ()
    return tuple(
        TemplateText(str(message["role"]), _text_of(message), at)
        for at, message in enumerate(value)
        if _is_message(message)
    )


def template_text(value: Any) -> str:
    """Return a template as one text, for comparing and telling."""
    return "\n\n".join(each.text for each in template_texts(value))


def with_texts(value: Any, texts: Sequence[TemplateText]) -> Any:
    """Return a template with other texts: those left out are gone, those without source new."""
    if isinstance(value, str) or not isinstance(value, list):
        return texts[0].text if texts else ""
    return [_with_text(value, each) for each in texts]


def _with_text(value: list[Any], text: TemplateText) -> dict[str, Any]:
    if text.source is None or text.source >= len(value):
        return {"role": text.role, "meta": {}, "name": None, "content": [{"text": text.text}]}
    message = deepcopy(value[text.source])
    message["role"] = text.role
    if text.text == _text_of(message):
        return dict(message)  # as it was, in however many parts
    places = [part for part in message["content"] if isinstance(part, dict) and "text" in part]
    if not places:
        message["content"].insert(0, {"text": text.text})
        return dict(message)
    places[0]["text"] = text.text
    # They were shown as one text.
    message["content"] = [
        part for part in message["content"] if not any(part is each for each in places[1:])
    ]
    return dict(message)


def _text_of(message: dict[str, Any]) -> str:
    texts = (part.get("text") for part in message["content"] if isinstance(part, dict))
    return "\n".join(text for text in texts if isinstance(text, str))


def problem_of(value: Any, texts: Sequence[TemplateText]) -> str:
    """Return why a template cannot be like this, in a sentence; "" when it can."""
    if not texts:
        return "A template needs at least one message."
    if any(text.role not in ("", *_ROLES) for text in texts):
        return f"A message of a template is one of {', '.join(_ROLES)}."
    empty = next((at for at, text in enumerate(texts, 1) if not text.text.strip()), None)
    if empty is not None and isinstance(value, list):
        return f"Message {empty} is empty. Write something, or remove it."
    if not isinstance(value, list) and not texts[0].text.strip():
        return "The template is empty."
    return ""
