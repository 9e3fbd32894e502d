"""A run in pieces that can be cut: its header, its spans, and the values they refer to.

Values are never followed into one another here, so that a file of references cannot become
more than it is. A value that changes gets another name, and so does whatever refers to it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

from inspector.errors import InspectorError
from inspector.runfile.compact import compact
from inspector.runfile.digest import value_id
from inspector.runfile.fingerprint import Fingerprints
from inspector.runfile.layout import run_file
from inspector.runfile.leaf import LeafError, read_leaf
from inspector.runfile.save import header_text
from inspector.runfile.value import REF, TAG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from inspector.runfile.model import PipelineRun

Tree = Any

_REF = re.compile(rb'"\$ref":"([^"\\]{1,200})"')
_LARGEST = 256 * 1024 * 1024
_SHORT = 80  # a value of so many bytes stands where it is used
VALUES_OF_RUN = ("inputs", "outputs")
VALUES_OF_SPAN = ("inputs", "outputs", "arguments", "state_changes", "retrieval", "chunks")
_SAID_ANEW = ("inputs", "outputs", "arguments", "retrieval")
_SENDERS = ("senders", "receivers")
_PROMPTS = ("template", "system_prompt", "user_prompt")
_SOCKETS = 2  # levels of what a run is given: components, and their sockets
_NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Draft:
    """What a run file is made of. Nobody changes the trees of a draft: another one is made."""

    header: Mapping[str, Any]
    spans: tuple[Mapping[str, Any], ...]
    values: Mapping[str, Tree]
    """By their names, those first that others refer to."""
    _data: list[bytes] = field(default_factory=list, compare=False, repr=False)

    def data(self) -> bytes:
        """Return the run file. What nobody refers to is not in it."""
        if not self._data:
            head, records = compact(self.header, str), [compact(span, str) for span in self.spans]
            texts = {name: compact(tree, str) for name, tree in self.values.items()}
            wanted = _wanted(texts, [head, *records])
            kept = ((name, text) for name, text in texts.items() if name in wanted)
            self._data.append(b"".join(run_file(head, records, kept, named_by_digest=False)))
        return self._data[0]

    def followed(self, tree: Tree) -> Tree:
        """Return a tree whose outermost reference is followed once."""
        if isinstance(tree, dict) and isinstance(ref := tree.get(REF), str):
            return self.values.get(ref)
        return tree

    def pruned(self) -> Draft:
        """Return it without the values that nobody refers to."""
        texts = {name: compact(tree, str) for name, tree in self.values.items()}
        records = [compact(each, str) for each in (self.header, *self.spans)]
        wanted = _wanted(texts, records)
        kept = {name: tree for name, tree in self.values.items() if name in wanted}
        return Draft(self.header, self.spans, kept, self._data)

    def with_values(
        self, change: Callable[[Tree, Renamed], Tree], *, definition: bool = False
    ) -> Draft:
        """Return a draft in which every tree is what `change` makes of it.

        Args:
            change: Is given a tree and what became of values, and returns the same tree where
                nothing is to change.
            definition: Whether the prompts that the pipeline was made with are changed, too.

        """
        renamed = Renamed(self)
        for name, tree in self.values.items():
            renamed.add(name, change(tree, renamed))
        header = _changed(self.header, VALUES_OF_RUN, change, renamed)
        if definition and "definition" in header:
            prompts = _prompts_changed(header["definition"], change, renamed)
            header = {**header, "definition": prompts}
        spans = tuple(_changed(span, VALUES_OF_SPAN, change, renamed) for span in self.spans)
        return Draft(header, spans, renamed.values)


class Renamed:
    """What became of the values of a draft that is being changed."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.values: dict[str, Tree] = {}
        self._now: dict[str, Tree] = {}

    def add(self, name: str, tree: Tree) -> None:
        """Take a value that was looked at."""
        if tree is self.draft.values[name]:
            self.values[name] = tree
            return
        text = compact(tree, str)
        named = value_id(text)
        self.values.setdefault(named, tree)
        self._now[name] = {REF: named} if len(text) > _SHORT else tree

    def now(self, node: Mapping[str, Any], *, inline: bool = True) -> Tree:
        """Return what stands in place of a reference."""
        ref = node.get(REF)
        tree = self._now.get(ref, node) if isinstance(ref, str) else node
        if inline or tree is node or (isinstance(tree, dict) and REF in tree):
            return tree
        return {REF: value_id(compact(tree, str))}


