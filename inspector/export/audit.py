"""Which LLM, prompt, documents, configuration, versions and price list produced an answer.

A page in which nothing runs. Each line that matters has the digest of the record or value of the
run file that it was read from, so that somebody with the file can check it without us.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from inspector.diff.answer import answer_of
from inspector.diff.said import question_text
from inspector.export.audit_parts import (
    configuration,
    documents,
    llms,
    not_recorded,
    prices,
    prompts,
    redaction,
    tools,
    versions,
)
from inspector.export.html_page import head
from inspector.export.html_table import Row, table
from inspector.export.kinds import Made, Options
from inspector.export.markup import Markup, element, joined
from inspector.presentation.verdict import verdict
from inspector.presentation.visible import one_line
from inspector.presentation.words import elided, started_words, status_words

if TYPE_CHECKING:
    from inspector.runfile.model import PipelineRun

_LONGEST_NAME = 120
_LONGEST_SAID = 20_000


def make(run: PipelineRun, options: Options) -> Made:
    """Return the page of a run."""
    notes = () if options.original is not None else (_OF_THE_COPY,)
    return Made({f"{options.name}.audit.html": audit_page(run, options).encode()}, notes)


_OF_THE_COPY = (
    "Digests are those of the redacted copy, as run-inspector redact makes it by the same rules:"
    " from a digest of the original, short secrets could be worked out."
)


def audit_page(run: PipelineRun, options: Options) -> str:
    """Return the page. The same run gives the same bytes."""
    source = options.original or run
    judged = verdict(run)
    sections = [
        ("Question and answer", "answer", _answer(run)),
        ("The file", "file", _file(run, source, options)),
        ("LLM calls", "llms", llms(run, source)),
        ("Prompts", "prompts", prompts(run)),
        ("Documents", "documents", documents(run)),
        ("Tool calls", "tools", tools(run, source)),
        ("Configuration", "configuration", configuration(run)),
        ("Versions", "versions", versions(run)),
        ("Prices", "prices", prices(run)),
        ("Taken out", "redaction", redaction(run)),
        ("Not recorded", "not-recorded", not_recorded(run)),
        ("How to check this", "check", _how(options)),
    ]
    shown = [(title, key, body) for title, key, body in sections if body]
    links = [element("li", element("a", title, href=f"#{key}")) for title, key, _ in shown]
    title = elided(judged.name or "A run", _LONGEST_NAME)
    body = element(
        "body",
        element(
            "header",
            element("p", "What produced this answer", class_="kicker"),
            element("h1", title, class_="run"),
            element(
                "p",
                " · ".join([judged.ending, *(elided(fact.text, 80) for fact in judged.facts)]),
                class_="lead run",
            ),
            element("nav", element("ul", links), aria_label="Sections"),
        ),
        element(
            "main",
            [
                element("section", element("h2", name, id=key), part, aria_labelledby=key)
                for name, key, part in shown
            ],
        ),
        element("footer", "Made by Run Inspector from the run file. It runs and fetches nothing."),
    )
    page = element("html", head(f"Audit: {title}"), body, lang="en")
    return f"<!DOCTYPE html>\n{page}\n"


def _answer(run: PipelineRun) -> Markup:
    asked, answered = question_text(run.inputs), answer_of(run)
    error = run.error
    said = [
        ("Asked", asked or "No question was recorded."),
        ("Answered", answered if answered is not None else "No answer."),
    ]
    if error is not None:
        said.append(("Failed", f"{error.type}: {error.message}"))
    rows = [
        (
            element("h3", name),
            element("p", _cut(words), class_="said"),
            element("p", "SHA-256 of the text in UTF-8: ", _digest(words), class_="note"),
        )
        for name, words in said
    ]
    return joined(rows)


def _cut(words: str) -> str:
    return words if len(words) <= _LONGEST_SAID else f"{words[:_LONGEST_SAID]}… (cut)"


def _digest(words: str) -> Markup:
    return element("code", sha256(words.encode("utf-8", "surrogatepass")).hexdigest())


def _file(run: PipelineRun, source: PipelineRun, options: Options) -> Markup:
    said: list[tuple[str, Any]] = [
        ("File", options.file.name if options.file is not None else None),
        ("Run", run.id or None),
        ("Digest in the file", source.parts.digest),
        ("When this page was made", source.verify().message),
        ("Status", status_words(run.status)),
        ("Started", started_words(run.started_at) if run.started_at else None),
        ("Replay of", run.replay_of),
        ("Continues", run.continues),
    ]
    rows = [
        Row((name, element("span", one_line(str(value)), class_="value")), named=True)
        for name, value in said
        if value is not None
    ]
    return table(("", ""), rows, caption="The file")


def _how(options: Options) -> Markup:
    whose = _OF_THE_COPY if options.original is None else None
    return joined(
        element("p", whose) if whose else None,
        element(
            "ol",
            element("li", element("code", "run-inspector verify FILE"),
                    " says whether the file is as it was recorded; its digest has to be the one"
                    " above."),
            element("li", "The digest of a record is the SHA-256 of its line in the file, without"
                    " the comma at its end. A value stands in the file under the first 32 digits"
                    " of the SHA-256 of its own text, and a document has the first 32 of that of"
                    " its content in UTF-8."),
            element("li", element("code", "run-inspector show FILE --span ID"),
                    " shows a record as people read it."),
            class_="plain",
        ),
    )  # fmt: skip
