"""The texts of a record that are searched, and where they stand."""

from __future__ import annotations

from base64 import b64decode
from typing import TYPE_CHECKING, Any

from inspector.redaction.checks import card
from inspector.redaction.context import rule_of_key
from inspector.redaction.edits import Edit
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from inspector.redaction.scanner import Scanner
    from inspector.redaction.settings import Redaction

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
_NO_PASSWORDS_IN = frozenset({"topology", "senders", "receivers", "redacted"})
_NO_NUMBERS_IN = frozenset({"usage", "cost_estimate", "budget"})


def _is_id(data: bytes) -> bool:
    return len(data) <= 200 and b" " not in data


def _rule_beside(node: dict[str, Any]) -> str | None:
    """Return the rule of a pair that is written as an object: `{"name": ..., "value": ...}`."""
    for key in ("name", "key", "header"):
        if isinstance(name := node.get(key), str) and len(name) <= 64:
            return rule_of_key(name)
    return None


class Leaf:
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


class Gather:
    """Finds the texts, keys and numbers of a tree that may hold a secret.

    Args:
        scanner: Says what is secret because of the key that it stands under.
        redaction: The rules.
        everything: Whether short texts and all keys are looked at as well.

    """

    def __init__(self, scanner: Scanner, redaction: Redaction, *, everything: bool) -> None:
        self._scanner = scanner
        self._off = redaction.off
        self._look_at_all = everything
        self._keys: dict[str, tuple[str | None, bool]] = {}

    def leaves(self, holder: list[Any]) -> list[Leaf]:
        """Return what there is in a tree, which comes in a list of one."""
        leaves: list[Leaf] = []
        self._gather(holder, leaves, passwords=True, numbers=True, depth=0)
        return leaves

    def _gather(
        self, node: Any, out: list[Leaf], *, passwords: bool, numbers: bool, depth: int
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
                out.append(Leaf(node, key, key.encode("utf-8", "surrogatepass"), is_key=True))
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
        self, items: list[Any], out: list[Leaf], *, passwords: bool, numbers: bool, depth: int
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
        self, holder: Any, key: Any, text: str, out: list[Leaf], rule: str | None, name: str = ""
    ) -> None:
        if len(text) < _SHORTEST and not self._look_at_all and (rule is None or len(text) < 3):
            return
        data = text.encode("utf-8", "surrogatepass")
        if key == "base64" and holder.get(TAG) == "bytes":
            try:
                out.append(Leaf(holder, key, b64decode(text, validate=True), "bytes"))
            except ValueError:
                out.append(Leaf(holder, key, data))
            return
        if key == "utf16" and holder.get(TAG) == "str":
            whole = b64decode(text).decode("utf-16-le", "surrogatepass")
            out.append(Leaf(holder, key, whole.encode("utf-8", "surrogatepass"), "utf16"))
            return
        leaf = Leaf(holder, key, data)
        if rule is not None:
            edit = self._scanner.under_key(rule, name or str(key), data)
            if edit is not None:
                leaf.edits.append(edit)
        if key in _IDS and _is_id(data):
            leaf.edits = self._scanner.in_id(data)
            leaf.packed = "id"
            if not leaf.edits:
                return
        out.append(leaf)

    def _gather_number(
        self, holder: Any, key: Any, number: int, out: list[Leaf], rule: str | None
    ) -> None:
        if "card" in self._off:
            return
        digits = str(number).encode()
        found = None
        if rule in ("card", "password") and 3 <= len(digits) <= 8:
            found = rule
        elif _FIRST_CARD <= number < _LAST_CARD and not str(key).endswith(_NOT_CARDS):
            found = "card" if card(digits.decode()) else None
        if found is not None:
            leaf = Leaf(holder, key, digits, "number")
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
