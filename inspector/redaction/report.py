"""What was taken out of a run: by which rule, how often, where."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspector.redaction.catalog import GROUPS, group_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

MOST_PATHS = 50
_MOST_HOLDERS = 16
_DEEPEST = 60
_REF = re.compile(rb'"\$ref":"([0-9a-f]{32})"')
_IN_TEXT = re.compile(r"<([a-z][a-z0-9-]{0,40}):([0-9a-f]{1,8}|[A-Z][A-Z0-9_]{0,80})>")
_MAYBE = re.compile(rb"<[a-z][a-z0-9-]{0,40}:[0-9a-fA-Z]")
_SECRET, _ENVIRONMENT = "secret", "environment-value"


@dataclass(frozen=True, slots=True)
class Taken:
    """What one rule took out. `paths` are the first places, each `span: where in it`."""

    rule: str
    count: int
    distinct: int
    paths: tuple[str, ...]

    @property
    def group(self) -> str:
        """`credentials` or `personal data`."""
        return group_of(self.rule)

    def told(self) -> dict[str, Any]:
        """Return this as it stands in a file."""
        return {
            "rule": self.rule, "count": self.count, "distinct": self.distinct,
            "paths": list(self.paths),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class RedactionReport:
    """What a redaction took out, and what it did not look for."""

    taken: tuple[Taken, ...]
    names: str
    notes: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many places were replaced."""
        return sum(each.count for each in self.taken)

    def told(self) -> list[dict[str, Any]]:
        """Return what a run header has under `redaction`."""
        return [each.told() for each in self.taken]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it, for programs."""
        return {
            "count": self.count,
            "names": self.names,
            "notes": list(self.notes),
            "taken": [{**each.told(), "group": each.group} for each in self.taken],
        }

    def __str__(self) -> str:
        if not self.taken:
            return f"Nothing was found; {self.names}."
        parts = ", ".join(f"{each.count} {each.rule}" for each in self.taken)
        return f"{self.count} places replaced: {parts}; {self.names}."


class Places:
    """Where placeholders stand in the records of a run, as these are finished.

    A value that many spans refer to is one place, named after the first that does.
    """

    def __init__(self, kinds: frozenset[str]) -> None:
        self._kinds = frozenset(GROUPS) | kinds
        self._found: dict[str, list[tuple[str, str, str]]] = {}  # by record: rule, id, path
        self._holders: dict[str, list[tuple[str, str]]] = {}  # of a value: records, where in them
        self._names: dict[str, str] = {}  # what people call a record; values have no name

    def note(
        self,
        key: str,
        name: str,
        text: bytes,
        tree: Any,
        hidden: Mapping[str, list[tuple[str, str]]] | None = None,
    ) -> None:
        """Take note of a finished record; an earlier state of it is forgotten.

        Args:
            key: What the record is known by: a digest, for values.
            name: What people call it.
            text: Its JSON.
            tree: What that says.
            hidden: Placeholders in texts that are encoded, by the text.

        """
        if name:
            self._names[key] = name
        marked = _MAYBE.search(text) is not None
        refs = {ref.decode() for ref in _REF.findall(text)} if self._found else set()
        refs = {ref for ref in refs if ref in self._found and self._wants_holder(ref)}
        self._found.pop(key, None)
        if not marked and not refs and not hidden:
            return
        found: list[tuple[str, str, str]] = []
        for path, leaf in _leaves(tree, "", 0):
            if leaf in refs and path.endswith("$ref"):
                place = (key, path.removesuffix("$ref").removesuffix("."))
                self._holders.setdefault(leaf, []).insert(0 if name else _MOST_HOLDERS, place)
            if marked:
                found += self._in(leaf, path)
            if hidden and leaf in hidden:
                found += [(rule, number, path) for rule, number in hidden[leaf]]
        if found or refs:
            self._found[key] = found

    def named_in(self, text: str) -> list[tuple[str, str]]:
        """Return the rules and numbers of the placeholders in a text."""
        return [(rule, number) for rule, number, _ in self._in(text, "")]

    def _wants_holder(self, ref: str) -> bool:
        holders = self._holders.get(ref, ())
        return not holders or (holders[0][0] not in self._names and len(holders) < _MOST_HOLDERS)

    def note_stream(self, span_id: str, name: str, trees: Iterable[Any]) -> None:
        """Take note of further chunks of a span's stream."""
        key = f"chunks {span_id}"
        known = self._found.setdefault(key, [])
        self._names[key] = self._names.get(f"span {span_id}", name)
        for tree in trees:
            for path, leaf in _leaves(tree, "chunks", 0):
                known += self._in(leaf, path)

    def _in(self, leaf: str, path: str) -> Iterator[tuple[str, str, str]]:
        for match in _IN_TEXT.finditer(leaf):
            is_value = match[1] == _SECRET and match[2].isupper()
            rule = _ENVIRONMENT if is_value else match[1]
            if rule in self._kinds:
                yield rule, match[2], path

    def taken(self, *, everything: bool = False) -> tuple[Taken, ...]:
        """Add up what stands in all records.

        Args:
            everything: Count values, too, that nothing refers to. While a run is written
                these are no values, but pieces of records that are written again.

        """
        counts: Counter[str] = Counter()
        ids: dict[str, set[str]] = {}
        paths: dict[str, dict[str, None]] = {}
        for key, found in self._found.items():
            around = self._named(key)
            if around is None and not everything:
                continue
            for rule, number, path in found:
                counts[rule] += 1
                ids.setdefault(rule, set()).add(number)
                known = paths.setdefault(rule, {})
                if len(known) < MOST_PATHS:
                    known[_told(around, path)] = None
        order = {name: place for place, name in enumerate(GROUPS)}
        rules = sorted(counts, key=lambda rule: (order.get(rule, len(order)), rule))
        return tuple(
            Taken(rule, counts[rule], len(ids[rule]), tuple(paths[rule])) for rule in rules
        )

    def where(self, key: str, path: str) -> str:
        """Return where a place of a record is, in words: `span: path in it`."""
        return _told(self._named(key), path)

    def held_by(self, key: str, path: str) -> tuple[str, str]:
        """Return the span that a place of a record is in, and the way to it from there.

        The id of the span is empty where it is in none, but in the run's own record.
        """
        around = self._around(key, 0)
        if around is None:
            return "", path
        record, outer = around
        span = record.partition(" ")[2] if record.startswith(("span ", "chunks ")) else ""
        return span, _joined(outer, path)

    def _named(self, key: str) -> tuple[str, str] | None:
        """Return what people call the record that a record stands in, and where in it."""
        around = self._around(key, 0)
        if around is None:
            return None
        record, outer = around
        span = record.replace("chunks", "span", 1) if record.startswith("chunks ") else record
        return self._names.get(span, self._names[record]), outer

    def _around(self, key: str, depth: int) -> tuple[str, str] | None:
        """Return the record with a name that a record stands in, and where in it."""
        if key.startswith("chunks ") or key in self._names:
            return key, ""
        for holder, place in self._holders.get(key, ()) if depth < _DEEPEST else ():
            outer = self._around(holder, depth + 1)
            if outer is not None:
                return outer[0], _joined(outer[1], place)
        return None


