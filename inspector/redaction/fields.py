"""The user's fields: whatever stands at a path is taken out, whatever it says.

A path is written with dots, `meta.customer` or `**.address.*`, and counts from anywhere: it
fits where the way to a value ends with it. `*` stands for one name and within a name for any
signs, `**` for any number of names. Lists do not count as a step.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from inspector.errors import RedactionError
from inspector.runfile.interned import Interned
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    States = frozenset[tuple[int, int]]

_LONGEST = 40
_DEEPEST = 200
_SKIPPED = ("$", "$ref")


class Fields:
    """Takes fields out of trees.

    Args:
        paths: What to take out.
        replace: Returns what stands in place of a value, for one that was taken out.
        resolve: Returns a tree without references and nodes.
        lookup: Returns the tree behind a reference; None where there is none to follow.

    """

    def __init__(
        self,
        paths: Iterable[str],
        replace: Callable[[Any], Any],
        resolve: Callable[[Any], Any],
        lookup: Callable[[str], Any] | None = None,
    ) -> None:
        self._paths = [_parsed(path) for path in paths]
        self._replace = replace
        self._resolve = resolve
        self._lookup = lookup
        self._steps: dict[tuple[States, str], tuple[States, bool]] = {}
        self.trail: list[str] = []
        """The names that lead to what is being replaced."""
        self._known: dict[tuple[str, States], Any] = {}
        self.start: States = self._opened({(number, 0) for number in range(len(self._paths))})

    def within(self, *names: str) -> States:
        """Return the state inside of any of some names, as if they stood around a tree."""
        state = self.start
        for name in names:
            state |= self._step(self.start, name)[0]
        return state

    def taken_out(self, tree: Any, state: States | None = None) -> Any:
        """Return a tree without the fields; the same object where there are none."""
        return self._walk(tree, self.start if state is None else state, 0)

    def _walk(self, tree: Any, state: States, depth: int) -> Any:
        if depth > _DEEPEST:
            return tree
        if isinstance(tree, list):
            return self._items(tree, state, depth)
        if isinstance(tree, Interned):
            return self._node(tree, state, depth)
        if not isinstance(tree, dict):
            return tree
        ref = tree.get("$ref")
        if isinstance(ref, str) and self._lookup is not None:
            return self._followed(tree, ref, state, depth)
        tag = tree.get(TAG)
        if tag in ("list", "tuple", "set", "frozenset"):
            parts = {
                key: self._walk(part, state, depth + 1) if key in ("after", "items") else part
                for key, part in tree.items()
            }
            return _same_or(tree, parts)
        if tag == "dict" and isinstance(pairs := tree.get("items"), list):
            return _same_or(tree, {**tree, "items": self._pairs(pairs, state, depth)})
        return _same_or(
            tree, {key: self._entry(key, part, state, depth) for key, part in tree.items()}
        )

    def _entry(self, key: str, part: Any, state: States, depth: int) -> Any:
        if key in _SKIPPED or _is_topology(key, part):
            return part
        inside, reached = self._step(state, key)
        self.trail.append(key)
        if reached and part is not None and not isinstance(part, bool):
            found = self._replace(self._resolve(part))
        else:
            found = self._walk(part, inside, depth + 1)
        self.trail.pop()
        return found

    def _items(self, tree: list[Any], state: States, depth: int) -> list[Any]:
        items = [self._walk(item, state, depth + 1) for item in tree]
        changed = any(new is not old for new, old in zip(items, tree, strict=True))
        return items if changed else tree

    def _pairs(self, pairs: list[Any], state: States, depth: int) -> list[Any]:
        out: list[Any] = []
        for pair in pairs:
            if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str):
                value = self._entry(pair[0], pair[1], state, depth)
                out.append(pair if value is pair[1] else [pair[0], value])
            else:
                out.append(self._walk(pair, state, depth + 1))
        changed = any(new is not old for new, old in zip(out, pairs, strict=True))
        return out if changed else pairs

    def _node(self, node: Interned, state: States, depth: int) -> Any:
        """Look into a node only where a path reaches into it; it comes by itself otherwise."""
        if state == self.start or node.tree is None:
            return node
        tree = self._resolve(node)
        found = self._walk(tree, state, depth + 1)
        return node if found is tree else found

    def _followed(self, tree: Any, ref: str, state: States, depth: int) -> Any:
        key = (ref, state)
        if key not in self._known:
            self._known[key] = tree  # what refers to itself ends here
            assert self._lookup is not None
            inner = self._lookup(ref)
            found = inner if inner is None else self._walk(inner, state, depth + 1)
            self._known[key] = None if found is inner else found
        found = self._known[key]
        return tree if found is None else found

    def _step(self, state: States, name: str) -> tuple[States, bool]:
        key = (state, name)
        known = self._steps.get(key)
        if known is None:
            if len(self._steps) > 100_000:
                self._steps.clear()
            known = self._steps[key] = self._stepped(state, name)
        return known

    def _stepped(self, state: States, name: str) -> tuple[States, bool]:
        following: set[tuple[int, int]] = set(self.start)
        reached = False
        for number, place in state:
            path = self._paths[number]
            if path[place] == "**":
                following.add((number, place))
            elif fnmatchcase(name, path[place]):
                if place + 1 == len(path):
                    reached = True
                else:
                    following.add((number, place + 1))
        return self._opened(following), reached

    def _opened(self, state: set[tuple[int, int]]) -> States:
        """Let `**` stand for no name at all, too."""
        opened = set(state)
        for number, place in state:
            path = self._paths[number]
            while path[place] == "**" and place + 1 < len(path):
                place += 1  # noqa: PLW2901 - on to what may come next
                opened.add((number, place))
        return frozenset(opened)


def _is_topology(key: str, part: Any) -> bool:
    """Whether this says which sockets there are, and not what went through them."""
    return key == "topology" and isinstance(part, dict) and "components" in part


def _same_or(tree: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    return parts if any(parts[key] is not tree[key] for key in tree) else tree


def _parsed(path: str) -> list[str]:
    names = [name for name in path.replace("[", ".").replace("]", "").split(".") if name]
    names = [name for name in names if not name.isdigit()]
    if not names or len(names) > _LONGEST or names[-1] == "**" or set(names) <= {"*", "**"}:
        raise RedactionError(
            f"{path!r} is no path of a field.", hint="Write it like meta.customer or **.address.*"
        )
    return names
