"""Tool tips that show what they are given, and nothing that it could mean."""

_LONGEST = 1_000
# Spelled out here: the library that does it takes 3 ms to load, before the first paint.
_SIGNS = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"))


def tip(text: str) -> str:
    """Return a tool tip that shows `text` as it is.

    Qt guesses whether a tool tip is HTML, and HTML may load pictures: words from
    a file must not decide that.
    """
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    for sign, spelled in _SIGNS:
        shown = shown.replace(sign, spelled)
    return f'<span style="white-space:pre-wrap">{shown}</span>' if shown else ""
