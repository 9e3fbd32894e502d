"""Taking secrets out of records: the JSON of spans, values and run headers."""

from __future__ import annotations

import threading
from base64 import b64encode
from bisect import bisect_right
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import orjson

from inspector.redaction.edits import Edit, merged
from inspector.redaction.encodings import pack
from inspector.redaction.leaves import Gather, Leaf
from inspector.redaction.placeholders import Placeholders
from inspector.redaction.report import Places, RedactionReport, paths_of, told_path
from inspector.runfile.compact import compact
from inspector.runfile.leaf import LeafError, read_leaf
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from inspector.redaction.settings import Redaction

_BETWEEN = b"\n\0\n"
_PACKED = ("bytes", "utf16")
_MOST_HIDDEN = 100_000


@dataclass(slots=True)
class Replaced:
    """One place that was replaced, in the text that it stood in."""

    rule: str
    placeholder: str
    text: bytes
    start: int
    end: int
    path: str = ""
    """Where in its record the text stands."""
    record: str = ""
    """What its record is known by; `Places.around` says how people call it."""
    kept: str = ""
    """What has to be in the `keep` of a redaction for it to stay."""
    span_id: str = ""
    """The span that it is of; empty for the run's own record."""
    field: str = ""
    """Where in that it stands, through all values in between."""

    @property
    def secret(self) -> str:
        """What stood there."""
        return self.text[self.start : self.end].decode("utf-8", "replace")


