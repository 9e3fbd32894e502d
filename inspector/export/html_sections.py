"""The parts of a comparison's page, from the verdict down to the figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.diff.model import AnswerKind
from inspector.export.html_table import Row, table
from inspector.export.html_texts import sides
from inspector.export.html_values import span_values, two_values
from inspector.export.markup import NOTHING, Markup, element, joined, place
from inspector.presentation.aligned_tree import aligned_lines
from inspector.presentation.compare_tree import INSIDE, CompareTree
from inspector.presentation.comparison_text import figure_words, paid_lines
from inspector.presentation.decision_table import MARKS, kind_words, sorted_decisions
from inspector.presentation.words import UNKNOWN, number_words, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.diff.model import Comparison, Decision, Metric
    from inspector.export.html_texts import Room
    from inspector.runfile.model import PipelineRun

_MOST_ROWS = 300
_MOST_CONFIGURATION = 100
_DEEPEST = 8  # levels that are set in further; deeper ones stand below each other
_INKS = {"changed": "differs", "failed": "bad", "same": "good", "secondary": "quiet"}
_MOST_DETAILS = 60
_FEW_LINES = 40  # of a tree that needs no folding


def divergence(comparison: Comparison) -> Markup:
    """Return where the runs part, why, and what followed from it."""
    found = comparison.divergence
    if found is None:
        return NOTHING
    # Mostly the verdict has said it.
    said = found.sentence.rstrip(".") in comparison.verdict
    return joined(
        None if said else element("p", _sentence(found.sentence), class_="run"),
        _causes(comparison),
        _chain(comparison),
    )


def _causes(comparison: Comparison) -> Markup:
    found = comparison.divergence
    if found is None or not found.causes:
        return NOTHING
    items = [
        element(
            "li",
            element("strong", f"{cause.likely}: "),
            element("span", cause.sentence, class_="run"),
        )
        for cause in found.causes
    ]
    return joined(
        element("h3", "What may have caused it"),
        element("ul", items, class_="plain"),
        element("p", "Recorded facts, offered as causes.", class_="note"),
    )


def _chain(comparison: Comparison) -> Markup:
    found = comparison.divergence
    if found is None or not found.chain:
        return NOTHING
    items = [
        element(
            "li",
            element("span", link.sentence, class_="run"),
            element("span", f" {'recorded' if link.recorded else 'inferred'}", class_="how"),
        )
        for link in found.chain
    ]
    return joined(element("h3", "From there to the answer"), element("ol", items, class_="plain"))


def answer(comparison: Comparison, room: Room) -> Markup:
    """Return both answers, what differs marked."""
    found = comparison.answer
    extracts = NOTHING
    if found.kind is AnswerKind.FLIPPED:
        left, right = two_values(found.left_extract, found.right_extract)
        extracts = table(
            ("Taken out of the left one", "Taken out of the right one"),
            [Row((left, right))],
            look="cards values two",
            caption="What was taken out of the answers",
        )
    if found.text is not None and not found.text.same:
        return joined(
            extracts, element("div", sides(found.text, room, caption="Answer"), class_="gap")
        )
    if found.left is None and found.right is None:
        return element("p", found.sentence)
    if found.left is None or found.right is None:
        left, right = two_values(found.left, found.right)
        return joined(
            element("p", found.sentence),
            table(
                ("Left", "Right"), [Row((left, right))], caption="Answer", look="cards values two"
            ),
        )
    if not room.has(len(found.left)):
        return element("p", found.sentence)
    return element(
        "details",
        element("summary", "The answer of both runs"),
        element("div", found.left, class_="said"),
    )


def decisions(comparison: Comparison) -> Markup:
    """Return the table of decisions: those that differ, and folded those that do not."""
    first = None if comparison.divergence is None else comparison.divergence.decision
    ordered = sorted_decisions(comparison)
    changed = [each for each in ordered if each.differs]
    alike = [each for each in ordered if not each.differs]
    blocks: list[Markup] = []
    if changed:
        blocks.append(_decision_table(changed, first, "Decisions that differ", linked=True))
    elif not alike:
        return NOTHING
    else:
        blocks.append(element("p", "No decision differs."))
    if alike:
        noun = f"{plural(len(alike), 'decision')} {'is' if len(alike) == 1 else 'are'} the same"
        blocks.append(
            element(
                "details",
                element("summary", noun),
                _decision_table(alike, first, "Decisions that are the same", linked=False),
            )
        )
    return joined(blocks)


def _decision_table(
    found: Sequence[Decision], first: int | None, caption: str, *, linked: bool
) -> Markup:
    rows = []
    for at, each in enumerate(found[:_MOST_ROWS]):
        sign, words, ink = MARKS[each.agreement]
        mark = element(
            "span", f"{sign} {words}", class_=_INKS.get(ink) if each.differs else "quiet"
        )
        grave = element("span", f" · {each.severity}", class_="quiet") if each.differs else None
        title: object = element("span", each.title, class_="run")
        if linked and at < _MOST_DETAILS:
            title = element("a", title, href=f"#d{each.number}")
        note = (
            element("span", "First divergence. ", class_="first") if each.number == first else None
        )
        rows.append(Row((joined(mark, grave), where(each), joined(note, title))))
    rest = len(found) - len(rows)
    return joined(
        table(
            ("Differs", "Decision", "What happened"), rows, caption=caption, look="cards decisions"
        ),
        element("p", f"{plural(rest, 'more decision')} left out; --json has them.", class_="note")
        if rest
        else None,
    )


def where(each: Decision) -> Markup:
    """Return what sort of decision it is, and of which span."""
    return joined(
        element("span", kind_words(each.kind)),
        [" ", place(each.path, class_="quiet")] if each.path else None,
    )


def differing(comparison: Comparison) -> list[Decision]:
    """Return the decisions that have details on the page, the worst first."""
    return sorted_decisions(comparison, only_changed=True)[:_MOST_DETAILS]


def configuration(comparison: Comparison, room: Room) -> Markup:
    """Return what is set up in another way."""
    rows = []
    changes = comparison.configuration
    for change in changes[:_MOST_CONFIGURATION]:
        left, right = two_values(change.left, change.right)
        if not room.has(len(left) + len(right)):
            break
        name = joined(
            element("span", f"{change.area} ", class_="quiet"),
            place(".".join(filter(None, (change.path, change.leaf)))),
        )
        rows.append(Row((name, left, right), named=True))
    if not rows:
        return NOTHING
    rest = len(changes) - len(rows)
    return joined(
        table(
            ("What", "Left", "Right"), rows, caption="Set up in another way", look="cards values"
        ),
        element("p", f"{plural(rest, 'more change')} left out; --json has them.", class_="note")
        if rest
        else None,
    )


def tree(comparison: Comparison, left: PipelineRun, right: PipelineRun) -> Markup:
    """Return the spans of both runs as one tree, what is the same folded away."""
    if all(pair.same for pair in comparison.pairs):
        words = plural(len(comparison.pairs), "span")
        return element("p", f"All {words} put in and out the same, but for what differs by nature.")
    nodes = CompareTree(comparison, left, right)
    found = aligned_lines(nodes)
    if not found.lines:
        return NOTHING
    rows = []
    for line in found.lines:
        inset = f"span d{min(line.depth, _DEEPEST)}"
        if line.node is None:
            words = f"{plural(line.folded, 'span')} the same"
            cells = (
                element("span", "=", class_="quiet"),
                element("span", words, class_=f"{inset} quiet"),
                "",
            )
            rows.append(Row(cells))
            continue
        row = nodes.row(line.node)
        one, other = row.left, row.right
        label = (one or other).label if (one or other) else ""  # type: ignore[union-attr]  # asked just here
        if one and other and one.label != other.label:
            label = f"{one.label} → {other.label}"
        took = " → ".join(side.duration if side else UNKNOWN for side in (one, other))
        mark = element(
            "span",
            f"{row.change.mark} ",
            element("span", "inside" if row.change is INSIDE else row.change.words, class_="words"),
            class_=f"mark {_INKS.get(row.change.ink, '')}",
        )
        how = element("span", f" {row.how}", class_="quiet") if row.how else None
        rows.append(
            Row(
                (
                    mark,
                    element("span", element("span", label, class_="run"), how, class_=inset),
                    took,
                )
            )
        )
    notes = []
    if found.left_out:
        notes.append(
            f"{plural(found.left_out, 'more span')} that differ are left out; --json has them."
        )
    grid = table(
        ("Differs", "Span", "Took"), rows, caption="Spans of both runs", look="tree", figures=(2,)
    )
    return element(
        "details",
        element("summary", _tree_words(comparison)),
        grid,
        [element("p", note, class_="note") for note in notes],
        open="" if len(rows) <= _FEW_LINES else None,
    )


def _tree_words(comparison: Comparison) -> str:
    total = plural(len(comparison.pairs), "span")
    alone = sum(pair.left is None or pair.right is None for pair in comparison.pairs)
    changed = sum(not pair.same for pair in comparison.pairs) - alone
    parts = []
    if changed:
        parts.append(f"{number_words(changed)} of {total} put in or out something else")
    if alone:
        parts.append(f"{number_words(alone)} {'' if changed else f'of {total} '}on one side only")
    return ", ".join(parts)


def spans(comparison: Comparison, room: Room) -> Markup:
    """Return the values that differ, by component; those that differ by nature come last."""
    ordered = sorted(
        comparison.spans,
        key=lambda span: all(change.noise for change in (*span.inputs, *span.outputs)),
    )
    body, shown, left_out = span_values(ordered, room)
    if not shown:
        return NOTHING
    return joined(
        body,
        element("p", f"{plural(left_out, 'more span')} left out; --json has them.", class_="note")
        if left_out
        else None,
    )


def metrics(comparison: Comparison) -> Markup:
    """Return the figures; those of single components are folded."""
    own = [each for each in comparison.metrics if not each.name.startswith("duration of ")]
    parts = [each for each in comparison.metrics if each.name.startswith("duration of ")]
    blocks = [_metric_table(own, "Figures")] if own else []
    if parts:
        blocks.append(
            element(
                "details",
                element("summary", f"How long {plural(len(parts), 'component')} took"),
                _metric_table(parts[:_MOST_ROWS], "Durations"),
            )
        )
    return joined(blocks)


def _metric_table(found: Sequence[Metric], caption: str) -> Markup:
    # Said once each, below: mostly one other model is the reason for all of them.
    reasons = list(dict.fromkeys(filter(None, (each.not_comparable for each in found))))
    rows = [
        Row(
            (
                element("span", each.name, class_="run"), figure_words(each, each.left),
                figure_words(each, each.right), _difference(each, reasons),
            ),
            named=True,
        )
        for each in found
    ]  # fmt: skip
    grid = table(
        ("Figure", "Left", "Right", "Difference"), rows,
        caption=caption, look="figures", figures=(1, 2, 3),
    )  # fmt: skip
    why = [
        element("p", f"[{number}] Not comparable: {reason}", class_="note")
        for number, reason in enumerate(reasons, 1)
    ]
    paid = [
        element("p", f"{line[:1].upper()}{line[1:]}.", class_="note")
        for each in found for line in paid_lines(each)
    ]  # fmt: skip
    return joined(grid, why, paid)


def _difference(metric: Metric, reasons: list[str]) -> str:
    if metric.not_comparable is not None:
        return f"not comparable [{reasons.index(metric.not_comparable) + 1}]"
    if metric.delta is None:
        return UNKNOWN
    if not metric.delta:
        return "="
    words = figure_words(metric, abs(metric.delta)).removeprefix("≈ ")
    return f"{'+' if metric.delta > 0 else '−'}{words}"


def notes(comparison: Comparison) -> Markup:
    """Return what could not be compared."""
    if not comparison.notes:
        return NOTHING
    return element("ul", [element("li", note) for note in comparison.notes], class_="plain")


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "…")) else ".")
