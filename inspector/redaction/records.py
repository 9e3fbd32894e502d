"""Taking secrets out of records: the JSON of spans, values and run headers."""

from __future__ import annotations

import threading
from base64 import b64decode, b64encode
from bisect import bisect_right
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import orjson

from inspector.redaction.checks import card
from inspector.redaction.context import rule_of_key
from inspector.redaction.edits import Edit, merged
from inspector.redaction.encodings import pack
from inspector.redaction.placeholders import Placeholders
from inspector.redaction.report import Places, RedactionReport
from inspector.runfile.compact import compact
from inspector.runfile.leaf import LeafError, read_leaf
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from inspector.redaction.settings import Redaction

    Witness = Callable[[Edit, str, bytes], None]

_BETWEEN = b"\n\0\n"
_SHORTEST = 5
_SHORTEST_KEY = 14
_MOST_KEYS = 20_000
_NOT_CARDS = ("_ns", "_at", "_id")
_FIRST_CARD, _LAST_CARD = 10**12, 10**19
# What a run is put together by. Tokens are looked for there, too; numbers are not.
_IDS = frozenset(
    {
        "$ref", "ref", "id", "parent", "digest", "record_digests", "tool_call_id", "replay_of",
        "continues", "fingerprint", "pricing_digest", "salt_check", "request_id", "response_id",
        "system_fingerprint", "trace_id", "span_id", "started_at", "pricing_snapshot_date",
    }
)  # fmt: skip
_PACKED = ("bytes", "utf16")
_NO_PASSWORDS_IN = frozenset({"topology", "senders", "receivers", "redacted"})
_NO_NUMBERS_IN = frozenset({"usage", "cost_estimate", "budget"})


class _Leaf:
    """A text in a tree, and where it stands."""

    __slots__ = ("data", "edits", "holder", "is_key", "key", "packed")

    def __init__(
        self, holder: Any, key: Any, data: bytes, packed: str = "", *, is_key: bool = False
    ) -> None:
        self.holder = holder
        self.key = key
        self.data = data
        self.packed = packed
        self.is_key = is_key
        self.edits: list[Edit] = []


