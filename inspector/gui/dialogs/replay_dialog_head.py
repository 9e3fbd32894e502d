"""The head of the dialog before a replay: what it is, what it costs, and what leaves here."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.labels import Icon, Words
from inspector.presentation.replay_choice import ReplayChoice
from inspector.presentation.replay_manifest import promise_words
from inspector.presentation.visible import one_line

_OF_A_FILE = (
    "Nothing of this file runs outside of a process that reaches nothing, and no class is imported "
    "that is not ticked."
)
_NOTHING_TICKED = "Nothing of what was recorded is ticked: all of it is answered, and nothing paid."


class ReplayHead(QWidget):
    """Says in one sentence what may leave this machine; of live calls, their price first."""

    def __init__(
        self, title: str, changes: Sequence[str], *, live: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._icon = Icon("integrity", colour="same", size_px=20)
        self._promise = Words("", wrap=True)
        self._price = Words("", wrap=True, strong=True)
        self._price.setVisible(live)
        self._price.setAccessibleName("Estimated price")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.GRID_PX)
        layout.addWidget(Words(title, step=2, strong=True, wrap=True))
        layout.addWidget(self._price)
        promise = QHBoxLayout()
        promise.setSpacing(theme.GAP_PX)
        promise.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        promise.addWidget(self._promise, 1)
        layout.addLayout(promise)
        if changes:
            listed = "; ".join(map(one_line, changes))
            layout.addWidget(Words(f"With these changes: {listed}", colour="changed", wrap=True))

    def show_price(self, words: str) -> None:
        """Say what running live is estimated to cost."""
        self._price.setText(f"Estimated price: {words}")

    def show_choice(self, choice: ReplayChoice, *, is_known: bool) -> None:
        """Say what may leave this machine, as it is chosen now.

        Args:
            choice: What was chosen.
            is_known: Whether the recording was looked through, so that ticks say something.

        """
        own = choice.is_trusted
        nothing = is_known and choice.runs_live and not choice.may_live
        live = choice.runs_live and not nothing
        self._promise.setText(_NOTHING_TICKED if nothing else _promise(choice))
        self._icon.show_icon(
            "live" if live else "integrity" if own else "warning",
            "live" if live else "same" if own else "changed",
        )


def _promise(choice: ReplayChoice) -> str:
    if not choice.is_trusted:
        return _OF_A_FILE
    try:
        budget, usd = choice.live_calls, choice.live_usd
    except ValueError:  # which is said below
        budget = usd = None
    return promise_words(
        choice.mode, live=choice.runs_live, budget=budget, usd=usd, live_from=choice.live_from
    )
