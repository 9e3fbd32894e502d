"""The parts of a manifest: what becomes of each thing in a replay, and whom it could reach."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from inspector.replay.definition_facts import Named


class Fate(StrEnum):
    """What becomes of the calls of one thing in a replay."""

    ANSWERED = "answered"  # from the recording
    NEVER_LIVE = "never live"  # from the recording, and never live unless somebody says so
    NOT_KNOWN = "not known"  # from the recording: nobody said what it does
    COMPARED = "compared"  # runs where it need not leave the process, and is compared
    RUNS = "runs again"  # it depends on its inputs only
    CONTAINS = "runs, answered inside"


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestPart:
    """One component, tool, model or hook, and what becomes of it."""

    name: str
    scope: str
    """What it is inside of, such as `assistant`; empty for what stands in the pipeline."""
    kind: str
    type: str
    word: str
    """By what a replay is told of it: its name, or a pattern of its paths."""
    fate: Fate
    reason: str
    calls: int
    """How often it was called when it was recorded."""
    from_here: int = 0
    """How many of those calls are to run live."""
    contacts: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    leaks: tuple[tuple[str, str], ...] = ()
    """Variables that would be sent to a host that is not the usual one of its class."""

    @property
    def may_live(self) -> bool:
        """Whether somebody may be asked whether it is to run live."""
        return self.kind != "hook" and self.fate in (
            Fate.ANSWERED, Fate.NEVER_LIVE, Fate.NOT_KNOWN,
        )  # fmt: skip

    @property
    def lives_unless_told(self) -> bool:
        """Whether it runs live in a replay that may run things live, if nobody says a word.

        A model is what is paid and asked for; a tool may do anything, and is asked about. So
        is what would start a command, or send a variable where it does not belong.
        """
        asked = self.kind == "tool" or self.commands or self.leaks
        return self.may_live and self.fate is Fate.ANSWERED and not asked


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassUse:
    """A class or a function that the definition names, and would have imported."""

    name: str
    what: str
    """`class` or `function`."""
    owners: tuple[str, ...] = ()
    is_pure: bool = False
    """Whether it is one that can do no harm, with parameters that are listed, too."""
    commands: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a replay of a run would do."""

    kind: str
    name: str
    parts: tuple[ManifestPart, ...]
    classes: tuple[ClassUse, ...]
    live_from: str = ""
    problems: tuple[str, ...] = ()
    can_be_stubbed: bool = True
    answered_before: bool = False
    """Whether the recording is itself a replay."""

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that the definition names."""
        found = (name for each in self.classes for name in each.variables)
        return tuple(dict.fromkeys(found))

    @property
    def live(self) -> tuple[ManifestPart, ...]:
        """The parts of which calls are to run live, if they are allowed to."""
        return tuple(each for each in self.parts if each.from_here and each.may_live)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "kind": self.kind, "name": self.name, "live_from": self.live_from or None,
            "parts": [_tree(each) for each in self.parts],
            "classes": [_tree(each) for each in self.classes],
            "variables": list(self.variables), "problems": list(self.problems),
        }  # fmt: skip


def _tree(part: ManifestPart | ClassUse) -> dict[str, Any]:
    return {
        name: [list(each) if isinstance(each, tuple) else each for each in value]
        if isinstance(value, tuple)
        else value
        for name, value in asdict(part).items()
    }


def told_of(
    parts: Iterable[ManifestPart], ticked: Collection[str], *, live: bool
) -> dict[str, str]:
    """Return what a replay is told of parts, from which of them may run live.

    Args:
        parts: The parts of a manifest.
        ticked: The words of those that may.
        live: Whether anything may run live at all; otherwise there is nothing to say.

    """
    told: dict[str, str] = {}
    if not live:
        return told
    for part in parts:
        if not part.may_live:
            continue
        may = part.word in ticked
        if may and part.fate is not Fate.ANSWERED:
            told[part.word] = "answer"  # from the recording, and live without an answer
        elif not may and part.fate is Fate.ANSWERED:
            told[part.word] = "never_live"
    return told


# -- who is asked ------------------------------------------------------------------------

_I = "haystack_integrations."
_USUAL: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("haystack.components.generators.chat.openai", ("api.openai.com",)),
    ("haystack.components.generators.openai", ("api.openai.com",)),
    ("haystack.components.embedders.openai", ("api.openai.com",)),
    ("haystack.components.embedders.azure", ("your Azure endpoint",)),
    ("haystack.components.generators.chat.azure", ("your Azure endpoint",)),
    ("haystack.components.fetchers.", ("every address that its inputs name",)),
    ("haystack.components.websearch.", ("a search service",)),
    (f"{_I}tools.mcp.", ("a tool server",)),
)
_AZURE = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")
_HERE = frozenset({"localhost", "127.0.0.1", "[::1]"})


def contacts_of(type_name: str, hosts: tuple[str, ...]) -> tuple[str, ...]:
    """Return whom something could contact: the hosts that it is set up with, else the usual."""
    if hosts:
        return hosts
    for start, usual in _USUAL:
        if type_name.startswith(start):
            return usual
    if type_name.startswith(f"{_I}components."):
        provider = type_name.split(".")[3:4]
        return (f"the service of {provider[0]}",) if provider else ()
    return ()


def leaks_of(type_name: str, named: Iterable[Named]) -> tuple[tuple[str, str], ...]:
    """Return the variables that would be sent where their class usually does not send them."""
    found: dict[tuple[str, str], None] = {}
    usual = contacts_of(type_name, ())
    for each in named:
        for host in each.hosts:
            bare = host.rpartition(":")[0] or host
            if bare in usual or bare in _HERE or bare.endswith(_AZURE):
                continue
            found.update(((variable, host), None) for variable in each.variables)
    return tuple(found)
