"""The sections of an audit page: tables of what was recorded, with digests."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec

from inspector.diff.said import conversation_text, value_words
from inspector.export.html_table import Row, table
from inspector.export.markup import NOTHING, Markup, element, joined, place
from inspector.presentation.outline import total_tokens
from inspector.presentation.value_text import json_text
from inspector.presentation.values import entries_in, items_in
from inspector.presentation.visible import one_line
from inspector.presentation.words import elided, number_words, plural
from inspector.runfile.compact import compact
from inspector.runfile.kinds import SpanKind
from inspector.runfile.value import is_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from inspector.runfile.model import PipelineRun, Span

_MOST_CALLS = 200
_MOST_PROMPTS = 50
_MOST_DOCUMENTS = 500
_LONGEST_TEXT = 20_000
_LONGEST_CELL = 200
_DIGEST_DIGITS = 32  # of the content of documents, as recorded
_PROMPTS = ("messages", "prompt")
_UNKNOWN = "not recorded"


def llms(run: PipelineRun, source: PipelineRun) -> Markup:
    """Return each call of a model, with the digest of its record."""
    calls = list(_calls(run))
    rows = [
        Row(
            (
                place(span.path or "the run"), _value(_llm(span, "provider", "name")),
                _value(_llm(span, "finish_reason")), _value(_tokens(span)), _record(source, span),
            ),
            named=True,
        )
        for span in calls[:_MOST_CALLS]
    ]  # fmt: skip
    titles = ("Where", "LLM", "Ended", "Tokens", "Record")
    return _listed(titles, rows, len(calls), "LLM calls")


def prompts(run: PipelineRun) -> Markup:
    """Return what each model was sent, folded, with the digest of the text."""
    blocks = []
    calls = list(_calls(run))
    for span in calls[:_MOST_PROMPTS]:
        said = _prompt(span)
        if said:
            blocks.append(
                element(
                    "details",
                    element("summary", place(span.path or "the run"), f" · {_sha(said)[:16]}…"),
                    element("p", _cut(said), class_="said"),
                    element("p", "SHA-256 of this text in UTF-8: ", element("code", _sha(said)),
                            class_="note"),
                )
            )  # fmt: skip
    rest = len(calls) - _MOST_PROMPTS
    return joined(blocks, _more(rest, "prompt"))


def documents(run: PipelineRun) -> Markup:
    """Return each document that was found, by rank and digest."""
    rows = []
    total = 0
    for span in run.spans:
        for row in _documents(span):
            total += 1
            if total <= _MOST_DOCUMENTS:
                rows.append(row)
    titles = ("Where", "Rank", "Document", "Score", "Digest of its content", "From")
    return _listed(titles, rows, total, "Documents")


def tools(run: PipelineRun, source: PipelineRun) -> Markup:
    """Return each call of a tool."""
    calls = [span for span in run.spans if span.kind is SpanKind.TOOL]
    rows = []
    for span in calls[:_MOST_CALLS]:
        given = span.arguments if span.has("arguments") else span.inputs
        rows.append(
            Row(
                (place(span.path), _value(value_words(given, _LONGEST_CELL)),
                 _value(str(span.status)), _record(source, span)),
                named=True,
            )
        )  # fmt: skip
    return _listed(("Where", "Arguments", "Ended", "Record"), rows, len(calls), "Tool calls")


def configuration(run: PipelineRun) -> Markup:
    """Return the components and their parameters."""
    topology = run.topology or {}
    components = topology.get("components")
    rows = [
        Row((element("code", one_line(str(name))), _value(_word(part, "type")),
             _value(" ".join(filter(None, (_word(part, "package"), _word(part, "version")))))),
            named=True)
        for name, part in (components.items() if isinstance(components, Mapping) else ())
        if isinstance(part, Mapping)
    ]  # fmt: skip
    shown = table(("Component", "Class", "Package"), rows, caption="Components") if rows else None
    definition = run.definition
    if definition is None:
        return joined(shown, element("p", f"The definition was {_UNKNOWN}.", class_="note"))
    said = json_text(definition).text
    whole = compact(definition, str)
    return joined(
        shown,
        element(
            "details",
            element("summary", "Definition with all parameters"),
            element("p", _cut(said), class_="said"),
        ),
        element("p", "SHA-256 of the definition as compact JSON: ",
                element("code", sha256(whole).hexdigest()), class_="note"),
    )  # fmt: skip


def versions(run: PipelineRun) -> Markup:
    """Return what was installed."""
    known = run.environment or {}
    packages = known.get("packages")
    said = [(name, known.get(name)) for name in ("python", "platform", "recorder", "tz")]
    said += sorted(packages.items()) if isinstance(packages, Mapping) else []
    rows = [
        Row((element("code", one_line(str(name))), _value(str(version))), named=True)
        for name, version in said
        if version is not None
    ]
    if not rows:
        return element("p", f"Versions were {_UNKNOWN}.", class_="note")
    return table(("What", "Version"), rows, caption="Versions")


def prices(run: PipelineRun) -> Markup:
    """Return the price list, and each multiplication that was made with it."""
    estimate = run.cost_estimate
    if estimate is None:
        return element("p", f"An estimate of the costs was {_UNKNOWN}.", class_="note")
    named = {
        "pricing_source": "Price list", "pricing_snapshot_date": "Of", "pricing_digest": "Digest",
        "as_of": "Prices as of", "total": "Estimate", "currency": "Currency",
        "unknown_calls": "Calls without a price",
    }  # fmt: skip
    rows = [
        Row((title, _value(str(estimate[name]))), named=True)
        for name, title in named.items()
        if estimate.get(name) is not None
    ]
    lines = [
        Row((element("code", one_line(str(llm.get("llm")))), _value(str(each.get("what"))),
             _value(str(each.get("count"))),
             _value(f"{each.get('price')} for {each.get('per')}"), _value(str(each.get("amount")))))
        for llm in _mappings(estimate.get("llms"))
        for each in _mappings(llm.get("multiplications"))
    ]  # fmt: skip
    titles = ("LLM", "What", "Count", "Price", "Amount")
    return joined(
        table(("", ""), rows, caption="Price list"),
        table(titles, lines, caption="Multiplications") if lines else None,
    )


def redaction(run: PipelineRun) -> Markup:
    """Return what was taken out, by rule."""
    if "redacted" not in run.header:
        return element("p", "This run went through no redaction.", class_="note")
    rows = [
        Row((element("code", one_line(str(each.get("rule")))), _value(str(each.get("count")))),
            named=True)
        for each in _mappings(run.header.get("redaction"))
    ]  # fmt: skip
    if not rows:
        return element("p", "The rules found nothing to take out.")
    return table(("Rule", "Places"), rows, caption="Taken out", figures=(1,))


def not_recorded(run: PipelineRun) -> Markup:
    """Return what the recorder left out."""
    rows = [
        Row((_value(str(each.get("what"))), _value(str(each.get("why")))))
        for each in _mappings(run.not_recorded)
    ]
    return table(("What", "Why"), rows, caption="Not recorded") if rows else NOTHING


# -- what they are made of -----------------------------------------------------------------


def _calls(run: PipelineRun) -> Iterator[Span]:
    for span in run.spans:
        if span.kind is SpanKind.LLM or (span.kind is SpanKind.COMPONENT and span.role == "llm"):
            yield span


def _llm(span: Span, *names: str) -> str:
    known = span.llm or {}
    said = [str(known[name]) for name in names if known.get(name) is not None]
    return "/".join(said) or _UNKNOWN


def _tokens(span: Span) -> str:
    usage = span.usage
    total = total_tokens(usage) if usage is not None else None
    if usage is None or total is None:
        return _UNKNOWN
    parts = [(usage.input_tokens, "in"), (usage.output_tokens, "out")]
    said = ", ".join(f"{number_words(n)} {word}" for n, word in parts if n is not None)
    return f"{number_words(total)} ({said})" if said else number_words(total)


def _prompt(span: Span) -> str:
    for name, value in entries_in(span.inputs):
        if name in _PROMPTS:
            return value if isinstance(value, str) else conversation_text(value)
    return ""


def _documents(span: Span) -> Iterator[Row]:
    if span.kind is not SpanKind.COMPONENT or span.role not in ("retrieval", "ranking"):
        return
    listed = {
        str(each.get("id")): each for each in _mappings((span.retrieval or {}).get("documents"))
    }
    for _, value in entries_in(span.outputs):
        items: Sequence[Any] = items_in(value) or ()
        for rank, item in enumerate(items, start=1):
            if not is_document(item):
                continue
            name = str(item.get("id"))
            known = listed.get(name, {})
            digest = known.get("digest")
            content = item.get("content")
            if not isinstance(digest, str) and isinstance(content, str):
                digest = _sha(content)[:_DIGEST_DIGITS]
            meta = item.get("meta")
            origin = (
                meta.get("source", meta.get("file_path")) if isinstance(meta, Mapping) else None
            )
            score = item.get("score")
            yield Row(
                (place(span.path), str(rank), _value(elided(one_line(name), _LONGEST_CELL)),
                 f"{score:.4f}" if isinstance(score, float) else "–",
                 element("code", one_line(digest) if isinstance(digest, str) else _UNKNOWN),
                 _value(elided(one_line(str(origin)), _LONGEST_CELL) if origin else "–")),
                named=True,
            )  # fmt: skip


def _record(source: PipelineRun, span: Span) -> Markup:
    """Return the digest of a span's record in the file, as FORMAT.md says."""
    row = source.table.row_of(span.id)
    if row is None:
        return joined(_UNKNOWN)
    text = source.record_text(row)
    with suppress(msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        text = msgspec.json.format(text, indent=-1)  # as it is counted, however it is laid out
    return joined(element("code", elided(one_line(span.id), 40)), " ", element("code", _hex(text)))


def _hex(text: bytes) -> str:
    return sha256(text).hexdigest()


def _sha(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _value(words: str) -> Markup:
    return element("span", elided(words, _LONGEST_CELL * 2), class_="value")


def _word(part: Mapping[str, Any], name: str) -> str:
    value = part.get(name)
    return one_line(value) if isinstance(value, str) else ""


def _cut(text: str) -> str:
    if len(text) <= _LONGEST_TEXT:
        return text
    rest = plural(len(text) - _LONGEST_TEXT, "more character")
    return f"{text[:_LONGEST_TEXT]}… and {rest}"


def _mappings(value: Any) -> Iterable[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else ()


def _listed(titles: Sequence[str], rows: Sequence[Row], total: int, caption: str) -> Markup:
    if not rows:
        return NOTHING
    told = range(1, len(titles))
    shown = table(titles, rows, caption=caption, told=tuple(told))
    return joined(shown, _more(total - len(rows), "line"))


def _more(count: int, what: str) -> Markup | None:
    return (
        element("p", f"and {plural(count, f'more {what}')}", class_="note") if count > 0 else None
    )
