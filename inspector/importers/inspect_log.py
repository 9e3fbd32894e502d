"""Logs of Inspect: archives with a file for each sample (`.eval`), and logs in one piece of JSON.

Each sample of each epoch is a run.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.errors import RunFileError
from inspector.importers.archive import Archive, MemberError, first_name
from inspector.importers.building import RunBuilder
from inspector.importers.conversations import conversation_run
from inspector.importers.inspect_sample import Sample
from inspector.importers.texts import tree_of, whole
from inspector.runfile.bounds import MIB
from inspector.runfile.leaf import LeafError
from inspector.runfile.shallow import items_of, members_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from inspector.importers.head import Head
    from inspector.importers.imported import Context, ImportedRun
    from inspector.importers.losses import Losses

    _Load = Callable[[Losses], tuple[Any, int]]

_MEMBERS = ("_journal/", "samples/", "header.json", "summaries.json", "reductions.json")
_EVAL = frozenset({"task", "task_id", "run_id", "eval_id"})
_SAMPLE = frozenset({"id", "epoch", "input", "target"})
_TOLD = frozenset({"events", "messages", "transcript"})
_NAMED = re.compile(
    r"samples/(?P<id>.+)_epoch_(?P<epoch>\d{1,9})(?:\.json|/sample\.json)\Z", re.DOTALL
)
_SAMPLES = re.compile(rb'[\s,]*"samples"\s*:\s*(?=\[)')
_CHUNKS = ("messages", "events", "calls", "attachments")
_MOST_BYTES = 256 * MIB


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    if name := first_name(head.data):
        return 85 if is_archive_of_log([name]) else 0
    keys = head.keys
    if keys >= {"version", "eval"} or keys >= {"status", "eval"}:
        return 85 if head.inner_keys("eval") & _EVAL else 0
    if (
        len(keys & _SAMPLE) >= 3
        and "epoch" in keys
        and (keys & _TOLD or head.size > len(head.data))
    ):
        return 75
    return 85 if _is_index(head) else 0


def is_archive_of_log(names: list[str]) -> bool:
    """Whether an archive with files of these names is a log."""
    return any(name.startswith(_MEMBERS) for name in names)


def _is_index(head: Head) -> bool:
    """Whether a file is the list that Inspect keeps of the logs in a folder."""
    if not any(key.endswith((".eval", ".json")) for key in head.keys):
        return False
    name = next(key for key in head.keys if key.endswith((".eval", ".json")))
    return head.inner_keys(name) >= {"eval", "status"}


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield a run for each sample and epoch.

    Raises:
        RunFileError: It holds no sample, or is a list of logs.

    """
    head = context.source.read_at(0, min(4, context.source.size))
    log = _of_archive(context) if head.startswith(b"PK") else _of_json(context)
    places = log.samples
    context.total = len(places)
    if not places:
        raise _without_samples(log.header, context.name)
    if isinstance(log.header.get("error"), dict):
        said = str(log.header["error"].get("message") or "")[:500]
        context.losses.problem(f"The evaluation ended with an error: {said}")
    wanted = context.wanted(len(places))
    taken, left = 0, 0
    for number in wanted:
        context.check(number / len(places))
        if taken > _MOST_BYTES:
            left += 1
            continue
        label, load = places[number]
        own = context.apart()
        try:
            tree, size = load(own.losses)
        except (MemberError, LeafError) as trouble:
            context.losses.skip("sample that cannot be read", f"{label}: {trouble}")
            continue
        taken += size
        if not isinstance(tree, dict):
            context.losses.skip("sample that is no object", label)
            continue
        yield own.told_apart(_run(Sample(tree, own.losses), log.header, own))
    if left:
        context.losses.skip(
            "sample after the first that fill the memory", "choose one by its number", left
        )


class _Log(NamedTuple):
    """A log: what it says of itself, and its samples, each with a name and what loads it."""

    header: dict[str, Any]
    samples: list[tuple[str, _Load]]


def _run(sample: Sample, header: dict[str, Any], context: Context) -> ImportedRun:
    about = header.get("eval")
    about = about if isinstance(about, dict) else {}
    task = str(about.get("task") or "sample")
    builder = RunBuilder(context.intake)
    told = sample.told(task, str(about.get("model") or ""), builder)
    packages = about.get("packages")
    version = packages.get("inspect_ai") if isinstance(packages, dict) else None
    return conversation_run(
        told, context, f"{task} · {sample.label}", f"{about.get('run_id')}{sample.label}",
        builder=builder, version=str(version or header.get("version") or ""),
        task=task, evaluation=header.get("status"),
        session=about.get("eval_id") or about.get("run_id"),
    )  # fmt: skip


