"""What a person chose for a replay, what stands in the way of it, and the job that it makes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from inspector.presentation.words import number_words, one_line
from inspector.replay.manifest_parts import told_of
from inspector.replay.mode import ReplayMode
from inspector.replay.protocol import Job

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from inspector.replay.manifest_parts import Manifest
    from inspector.runfile.model import PipelineRun

_TARGET = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")
_YAML = (".yaml", ".yml")
_LONGEST = 1_000
_MOST = 1_000_000_000  # calls or dollars


class Source(StrEnum):
    """What is replayed."""

    PYTHON = "python"
    YAML = "yaml"
    FILE = "file"  # the definition in the run file, which a stranger may have written


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayChoice:
    """Everything that the dialog asks for, but keys."""

    source: Source = Source.PYTHON
    target: str = ""
    yaml: str = ""
    python: str = ""
    """An interpreter; empty finds that of the target's project."""
    directory: str = ""
    """Where the target is looked for."""
    mode: ReplayMode = ReplayMode.STRICT
    live: bool = False
    budget: str = ""
    """How many live calls at most, as it was typed; empty is without a limit."""
    usd: str = ""
    verify: bool = False
    """Whether document stores outside of the process are asked."""
    may_live: frozenset[str] = frozenset()
    """The words of the parts that may run live."""
    classes: frozenset[str] = frozenset()
    """The classes of the file that may be made."""
    agreed: bool = False
    """Whether a person agreed to build something from the file."""
    live_from: str = ""

    @property
    def is_trusted(self) -> bool:
        """Whether it is a person's own pipeline that runs."""
        return self.source is not Source.FILE

    @property
    def runs_live(self) -> bool:
        """Whether anything may run live."""
        if not self.is_trusted:
            return False
        return bool(self.live_from) or self.live or self.mode is ReplayMode.RECORD_NEW

    @property
    def live_calls(self) -> int | None:
        """The budget in calls, or None for no limit.

        Raises:
            ValueError: What was typed is no such number.

        """
        text = self.budget.strip()
        return _natural(text) if text and self.runs_live else None

    @property
    def live_usd(self) -> Decimal | None:
        """The budget in US dollars, or None for no limit.

        Raises:
            ValueError: What was typed is no amount.

        """
        text = self.usd.strip().removeprefix("$").strip()
        return _amount(text) if text and self.runs_live else None


def hindrance(
    choice: ReplayChoice, manifest: Manifest | None, *, has_file: bool = True
) -> str:  # fmt: skip
    """Say in a sentence what has to be done before the replay can begin; empty when nothing.

    Args:
        choice: What was chosen.
        manifest: What the replay would do; None until that is known.
        has_file: Whether the recording is in a file.

    """
    if manifest is None:
        return "The recording is still being looked through."
    if not manifest.parts:
        return "There is nothing to replay: no call was recorded in this run."
    if choice.source is Source.FILE:
        return _hindered_by_file(choice, manifest)
    if choice.source is Source.PYTHON and not _TARGET.fullmatch(choice.target.strip()):
        if not choice.target.strip():
            return "Name your pipeline, such as my_project.pipelines:build."
        return "A target is package.module:attribute, such as my_project.pipelines:build."
    if choice.source is Source.YAML and not choice.yaml.strip().lower().endswith(_YAML):
        return "Choose the YAML file of the pipeline."
    if choice.mode is ReplayMode.RECORD_NEW and not choice.live_from and not has_file:
        return "Save the recording first: what is new is added to its file."
    try:
        _ = choice.live_calls
    except ValueError:
        return f"A budget of calls is a number from 0 to {number_words(_MOST)}."
    try:
        _ = choice.live_usd
    except ValueError:
        return f"A budget in US dollars is an amount up to {number_words(_MOST)}, such as 0.50."
    return ""


def _hindered_by_file(choice: ReplayChoice, manifest: Manifest) -> str:
    if choice.live_from:
        return "What a file describes never runs live. Choose a pipeline of yours."
    if not manifest.can_be_stubbed:
        return f"Nothing can be built from this file. {manifest.problems[-1]}"
    if not choice.agreed:
        return "Tick that something may be built from this file."
    if choice.mode is ReplayMode.RECORD_NEW:
        return "What a file describes never runs live, so it can learn nothing new."
    return ""