def draft_of(run: PipelineRun) -> Draft:
    """Take a run to pieces.

    Raises:
        InspectorError: It is too large for that.

    """
    texts = [text for _, text in sorted(run.record_texts())]
    names = list(run.values.digests())
    size = sum(map(len, texts)) + sum(run.values.size(name) for name in names)
    if size > _LARGEST:
        raise InspectorError("This run is too large to be cut: it has more than 256 MB.")
    header = _tree(header_text(run))
    spans = tuple(span for span in map(_tree, texts) if isinstance(span, dict))
    values = {name: _tree(run.values.raw(name)) for name in names}
    return Draft(header if isinstance(header, dict) else {}, spans, values)


def made_to_fit(draft: Draft, replay: PipelineRun) -> Draft:
    """Return a draft in which each call was given and gave back what it did in a replay.

    Only what is another value is taken from there: the rest stays as it was recorded.
    """
    said = draft_of(replay)
    before, now = Fingerprints(_lookup(draft)), Fingerprints(_lookup(said))
    by_path: dict[Any, Mapping[str, Any]] = {}
    for span in said.spans:
        by_path.setdefault(span.get("path"), span)

    def merged(one: Tree, other: Tree, depth: int) -> Tree:
        # Named, for a callback is no other one for its name.
        if before.of({"": one}) == now.of({"": other}):
            return one
        inner, live = draft.followed(one), said.followed(other)
        if not (depth and _is_plain(inner) and _is_plain(live)):
            return other
        return {
            name: merged(inner[name], value, depth - 1) if name in inner else value
            for name, value in live.items()
        }

    def fitted(one: Mapping[str, Any], other: Mapping[str, Any], names: Iterable[str]) -> Any:
        there = [name for name in names if name in one and name in other]
        return {**one, **{name: merged(one[name], other[name], _SOCKETS) for name in there}}

    spans = []
    for span in draft.spans:
        live = by_path.get(span.get("path"), _NOTHING)
        fresh = fitted(span, live, _SAID_ANEW)
        sent = {name: live[name] for name in _SENDERS if name in fresh and name in live}
        spans.append(
            {**fresh, **sent} if any(fresh[name] != sent[name] for name in sent) else fresh
        )
    header = fitted(draft.header, said.header, VALUES_OF_RUN)
    header = _with_numbers(header, said.header.get("redacted"))
    return Draft(header, tuple(spans), {**draft.values, **said.values})


def _with_numbers(header: Mapping[str, Any], live: Any) -> Mapping[str, Any]:
    """Return a header that knows the highest numbers of placeholders, also of new ones."""
    said = header.get("redacted")
    before, now = (
        each.get("numbers") if isinstance(each, dict) else None for each in (said, live)
    )  # fmt: skip
    if not (isinstance(said, dict) and isinstance(before, dict) and isinstance(now, dict)):
        return header
    numbers = {**before, **{rule: last for rule, last in now.items() if isinstance(last, int)}}
    return {**header, "redacted": {**said, "numbers": numbers}}


def _is_plain(tree: Tree) -> bool:
    return isinstance(tree, dict) and TAG not in tree and REF not in tree


def _lookup(draft: Draft) -> Callable[[str], Tree]:
    return draft.values.__getitem__


def _changed(
    record: Mapping[str, Any], names: Iterable[str], change: Callable[[Tree, Renamed], Tree],
    renamed: Renamed,
) -> Mapping[str, Any]:  # fmt: skip
    changed = {}
    for name in names:
        if name in record:
            tree = change(record[name], renamed)
            if tree is not record[name]:
                changed[name] = tree
    return {**record, **changed} if changed else record


def _prompts_changed(tree: Tree, change: Callable[[Tree, Renamed], Tree], renamed: Renamed) -> Tree:
    if isinstance(tree, list):
        return [_prompts_changed(item, change, renamed) for item in tree]
    if not isinstance(tree, dict):
        return tree
    return {
        name: change(value, renamed)
        if name in _PROMPTS
        else _prompts_changed(value, change, renamed)
        for name, value in tree.items()
    }


def _wanted(texts: Mapping[str, bytes], records: Iterable[bytes]) -> set[str]:
    """Return the names of the values that are referred to, however far down."""
    wanted: set[str] = set()
    waiting = list(records)
    while waiting:
        for found in _REF.findall(waiting.pop()):
            name = found.decode("utf-8", "replace")
            if name not in wanted and name in texts:
                wanted.add(name)
                waiting.append(texts[name])
    return wanted


def _tree(text: bytes) -> Tree:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        pass
    try:
        return read_leaf(text)[0]
    except LeafError as error:
        return {"$": "opaque", "type": "json", "repr": "", "why": f"it {error}"}
