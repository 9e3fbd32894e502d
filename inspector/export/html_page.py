"""What all our pages have in common: one file, one style, nothing that runs or is fetched."""

from __future__ import annotations

import base64
import hashlib

from inspector.assets import asset
from inspector.export.html_documents import heights
from inspector.export.markup import Markup, element


def head(title: str) -> Markup:
    """Return the head of a page."""
    style = asset("export/comparison.css").read_text("utf-8") + heights()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    # Only this very style may act; anything else, were it ever in the page, would not.
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
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
