"""Retrievers and readers of files: run where that stays in the process, and compared.

A replay that only repeated what a retriever once found would say that all is well when the
store has changed. So what can run without leaving the process does run; and where that
cannot be, the recorded result is served and the report says that nobody looked.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.redaction.likeness import PLACEHOLDER
from inspector.replay.as_written import as_written
from inspector.replay.cassette import Miss
from inspector.replay.classes import Treatment
from inspector.replay.outputs import compare_executed
from inspector.replay.plans import Plan, Source
from inspector.replay.redacted import agrees
from inspector.replay.retrieval import retrieval_drift
from inspector.replay.revive import DigestOnly
from inspector.replay.words import note_not_verified

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.recording.session import LiveSpan
    from inspector.replay.policy import Ruling
    from inspector.replay.recorded import Entry
    from inspector.replay.session import ReplaySession

_LOCAL_STORES = ("haystack.document_stores.in_memory.",)
_MOST_STORES = 20


def verified(
    session: ReplaySession, live: LiveSpan, instance: Any, ruling: Ruling, named: dict[str, Any]
) -> Plan:
    """Run a retriever or a reader of files and compare, or answer it and say so."""
    if ruling.treatment is Treatment.FILES and not (paths := list(_paths_in(named))):
        # Data in memory: it depends on nothing but its inputs.
        live.at_end = partial(_as_executed, session)
        return _run(session, live, Source.EXECUTED)
    found = session.find(live)
    if isinstance(found, Miss):
        return session.unanswered(live, ruling, found)
    entry = found.entry
    if ruling.treatment is Treatment.FILES:
        why = _files_missing(paths)
    else:
        why = _cannot_verify(instance, named) or _is_redacted(session, named)
    asks = why is not None and ruling.treatment is Treatment.VERIFY
    if why is None or (asks and session.terms.verify_retrieval):
        plan = _run(session, live, Source.VERIFIED)
        plan.is_live = why is not None
        session.ledger.verified += 1
        plan.then = partial(_compare, session, entry)
        return plan
    plan = session.answer(live, instance, ruling, found)
    session.ledger.not_verified.append(live.path)
    session.drift(note_not_verified(live, why or ""), stop=False)
    return plan


def _run(session: ReplaySession, live: LiveSpan, source: str) -> Plan:
    if source == Source.EXECUTED:
        session.ledger.executed += 1
    live.fields["source"] = source
    return Plan(source)


def _as_executed(session: ReplaySession, live: LiveSpan) -> None:
    compare_executed(session, session.place(live), live)


def _compare(session: ReplaySession, entry: Entry, live: LiveSpan, result: Any) -> Any:
    """Compare what was found now with what was found then; under STRICT, stop at it."""
    if entry.status != "ok":
        return result
    tree = live.recording.capture.at_once(result)
    if session.print_of(tree) == entry.output_fingerprint or _is_remade(session, live):
        return result
    tree = as_written(session, tree)
    alike = session.numbered and session.print_of(tree) == entry.output_fingerprint
    if alike and agrees(session, tree, session.run.resolve(entry.raw.get("outputs"))):
        # By now it is known what its secrets are called in the recording.
        tree = as_written(session, live.recording.capture.at_once(result))
    drift = retrieval_drift(
        live.path, live.visit, entry.raw.get("outputs"), tree,
        lookup=session.lookup, candidate=entry.path,
    )  # fmt: skip
    if drift is not None:
        session.drift(drift, stop=True)
    return result


def _is_remade(session: ReplaySession, live: LiveSpan) -> bool:
    """Say whether a retriever was told to find something else, which was noted as such."""
    start = f"{session.place(live).rpartition('#')[0]}#"
    return any(
        drift.counts
        and drift.path.startswith(start)
        and str(drift.leaf).startswith("init_parameters.")
        for drift in session.ledger.drifts
    )


def _cannot_verify(instance: Any, named: dict[str, Any]) -> str | None:
    """Say why a retriever cannot run here, or None when it can."""
    if any(_is_unknown(value) for value in named.values()):
        return "the numbers of its embedding were not recorded"
    stores = list(_stores_of(instance))
    if not stores:
        return f"it is not known what {type(instance).__name__} reads"
    for store in stores:
        if not _qualified(store).startswith(_LOCAL_STORES):
            return f"its {type(store).__name__} is not in this process"
        if not _has_documents(store):
            return f"its {type(store).__name__} is empty"
    return None


def _is_redacted(session: ReplaySession, named: dict[str, Any]) -> str | None:
    """Say so when a retriever would be asked for a placeholder: it stands in no document."""
    if not isinstance(session.run.header.get("redacted"), dict):
        return None
    asked = any(isinstance(value, str) and PLACEHOLDER.search(value) for value in named.values())
    return "what it was asked was redacted" if asked else None


def _is_unknown(value: Any) -> bool:
    return isinstance(value, DigestOnly) and value.tree is not None


def _qualified(instance: Any) -> str:
    return f"{type(instance).__module__}.{type(instance).__name__}"


def _stores_of(instance: Any) -> Iterator[Any]:
    for name, value in list(vars(instance).items())[: 10 * _MOST_STORES]:
        if name[:2] != "__" and callable(getattr(type(value), "write_documents", None)):
            yield value


def _has_documents(store: Any) -> bool:
    try:
        return bool(store.count_documents())
    except Exception:  # noqa: BLE001 - a store that cannot be counted cannot be compared with
        return False


_DEEP = 3


def _paths_in(value: Any, depth: int = 0) -> Iterator[Path]:
    """Yield the files that a call names: in its sources, or in the meta of documents."""
    if isinstance(value, (str, Path)) and depth:
        yield Path(value)
    elif isinstance(value, dict) and depth < _DEEP:
        for name, part in value.items():
            if depth or name not in _NO_PATHS:
                yield from _paths_in(part, depth + 1 if depth or name in _SOURCES else depth)
    elif isinstance(value, (list, tuple)) and depth < _DEEP:
        for part in value:
            yield from _paths_in(part, depth)
    elif isinstance(meta := getattr(value, "meta", None), dict) and _is_document(value):
        path = meta.get("file_path")
        if isinstance(path, (str, Path)):
            yield Path(path)


_SOURCES = frozenset({"sources", "paths", "file_paths", "documents"})
_NO_PATHS = frozenset({"meta", "extra"})


def _is_document(value: Any) -> bool:
    return hasattr(value, "content") and hasattr(value, "embedding")


def _files_missing(paths: list[Path]) -> str | None:
    missing = [path for path in paths if not path.exists()]
    return f"{missing[0].name} is not there any more" if missing else None
