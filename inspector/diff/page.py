"""A comparison as a page of Markdown that a person would paste into a pull request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from inspector.diff.model import AnswerKind
from inspector.diff.said import plural, short

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inspector.diff.model import Comparison, Decision, Metric, Paid, Side, TextDiff

_MOST_ROWS = 40
_MOST_CONFIGURATION = 30
_MOST_PARTS = 60
_LONGEST_CELL = 160
_LONGEST_SAME = 120
_SEVERITIES = ("critical", "major", "minor", "note")
# What Markdown or HTML would act on. Text of a run never is more than text.
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!$@&])")
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def page_of(comparison: Comparison) -> str:
    """Return the page."""
    blocks = [
        f"## {_title(comparison)}",
        f"**{_text(comparison.verdict, 1_000)}**",
        _sides(comparison),
        *_divergence(comparison),
        *_decisions(comparison),
        *_answer(comparison),
        *_configuration(comparison),
        *_metrics(comparison),
        *_notes(comparison),
    ]
    return "\n\n".join(blocks) + "\n"


def _title(comparison: Comparison) -> str:
    names = dict.fromkeys(_text(side.name or "run") for side in (comparison.left, comparison.right))
    return f"Comparison of two runs of {' and '.join(names)}"


def _sides(comparison: Comparison) -> str:
    rows = [
        [word, _side_name(side), side.status, _duration(side.duration_ns), side.started_at or "–"]
        for word, side in (("left (before)", comparison.left), ("right (after)", comparison.right))
    ]
    return _table(["", "Run", "Ended", "Took", "Started"], rows)


def _side_name(side: Side) -> str:
    return _text(side.origin or side.id)


def _divergence(comparison: Comparison) -> Iterator[str]:
    found = comparison.divergence
    if found is None:
        return
    first = comparison.decisions[found.decision]
    where = f" at {_code(first.path)}" if first.path else ""
    lines = [f"### First divergence{where}", "", f"{_text(_sentence(found.sentence), 600)}"]
    if found.causes:
        lines += ["", "What may have caused it (recorded facts, offered as causes):", ""]
        lines += [f"- {cause.likely}: {_text(cause.sentence, 400)}" for cause in found.causes]
    if found.chain:
        lines += ["", "What followed from it:", ""]
        lines += [
            f"{number}. {_text(link.sentence, 300)} ({'recorded' if link.recorded else 'inferred'})"
            for number, link in enumerate(found.chain, 1)
        ]
    yield "\n".join(lines)


def _decisions(comparison: Comparison) -> Iterator[str]:
    differing = [each for each in comparison.decisions if each.differs]
    alike = len(comparison.decisions) - len(differing)
    if not differing:
        yield f"### Decisions\n\n{_all_alike(alike)}"
        return
    differing.sort(key=lambda each: (_SEVERITIES.index(each.severity), each.number))
    rows = [
        [
            str(each.number + 1), each.severity, each.kind,
            _code(each.path) if each.path else "the run", _text(each.title, _LONGEST_CELL),
        ]
        for each in differing[:_MOST_ROWS]
    ]  # fmt: skip
    block = _table(["#", "Severity", "Decision", "Where", "What"], rows)
    rest = len(differing) - len(rows)
    tail = [f"{plural(rest, 'more decision')} differ."] if rest else []
    if alike:
        tail.append(f"{plural(alike, 'other decision')} {'is' if alike == 1 else 'are'} the same.")
    yield "\n\n".join(["### Decisions that differ", block, *tail])
    for each in differing[:_MOST_ROWS]:
        yield from _details(each)


def _all_alike(count: int) -> str:
    return f"None of {plural(count, 'decision')} differs."


def _details(decision: Decision) -> Iterator[str]:
    if decision.kind == "answer":
        return
    body = []
    if decision.text is not None and not decision.text.same:
        body.append(_marked(decision.text))
    moves = [move for move in decision.documents if move.change != "same"]
    if moves:
        body.append(
            _table(
                ["Document", "Rank", "Score", "Change"],
                [
                    [
                        _text(move.name, 80), _from_to(move.left_rank, move.right_rank),
                        _from_to(_score(move.left_score), _score(move.right_score)), move.change,
                    ]
                    for move in moves[:_MOST_ROWS]
                ],
            )
        )  # fmt: skip
    if body:
        where = f" at {decision.path}" if decision.path else ""
        yield _folded(f"{decision.kind}{where}", "\n\n".join(body))


def _answer(comparison: Comparison) -> Iterator[str]:
    answer = comparison.answer
    if answer.kind is AnswerKind.SAME:
        return
    lines = ["### Answer", "", _text(answer.sentence, 400)]
    if answer.text is not None and not answer.text.same:
        lines += ["", _marked(answer.text)]
    else:
        for word, text in (("left", answer.left), ("right", answer.right)):
            if text is not None:
                lines += ["", f"{word}: {_text(text, 2_000)}"]
    yield "\n".join(lines)


def _configuration(comparison: Comparison) -> Iterator[str]:
    changes = comparison.configuration
    if not changes:
        return
    lines = ["### Set up in another way", ""]
    lines += [
        f"- {change.area}: {_text(change.sentence, 300)}"
        for change in changes[:_MOST_CONFIGURATION]
    ]
    if len(changes) > _MOST_CONFIGURATION:
        lines.append(f"- and {len(changes) - _MOST_CONFIGURATION} more")
    yield "\n".join(lines)


def _metrics(comparison: Comparison) -> Iterator[str]:
    shown = [metric for metric in comparison.metrics if not metric.name.startswith("duration of")]
    if not shown:
        return
    rows = [
        [
            metric.name, _paid(metric, metric.left, metric.left_paid),
            _paid(metric, metric.right, metric.right_paid), _delta(metric),
        ]
        for metric in shown
    ]  # fmt: skip
    yield "### Figures\n\n" + _table(["", "left", "right", "difference"], rows)


def _notes(comparison: Comparison) -> Iterator[str]:
    if comparison.notes:
        yield "\n".join(f"> {_text(note, 300)}  " for note in comparison.notes)


def _figure(metric: Metric, value: Any) -> str:
    if value is None:
        return "–"
    if metric.unit == "ns":
        return _duration(value)
    if isinstance(value, float):
        return f"{value:.6f} {metric.unit}"
    return f"{value:,}".replace(",", " ")


def _paid(metric: Metric, value: Any, paid: Paid | None) -> str:
    """Return a figure, and beside it what was paid where that is another amount."""
    words = _figure(metric, value)
    if paid is None or (value is not None and paid.amount == value):
        return words
    amount = "an unknown amount" if paid.amount is None else _figure(metric, paid.amount)
    return f"{words} (paid {amount}, {paid.words})"


def _delta(metric: Metric) -> str:
    if metric.not_comparable is not None:
        return f"not comparable: {_text(metric.not_comparable, 200)}"
    if metric.delta is None:
        return "–"
    sign = "+" if metric.delta > 0 else "−" if metric.delta < 0 else "±"
    return f"{sign}{_figure(metric, abs(metric.delta))}"


def _duration(duration_ns: int | None) -> str:
    if duration_ns is None:
        return "–"
    if duration_ns < 1_000_000_000:
        return f"{duration_ns / 1_000_000:.3g} ms" if duration_ns < 999_500_000 else "1.00 s"
    return f"{duration_ns / 1_000_000_000:.2f} s"


def _score(score: float | None) -> str | None:
    return None if score is None else f"{score:.4g}"


def _from_to(left: object, right: object) -> str:
    one, other = ("–" if each is None else str(each) for each in (left, right))
    return one if one == other else f"{one} → {other}"


def _marked(text: TextDiff) -> str:
    """Return a text with what is gone struck out and what is new in bold."""
    said = []
    parts = text.parts
    for number, part in enumerate(parts[:_MOST_PARTS]):
        words = part.text
        if part.kind == "same":
            said.append(_shortened(words, first=number == 0, last=number == len(parts) - 1))
            continue
        bare = words.strip()
        if not bare:
            said.append(" ")
            continue
        mark = "~~" if part.kind == "left" else "**"
        said.append(f"{' ' if words[0].isspace() else ''}{mark}{_text(bare, 1_000)}{mark}"
                    f"{' ' if words[-1].isspace() else ''}")  # fmt: skip
    if len(parts) > _MOST_PARTS:
        said.append(" …")
    if text.note:
        said.append(f"\n>\n> ({_text(text.note, 200)})")
    return "> " + "".join(said).strip()


def _shortened(words: str, *, first: bool, last: bool) -> str:
    flat = " ".join(words.split())
    lead = " " if words[:1].isspace() and not first else ""
    trail = " " if words[-1:].isspace() and not last else ""
    if len(flat) > _LONGEST_SAME:
        half = _LONGEST_SAME // 2
        head = "" if first else _escaped(flat[:half])
        tail = "" if last else _escaped(flat[-half:])
        flat = f"{head} … {tail}".strip() if head or tail else "…"
    else:
        flat = _escaped(flat)
    return f"{lead}{flat}{trail}"


def _folded(title: str, body: str) -> str:
    return f"<details><summary>{_text(title, 200)}</summary>\n\n{body}\n\n</details>"


def _table(head: list[str], rows: Iterable[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)


def _sentence(text: str) -> str:
    # It may begin with a component's name, which is written as it is.
    return text if text.endswith((".", "…")) else f"{text}."


def _text(text: str, longest: int = 200) -> str:
    """Return text of a run in one line, so that nothing in it is taken for Markdown or HTML."""
    return _escaped(short(text, longest))


def cell_text(text: str) -> str:
    """Return text of a run for a cell of a table or an item of a list in Markdown."""
    return _text(text, _LONGEST_CELL)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", _HIDDEN.sub("\ufffd", text))


def _code(text: str) -> str:
    bare = short(_HIDDEN.sub("\ufffd", text), 120).replace("`", "'").replace("|", "\\|")
    return f"`{bare}`"
