"""The measures and colours of the graph, from the theme."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF

from inspector.gui import theme
from inspector.presentation.graph_arrangement import Measures
from inspector.presentation.graph_layout import Gaps, Size
from inspector.presentation.graph_words import node_detail, node_name, route_label

if TYPE_CHECKING:
    from inspector.presentation.graph_traces import Traces

RULE_PX = 3
PAD_PX = 8
CHEVRON_PX = 20
_NARROWEST_PX, _WIDEST_PX = 128, 224
_LONGEST_LABEL_PX = 130
_COUNT, _DURATION = "✕ ×999", "999.9 ms"
# Icons are looked up by the name of a token.
_DIM = "secondary"


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """Everything the graph draws with; made again when the theme or the text size changes."""

    tokens: theme.Tokens
    name_font: QFont
    name: QFontMetricsF
    small_font: QFont
    small: QFontMetricsF
    icon_px: int
    _elided: dict[tuple[str, int, bool], str] = field(default_factory=dict)

    @property
    def text_left(self) -> int:
        """Where the words of a card begin."""
        return RULE_PX + PAD_PX + self.icon_px + PAD_PX - 2

    @property
    def card_height(self) -> int:
        return ceil(self.name.height() + self.small.height()) + 2 * PAD_PX

    @property
    def title_height(self) -> int:
        """The height of the title of a frame."""
        return max(self.icon_px, ceil(self.name.height())) + 2 * PAD_PX

    @property
    def figures_px(self) -> int:
        """The room for counts and durations at the right of a card."""
        return ceil(self.small.horizontalAdvance(_DURATION)) + PAD_PX

    def elided(self, text: str, width: float, *, small: bool) -> str:
        """Return text as far as it fits; long text loses its middle."""
        key = (text, int(width), small)
        found = self._elided.get(key)
        if found is None:
            metrics = self.small if small else self.name
            found = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, width)
            self._elided[key] = found
        return found

    def colour_name(self, kind: str, role: str, *, ran: bool) -> str:
        """Return the token in which a node's icon and rule are drawn."""
        return self.tokens.name_for_kind(kind, role) if ran else _DIM

    def colour(self, name: str) -> QColor:
        made: QColor = getattr(self.tokens, name)
        return made


def current_look() -> Look:
    """Return the look of the theme that is current now."""
    name, small = theme.font(0), theme.font(-1)
    metrics = QFontMetricsF(name)
    return Look(
        tokens=theme.current(),
        name_font=name,
        name=metrics,
        small_font=small,
        small=QFontMetricsF(small),
        icon_px=max(theme.ICON_PX, round(metrics.height() * 0.95)),
    )


def measures_of(traces: Traces, look: Look, *, down: bool) -> Measures:
    """Return how large the nodes of a graph are drawn, whatever a run made of them.

    So the same pipeline has the same drawing in every run, and nothing moves
    while a run goes on.
    """
    graph = traces.graph
    cards, frames = [], []
    for node in graph.nodes:
        name_px = look.name.horizontalAdvance(node_name(node))
        detail_px = look.small.horizontalAdvance(node_detail(node))
        counted = look.small.horizontalAdvance(_COUNT) + PAD_PX
        words = max(name_px + counted, detail_px + look.figures_px)
        width = look.text_left + words + PAD_PX + (CHEVRON_PX if node.inside else 0)
        scale = look.name.height() / 17  # the limits are meant for the usual text size
        most, least = max(1.0, scale) * _WIDEST_PX, max(1.0, scale) * _NARROWEST_PX
        cards.append(ceil(min(max(width, least), most)))
        frames.append(min(CHEVRON_PX + look.text_left + name_px + counted + look.figures_px, most))
    # Cards of one width stand in line however they are connected.
    widest: dict[int, int] = {}
    for node in graph.nodes:
        widest[node.container] = max(widest.get(node.container, 0), cards[node.number])
    labels = []
    for edge in graph.edges:
        sender = graph.nodes[edge.sender]
        shown = not down and sender.role == "routing"
        wide = look.small.horizontalAdvance(route_label(edge)) if shown else 0.0
        labels.append(min(wide, _LONGEST_LABEL_PX) + 28 if shown else 0.0)
    line = look.small.height()
    return Measures(
        cards=tuple(Size(widest[node.container], look.card_height) for node in graph.nodes),
        frames=tuple(frames),
        title=look.title_height + PAD_PX,
        padding=2 * PAD_PX,
        labels=tuple(labels),
        gaps=Gaps(
            layers=max(44.0, 2.4 * line) if down else 52.0,
            nodes=24 if down else 20,
            edges=14,
            parts=32,
            port=18 if down else 12,
        ),
    )