def job_of(
    choice: ReplayChoice, run: PipelineRun, path: Path | None, manifest: Manifest,
    overrides: Mapping[str, Any] | None = None,
) -> Job:  # fmt: skip
    """Return the job that a choice makes; nothing may stand in its way."""
    common: dict[str, Any] = {
        "run": "" if path is None else str(path),
        "asynchronous": run.header.get("mode") == "async",
        "overrides": dict(overrides or {}),
        "add_new": False,  # it is shown before it is written
    }
    if not choice.is_trusted:
        return Job(
            target="", stub=True, classes=tuple(sorted(choice.classes)), mode=str(choice.mode),
            **common,
        )  # fmt: skip
    usd = choice.live_usd
    return Job(
        target=choice.target.strip() if choice.source is Source.PYTHON else choice.yaml.strip(),
        mode=str(ReplayMode.DRIFT_OK if choice.live_from else choice.mode),
        allow_live=choice.runs_live, live_budget=choice.live_calls,
        live_budget_usd=None if usd is None else str(usd), verify_retrieval=choice.verify,
        treat=told_of(manifest.parts, choice.may_live, live=choice.runs_live),
        live_from=choice.live_from, **common,
    )  # fmt: skip


# -- what is remembered ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Remembered:
    """What of a choice is kept for the next time, by the pipeline that it was made for.

    Nothing of a choice for a file of a stranger's; no key, no consent, and nothing that would
    let something run live without being asked again.
    """

    kept: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, choice: ReplayChoice) -> Remembered | None:
        """Return what is kept of a choice, if anything may be."""
        if not choice.is_trusted:
            return None
        learns = choice.mode is ReplayMode.RECORD_NEW
        return cls(
            {
                "source": str(choice.source), "target": choice.target, "yaml": choice.yaml,
                "python": choice.python, "directory": choice.directory,
                "mode": str(ReplayMode.STRICT if learns else choice.mode),
            }
        )  # fmt: skip

    def choice(self) -> ReplayChoice:
        """Return a choice to begin with; what makes no sense is left out."""
        known: dict[str, Any] = {
            name: value
            for name in ("target", "yaml", "python", "directory")
            if isinstance(value := self.kept.get(name), str) and len(value) <= _LONGEST
        }
        source, mode = self.kept.get("source"), self.kept.get("mode")
        return ReplayChoice(
            source=Source.YAML if source == Source.YAML else Source.PYTHON,
            mode=ReplayMode.DRIFT_OK if mode == ReplayMode.DRIFT_OK else ReplayMode.STRICT,
            **known,
        )


def pipeline_key(run: PipelineRun) -> str:
    """Return under what the choices for a pipeline are kept: its name and what it is made of."""
    topology = run.topology
    components = topology.get("components") if isinstance(topology, Mapping) else None
    made_of = sorted(map(str, components)) if isinstance(components, Mapping) else []
    if isinstance(components, Mapping) and len(components) == 1:
        # Every agent that runs by itself goes by the name of its class: its tools tell it apart.
        made_of += sorted(_tools_of(*components.values()))
    whole = "\n".join((str(run.kind), run.name, *made_of))
    return sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _tools_of(component: Any) -> Iterator[str]:
    agent = component.get("agent") if isinstance(component, Mapping) else None
    tools = agent.get("tools") if isinstance(agent, Mapping) else None
    for tool in tools if isinstance(tools, list) else ():
        if isinstance(tool, Mapping):
            yield str(tool.get("name"))


def title_of(run: PipelineRun, choice: ReplayChoice) -> str:
    """Return what the dialog says it is about to do."""
    name = one_line(run.name) or "this run"
    if choice.live_from:
        return f"Re-run {name} live from {one_line(choice.live_from)}"
    return f"Replay {name}"


def _natural(text: str) -> int:
    number = int(text)
    if not 0 <= number <= _MOST:
        raise ValueError(text)
    return number


def _amount(text: str) -> Decimal:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        raise ValueError(text) from None
    if not amount.is_finite() or not 0 <= amount <= _MOST:
        raise ValueError(text)
    return amount
