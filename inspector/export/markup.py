"""HTML that text of a run cannot break out of: only what these functions made is markup."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from inspector.presentation.visible import visible_text

_VOID = frozenset({"meta"})
_BEHIND = re.compile(r"(?<=[./\]_=])(?=.)", re.DOTALL)


class Markup(str):
    """Markup that is finished; any other text is still to be escaped."""

    __slots__ = ()


NOTHING = Markup("")
_BREAK = Markup("<wbr>")


def text(words: str) -> Markup:
    """Return text as markup: every sign in it visible, none of it acting."""
    return Markup(escape(visible_text(words), quote=True))


def joined(*content: object) -> Markup:
    """Return content as markup, one after the other.

    Args:
        content: Markup, text, numbers, lists of these, or None for nothing.

    """
    return Markup("".join(_parts(content)))


def element(name: str, /, *content: object, **attributes: str | int | None) -> Markup:
    """Return an element.

    Args:
        name: Of the element: ours, never a run's.
        content: As for `joined`.
        attributes: Ours; `class_` is `class`, an underline a hyphen. Values are escaped, None
            leaves one out.

    """
    said = "".join(
        f' {_name(key)}="{text(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Markup(f"<{name}{said}>")
    return Markup(f"<{name}{said}>{joined(*content)}</{name}>")


def _name(key: str) -> str:
    return key.rstrip("_").replace("xml_", "xml:").replace("_", "-")


def place(words: str, **attributes: str | int | None) -> Markup:
    """Return the path of a span or a leaf, which may break into lines behind its dots."""
    pieces = _BEHIND.split(words)
    broken = [part for piece in pieces for part in (piece, _BREAK)][:-1]
    return element("code", broken, **attributes)


def _parts(content: Iterable[object]) -> Iterable[str]:
    for part in content:
        if part is None:
            continue
        if isinstance(part, Markup):
            yield part
        elif isinstance(part, (str, int, float)):
            yield text(str(part))
        elif isinstance(part, Iterable):
            yield from _parts(part)
        else:
            yield text(str(part))
