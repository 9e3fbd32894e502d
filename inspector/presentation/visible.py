"""Makes text from a file unable to pose as anything but text."""

import re
import unicodedata

# What a terminal or a text layout acts on instead of showing: control characters, marks that
# turn the direction of reading, invisible characters, tags, and halves of surrogate pairs.
# Joiners and variation selectors stay: emoji and several scripts are spelled with them.
_UNSEEN = (
    "\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f"  # controls but tab and line feed
    "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e"
    "\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f"
    "\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb"
    "\\ud800-\\udfff"
    "\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff"
)
_HIDDEN = re.compile(f"[{_UNSEEN}]")
_BLANKS = re.compile("[ \\t\\n]+")
# What we write ourselves and most of what others do: one column each, said in one look.
_NARROW = re.compile("[ -~\u00a0-\u02ff\u2010-\u2027\u202f\u2212\u2298\u2500-\u25fc\u2715]*")
_PICTURES_FROM = 0x2400
_DELETE = 0x7F


def visible_text(text: str) -> str:
    """Return `text` with every character that hides or acts made visible.

    Line feeds and tabs stay. An escape becomes `␛`, other controls their
    pictures, and what has no picture its code, such as `⟨U+202E⟩`.
    """
    # CR LF is an ordinary line end, not something to point at.
    return _HIDDEN.sub(_shown, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Return `text` as one line that cannot break out of its place.

    Runs of blanks and line ends become one space.
    """
    return _BLANKS.sub(" ", visible_text(text)).strip(" ")


def _shown(match: re.Match[str]) -> str:
    sign = match[0]
    code = ord(sign)
    if code < 0x20:
        return chr(_PICTURES_FROM + code)
    if code == _DELETE:
        return "␡"
    return f"⟨U+{code:04X}⟩"


def columns(text: str) -> int:
    """Return how many columns of a terminal `text` takes."""
    if _NARROW.fullmatch(text):
        return len(text)
    return sum(_columns_of(sign) for sign in text)


def _columns_of(sign: str) -> int:
    if unicodedata.combining(sign) or sign in "\u200c\u200d\ufe0e\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1
