"""A preview that somebody works on: what was changed, taken back and done again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.presentation.redaction_preview import RedactionPreview

_MOST = 200


class RedactionDraft:
    """Previews in the order they were made, one of which is current.

    Only the current one holds the bytes that would leave: a run may be large, and changes many.
    """

    def __init__(self, first: RedactionPreview) -> None:
        self._all = [first]
        self._at = 0

    @property
    def current(self) -> RedactionPreview:
        return self._all[self._at]

    @property
    def can_undo(self) -> bool:
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        return self._at + 1 < len(self._all)

    def take(self, preview: RedactionPreview) -> None:
        """Make another preview the current one; what was taken back is forgotten."""
        self.current.let_go()
        self._all = [*self._all[: self._at + 1], preview][-_MOST:]
        self._at = len(self._all) - 1

    def undo(self) -> RedactionPreview:
        """Go back to the preview before the last change; stays where there is none."""
        return self._go(max(0, self._at - 1))

    def redo(self) -> RedactionPreview:
        """Do again what was taken back; stays where nothing was."""
        return self._go(min(len(self._all) - 1, self._at + 1))

    def _go(self, place: int) -> RedactionPreview:
        if place != self._at:
            self.current.let_go()
            self._at = place
        return self.current
