"""Two lists of documents, found for the same question by the same store at two times.

In order of severity: documents that are gone, that are new, whose content is another one,
whose metadata is, another order, another score.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.diff.canonical import Canonical
from inspector.diff.documents import Placed, is_close, name_of, paired, placed, what_changed
from inspector.diff.leaves import Difference, differences, inside
from inspector.runfile.drift import Drift, DriftKind, Grade
from inspector.runfile.value import is_document, tag_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SEVERITIES = ("removed", "added", "content", "meta", "order", "score")


class Finding(NamedTuple):
    """One difference between two lists of documents."""

    severity: str  # one of SEVERITIES
    leaf: str
    recorded: Any
    live: Any
    document: str  # its id, or what it says where the id follows from that


def compare_documents(
    recorded: Iterable[Any],
    live: Iterable[Any],
    lookup: Callable[[str], Any] | None = None,
    *,
    leaf: str = "documents",
) -> tuple[Finding, ...]:
    """Return how two lists of documents differ, the most severe first.

    A document that Haystack named after its content is found again by its content, and
    where that changed by its metadata; any other by its id.
    """
    pairs, gone, new = paired(placed(recorded, lookup), placed(live, lookup))
    found = [
        Finding("removed", inside(leaf, each.rank), each.tree, None, name_of(each.tree))
        for each in gone
    ]
    found += [
        Finding("added", inside(leaf, each.rank), None, each.tree, name_of(each.tree))
        for each in new
    ]
    for old, now in pairs:
        found += _changes(old, now, leaf)
    if [now.rank for _, now in pairs] != sorted(now.rank for _, now in pairs):
        found += _order(pairs, leaf)
    return tuple(sorted(found, key=lambda each: SEVERITIES.index(each.severity)))


def retrieval_drift(
    path: str,
    visit: int,
    recorded: Any,
    live: Any,
    *,
    lookup: Callable[[str], Any] | None = None,
    candidate: str | None = None,
) -> Drift | None:
    """Return how what a call found differs from what it found when it was recorded.

    Args:
        path: Where the call was made; `visit` says for which time.
        visit: See there.
        recorded: Its recorded outputs, `{socket: value}`, as a value tree.
        live: Its outputs now.
        lookup: Returns the tree that a digest stands for.
        candidate: The path of the recorded call, where it is another one.

    """
    canonical = Canonical(lookup)
    before, after = canonical.followed(recorded), canonical.followed(live)
    if not (isinstance(before, dict) and isinstance(after, dict)):
        before, after = {"": before}, {"": after}
    found: list[Finding] = []
    for socket in dict.fromkeys((*before, *after)):
        one, other = before.get(socket), after.get(socket)
        old, now = _documents(one, canonical), _documents(other, canonical)
        leaf = inside("", socket) if socket else ""
        if old is not None and now is not None:
            found += compare_documents(old, now, lookup, leaf=leaf or "documents")
        else:
            found += _others(one, other, lookup, leaf)
    if not found:
        return None
    found.sort(key=lambda each: SEVERITIES.index(each.severity))
    first = found[0]
    slight = SEVERITIES.index(first.severity) >= SEVERITIES.index("order")
    return Drift(
        kind=DriftKind.RETRIEVAL, path=path, visit=visit,
        grade=Grade.MINOR if slight else Grade.MAJOR,
        leaf=first.leaf, recorded=_said(first, first.recorded), live=_said(first, first.live),
        candidate=candidate or path, message=f"{path} finds something else: {words_of(found)}.",
        details=details_of(found),
    )  # fmt: skip


def words_of(found: Iterable[Finding]) -> str:
    """Say what differs in one line, the most severe first."""
    counts: dict[str, list[Finding]] = defaultdict(list)
    for each in found:
        counts[each.severity].append(each)
    told = []
    for severity in SEVERITIES:
        if not (here := counts.get(severity)):
            continue
        names = list(dict.fromkeys(each.document for each in here))
        count = f"{len(names)} documents" if len(names) > 1 else f"document {names[0]}"
        told.append(f"{count} {_WORDS[severity]}")
    return ", ".join(told)


_WORDS = {
    "removed": "no longer found",
    "added": "newly found",
    "content": "with other content",
    "meta": "with other metadata",
    "order": "at another rank",
    "score": "with another score",
}


def details_of(found: Iterable[Finding]) -> dict[str, list[dict[str, Any]]]:
    """Return the findings as JSON, by severity."""
    details: dict[str, list[dict[str, Any]]] = {}
    for each in found:
        entry: dict[str, Any] = {"document": each.document, "leaf": each.leaf}
        recorded, live = _said(each, each.recorded), _said(each, each.live)
        if recorded is not None:
            entry["recorded"] = recorded
        if live is not None:
            entry["live"] = live
        details.setdefault(each.severity, []).append(entry)
    return details


def _said(finding: Finding, value: Any) -> Any:
    if finding.severity in ("removed", "added") and isinstance(value, dict):
        return {key: value[key] for key in value if key not in ("embedding", "sparse_embedding")}
    return value


def _documents(value: Any, canonical: Canonical) -> list[Any] | None:
    part = canonical.part(value)
    if part.kind != "list" or part.parts is None:
        return None
    items = [canonical.followed(item) for item in part.parts.values()]
    return items if all(is_document(item) for item in items) else None


def _changes(old: Placed, now: Placed, leaf: str) -> Iterable[Finding]:
    here = inside(leaf, now.rank)
    name = name_of(old.tree)
    for found in what_changed(old.tree, now.tree):
        assert found.leaf is not None
        severity = "meta" if found.leaf.startswith("meta") else "content"
        yield Finding(severity, f"{here}.{found.leaf}", found.recorded, found.live, name)
    before, after = old.tree.get("score"), now.tree.get("score")
    if not is_close(before, after):
        yield Finding("score", f"{here}.score", before, after, name)


def _order(pairs: list[tuple[Placed, Placed]], leaf: str) -> Iterable[Finding]:
    # The ranks among those found both times: what came or went in front moves nobody.
    by_rank = sorted(pairs, key=lambda pair: pair[1].rank)
    for number, (was, now) in enumerate(zip(pairs, by_rank, strict=True)):
        if was is not now:
            yield Finding(
                "order", inside(leaf, number), name_of(was[0].tree), name_of(now[1].tree),
                name_of(was[0].tree),
            )  # fmt: skip


def _others(
    one: Any, other: Any, lookup: Callable[[str], Any] | None, leaf: str
) -> Iterable[Finding]:
    for found in differences(one, other, lookup):
        yield _plain(found, leaf)


def _plain(found: Difference, leaf: str) -> Finding:
    here = (
        f"{leaf}{'' if (found.leaf or '').startswith('[') or not found.leaf else '.'}{found.leaf}"
    )
    if not leaf:
        here = found.leaf or ""
    if tag_of(found.recorded) == "document" and found.live is None:
        return Finding("removed", here, found.recorded, None, name_of(found.recorded))
    if tag_of(found.live) == "document" and found.recorded is None:
        return Finding("added", here, None, found.live, name_of(found.live))
    severity = "score" if here.endswith(".score") else "meta" if ".meta" in here else "content"
    return Finding(severity, here, found.recorded, found.live, here)