def _told(around: tuple[str, str] | None, path: str) -> str:
    name, outer = around or ("", "")
    return f"{name}: {_joined(outer, path)}"


def _joined(outer: str, inner: str) -> str:
    return f"{outer}.{inner}" if outer and inner and not inner.startswith("[") else outer + inner


def paths_of(node: Any, path: str, depth: int) -> Iterator[tuple[int, str]]:
    """Yield the identity of every container in a tree, and the way to it from a list of one."""
    yield id(node), path
    parts: Any = node.items() if isinstance(node, dict) else enumerate(node)
    for key, part in parts:
        if isinstance(part, (dict, list)):
            yield from paths_of(part, told_path(path, key) if depth else "", depth + 1)


def told_path(path: str, key: Any) -> str:
    """Return the way to what stands under a key of a dictionary, or at a place of a list."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if path and key else path or str(key)


def _leaves(node: Any, path: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield every text of a tree, keys too, with the way to it."""
    if isinstance(node, str):
        yield path, node
    elif isinstance(node, dict):
        for key, part in node.items():
            if "<" in key:
                yield path, key
            yield from _leaves(part, f"{path}.{key}" if path else key, depth + 1)
    elif isinstance(node, list):
        for place, part in enumerate(node):
            yield from _leaves(part, f"{path}[{place}]", depth + 1)
