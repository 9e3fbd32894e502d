"""A run as one HTML file: a timeline, its tree, messages, documents, values, and a search.

One script of ours runs in it, allowed by its digest. What the run says reaches the page as
JSON that no parser of HTML takes for anything else, and the script only ever makes text of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from inspector.assets import asset
from inspector.export.html_page import head_with
from inspector.export.kinds import Made, Options
from inspector.export.markup import Markup, element
from inspector.export.run_html_data import page_data
from inspector.presentation.outline import outline_lines
from inspector.presentation.verdict import verdict
from inspector.presentation.words import elided, one_line, plural, started_words

if TYPE_CHECKING:
    from inspector.runfile.model import PipelineRun

_LONGEST_TITLE = 120
_MOST_LINES = 400  # of the tree for browsers that run no scripts


def make(run: PipelineRun, options: Options) -> Made:
    """Return the page of a run."""
    page, left_out = run_page(run)
    notes = (f"{left_out} Send the run file along.",) if left_out else ()
    return Made({f"{options.name}.html": page.encode()}, notes)


def run_page(run: PipelineRun) -> tuple[str, str]:
    """Return the page, and in words what there was no room for in it.

    The same run gives the same bytes.
    """
    judged = verdict(run)
    title = elided(judged.name or "A run", _LONGEST_TITLE)
    style = asset("export/run.css").read_text("utf-8")
    script = asset("export/run.js").read_text("utf-8")
    data, left_out = page_data(run)
    facts = [judged.ending, *(fact.text for fact in judged.facts)]
    body = element(
        "body",
        element(
            "header",
            element("h1", title, class_="run"),
            element("p", " · ".join(facts), class_=f"facts {_look(str(run.status))}"),
            element("p", _about(run), class_="note"),
            element("p", left_out, class_="note warn") if left_out else None,
        ),
        element("div", id="app", hidden=""),
        element("noscript", _without_scripts(run)),
        element(
            "footer",
            "Made by Run Inspector. This page fetches nothing and sends nothing.",
        ),
        Markup(f'<script type="application/json" id="data">{_inert(data)}</script>'),
        Markup(f"<script>{script}</script>"),
    )
    page = element("html", head_with(title, style, script), body, lang="en")
    return f"<!DOCTYPE html>\n{page}\n", left_out


def _look(status: str) -> str:
    return {"completed": "good", "failed": "bad"}.get(status, "warn")


def _about(run: PipelineRun) -> str:
    known = run.environment or {}
    packages = known.get("packages")
    haystack = packages.get("haystack-ai") if isinstance(packages, dict) else None
    said = [
        started_words(run.started_at) if run.started_at else "",
        f"Haystack {one_line(haystack)}" if isinstance(haystack, str) else "",
        f"Python {one_line(version)}" if isinstance(version := known.get("python"), str) else "",
        plural(len(run.spans), "span"),
        f"run {elided(one_line(run.id), 40)}" if run.id else "",
        "redacted" if "redacted" in run.header else "",
    ]
    return " · ".join(filter(None, said))


def _inert(data: object) -> str:
    """Return JSON that can stand in a script element: nothing in it ends or opens markup."""
    text = orjson.dumps(data).decode()
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _without_scripts(run: PipelineRun) -> Markup:
    lines = []
    for at, line in enumerate(outline_lines(run)):
        if at == _MOST_LINES:
            lines.append("…")
            break
        lines.append(line)
    return element("pre", "\n".join(lines), class_="value")
