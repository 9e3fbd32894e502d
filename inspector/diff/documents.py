"""Two ranked lists of documents: which document is which, and what became of each."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.diff.canonical import Canonical, is_derived_id
from inspector.diff.leaves import Difference, differences
from inspector.diff.likeness import successors
from inspector.diff.model import DocumentMove
from inspector.diff.sequences import rising
from inspector.runfile.fingerprint import Fingerprints
from inspector.runfile.value import is_document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Lookup = Callable[[str], Any]

# Embedders and BM25 move scores in their last digits from machine to machine.
_SCORE_TOLERANCE = 1e-6
_NOT_CONTENT = frozenset({"id", "score", "embedding", "sparse_embedding"})
_LONGEST = 60
_TITLES = ("title", "name", "file_name", "filename", "file_path", "source", "path", "url", "link")
_PAGES = ("page_number", "page")


class Placed(NamedTuple):
    """A document at its rank, which counts from 0, without its embeddings."""

    rank: int
    tree: Mapping[str, Any]


def placed(documents: Iterable[Any], lookup: Lookup | None = None) -> list[Placed]:
    """Return the documents of a list with their ranks, as plain JSON; other values are left out."""
    canonical = Canonical(lookup)
    found = []
    for rank, document in enumerate(documents):
        tree = canonical.followed(document)
        if is_document(tree):
            kept = (key for key in tree if key not in ("embedding", "sparse_embedding"))
            found.append(Placed(rank, {key: canonical.shown(tree[key]) for key in kept}))
    return found


def name_of(document: Mapping[str, Any]) -> str:
    """Return what a person calls a document: its id, or how it begins."""
    named, content = document.get("id"), document.get("content")
    if isinstance(named, str) and not is_derived_id(named):
        return named
    if isinstance(content, str):
        return _head(content)
    return named if isinstance(named, str) else "without an id"


def title_of(document: Mapping[str, Any]) -> str:
    """Return what its metadata calls a document, and else its id or how it begins."""
    meta = document.get("meta")
    if isinstance(meta, dict):
        for field in _TITLES:
            if isinstance(title := meta.get(field), str) and title.strip():
                short = title if field in ("title", "name") else _file_name(title)
                page = next((meta[key] for key in _PAGES if isinstance(meta.get(key), int)), None)
                return f"{_cut(short)}, page {page}" if page is not None else _cut(short)
    return name_of(document)


def paired(
    before: list[Placed], after: list[Placed]
) -> tuple[list[tuple[Placed, Placed]], list[Placed], list[Placed]]:
    """Return which documents are the same ones, which are gone and which are new.

    A document that Haystack named after its content is found again by its content, and
    where that changed by metadata that only it has or by most of its words; any other by its
    id.
    """
    prints = Fingerprints()
    pairs: list[tuple[Placed, Placed]] = []
    everyone = before, after

    def everything(each: Placed) -> Any:
        if _own_id(each) is not None:
            return None
        return prints.of({key: each.tree[key] for key in each.tree if key not in _NOT_CONTENT})

    def content(each: Placed) -> Any:
        if _own_id(each) is not None:
            return None
        return prints.of({key: each.tree.get(key) for key in ("content", "blob")})

    def meta_print(each: Placed) -> Any:
        told = each.tree.get("meta")
        return prints.of(told) if told and _own_id(each) is None else None

    # Metadata that others have too says nothing of who this is.
    had = [Counter(map(meta_print, side)) for side in everyone] if before and after else []

    def meta(each: Placed) -> Any:
        told = meta_print(each)
        return told if all(side[told] <= 1 for side in had) else None

    for key in (_own_id, everything, content, meta):
        found, before, after = _paired_by(key, before, after)
        pairs += found
    if before and after:
        became = successors(*map(_texts, everyone, (before, after)))
        pairs += [(everyone[0][here], everyone[1][there]) for here, there in became.items()]
        before = [each for each in before if each.rank not in became]
        after = [each for each in after if each.rank not in set(became.values())]
    pairs.sort(key=lambda pair: pair[0].rank)
    return pairs, before, after


def _paired_by(
    key: Callable[[Placed], Any], before: list[Placed], after: list[Placed]
) -> tuple[list[tuple[Placed, Placed]], list[Placed], list[Placed]]:
    """Return who has the same key on both sides, each with the first that is left of them."""
    waiting: dict[Any, list[Placed]] = defaultdict(list)
    for each in reversed(after):
        if (named := key(each)) is not None:
            waiting[named].append(each)
    pairs, left = [], []
    for each in before:
        named = key(each)
        if named is not None and waiting.get(named):
            pairs.append((each, waiting[named].pop()))
        else:
            left.append(each)
    taken = {now.rank for _, now in pairs}
    return pairs, left, [each for each in after if each.rank not in taken]


def _texts(side: list[Placed], sought: list[Placed]) -> list[tuple[str, bool]]:
    """Return what each document says, and whether nobody knows yet who it is."""
    ranks = {each.rank for each in sought if _own_id(each) is None}
    return [(str(each.tree.get("content") or ""), each.rank in ranks) for each in side]


def _own_id(each: Placed) -> str | None:
    named = each.tree.get("id")
    if named is None or is_derived_id(named):
        return None
    # A file may say anything, also what no dictionary takes for a key.
    return named if isinstance(named, str) else Fingerprints().of(named)


def what_changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Difference, ...]:
    """Return the leaves in which two documents differ, without ids, scores and embeddings."""
    one, other = (
        {key: tree[key] for key in tree if key not in _NOT_CONTENT} for tree in (before, after)
    )
    return differences(one, other)


def is_close(one: Any, other: Any) -> bool:
    """Whether two scores are the same one, but for what machines make of it."""
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return abs(one - other) <= _SCORE_TOLERANCE * max(abs(one), abs(other), 1e-9)
    return bool(one == other)


def document_moves(
    left_docs: Iterable[Any],
    right_docs: Iterable[Any],
    *,
    left_lookup: Lookup | None = None,
    right_lookup: Lookup | None = None,
    left_limit: int | None = None,
    right_limit: int | None = None,
) -> tuple[DocumentMove, ...]:
    """Return what became of each document: the left list in its order, then what is new.

    Args:
        left_docs: Documents as value trees, the best first.
        right_docs: The same.
        left_lookup: Returns the tree that a digest stands for.
        right_lookup: The same.
        left_limit: How many documents were asked for, where known: a list that is not full
            was not cut off by it.
        right_limit: The same.

    """
    before, after = placed(left_docs, left_lookup), placed(right_docs, right_lookup)
    pairs, gone, new = paired(before, after)
    moved = across([(old.rank, now.rank) for old, now in pairs])
    found = {
        old.rank: _move(old, now, _change(old, now, old.rank in moved)) for old, now in pairs
    }  # fmt: skip
    beyond = _cut_off(
        gone, new, [(old.rank, now.rank) for old, now in pairs], len(after), right_limit
    )
    found |= {
        old.rank: _move(old, None, "cut off" if old.rank in beyond else "removed") for old in gone
    }
    told = [found[rank] for rank in sorted(found)]
    beyond = _cut_off(
        new, gone, [(now.rank, old.rank) for old, now in pairs], len(before), left_limit
    )
    return (
        *told,
        *(_move(None, now, "cut off" if now.rank in beyond else "added") for now in new),
    )


def _move(old: Placed | None, now: Placed | None, change: str) -> DocumentMove:
    known = old or now
    assert known is not None
    return DocumentMove(
        key=_key(known.tree),
        name=title_of(known.tree),
        left_rank=None if old is None else old.rank + 1,
        right_rank=None if now is None else now.rank + 1,
        left_score=None if old is None else _score(old),
        right_score=None if now is None else _score(now),
        change=change,
    )


def _key(tree: Mapping[str, Any]) -> str:
    named = tree.get("id")
    if isinstance(named, str):
        return named
    return Fingerprints().of({key: tree[key] for key in tree if key not in _NOT_CONTENT})


def _score(each: Placed) -> float | None:
    score = each.tree.get("score")
    return float(score) if isinstance(score, (int, float)) else None


def _change(old: Placed, now: Placed, moved: bool) -> str:
    leaves = [str(found.leaf) for found in what_changed(old.tree, now.tree)]
    if any(not leaf.startswith("meta") for leaf in leaves):
        return "content"
    if leaves:
        return "meta"
    if moved:
        return "moved"
    return "same" if is_close(old.tree.get("score"), now.tree.get("score")) else "score"


def across(pairs: Sequence[tuple[int, int]]) -> set[int]:
    """Return the left places of the pairs that moved past the others: as few as possible.

    What comes or goes in front moves nobody, and a document that rises from rank 5 to 2 has
    not moved the three that it passed. The pairs are in the order of their left places.
    """
    kept = set(rising(list(pairs)))
    return {here for here, there in pairs if (here, there) not in kept}


def _cut_off(
    gone: list[Placed],
    new: list[Placed],
    pairs: list[tuple[int, int]],
    size: int,
    limit: int | None,
) -> set[int]:
    """Return the ranks of those that the other list may hold beyond its end.

    That is the tail of a list, behind everything that both have, when the other list is full,
    and was not filled up with something that scored less.
    """
    if limit is not None and size < limit:
        return set()
    last = max((rank for rank, _ in pairs), default=-1)
    scores = [score for each in new if (score := _score(each)) is not None]
    worst = min(scores, default=None)
    found = set()
    for each in gone:
        mine = _score(each)
        beaten = worst is None or mine is None or mine <= worst
        if pairs and each.rank > last and beaten and (not new or worst is not None):
            found.add(each.rank)
    return found


def _head(content: str) -> str:
    return f"“{_cut(' '.join(content[: 4 * _LONGEST].split()))}”"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _file_name(path: str) -> str:
    return path.rstrip("/\\").replace("\\", "/").rpartition("/")[2] or path
