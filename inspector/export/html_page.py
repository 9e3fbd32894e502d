"""What all our pages have in common: one file, one style, nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib

from inspector.assets import asset
from inspector.export.html_documents import heights
from inspector.export.markup import Markup, element


def head(title: str) -> Markup:
    """Return the head of a page in which nothing runs."""
    return head_with(title, asset("export/comparison.css").read_text("utf-8") + heights())


def head_with(title: str, style: str, script: str = "") -> Markup:
    """Return the head of a page with a style of its own, and at most one script."""
    # Only this very style and script may act; anything else, were it ever in the page, would not.
    may = [f"style-src {_allowed(style)}", *([f"script-src {_allowed(script)}"] if script else ())]
    policy = f"default-src 'none'; {'; '.join(may)}; base-uri 'none'; form-action 'none'"
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        Markup(f"<style>{style}</style>"),
    )


def _allowed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
