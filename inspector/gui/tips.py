"""Tool tips that show what they are given, and nothing that it could mean."""

from html import escape

_LONGEST = 1_000


def tip(text: str) -> str:
    """Return a tool tip that shows `text` as it is.

    Qt guesses whether a tool tip is HTML, and HTML may load pictures: words from
    a file must not decide that.
    """
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return f'<span style="white-space:pre-wrap">{escape(shown)}</span>' if shown else ""