class Redactor:
    """Replaces what the rules find in the records of one run. Any thread may use it.

    Args:
        redaction: The rules.
        environment: Values that are secrets, by the names of their variables.
        before: Takes out what is kept out of every file, on the JSON of a record.
        taken: The highest number of each rule that is in use already.
        witness: Is told of each replaced place: the edit, its placeholder, the text.

    """

    def __init__(
        self,
        redaction: Redaction,
        environment: Mapping[str, str] | None = None,
        *,
        before: Callable[[bytes], bytes] | None = None,
        taken: Mapping[str, int] | None = None,
        witness: Witness | None = None,
    ) -> None:
        self.redaction = redaction
        self.scanner = redaction.scanner(environment)
        self.own = redaction.own(environment)
        self.placeholders = Placeholders(redaction.salt, taken)
        self.places = Places(frozenset(name for name, _ in redaction.rules))
        self._before = before
        self._witness = witness
        self._look_at_all = self.own.short
        self._keys: dict[str, tuple[str | None, bool]] = {}
        self._lock = threading.RLock()

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
        changed = self.clean_tree(holder)
        if not changed and text:
            return text, tree, False
        return compact(holder[0], str), holder[0], True

    def clean_tree(self, holder: list[Any]) -> bool:
        """Take secrets out of a tree in a list of one, in place; says whether there were any.

        What is exchanged may be the tree itself, which is why it comes in a list.
        """
        leaves: list[_Leaf] = []
        self._gather(holder, leaves, passwords=True, numbers=True, depth=0)
        if not leaves:
            return False
        self._search([leaf for leaf in leaves if not leaf.packed])
        for leaf in leaves:
            if leaf.packed in _PACKED:
                leaf.edits = self.scanner.scan(leaf.data)
        return self._apply([leaf for leaf in leaves if leaf.edits])

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
            return pack(inside, edit.codec, padded=data[edit.end - 1 : edit.end] == b"=")
        placeholder = self.placeholders.of(edit.rule, edit.secret)
        if self._witness is not None:
            self._witness(edit, placeholder, data)
        return placeholder.encode()

    # -- gathering -------------------------------------------------------------------------

    def _gather(
        self, node: Any, out: list[_Leaf], *, passwords: bool, numbers: bool, depth: int
    ) -> None:
        if isinstance(node, list):
            self._gather_items(node, out, passwords=passwords, numbers=numbers, depth=depth)
            return
        tag = node.get(TAG)
        if tag in ("array", "missing"):
            return
        told_rule = _rule_beside(node) if passwords and "value" in node else None
        for key, item in node.items():
            kind = type(item)
            rule, look = self._about(key)
            if look:
                out.append(_Leaf(node, key, key.encode("utf-8", "surrogatepass"), is_key=True))
            if told_rule is not None and key == "value":
                rule = told_rule
            if kind is str:
                self._gather_text(node, key, item, out, rule if passwords else None)
            elif kind is dict or kind is list:
                if tag == "str" or not item:
                    continue
                self._gather(
                    item, out,
                    passwords=passwords and key not in _NO_PASSWORDS_IN,
                    numbers=numbers and key not in _NO_NUMBERS_IN, depth=depth + 1,
                )  # fmt: skip
            elif kind is int and numbers:
                self._gather_number(node, key, item, out, rule)

    def _gather_items(
        self, items: list[Any], out: list[_Leaf], *, passwords: bool, numbers: bool, depth: int
    ) -> None:
        rule = None
        if passwords and len(items) == 2 and type(items[0]) is str and type(items[1]) is str:
            rule = self._about(items[0])[0]
            if rule not in ("authorization", "cookie") and "-" not in items[0]:
                rule = None
        for place, item in enumerate(items):
            kind = type(item)
            if kind is str:
                key = items[0] if rule is not None and place == 1 else ""
                self._gather_text(items, place, item, out, rule if key else None, key)
            elif (kind is dict or kind is list) and item:
                self._gather(item, out, passwords=passwords, numbers=numbers, depth=depth + 1)
            elif kind is int and numbers:
                self._gather_number(items, place, item, out, None)

    def _gather_text(
        self, holder: Any, key: Any, text: str, out: list[_Leaf], rule: str | None, name: str = ""
    ) -> None:
        if len(text) < _SHORTEST and not self._look_at_all and (rule is None or len(text) < 3):
            return
        data = text.encode("utf-8", "surrogatepass")
        if key == "base64" and holder.get(TAG) == "bytes":
            try:
                out.append(_Leaf(holder, key, b64decode(text, validate=True), "bytes"))
            except ValueError:
                out.append(_Leaf(holder, key, data))
            return
        if key == "utf16" and holder.get(TAG) == "str":
            whole = b64decode(text).decode("utf-16-le", "surrogatepass")
            out.append(_Leaf(holder, key, whole.encode("utf-8", "surrogatepass"), "utf16"))
            return
        leaf = _Leaf(holder, key, data)
        if rule is not None:
            edit = self.scanner.under_key(rule, name or str(key), data)
            if edit is not None:
                leaf.edits.append(edit)
        if key in _IDS and _is_id(data):
            leaf.edits = [edit for edit in self.scanner.scan(data) if edit.rule in _TOKENS]
            leaf.packed = "id"
            if not leaf.edits:
                return
        out.append(leaf)

    def _gather_number(
        self, holder: Any, key: Any, number: int, out: list[_Leaf], rule: str | None
    ) -> None:
        if "card" in self.redaction.off:
            return
        digits = str(number).encode()
        found = None
        if rule in ("card", "password") and 3 <= len(digits) <= 8:
            found = rule
        elif _FIRST_CARD <= number < _LAST_CARD and not str(key).endswith(_NOT_CARDS):
            found = "card" if card(digits.decode()) else None
        if found is not None:
            leaf = _Leaf(holder, key, digits, "number")
            leaf.edits.append(Edit(0, len(digits), found, digits))
            out.append(leaf)

    def _about(self, key: str) -> tuple[str | None, bool]:
        """Return the rule of a dictionary's key, and whether the key itself is looked at."""
        known = self._keys.get(key)
        if known is None:
            if len(self._keys) > _MOST_KEYS:
                self._keys.clear()
            look = key[:1] != "$" and (
                self._look_at_all or len(key) > _SHORTEST_KEY or not key.isidentifier()
            )
            known = self._keys[key] = (rule_of_key(key), look)
        return known

    # -- searching and replacing -------------------------------------------------------------

    def _search(self, leaves: list[_Leaf]) -> None:
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

    def _apply(self, leaves: list[_Leaf]) -> bool:
        renamed: dict[int, tuple[dict[str, Any], dict[str, str]]] = {}
        for leaf in leaves:
            if leaf.packed == "number":
                edit = leaf.edits[0]
                placeholder = self.replacement(leaf.data, edit).decode()
                leaf.holder[leaf.key] = {
                    TAG: "redacted", "rule": edit.rule, "placeholder": placeholder
                }  # fmt: skip
                continue
            data = self.applied(leaf.data, leaf.edits)
            text: str = data.decode("utf-8", "surrogatepass") if leaf.packed != "bytes" else ""
            if leaf.is_key:
                renamed.setdefault(id(leaf.holder), (leaf.holder, {}))[1][leaf.key] = text
            elif leaf.packed == "bytes":
                leaf.holder[leaf.key] = b64encode(data).decode()
            elif leaf.packed == "utf16":
                halves = text.encode("utf-16-le", "surrogatepass")
                leaf.holder[leaf.key] = b64encode(halves).decode()
            else:
                leaf.holder[leaf.key] = text
        for holder, names in renamed.values():
            _rename(holder, names)
        return bool(leaves)

    # -- the report --------------------------------------------------------------------------

    def _note(self, text: bytes, tree: Any) -> None:
        key, name = _key_of(tree)
        if key is None:
            key, name = sha256(text).hexdigest()[:32], ""
        if name is not None:
            self.places.note(key, name, text, tree)

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


_TOKENS = frozenset(
    {
        "jwt", "llm-key", "aws-key", "google-key", "azure-key", "github-token", "gitlab-token",
        "slack-token", "payment-key", "service-key", "email", "environment-value",
    }
)  # fmt: skip


def _is_id(data: bytes) -> bool:
    return len(data) <= 200 and b" " not in data


def _rule_beside(node: dict[str, Any]) -> str | None:
    """Return the rule of a pair that is written as an object: `{"name": ..., "value": ...}`."""
    for key in ("name", "key", "header"):
        if isinstance(name := node.get(key), str) and len(name) <= 64:
            return rule_of_key(name)
    return None


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