def _of_archive(context: Context) -> _Log:
    archive = Archive(context.source, context.name)
    if archive.cut:
        context.losses.problem(
            "The archive is cut off; the samples that stand whole in it are shown.",
            hint="Copy or download it again.",
        )
    header: dict[str, Any] = {}
    for name in ("header.json", "_journal/start.json"):
        if name in archive.members and not header:
            header = _header(archive, name, context)
    if "header.json" not in archive.members:
        header.setdefault("status", "started")
        context.losses.problem("The evaluation did not end: the log has no header yet.")
    found = [
        (named["id"], int(named["epoch"]), name)
        for name in archive.members
        if (named := _NAMED.match(name)) is not None
    ]
    order = _order(header)
    found.sort(key=lambda each: (each[1], order.get(each[0], len(order))))
    samples = [(f"{id_}, epoch {epoch}", _loader(archive, name)) for id_, epoch, name in found]
    return _Log(header, samples)


def _header(archive: Archive, name: str, context: Context) -> dict[str, Any]:
    try:
        tree = tree_of(archive.read(name), context.losses, name)
    except (MemberError, LeafError) as trouble:
        context.losses.skip("part that cannot be read", f"{name}: {trouble}")
        return {}
    return tree if isinstance(tree, dict) else {}


def _order(header: dict[str, Any]) -> dict[str, int]:
    """Return the place of each sample in its data set, by id."""
    about = header.get("eval")
    dataset = about.get("dataset") if isinstance(about, dict) else None
    ids = dataset.get("sample_ids") if isinstance(dataset, dict) else None
    return {str(id_): place for place, id_ in enumerate(ids if isinstance(ids, list) else [])}


def _loader(archive: Archive, name: str) -> _Load:
    def load(notes: Losses) -> tuple[Any, int]:
        text = archive.read(name)
        tree, size = tree_of(text, notes, name), len(text)
        if name.endswith("/sample.json") and isinstance(tree, dict):
            size += _add_chunks(tree, archive, name.removesuffix("sample.json"), notes)
        return tree, size

    return load


def _add_chunks(tree: dict[str, Any], archive: Archive, folder: str, notes: Losses) -> int:
    """Put a sample together that is kept in chunks; return how large they are."""
    size = 0
    for sequence in _CHUNKS:
        start = f"{folder}{sequence}/"
        names = [
            name
            for name in archive.members
            if name.startswith(start) and name[len(start) : -len(".json")].isdigit()
        ]
        items: list[Any] = []
        for name in sorted(names, key=lambda name: int(name[len(start) : -len(".json")])):
            text = archive.read(name)
            size += len(text)
            part = tree_of(text, notes, name)
            items += part if isinstance(part, list) else []
        if names:
            tree[f"chunked_{sequence}"] = items
    return size


def _of_json(context: Context) -> _Log:
    text = whole(context.source, context.name)
    members, complete = members_of(text)
    places = {member.key: (member.start, member.end) for member in members}
    header: dict[str, Any] = {}
    for key in ("version", "status", "eval", "error"):
        if key in places:
            try:
                header[key] = tree_of(text[slice(*places[key])], context.losses, key)
            except LeafError as trouble:
                context.losses.skip("part that cannot be read", f"{key}: {trouble}")
    items = list(items_of(text, *places["samples"])[0]) if "samples" in places else []
    if not complete:
        after = members[-1].end if members else 0
        cut = _SAMPLES.match(text, after)
        items = items_of(text, cut.end(), len(text))[0] if cut and not items else items
        context.losses.problem(
            "The log is cut off or damaged; the samples that stand whole in it are shown.",
            hint="Copy or download it again.",
        )
    if "eval" not in header and _SAMPLE & places.keys():
        items = [(0, members[-1].end)] if not complete else [(0, len(text))]
    elif "eval" not in header and "samples" not in places:
        _refuse_index(places, context.name)

    def loader(start: int, end: int) -> _Load:
        piece = text[start:end] if complete or end < len(text) else text[start:end] + b"}"
        return lambda notes: (tree_of(piece, notes, "a sample"), end - start)

    return _Log(header, [(f"sample {n}", loader(*place)) for n, place in enumerate(items, 1)])


def _refuse_index(places: dict[str, Any], name: str) -> None:
    if any(key.endswith((".eval", ".json")) for key in places):
        raise RunFileError(
            f"{name} is Inspect's list of the logs in a folder, not a log.",
            hint="Open one of the logs that it names.",
        )


def _without_samples(header: dict[str, Any], name: str) -> RunFileError:
    error = header.get("error")
    said = error.get("message") if isinstance(error, dict) else None
    status = header.get("status")
    why = (
        f"the evaluation failed before any sample ended: {str(said)[:300]}"
        if said
        else (
            "the evaluation was stopped before any sample ended"
            if status in ("started", "cancelled")
            else "it holds its header only"
        )
    )
    return RunFileError(
        f"{name} is a log of Inspect without a sample: {why}.",
        hint="Logs that were written with log_samples=False hold none.",
    )
