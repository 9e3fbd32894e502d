"""Two ranked lists of documents on a page, with lines from where each was to where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.export.html_table import Row, table
from inspector.export.markup import Markup, element, joined
from inspector.presentation.rank_flow import rank_flow, score_words
from inspector.presentation.words import UNKNOWN, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.diff.model import DocumentMove
    from inspector.presentation.rank_flow import Flow, FlowEnd, RankFlow

_MOST = 40
_ROW = 10  # units of the picture; the page makes it as high as the rows beside it
_WIDE = 100
_STUB = 22  # how far a line goes that leads to nothing


def documents(moves: Sequence[DocumentMove], where: str) -> Markup:
    """Return what became of the documents of a list: a picture, and a table of all figures."""
    shown = list(moves)
    if len(shown) > _MOST:
        # Those that changed come first; the sort keeps the order otherwise.
        shown = sorted(shown, key=lambda move: move.change in ("same", "score"))[:_MOST]
        shown.sort(key=lambda move: move.left_rank or move.right_rank or 0)
    rest = len(moves) - len(shown)
    return joined(
        _picture(rank_flow(shown)),
        element(
            "details",
            element("summary", "All figures"),
            _figures(shown, f"Documents of {where}"),
        ),
        element("p", f"{plural(rest, 'more document')} left out; --json has them.", class_="note")
        if rest
        else None,
    )


def _picture(flow: RankFlow) -> Markup:
    height = max(len(flow.left), len(flow.right), 1)
    lines = [_line(each) for each in flow.flows]
    return element(
        "div",
        element("div", "Left", class_="over"),
        element("div", "Right", class_="over right"),
        element("ol", [_end(end, flow, is_left=True) for end in flow.left], role="list"),
        element(
            "svg", lines, viewBox=f"0 0 {_WIDE} {height * _ROW}", preserveAspectRatio="none",
            class_=f"h{height}", aria_hidden="true", focusable="false",
        ),
        element(
            "ol", [_end(end, flow, is_left=False) for end in flow.right],
            class_="right", role="list",
        ),
        class_="flow",
    )  # fmt: skip


def heights(most: int = _MOST) -> str:
    """Return the style that makes pictures as high as the rows beside them.

    A picture that is stretched by its own proportions would not meet them.
    """
    wide = "".join(f".h{n}{{height:{n * 60}px}}" for n in range(1, most + 1))
    small = "".join(f".h{n}{{height:{n * 92}px}}" for n in range(1, most + 1))
    return f"{wide}@media (max-width:640px){{{small}}}"


def _line(flow: Flow) -> Markup:
    look = {"−": "gone", "+": "new", "≠": "changed"}.get(flow.mark)
    if flow.left is None:
        assert flow.right is not None
        y = _middle(flow.right)
        return element("path", d=f"M{_WIDE - _STUB} {y}H{_WIDE}", class_=look)
    y = _middle(flow.left)
    if flow.right is None:
        return element("path", d=f"M0 {y}H{_STUB}", class_=look)
    if look is None and flow.mark != "=":
        look = "moved"
    to, half = _middle(flow.right), _WIDE // 2
    way = f"H{_WIDE}" if to == y else f"C{half} {y} {half} {to} {_WIDE} {to}"
    return element("path", d=f"M0 {y}{way}", class_=look)


def _middle(place: int) -> int:
    return place * _ROW + _ROW // 2


def _end(end: FlowEnd, flow: RankFlow, *, is_left: bool) -> Markup:
    what = flow.flows[end.move]
    changed = what.mark != "="
    # What became of a document is said once: where it is now, or where it was last.
    told = not is_left or what.right is None
    facts: list[object] = [f"score {end.score}" if end.score else ""]
    if told:
        said = [what.words] if what.words else []
        facts = [*([f"score {end.score}"] if end.score and is_left else []), *said] or facts
    sign = {"−": "bad", "+": "good", "=": "quiet"}.get(what.mark, "differs")
    return element(
        "li",
        element("span", str(end.rank), class_="rank"),
        element(
            "span",
            element("span", f"{what.mark} ", class_=sign) if told and changed else None,
            element("span", end.name, class_="run"),
            class_="name",
            title=end.name,
        ),
        element("span", " · ".join(str(fact) for fact in facts), class_="facts"),
        role="listitem",
    )


def _figures(moves: Sequence[DocumentMove], caption: str) -> Markup:
    rows = []
    for move, flow in zip(moves, rank_flow(moves).flows, strict=True):
        left, right = (
            score_words(score) or UNKNOWN for score in (move.left_score, move.right_score)
        )
        rows.append(
            Row(
                (
                    element("span", move.name, class_="run"),
                    f"{move.left_rank or UNKNOWN} → {move.right_rank or UNKNOWN}",
                    f"{left} → {right}",
                    f"{flow.mark} {flow.words or 'the same'}",
                ),
                named=True,
            )
        )
    return table(
        ("Document", "Rank", "Score", "What became of it"), rows,
        caption=caption, look="cards", told=(1, 2),
    )  # fmt: skip
