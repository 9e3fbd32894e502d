"""Tables of a page. They say that they are tables: on a phone their rows are drawn as cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from inspector.export.markup import Markup, element

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Row(NamedTuple):
    """A row; its first cell names it where `named` says so."""

    cells: Sequence[object]
    look: str | None = None
    named: bool = False


def table(
    titles: Sequence[str],
    rows: Iterable[Row],
    *,
    caption: str,
    look: str = "cards",
    figures: Sequence[int] = (),
    told: Sequence[int] = (),
) -> Markup:
    """Return a table.

    Args:
        titles: Of its columns.
        rows: From the top.
        caption: What it is a table of, for those who listen.
        look: Its classes.
        figures: Columns of numbers.
        told: Columns whose title stands in front of each cell on a phone.

    """
    head = element(
        "thead",
        element(
            "tr",
            [
                element(
                    "th", element("span", title), scope="col", role="columnheader",
                    class_="figure" if at in figures else None,
                )
                for at, title in enumerate(titles)
            ],
            role="row",
        ),
        role="rowgroup",
    )  # fmt: skip
    body = element("tbody", [_row(row, titles, figures, told) for row in rows], role="rowgroup")
    return element("table", head, body, class_=look, role="table", aria_label=caption)


def _row(row: Row, titles: Sequence[str], figures: Sequence[int], told: Sequence[int]) -> Markup:
    cells = []
    for at, cell in enumerate(row.cells):
        look = "figure" if at in figures else None
        if at == 0 and row.named:
            cells.append(element("th", cell, scope="row", role="rowheader", class_=look))
        else:
            name = titles[at] if at in told else None
            cells.append(element("td", cell, role="cell", class_=look, data_name=name))
    return element("tr", cells, role="row", class_=row.look)
