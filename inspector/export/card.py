"""A run, or one span of it, as a picture that renders wherever SVG does, such as in an issue.

Nothing in it runs or is fetched. The colours of a light page stand at the elements, those of a
dark one in a style, so that a program which knows no styles draws it, too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from inspector.diff.answer import answer_of
from inspector.diff.said import question_text
from inspector.errors import InspectorError
from inspector.export.kinds import Made, Options
from inspector.export.markup import Markup, element, text
from inspector.export.spans import span_named
from inspector.presentation.lanes import assign_lanes
from inspector.presentation.outline import error_sentence
from inspector.presentation.span_card import span_card
from inspector.presentation.verdict import verdict
from inspector.presentation.visible import columns, one_line, visible_text
from inspector.presentation.words import elided, started_words
from inspector.runfile.kinds import STATUS_CODE, SpanKind, SpanStatus

if TYPE_CHECKING:
    from inspector.runfile.model import PipelineRun

_WIDTH = 760
_MARGIN = 20
_LEFT = _MARGIN + 16
_LABEL = 96
_SIGN_PX = 7.25  # of the monospace font at 12 px
_LINE_PX = 18
_LANE_PX, _LANE_GAP_PX = 9, 2
_MOST_LANES = 14
_MOST_BARS = 2_000
_MOST_LINES = 8
_LONGEST_TITLE = 60
_LONGEST_FACTS = 104
_LONGEST_TEXT = 1_200
_FAILED = STATUS_CODE[SpanStatus.FAILED]
_SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
_MONO = "ui-monospace, 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"
# No XML may hold these, in any spelling.
_NO_XML = re.compile("[\ufffe\uffff]")

_COLOURS = {
    "panel": ("#FFFFFF", "#1D2126"), "border": ("#D0D7DE", "#30363D"),
    "text": ("#1B1F24", "#E6E8EB"), "secondary": ("#57606A", "#A3ADB8"),
    "pipeline": ("#515B66", "#8D99A6"), "component": ("#2F6DB5", "#6CA3E0"),
    "retrieval": ("#0F7A92", "#45B8D1"), "llm": ("#A85F00", "#F0A030"),
    "tool": ("#1F7A5E", "#4DBB97"), "agent": ("#6B4BB8", "#A58BEA"),
    "step": ("#8D78C4", "#8775C0"), "hook": ("#6B727B", "#8C949E"),
    "other": ("#6B727B", "#8C949E"), "failed": ("#B42323", "#FF8F87"),
    "good": ("#1F7A3D", "#6BCB84"), "warn": ("#8A5000", "#FFB454"),
}  # fmt: skip
_ENDINGS = {"completed": "good", "failed": "failed"}


class _Row(NamedTuple):
    label: str
    words: str
    ink: str = "text"


def make(run: PipelineRun, options: Options) -> Made:
    """Return the picture of a run, or of the span that was asked for.

    Raises:
        InspectorError: There is no such span.

    """
    return Made({f"{options.name}.svg": card(run, options.at, schemes=options.schemes).encode()})


def card(run: PipelineRun, at: str | None = None, *, schemes: bool = True) -> str:
    """Return an SVG.

    Args:
        run: The run.
        at: A span of it, by id or path; None for the run.
        schemes: Whether it follows the colours of the page that it stands in.

    """
    drawn = _Drawing()
    if at is not None:
        _draw_span(drawn, run, at)
    else:
        _draw_run(drawn, run)
    return drawn.finished(schemes=schemes)


class _Drawing:
    """Elements from the top to the bottom of a card."""

    def __init__(self) -> None:
        self.y = float(_MARGIN)
        self.rule = "pipeline"
        self.title = ""
        self._parts: list[Markup] = []

    def words(self, x: float, said: str, ink: str, size: int, *, weight: int = 400) -> None:
        """Write a line, below what is there."""
        self.y += size * 1.4
        self._text(x, self.y - size * 0.35, said, ink, size, weight=weight)

    def row(self, row: _Row) -> None:
        """Write a label, and what belongs to it in as many lines as there is room for."""
        lines = _wrapped(row.words, int((_WIDTH - _MARGIN - _LEFT - _LABEL) / _SIGN_PX))
        for at, line in enumerate(lines):
            self.y += _LINE_PX
            if at == 0:
                self._text(_LEFT, self.y - 5, elided(row.label, 14), "secondary", 12)
            self._text(_LEFT + _LABEL, self.y - 5, line, row.ink, 12, font=_MONO)
        self.y += 6

    def bar(self, x: float, y: float, width: float, ink: str, *, height: float = _LANE_PX) -> None:
        self._parts.append(
            element("rect", x=f"{x:.1f}", y=f"{y:.1f}", width=f"{width:.1f}", height=f"{height:g}",
                    fill=_COLOURS[ink][0], class_=f"f-{ink}")
        )  # fmt: skip

    def line(self) -> None:
        """Draw a hairline across."""
        self.y += 6
        self.bar(_LEFT, self.y, _WIDTH - _MARGIN - _LEFT, "border", height=1)
        self.y += 4

    def finished(self, *, schemes: bool) -> str:
        height = round(self.y + _MARGIN)
        style = "".join(f".f-{name}{{fill:{dark}}}" for name, (_, dark) in _COLOURS.items())
        ground = element(
            "rect", x="0.5", y="0.5", width=_WIDTH - 1, height=height - 1, rx="6",
            fill=_COLOURS["panel"][0], stroke=_COLOURS["border"][0], class_="f-panel",
        )  # fmt: skip
        rule = element(
            "rect", x=_MARGIN, y=_MARGIN, width="3", height=height - 2 * _MARGIN,
            fill=_COLOURS[self.rule][0], class_=f"f-{self.rule}",
        )  # fmt: skip
        dark = f".f-panel{{stroke:{_COLOURS['border'][1]}}}"
        sheet = Markup(f"<style>@media (prefers-color-scheme:dark){{{style}{dark}}}</style>")
        picture = element(
            "svg", element("title", _said(self.title)), sheet if schemes else None, ground, rule,
            self._parts, xmlns="http://www.w3.org/2000/svg", width=_WIDTH, height=height,
            viewBox=f"0 0 {_WIDTH} {height}", role="img",
        )  # fmt: skip
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{picture}\n'

    def _text(
        self, x: float, y: float, said: str, ink: str, size: int, *, weight: int = 400,
        font: str = _SANS,
    ) -> None:  # fmt: skip
        self._parts.append(
            element(
                "text", _said(said), x=f"{x:.1f}", y=f"{y:.1f}", fill=_COLOURS[ink][0],
                class_=f"f-{ink}", font_family=font, font_size=size,
                font_weight=weight if weight != 400 else None, xml_space="preserve",
            )
        )  # fmt: skip


def _said(words: str) -> Markup:
    return text(_NO_XML.sub("�", words))


def _draw_run(drawn: _Drawing, run: PipelineRun) -> None:
    judged = verdict(run)
    drawn.title = f"{elided(judged.name, _LONGEST_TITLE)} {judged.ending}"
    drawn.rule = _ENDINGS.get(str(run.status), "warn")
    drawn.words(_LEFT, elided(judged.name or "A run", _LONGEST_TITLE), "text", 17, weight=600)
    drawn.words(_LEFT, judged.ending, drawn.rule, 13, weight=600)
    if judged.facts:
        facts = " · ".join(fact.text for fact in judged.facts)
        drawn.words(_LEFT, elided(facts, _LONGEST_FACTS), "secondary", 12)
    drawn.y += 8
    _draw_time(drawn, run)
    rows = [_Row("Asked", question_text(run.inputs)), _Row("Answered", answer_of(run) or "")]
    failed = next((row for row in run.roots if row.error is not None), None)
    if run.error is not None or failed is not None:
        said = error_sentence(failed) if failed is not None else ""
        error = run.error
        rows.append(_Row("Failed", error.message if error is not None else said, "failed"))
    for row in rows:
        if row.words.strip():
            drawn.row(row)
    drawn.line()
    known = run.environment or {}
    packages = known.get("packages")
    haystack = packages.get("haystack-ai") if isinstance(packages, dict) else None
    foot = [
        f"Haystack {one_line(haystack)}" if isinstance(haystack, str) else "",
        started_words(run.started_at) if run.started_at else "",
        one_line(run.id),
    ]
    drawn.words(_LEFT, elided(" · ".join(filter(None, foot)), _LONGEST_FACTS), "secondary", 11)


def _draw_time(drawn: _Drawing, run: PipelineRun) -> None:
    """Draw the spans as bars; what lies below the last lane that fits is left out."""
    table = run.table
    end = table.end_of_run()
    if not len(table) or end <= 0:
        return
    lanes = assign_lanes(table)
    per = (_WIDTH - _MARGIN - _LEFT) / end
    last = [-1.0] * _MOST_LANES
    bars = 0
    for row in range(len(table)):
        lane = lanes.of_row[row]
        if lane >= _MOST_LANES or bars >= _MOST_BARS:
            continue
        stop = table.end_ns[row] if table.end_ns[row] >= 0 else end
        x = _LEFT + table.start_ns[row] * per
        width = max(1.5, (stop - table.start_ns[row]) * per)
        if x + width <= last[lane] + 0.5:
            continue  # it would fall upon the pixel of the one before
        last[lane] = x + width
        bars += 1
        y = drawn.y + lane * (_LANE_PX + _LANE_GAP_PX)
        drawn.bar(x, y, width, _ink(run, row))
    drawn.y += min(lanes.count, _MOST_LANES) * (_LANE_PX + _LANE_GAP_PX) + 8


def _ink(run: PipelineRun, row: int) -> str:
    if run.table.status[row] == _FAILED and not run.table.children(row):
        return "failed"
    kind = run.table.kind_of(row)
    if kind is SpanKind.COMPONENT and (role := run.spans[row].role) in ("retrieval", "llm"):
        return role
    return str(kind) if str(kind) in _COLOURS else "other"


def _draw_span(drawn: _Drawing, run: PipelineRun, at: str) -> None:
    span = span_named(run, at)
    if span is None:
        raise InspectorError(
            f"The run has no span {one_line(at)!r}.", hint="Name its id or its path."
        )
    shown = span_card(run, span)
    drawn.title = shown.title
    drawn.rule = "failed" if shown.failed else _ink(run, span.row)
    drawn.words(_LEFT, shown.title, "text", 17, weight=600)
    drawn.words(_LEFT, elided(" · ".join(shown.facts), _LONGEST_FACTS), "secondary", 12)
    drawn.y += 6
    for row in shown.rows:
        ink = row.colour if row.colour in ("failed", "secondary") else "text"
        drawn.row(_Row(row.label, row.text, ink))
    if shown.more:
        drawn.words(_LEFT, shown.more, "secondary", 12)
    drawn.line()
    drawn.words(_LEFT, elided(shown.place, _LONGEST_FACTS), "secondary", 11)


def _wrapped(words: str, width: int) -> list[str]:
    """Return text in lines of so many columns; what does not fit is cut."""
    lines: list[str] = []
    for paragraph in visible_text(words[:_LONGEST_TEXT]).split("\n"):
        lines += _broken(paragraph.replace("\t", "    "), width)
        if len(lines) > _MOST_LINES:
            break
    while lines and not lines[-1].strip():
        lines.pop()
    if len(lines) <= _MOST_LINES and len(words) <= _LONGEST_TEXT:
        return lines
    kept = lines[:_MOST_LINES]
    return [*kept[:-1], f"{kept[-1][: max(1, width - 2)]}…"]


def _broken(paragraph: str, width: int) -> list[str]:
    lines, line, used = [], "", 0
    for piece in re.findall(r"\S+\s*|\s+", paragraph):
        word = piece
        while columns(word) > width:
            # Wide signs take two columns; half as many fit for certain.
            cut = width if columns(word[:width]) <= width else width // 2
            if line:
                lines.append(line)
                line, used = "", 0
            lines.append(word[:cut])
            word = word[cut:]
        if used + columns(word.rstrip()) > width:
            lines.append(line)
            line, used = "", 0
        line += word
        used += columns(word)
    return [*lines, line]
