"""Where documents come from in a run, whom they reach, and which model reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from inspector.diff.context import inner_definition
from inspector.findings.passages import Passage, among, bare, squeezed, stands_in, words_of
from inspector.findings.reading import replies_of
from inspector.runfile.kinds import KIND_CODE, SpanKind, SpanStatus
from inspector.runfile.table import NO_END, NO_PARENT

if TYPE_CHECKING:
    from inspector.findings.reading import Reading
    from inspector.runfile.model import Span

_COMPONENT = KIND_CODE[SpanKind.COMPONENT]
_MOST_STAGES = 2_000  # of a longer run the first are read: documents are large
_MOST_HOPS = 4
_READERS = frozenset({"llm", "agent"})
_BRINGS = frozenset({"retrieval", "ranking", "joining", "fetch"})
_THRESHOLDS = (
    "score_threshold", "threshold", "min_score", "minimum_score", "similarity_threshold",
    "score_cutoff", "cutoff", "min_similarity", "relevance_threshold",
)  # fmt: skip


@dataclass(eq=False)
class Stage:
    """One visit that finds documents, or that is given some."""

    span: Span
    role: str
    given: dict[str, list[Passage]] = field(default_factory=dict)  # by socket
    puts_out: dict[str, list[Passage]] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)
    sources: tuple[Stage, ...] = ()  # what documents came from
    readers: list[Span] | None = None

    @property
    def row(self) -> int:
        return self.span.row

    @property
    def taken(self) -> list[Passage]:
        return [each for held in self.given.values() for each in held]

    @property
    def kept(self) -> list[Passage] | None:
        """The documents that it passes on; None where it passes on none by its nature."""
        if not self.puts_out:
            return None
        return [each for held in self.puts_out.values() for each in held]

    @property
    def found(self) -> list[Passage]:
        """All documents that were found on the way to it, each once."""
        seen: dict[str, Passage] = {}
        waiting, known = list(self.sources), {self.row}
        while waiting:
            stage = waiting.pop()
            if stage.row in known:
                continue
            known.add(stage.row)
            waiting += stage.sources
            for each in (*stage.taken, *(stage.kept or ())):
                seen.setdefault(each.id or each.content, each)
        return list(seen.values())

    @cached_property
    def written(self) -> str:
        """What a prompt says: its words."""
        return bare(squeezed(self.span.outputs))

    @cached_property
    def there(self) -> list[Passage]:
        """The documents that a prompt was given and holds."""
        return [each for each in self.taken if each.content and stands_in(each, self.written)]

    def query(self) -> frozenset[str]:
        """Return the words of the question that all this is about."""
        waiting, known = [self], {-1}
        while waiting:
            stage = waiting.pop()
            if stage.row in known:
                continue
            known.add(stage.row)
            asked = stage.span.retrieval or {}
            for text in (asked.get("query"), stage.inputs.get("query"), stage.inputs.get("text")):
                if isinstance(text, str) and text.strip():
                    return words_of(text)
            waiting += stage.sources
        return frozenset()


def stages(reading: Reading) -> list[Stage]:
    """Return the visits that deal with documents, in start order: worked out once."""
    return reading.once("stages", lambda: _stages(reading))


def _stages(reading: Reading) -> list[Stage]:
    skim, table = reading.skim, reading.table
    finders = [
        row
        for row in skim.rows_of("retrieval")
        if table.parent_row[row] == NO_PARENT
        or skim.roles[table.parent_row[row]] != "retrieval"  # else one of its own searches
    ]
    homes = {table.parent_row[row] for row in finders}
    rows = sorted({
        row
        for home in homes
        for row in (table.children(home) if home != NO_PARENT else finders)
        if table.kind[row] == _COMPONENT or skim.roles[row] == "retrieval"
    })  # fmt: skip
    found: list[Stage] = []
    latest: dict[tuple[int, str], Stage] = {}
    for span in reading.spans(rows):
        if len(found) >= _MOST_STAGES:
            break
        stage = _stage(reading, span, latest)
        if stage is not None:
            latest[table.parent_row[span.row], span.name] = stage
            found.append(stage)
    return found


def _stage(reading: Reading, span: Span, latest: Mapping[tuple[int, str], Stage]) -> Stage | None:
    role = reading.skim.roles[span.row]
    home = reading.table.parent_row[span.row]
    wires = reading.skim.senders(span.row)
    names = dict.fromkeys(name for names in wires.values() for name in names if name)
    sources = tuple(stage for name in names if (stage := latest.get((home, name))) is not None)
    if role != "retrieval" and not sources:
        return None
    inputs = span.inputs if isinstance(span.inputs, Mapping) else {}
    stage = Stage(span, role, inputs=inputs, sources=sources)
    for socket, held in among(inputs).items():
        # An empty list may be of anything: it is one of documents where documents are sent.
        senders = [latest.get((home, name)) for name in wires.get(socket, ()) if name]
        if held or any(sender and sender.puts_out for sender in senders):
            stage.given[socket] = held
    if role not in _READERS and role != "prompt":
        stage.puts_out = _put_out(span, role, bool(stage.given))
    return stage


def _put_out(span: Span, role: str, is_given: bool) -> dict[str, list[Passage]]:
    out = among(span.outputs)
    if any(out.values()):
        return {socket: held for socket, held in out.items() if held}
    named = {socket: held for socket, held in out.items() if "doc" in socket.lower()}
    return named if role in _BRINGS or is_given else {}


def settings_of(reading: Reading, row: int) -> Mapping[str, Any]:
    """Return the init parameters of a component, as far as they were recorded."""
    table = reading.table
    around = (row, *reading.around(row))
    names = [table.name(each) for each in around if table.kind[each] == _COMPONENT]
    node: Any = reading.run.definition
    for name in reversed(names):
        node = inner_definition(node, name)
    settings = node.get("init_parameters") if isinstance(node, Mapping) else None
    return settings if isinstance(settings, Mapping) else {}


def setting(reading: Reading, stage: Stage, *names: str) -> tuple[str, Any]:
    """Return what a visit was told under the first of these names, and under which."""
    settings = settings_of(reading, stage.row)
    for told in (stage.inputs, settings):
        for name in names:
            if told.get(name) is not None:
                return name, told[name]
    return "", None


def threshold_of(reading: Reading, stage: Stage) -> tuple[str, float | None]:
    """Return the score below which a component drops documents, and how it calls it."""
    name, value = setting(reading, stage, *_THRESHOLDS)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "", None
    return name, float(value)


def readers_of(reading: Reading, stage: Stage) -> list[Span]:
    """Return the calls of models that read what a visit put out, through whatever passes it on."""
    if stage.readers is None:
        stage.readers = _readers(reading, stage)
    return stage.readers


def _readers(reading: Reading, stage: Stage) -> list[Span]:
    table, skim = reading.table, reading.skim
    home, found = table.parent_row[stage.row], []
    if home == NO_PARENT:
        return []
    siblings = table.children(home)
    waiting, seen = [(stage.row, 0)], {stage.row}
    while waiting:
        row, hops = waiting.pop()
        names = {name for each in skim.receivers(row).values() for name in each}
        ended = table.end_ns[row]
        if not names or ended == NO_END or hops >= _MOST_HOPS:
            continue
        at = _after(siblings, row)
        for each in siblings[at : at + 400]:
            if not names or table.name(each) not in names or table.start_ns[each] < ended:
                continue
            names.discard(table.name(each))
            if each in seen or not _is_fed(skim.senders(each), table.name(row)):
                continue
            seen.add(each)
            if skim.roles[each] in _READERS:
                found.append(reading.run.spans[each])
            else:
                waiting.append((each, hops + 1))
    return sorted(found, key=lambda span: span.row)


def _after(siblings: Any, row: int) -> int:
    low, high = 0, len(siblings)
    while low < high:
        middle = (low + high) // 2
        if siblings[middle] <= row:
            low = middle + 1
        else:
            high = middle
    return low


def _is_fed(wires: Mapping[str, tuple[str | None, ...]], name: str) -> bool:
    return any(name in names for names in wires.values())


def answer_of(span: Span) -> str | None:
    """Return what a model or an agent said at last; None where that is not known."""
    if span.status != SpanStatus.OK:
        return None
    outputs = span.outputs
    if not isinstance(outputs, Mapping):
        return None
    last = outputs.get("last_message")
    said = replies_of(span) if last is None else [last]
    return None if said is None else squeezed(said).strip()