class Redactor:
    """Replaces what the rules find in the records of one run. Any thread may use it.

    Args:
        redaction: The rules.
        environment: Values that are secrets, by the names of their variables.
        before: Takes out what is kept out of every file, on the JSON of a record.
        taken: The highest number of each rule that is in use already.
        replaced: Gets each replaced place, where somebody wants to look at them.

    """

    def __init__(
        self,
        redaction: Redaction,
        environment: Mapping[str, str] | None = None,
        *,
        before: Callable[[bytes], bytes] | None = None,
        taken: Mapping[str, int] | None = None,
        replaced: list[Replaced] | None = None,
    ) -> None:
        self.redaction = redaction
        self.scanner = redaction.scanner(environment)
        self.own = redaction.own(environment)
        self.placeholders = Placeholders(redaction.salt, taken)
        self.places = Places(frozenset(name for name, _ in redaction.rules))
        self._before = before
        self._replaced = replaced
        self._told = 0  # so many of these have their record
        self._hidden: dict[str, list[tuple[str, str]]] = {}  # in texts that are encoded
        self._gather = Gather(self.scanner, redaction, everything=self.own.short)
        self._lock = threading.RLock()
        self.path = ""
        """Where in its record the text stands that is being replaced."""
        self._inside: list[tuple[str, str]] = []

    # -- records ---------------------------------------------------------------------------

    def clean(self, text: bytes) -> bytes:
        """Return a record's JSON without secrets; the same bytes where there are none."""
        cleaned, tree, changed = self.cleaned(text)
        with self._lock:
            self._note(cleaned, tree)
        return cleaned if changed else text

    def cleaned(self, text: bytes) -> tuple[bytes, Any, bool]:
        """Return a record's JSON without secrets, what it says, and whether that changed."""
        if self._before is not None:
            text = self._before(text)
        try:
            tree = orjson.loads(text)
        except orjson.JSONDecodeError:
            try:
                tree = read_leaf(text)[0]
            except LeafError:
                # Nobody can read it, so nobody can say what is in it.
                tree = {TAG: "opaque", "type": "json", "repr": "", "why": "it cannot be read"}
            text = b""
        holder = [tree]
        with self._lock:
            changed = self.clean_tree(holder)
        if not changed and text:
            return text, tree, False
        return compact(holder[0], str), holder[0], True

    def clean_tree(self, holder: list[Any]) -> bool:
        """Take secrets out of a tree in a list of one, in place; says whether there were any.

        What is exchanged may be the tree itself, which is why it comes in a list.
        """
        leaves = self._gather.leaves(holder)
        if not leaves:
            return False
        self._search([leaf for leaf in leaves if not leaf.packed])
        for leaf in leaves:
            if leaf.packed in _PACKED:
                leaf.edits = self.scanner.scan(leaf.data)
        found = [leaf for leaf in leaves if leaf.edits]
        if found and self._replaced is not None:
            paths = dict(paths_of(holder, "", 0))
            return self._apply(found, holder, paths)
        return self._apply(found, holder, {})

    def text(self, text: str) -> str:
        """Return a text without secrets."""
        data = text.encode("utf-8", "surrogatepass")
        edits = self.scanner.scan(data)
        if not edits:
            return text
        return self.applied(data, edits).decode("utf-8", "surrogatepass")

    def applied(self, data: bytes, edits: list[Edit] | tuple[Edit, ...]) -> bytes:
        """Return a text in which found places are replaced."""
        out: list[bytes] = []
        at = 0
        for edit in edits:
            out.append(data[at : edit.start])
            out.append(self.replacement(data, edit))
            at = edit.end
        out.append(data[at:])
        return b"".join(out)

    def replacement(self, data: bytes, edit: Edit) -> bytes:
        """Return what stands in place of a found place."""
        if edit.inner is not None:
            inside = self.applied(*edit.inner)
            self._inside += self.places.named_in(inside.decode("utf-8", "replace"))
            return pack(inside, edit.codec, padded=data[edit.end - 1 : edit.end] == b"=")
        placeholder = self.placeholders.of(edit.rule, edit.secret)
        if self._replaced is not None:
            kept = edit.secret.decode("utf-8", "replace")
            place = Replaced(edit.rule, placeholder, data, edit.start, edit.end, self.path)
            place.kept = kept
            self._replaced.append(place)
        return placeholder.encode()

    # -- searching and replacing -------------------------------------------------------------

    def _search(self, leaves: list[Leaf]) -> None:
        """Search all texts of a record in one go."""
        starts: list[int] = []
        place = 0
        for leaf in leaves:
            starts.append(place)
            place += len(leaf.data) + len(_BETWEEN)
        for edit in self.scanner.scan(_BETWEEN.join([leaf.data for leaf in leaves])):
            number = bisect_right(starts, edit.start) - 1
            leaf, start = leaves[number], starts[number]
            end = min(edit.end - start, len(leaf.data))
            leaf.edits.append(edit._replace(start=edit.start - start, end=end))
        for leaf in leaves:
            if len(leaf.edits) > 1:
                leaf.edits = merged(leaf.edits)

    def _apply(self, leaves: list[Leaf], whole: list[Any], paths: dict[int, str]) -> bool:
        renamed: dict[int, tuple[dict[str, Any], dict[str, str]]] = {}
        for leaf in leaves:
            key = "" if leaf.is_key or leaf.holder is whole else leaf.key
            self.path = told_path(paths.get(id(leaf.holder), ""), key)
            if leaf.packed == "number":
                edit = leaf.edits[0]
                placeholder = self.replacement(leaf.data, edit).decode()
                leaf.holder[leaf.key] = {
                    TAG: "redacted", "rule": edit.rule, "placeholder": placeholder
                }  # fmt: skip
                continue
            self._inside = []
            data = self.applied(leaf.data, leaf.edits)
            text: str = data.decode("utf-8", "surrogatepass") if leaf.packed != "bytes" else ""
            if leaf.is_key:
                renamed.setdefault(id(leaf.holder), (leaf.holder, {}))[1][leaf.key] = text
            elif leaf.packed == "bytes":
                leaf.holder[leaf.key] = b64encode(data).decode()
                self._inside += self.places.named_in(data.decode("utf-8", "replace"))
            elif leaf.packed == "utf16":
                halves = text.encode("utf-16-le", "surrogatepass")
                leaf.holder[leaf.key] = b64encode(halves).decode()
            else:
                leaf.holder[leaf.key] = text
            if self._inside and len(self._hidden) < _MOST_HIDDEN:
                kept = text if leaf.is_key or leaf.packed != "bytes" else leaf.holder[leaf.key]
                self._hidden[kept] = self._inside
        for holder, names in renamed.values():
            _rename(holder, names)
        return bool(leaves)

    # -- the report --------------------------------------------------------------------------

    def _note(self, text: bytes, tree: Any) -> None:
        key, name = _key_of(tree)
        if key is None:
            key, name = sha256(text).hexdigest()[:32], ""
        if name is not None:
            self.note(key, name, text, tree)

    def note(self, key: str, name: str, text: bytes, tree: Any) -> None:
        """Take note of a finished record, and of whose the replaced places are."""
        self.places.note(key, name, text, tree, self._hidden)
        self.stamp(key)

    def stamp(self, key: str) -> None:
        """Say which record the last replaced places are of."""
        for place in self._replaced[self._told :] if self._replaced is not None else ():
            place.record = place.record or key
        self._told = len(self._replaced or ())

    def report(self) -> dict[str, Any]:
        """Return what the run header says of what was taken out, and how."""
        said = self.redaction.said()
        if numbers := self.placeholders.last:
            said["numbers"] = numbers
        return {"redaction": self.told().told(), "redacted": said}

    def told(self) -> RedactionReport:
        """Return what was taken out until now."""
        with self._lock:
            return RedactionReport(self.places.taken(), self.redaction.names_words)


def _rename(holder: dict[str, Any], names: dict[str, str]) -> None:
    items: dict[str, Any] = {}
    for key, item in holder.items():
        new = names.get(key, key)
        if key in names:
            # Two that have one placeholder are still two.
            number, wanted = 2, new
            while new in items or (new in holder and new not in names):
                new = f"{wanted} {number}"
                number += 1
        items[new] = item
    holder.clear()
    holder.update(items)


def _key_of(tree: Any) -> tuple[str | None, str | None]:
    """Return what a record is known by, and its name; None for both where it is a value."""
    if not isinstance(tree, dict):
        return None, None
    if isinstance(named := tree.get("id"), str) and "kind" in tree and TAG not in tree:
        if "path" in tree and "operation" in tree:
            return f"span {named}", str(tree.get("path") or tree.get("name") or named)
        if "status" in tree and "recorder" in tree:
            return "run", "run"
    return None, None
