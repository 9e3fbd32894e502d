"""Print what happened in a run: an outline, or one span with its values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.cli.exit_codes import FINE
from inspector.cli.output import (
    add_run_choice,
    note_problems,
    opened,
    to_json,
    write,
    write_json,
    write_line,
)
from inspector.cli.run_json import run_as_json, span_as_json
from inspector.cli.show_found import asked, found_in, print_found
from inspector.errors import InspectorError
from inspector.presentation.outline import error_sentence, outline_lines, span_label
from inspector.presentation.value_text import SHOWN_AT_ONCE, json_pieces
from inspector.presentation.verdict import verdict
from inspector.presentation.visible import one_line
from inspector.presentation.words import (
    duration_words,
    kind_words,
    sentence,
    status_words,
    token_words,
)

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from inspector.presentation.query import Query
    from inspector.runfile.model import PipelineRun, Span
    from inspector.runfile.span import SpanError

_VALUES = ("inputs", "arguments", "outputs")


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument("file", help="a run file; - is standard input")
    add_run_choice(parser)
    parser.add_argument("--span", metavar="ID|PATH", help="one span with all that it holds")
    parser.add_argument(
        "--filter", metavar="QUERY", help='such as: kind:tool status:failed "words"'
    )
    parser.add_argument("--values", action="store_true", help="with inputs and outputs")
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: Namespace) -> int:
    """Print a run, one of its spans, or those that a query asks for."""
    query = asked(args.filter) if args.filter is not None else None
    if query is not None and args.span is not None:
        raise InspectorError("--span names one span already: there is nothing to filter.")
    loaded = opened(args.file, args.number)
    if query is not None:
        _show_found(loaded, query, as_json=args.json, values=args.values)
        return FINE
    spans = [_found(loaded, args.span)] if args.span is not None else None
    if args.json:
        pieces = (
            run_as_json(loaded, values=args.values)
            if spans is None
            else iter([to_json(span_as_json(spans[0], values=True), indent=2)])
        )
        write_json(pieces)
        return FINE
    if spans is not None:
        _print_span(loaded, spans[0])
    else:
        _print_run(loaded, values=args.values)
    note_problems(loaded)
    return FINE


def _show_found(loaded: PipelineRun, query: Query, *, as_json: bool, values: bool) -> None:
    found = found_in(loaded, query)
    if as_json:
        write_json(run_as_json(loaded, values=values, found=found))
        return
    for row in print_found(loaded, found):
        if values:
            _print_values(loaded.spans[row], "  ")
    note_problems(loaded)


def _found(loaded: PipelineRun, wanted: str) -> Span:
    try:
        return loaded.span(wanted)
    except KeyError:
        pass
    if (span := loaded.at(wanted)) is not None:
        return span
    raise InspectorError(
        f"The run has no span with the id or path {wanted!r}.",
        hint="`run-inspector show FILE --json` lists the ids and paths of all.",
    )


# For people


def _print_run(loaded: PipelineRun, *, values: bool) -> None:
    said = verdict(loaded)
    facts = sentence([said.ending, *(fact.text for fact in said.facts)])
    write_line(f"{said.name or loaded.kind or 'run'}: {facts}")
    write_line()
    for line in outline_lines(loaded):
        write_line(line)
    if values:
        for span in loaded.spans:
            if any(span.has(name) for name in _VALUES):
                write_line()
                write_line(f"{span.id}  {one_line(span.path) or span_label(loaded, span.row)}")
                _print_values(span, "  ")


def _print_span(loaded: PipelineRun, span: Span) -> None:
    write_line(
        sentence(
            [
                f"{span.id}  {span_label(loaded, span.row)}",
                kind_words(span.kind),
                duration_words(span.duration_ns),
                status_words(span.status),
            ]
        )
    )
    facts = {
        "path": span.path,
        "type": span.type,
        "thread": span.thread,
        "model": (span.llm or {}).get("name"),
        "tokens": token_words(span.usage.total_tokens) if span.usage else None,
    }
    for name, fact in facts.items():
        if fact:
            write_line(f"  {name}: {one_line(str(fact))}")
    _print_values(span, "  ")
    for name, why in span.not_recorded.items():
        write_line(f"  {one_line(name)}: not recorded ({one_line(str(why))})")
    if span.error is not None:
        write_line(f"  error: {error_sentence(span)}")
        _print_traceback(span.error)
    for problem in span.problems:
        write_line(f"  note: {problem}")


def _print_values(span: Span, margin: str) -> None:
    for name in _VALUES:
        if not span.has(name):
            continue
        write(f"{margin}{name}: ")
        room = SHOWN_AT_ONCE
        for piece in json_pieces(getattr(span, name)):
            write(piece.replace("\n", f"\n{margin}"))
            room -= len(piece)
            if room < 0:  # shared parts can be endless when written out
                write(f"\n{margin}… and more: the window shows all of it")
                break
        write_line()


def _print_traceback(error: SpanError) -> None:
    for line in error.traceback.rstrip().split("\n"):
        write_line(f"    {line}")
