"""What a replay would do, in words: for the dialog before it, and for the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from inspector.presentation.words import money_words, number_words, one_line, plural
from inspector.replay.manifest_parts import Fate
from inspector.replay.mode import ReplayMode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from decimal import Decimal

    from inspector.replay.live_price import LivePrice
    from inspector.replay.manifest_parts import ClassUse, Manifest, ManifestPart


NO_NETWORK = "No model, no tool and no store is called: the recording answers."


class ModeWords(NamedTuple):
    """A mode, said so that a person can choose it."""

    mode: ReplayMode
    title: str
    detail: str


MODES = (
    ModeWords(
        ReplayMode.STRICT,
        "Stop at the first difference",
        "Every call has to be the one that was recorded.",
    ),
    ModeWords(
        ReplayMode.DRIFT_OK,
        "Go on, and list the differences",
        "Stops only where the recording has no answer.",
    ),
    ModeWords(
        ReplayMode.RECORD_NEW,
        "Learn what is new",
        "Runs new calls live, and shows what they would add to the file before it is written.",
    ),
)

_FATES = {
    Fate.ANSWERED: ("recorded", "Answered from the recording"),
    Fate.NEVER_LIVE: ("recorded", "Answered from the recording"),
    Fate.NOT_KNOWN: ("recorded", "Answered from the recording"),
    Fate.COMPARED: ("compared", "Checked here if possible"),
    Fate.RUNS: ("executed", "Runs again here"),
    Fate.CONTAINS: ("executed", "Runs again here"),
}
_LIVE = ("live", "Runs live")
_ORDER = ("live", "recorded", "compared", "executed")
_KINDS = {"llm": "model", "other": "part"}


class PartRow(NamedTuple):
    """One part, as it is shown."""

    group: str
    """`live`, `recorded`, `compared` or `executed`."""
    name: str
    what: str
    """What it is and how often it was called: `model · 4 calls`."""
    why: str
    reach: str
    """Whom it would contact and what it would start and read, were it run live."""
    warning: str
    part: ManifestPart


def part_rows(
    manifest: Manifest, ticked: Collection[str] = (), *, live: bool = False
) -> list[PartRow]:
    """Return the parts by what becomes of them, what runs live first.

    Args:
        manifest: What a replay would do.
        ticked: The words of the parts that may run live.
        live: Whether anything may; calls run live for sure only from `live_from` on.

    """
    rows = [_part_row(each, ticked, live=live) for each in manifest.parts]
    return sorted(rows, key=lambda row: _ORDER.index(row.group))


def group_title(group: str) -> str:
    """Return what the parts of a group have in common."""
    titles = dict((*_FATES.values(), _LIVE))
    return titles[group]


def _part_row(part: ManifestPart, ticked: Collection[str], *, live: bool) -> PartRow:
    group = _FATES[part.fate][0]
    if live and part.from_here and part.may_live and part.word in ticked:
        group = "live"
    name = f"{part.scope} › {part.name}" if part.scope else part.name
    return PartRow(
        group=group, name=one_line(name), what=_what(part, group), why=_why(part),
        reach=reach_words(part), warning=warning_words(part), part=part,
    )  # fmt: skip


def _what(part: ManifestPart, group: str) -> str:
    kind = _KINDS.get(part.kind, part.kind)
    if group == "live" and part.from_here < part.calls:
        return f"{kind} · {number_words(part.from_here)} of {plural(part.calls, 'call')}"
    return f"{kind} · {plural(part.calls, 'call') if part.calls else 'not called'}"


def _why(part: ManifestPart) -> str:
    if part.fate is Fate.NOT_KNOWN:
        return f"nobody said what {_short(part.type) or 'it'} does, so it is not run"
    if part.fate is Fate.NEVER_LIVE:
        return f"{part.reason}; not run live unless ticked"
    return part.reason


def reach_words(part: ManifestPart) -> str:
    """Say whom a part would contact, what it would start and which variables it reads."""
    said = []
    if part.contacts:
        said.append(f"contacts {_listed(part.contacts)}")
    if part.commands:
        said.append(f"starts {_listed(part.commands)}")
    if part.variables:
        said.append(f"reads {_listed(part.variables)}")
    return ", ".join(said)


def warning_words(part: ManifestPart) -> str:
    """Say what of a part a person should not overlook."""
    if part.leaks:
        variable, host = part.leaks[0]
        more = f", and {len(part.leaks) - 1} more" if len(part.leaks) > 1 else ""
        return f"{one_line(variable)} would be sent to {one_line(host)}{more}"
    if part.commands:
        return f"It would start {_listed(part.commands)}"
    return ""


def class_words(use: ClassUse) -> str:
    """Say of a class or a function what is known of it from its name and its parameters."""
    said = []
    if use.what == "function":
        said.append("a function")
    elif use.is_pure:
        said.append("can do no harm")
    if use.hosts:
        said.append(f"contacts {_listed(use.hosts)}")
    if use.commands:
        said.append(f"starts {_listed(use.commands)}")
    if use.variables:
        said.append(f"reads {_listed(use.variables)}")
    return ", ".join(said)


def made_of_words(manifest: Manifest) -> str:
    """Say in a line what the recorded definition names and reads; empty where there is none."""
    classes = sum(use.what == "class" for use in manifest.classes)
    functions = len(manifest.classes) - classes
    if not manifest.classes:
        return ""
    named = plural(classes, "class", "classes")
    if functions:
        named += f" and {plural(functions, 'function')}"
    reads = f", and reads {_listed(manifest.variables)}" if manifest.variables else ""
    return f"As it was recorded, it is made of {named}{reads}."


def made_of_list(manifest: Manifest, most: int = 25) -> str:
    """Return what a definition names, a line each."""
    names = [one_line(use.name) for use in manifest.classes]
    more = [f"and {len(names) - most} more"] if len(names) > most else []
    return "\n".join((*names[:most], *more))


def promise_words(
    mode: ReplayMode, *, live: bool, budget: int | None = None, usd: Decimal | None = None,
    live_from: str = "",
) -> str:  # fmt: skip
    """Say in one sentence what may leave this machine."""
    if not live and mode is not ReplayMode.RECORD_NEW:
        return NO_NETWORK
    limits = []
    if budget is not None:
        limits.append(f"at most {plural(budget, 'call')}")
    if usd is not None:
        limits.append(f"at most {money_words(usd, estimate=False)}")
    within = f", {' and '.join(limits)}" if limits else ", without a limit"
    if live_from:
        before = f"What comes before {one_line(live_from)} is answered"
        return f"{before}; it and what follows is asked again and paid for{within}."
    if mode is ReplayMode.RECORD_NEW:
        return f"Calls that were not recorded run live and may cost money{within}."
    return f"Calls that are not the recorded ones run live and may cost money{within}."


def price_words_of(price: LivePrice) -> str:
    """Say what running live from a call on is estimated to cost."""
    if not price.calls:
        return "No model was called from there on, so nothing has a price."
    if price.amount is None:
        return f"No price is known for the {plural(price.calls, 'model call')} from there on."
    amount = money_words(price.amount, price.currency, at_least=price.at_least)
    calls = plural(price.calls, "model call")
    of = f" (prices of {price.date})" if price.date else ""
    more = (
        f" {number_words(price.unpriced)} of them without a known price." if price.unpriced else ""
    )
    return f"{amount} for {calls}, by what they used when they were recorded{of}.{more}"


def manifest_lines(
    manifest: Manifest, *, ticked: Collection[str] = (), price: LivePrice | None = None
) -> Iterator[str]:
    """Yield the whole manifest as lines of text."""
    live = bool(manifest.live_from)
    promise = promise_words(
        ReplayMode.DRIFT_OK if live else ReplayMode.STRICT, live=live,
        live_from=manifest.live_from,
    )  # fmt: skip
    yield f"Replay of {one_line(manifest.name) or 'this run'}"
    yield f"  {promise}"
    if price is not None:
        yield f"  Estimated: {price_words_of(price)}"
    rows = part_rows(manifest, ticked, live=live)
    width = min(40, max((len(row.name) for row in rows), default=0))
    for group in _ORDER:
        those = [row for row in rows if row.group == group]
        if not those:
            continue
        yield ""
        yield f"{group_title(group)}:"
        for row in those:
            yield f"  {row.name:<{width}}  {row.what}: {row.why}"
            if row.reach:
                yield f"  {'':<{width}}  live it {row.reach}"
            if row.warning:
                yield f"  {'':<{width}}  ! {row.warning}"
    if manifest.classes:
        yield ""
        yield "The definition in the file names (nothing of it is imported to say so):"
        for use in manifest.classes:
            said = class_words(use)
            yield f"  {one_line(use.name)}{f' ({said})' if said else ''}"
    if manifest.variables:
        yield ""
        yield f"Variables it reads: {_listed(manifest.variables, most=50)}"
    for problem in manifest.problems:
        yield ""
        yield one_line(problem)


def _short(type_name: str) -> str:
    return one_line(type_name.rpartition(".")[2])


def _listed(words: tuple[str, ...], most: int = 3) -> str:
    shown = ", ".join(one_line(word) for word in words[:most])
    return f"{shown} and {len(words) - most} more" if len(words) > most else shown
