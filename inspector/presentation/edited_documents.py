"""A list of documents that a person takes from, adds to and puts in another order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.presentation.previews import preview, text_preview
from inspector.presentation.table_cells import Cell, TableRow
from inspector.presentation.values import items_in
from inspector.presentation.visible import one_line
from inspector.presentation.what_if import documents_in
from inspector.presentation.words import sentence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TITLES = ("", "Score", "Id", "Content")
_LONGEST = 160


class EditedDocuments(NamedTuple):
    """The documents of an answer as they are to be; every change returns another one."""

    outputs: Mapping[str, Any]
    socket: str
    documents: tuple[Mapping[str, Any], ...]
    recorded: tuple[Mapping[str, Any], ...]

    @classmethod
    def of(cls, outputs: Mapping[str, Any], recorded: Mapping[str, Any]) -> EditedDocuments:
        """Return the documents in the outputs of a call, to be edited."""
        socket = socket_of(recorded) or socket_of(outputs) or "documents"
        return cls(outputs, socket, tuple(documents_in(outputs) or ()),
                   tuple(documents_in(recorded) or ()))  # fmt: skip

    def value(self) -> dict[str, Any]:
        """Return the outputs with these documents in them."""
        return {**self.outputs, self.socket: [dict(each) for each in self.documents]}

    def without(self, at: int) -> EditedDocuments:
        """Take a document out."""
        return self._with([*self.documents[:at], *self.documents[at + 1 :]])

    def moved(self, at: int, to: int) -> EditedDocuments:
        """Put a document at another place."""
        rest = [*self.documents[:at], *self.documents[at + 1 :]]
        rest.insert(max(0, min(to, len(rest))), self.documents[at])
        return self._with(rest)

    def with_new(self, at: int) -> EditedDocuments:
        """Add an empty document behind a place."""
        taken = {each.get("id") for each in (*self.documents, *self.recorded)}
        number = next(n for n in range(1, len(taken) + 2) if f"what-if-{n}" not in taken)
        new = {"$": "document", "id": f"what-if-{number}", "content": "", "meta": {}}
        return self._with([*self.documents[: at + 1], new, *self.documents[at + 1 :]])

    def changed(self, at: int, name: str, value: Any) -> EditedDocuments:
        """Put something else into a field of a document."""
        changed = {**self.documents[at], name: value}
        return self._with([*self.documents[:at], changed, *self.documents[at + 1 :]])

    def rows(self) -> list[TableRow]:
        """Return the documents as rows with the columns `TITLES`."""
        then = {each.get("id"): each for each in self.recorded}
        places = {each.get("id"): at for at, each in enumerate(self.recorded, 1)}
        return [
            _row(at, each, then.get(each.get("id")), places.get(each.get("id")))
            for at, each in enumerate(self.documents)
        ]

    def _with(self, documents: Sequence[Mapping[str, Any]]) -> EditedDocuments:
        return self._replace(documents=tuple(documents))


def socket_of(outputs: Mapping[str, Any]) -> str | None:
    """Return which output of a call its documents stand in."""
    for name, value in outputs.items():
        items = items_in(value)
        if items and documents_in({name: value}):
            return name
    return "documents" if "documents" in outputs else None


def row_of(focus: str) -> int:
    """Return which document a path such as `documents[2].content` points at; else the first."""
    found = re.search(r"\[(\d{1,9})\]", focus)
    return int(found[1]) if found else 0


def _row(
    at: int, document: Mapping[str, Any], then: Mapping[str, Any] | None, place: int | None
) -> TableRow:
    score = document.get("score")
    moved = place is not None and place != at + 1
    changed = then is not None and then != document
    words = f"{at + 1}"
    if then is None:
        words += "  new"
    elif moved:
        words += f"  was {place}"
    ink = "changed" if then is None or moved else "text"
    name = one_line(str(document.get("id", "")))
    content = document.get("content")
    text = text_preview(content, _LONGEST) if isinstance(content, str) else preview(content, 40)
    scored = f"{score:.4g}" if isinstance(score, int | float) else ""
    cells = (
        Cell(words, figure=True, ink=ink),
        Cell(scored, figure=True, ink=_ink(then, document, "score")),
        Cell(name, quoted=True, ink="secondary"),
        Cell(text or "(empty)", quoted=True, ink=_ink(then, document, "content", "meta"),
             icon="compare" if changed else "", icon_ink="changed"),
    )  # fmt: skip
    state = "new" if then is None else "changed" if changed else f"was {place}" if moved else ""
    return TableRow(at, cells, sentence([f"Document {at + 1}", name, state, scored, text], ", "))


def _ink(then: Mapping[str, Any] | None, now: Mapping[str, Any], *names: str) -> str:
    if then is not None and any(then.get(name) != now.get(name) for name in names):
        return "changed"
    return "text"


def title_words(edited: EditedDocuments) -> str:
    """Return how the list stands against the recorded one."""
    now = {each.get("id") for each in edited.documents}
    before = {each.get("id") for each in edited.recorded}
    gone, come = len(before - now), len(now - before)
    return sentence(
        [
            f"{len(edited.documents)} of {len(edited.recorded)} recorded"
            if not come
            else f"{len(edited.documents)} documents",
            f"{gone} removed" if gone else "",
            f"{come} added" if come else "",
        ]
    )
