"""Which tab of a span a person wants to see."""

from inspector.presentation.span_detail import Tab


class TabMemory:
    """Remembers the chosen tab from span to span.

    A link may lead to another span's tab; whoever goes back from there has the tab again in
    which the link stood.
    """

    def __init__(self) -> None:
        self._chosen = Tab.SUMMARY
        self._left: tuple[str, Tab] | None = None

    def choose(self, tab: Tab) -> None:
        """Take note of what a person chose."""
        self._chosen = tab
        self._left = None

    def leave(self, span_id: str, tab: Tab) -> None:
        """Go to a tab of another span, from a link at this one."""
        self._left = (span_id, self._chosen)
        self._chosen = tab

    def wanted(self, span_id: str) -> Tab:
        """Return the tab to show of a span that has come to be selected."""
        if self._left is not None and self._left[0] == span_id:
            self.choose(self._left[1])
        return self._chosen
