"""Which characters of a text are names, strings, numbers: found beside the window."""

from collections.abc import Callable, Mapping
from enum import IntEnum
from functools import lru_cache
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pygments.lexer import Lexer

LONGEST = 200_000
"""Characters that are looked at in one go: one to ten million of them take a second."""


_LOOK_UP = 200  # tokens between two looks at the clock


class Ink(IntEnum):
    """What a stretch of text is, and so the colour it is written in."""

    NAME = 0
    STRING = 1
    NUMBER = 2
    KEYWORD = 3
    COMMENT = 4
    HEADING = 5


Stretch = tuple[int, int, Ink]  # from, to, what

LANGUAGES: Mapping[str, str] = {
    "": "Plain text",
    "json": "JSON",
    "python": "Python",
    "jinja": "Jinja",
    "markdown": "Markdown",
    "hex": "Bytes",
}


def inked(
    text: str,
    language: str,
    cancelled: Callable[[], bool] = lambda: False,
    *,
    patience_s: float = 1.5,
) -> list[Stretch]:
    """Return the stretches of `text` that are not plain, in order.

    What is not in the language it is taken for can be very slow to read: after
    `patience_s` the rest stays plain.
    """
    until_s = monotonic() + patience_s
    lexer = _lexer(language)
    if lexer is None:
        return []
    stretches: list[Stretch] = []
    # Not `get_tokens`, which drops leading line ends and so moves every offset.
    for number, (start, token, part) in enumerate(lexer.get_tokens_unprocessed(text)):
        if number % _LOOK_UP == 0 and (cancelled() or monotonic() > until_s):
            break
        ink = _ink_of(token)
        if ink is not None and part:
            stretches.append((start, start + len(part), ink))
    return stretches


@lru_cache(maxsize=8)
def _lexer(language: str) -> "Lexer | None":
    # Imported here, on a worker thread: the window opens without them.
    match language:
        case "json":
            from pygments.lexers.data import JsonLexer

            return JsonLexer()
        case "python":
            from pygments.lexers.python import PythonLexer

            return PythonLexer()
        case "jinja":
            from pygments.lexers.templates import DjangoLexer

            return DjangoLexer()
        case "markdown":
            from pygments.lexers.markup import MarkdownLexer

            return MarkdownLexer()
    return None


@lru_cache(maxsize=256)
def _ink_of(token: Any) -> Ink | None:
    from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String

    inks = (
        (Comment.Preproc, Ink.KEYWORD),  # the braces of a template
        (Comment, Ink.COMMENT),
        (String, Ink.STRING),
        (Number, Ink.NUMBER),
        (Keyword, Ink.KEYWORD),
        (Operator.Word, Ink.KEYWORD),
        (Name.Tag, Ink.NAME),
        (Name.Variable, Ink.NAME),
        (Name.Function, Ink.NAME),
        (Name.Class, Ink.NAME),
        (Name.Decorator, Ink.NAME),
        (Name.Builtin, Ink.NAME),
        (Generic.Heading, Ink.HEADING),
        (Generic.Subheading, Ink.HEADING),
        (Generic.Strong, Ink.HEADING),
    )
    return next((ink for kind, ink in inks if token in kind), None)
