"""Lets a test look at a page as a browser would: elements, attributes and text."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "wbr"}


class Page(HTMLParser):
    """A page, parsed.

    Attributes:
        elements: Each element's name and attributes, in order.
        words: The text outside of the style, in order.
        style: The text inside of it.

    """

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []
        self.style = ""
        self.others: list[str] = []  # comments, declarations, processing instructions
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert not self._open, "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute twice at {tag}"
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> closes nothing"
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1:] == ["style"]:
            self.style += data
        else:
            self.words.append(data)

    def handle_comment(self, data: str) -> None:
        self.others.append(data)

    def handle_pi(self, data: str) -> None:
        self.others.append(data)

    def unknown_decl(self, data: str) -> None:
        self.others.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)

    def named(self, *names: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name in names]

    def shape(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return what is markup, without what breaks lines."""
        return [
            (name, tuple(sorted(attributes))) for name, attributes in self.elements if name != "wbr"
        ]
