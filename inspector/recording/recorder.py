"""`PipelineRecorder`: every run while it is on, in any thread or task."""

from __future__ import annotations

import asyncio
import sys
import threading
import warnings
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from inspector.recording.agent_stop import guard
from inspector.recording.described import Descriptions
from inspector.recording.guest import complain
from inspector.recording.keep import Keep, keep_policy
from inspector.recording.kept_runs import KeptRuns, RecordedRun
from inspector.recording.lifecycle import begin_recording, finish_recording
from inspector.recording.session import NOBODYS
from inspector.recording.settings import Settings
from inspector.recording.spending import Terms
from inspector.recording.targets import find_caller, mode_of, target_of
from inspector.recording.whereabouts import innermost
from inspector.redaction.project import redaction_of
from inspector.runfile.limits import WriteLimits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextvars import Token
    from types import TracebackType

    from inspector.cost.budget import Budget
    from inspector.recording.limits import DirectoryLimits
    from inspector.recording.session import LiveSpan, Recording
    from inspector.recording.targets import Target
    from inspector.redaction.project import Redact
    from inspector.redaction.settings import Redaction
    from inspector.runfile.finished import FinishedRun
    from inspector.runfile.model import PipelineRun

_WAIT_S = 30.0

# The recorders in whose block this thread or task is, outermost first.
SCOPE: ContextVar[tuple[PipelineRecorder, ...]] = ContextVar("inspector_recorders", default=())

_lock = threading.Lock()
# Exchanged as a whole, under the lock: whoever reads it needs none.
_started: tuple[PipelineRecorder, ...] = ()
_unfinished: set[Recording] = set()


_TOO_LATE = (
    "A recorder was entered inside of a run that is being recorded: what runs in its block is "
    "kept as a part of that run"
)


class PipelineRecorder:
    """Records the runs that happen while it is on.

    As a context manager, sync or async, it records what is called inside of its block,
    and what runs in threads that nobody's block can claim. Between `start` and `stop`
    it records every run of the process.

    Args:
        directory: Where each run's file goes. Without one, runs stay in memory.
        keep: Which runs: `"always"`, `"on_failure"`, a share such as `0.1`, or several.
        sink: Called with each finished run, on a thread of its own.
        stream: Called with a run's id and lines of its journal, while it happens.
        compress: `"gz"` or `"zst"`, for the files in the directory.
        embeddings: Keep the numbers of embeddings, not only their digests.
        limits: How much one value and one run may take.
        directory_limits: How many runs the directory may hold, how old and how large.
        wrappers: Also record what tracing does not show, by wrapping the instances that
            run for as long as the recorder is on.
        budget: What one run may use up, and whether it is stopped then.
        redact: A `Redaction`, its settings as a dictionary, or True for all built-in rules:
            what they find is taken out before anything is written. What the project has set
            unless given; False for nothing.

    Raises:
        RecordingError: One of these makes no sense.

    """

    def __init__(
        self, directory: str | Path | None = None, *,
        keep: str | float | Keep | tuple[str | float | Keep, ...] = "always",
        sink: Callable[[FinishedRun], object] | None = None,
        stream: Callable[[str, bytes], object] | None = None, compress: str | None = None,
        embeddings: bool = False, limits: WriteLimits | None = None,
        directory_limits: DirectoryLimits | None = None, wrappers: bool = True,
        budget: Budget | None = None, redact: Redact = None,
    ) -> None:  # fmt: skip
        self.settings = Settings(
            # Taken now: the program may go elsewhere before its runs end.
            directory=None if directory is None else Path(directory).absolute(),
            keep=keep_policy(keep),
            sink=sink,
            stream=stream,
            compress=compress,
            embeddings=embeddings,
            limits=limits or WriteLimits(),
            directory_limits=directory_limits,
            wrappers=wrappers,
            budget=None if budget is None else Terms(budget),
            redact=redaction_of(redact),
        )
        self.everywhere = False
        self._holds = 0
        self._blocks = 0
        self._runs = KeptRuns()
        self.descriptions = Descriptions()
        self._attached: dict[int, tuple[Any, Any]] = {}
        self._tokens: list[Token[tuple[PipelineRecorder, ...]]] = []

    # -- on and off ----------------------------------------------------------------------

    def start(self) -> Self:
        """Record every run of this process from now on."""
        self.everywhere = True
        self._listen()
        return self

    def stop(self, timeout_s: float | None = _WAIT_S) -> None:
        """Record no more runs, and wait until those that ended are written."""
        self._blocks = 0
        self.everywhere = False
        self._stop_listening()
        self.wait(timeout_s)

    def __enter__(self) -> Self:
        return self._enter()

    def _enter(self) -> Self:
        if innermost() is not None:
            # A warning, for whoever wrote the block: it will have no runs of its own.
            try:
                warnings.warn(f"{_TOO_LATE}.", RuntimeWarning, stacklevel=3)
            except RuntimeWarning:
                # Where warnings are errors this is still none of the host's failures.
                complain(_TOO_LATE, "end the other recording first")
        self._blocks += 1
        self._listen()
        self._tokens.append(SCOPE.set((*SCOPE.get(), self)))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        if self._leave_block():
            self.stop()

    async def __aenter__(self) -> Self:
        return self._enter()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        if self._leave_block():
            self._stop_listening()
            if not self.wait(0):
                await asyncio.to_thread(self.wait, _WAIT_S)

    def _leave_block(self) -> bool:
        """Leave one `with` block; says whether it was the last."""
        if self._tokens:
            # A block in an async generator may be left in another context.
            with suppress(ValueError):
                SCOPE.reset(self._tokens.pop())
        self._blocks -= 1
        return self._blocks <= 0 and not self.everywhere

    @property
    def active(self) -> bool:
        """Whether runs are recorded that nobody handed to `record_run`."""
        return self in _started

    def _listen(self) -> None:
        global _started
        with _lock:
            if self in _started:
                return
            _started = (*_started, self)
        self.hold()

    def _stop_listening(self) -> None:
        global _started
        with _lock:
            if self not in _started:
                return
            _started = tuple(each for each in _started if each is not self)
        self.release()

    def hold(self) -> None:
        """Keep the tracer in place and what is wrapped wrapped, until `release`."""
        from inspector.recording.tracer import install

        with _lock:
            self._holds += 1
        install()

    def release(self) -> None:
        """Let go; the last one restores every instance."""
        from inspector.recording.tracer import uninstall

        uninstall()
        with _lock:
            self._holds -= 1
            if self._holds:
                return
            attached, self._attached = self._attached, {}
        self.descriptions.forget()
        for _instance, attachment in attached.values():
            _detach(attachment)

    # -- what was recorded ---------------------------------------------------------------

    def wait(self, timeout_s: float | None = _WAIT_S) -> bool:
        """Wait until the runs that ended are where they belong; False when time is over."""
        return self._runs.wait(timeout_s)

    @property
    def runs(self) -> tuple[PipelineRun, ...]:
        """The runs that ended and were kept, in that order; the last thousand of them."""
        self.wait()
        return self._runs.load()

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files of the runs that ended."""
        self.wait()
        return self._runs.paths()

    @property
    def failures(self) -> tuple[PipelineRun, ...]:
        """The runs that ended with an error."""
        return tuple(run for run in self.runs if run.status == "failed")

    # -- one run -------------------------------------------------------------------------

    def _attach(self, instance: Any) -> None:
        """Wrap what runs, once for as long as this recorder is on."""
        if not self.settings.wrappers:
            return
        if (known := self._attached.get(id(instance))) is not None:
            known[1].renew(instance)
            return
        attachment = _attachment(instance)
        with _lock:
            if self._holds and attachment is not None and id(instance) not in self._attached:
                self._attached[id(instance)] = (instance, attachment)
                return
        if attachment is not None:
            _detach(attachment)

    def _guard_agents(self, target: Any) -> None:
        known = self._attached.get(id(target))
        for each in () if known is None else known[1].found:
            guard(each)

    def _add_what_was_not_wrapped(self, recording: Recording) -> None:
        known = self._attached.get(id(recording.target))
        if known is not None:
            for note in known[1].not_recorded:
                recording.leave_out(note["what"], note["why"])

    def _remember(self, run: RecordedRun) -> None:
        self._runs.add(run)


def recorders_here() -> list[PipelineRecorder]:
    """Return who records a run that begins here and now, outermost first."""
    started, scope = _started, SCOPE.get()
    inside = [recorder for recorder in dict.fromkeys(scope) if recorder in started]
    if not inside:
        return list(started)
    return [each for each in started if each.everywhere and each not in inside] + inside


def unfinished_recordings() -> list[Recording]:
    """Return the runs that are being recorded in this process."""
    return list(_unfinished.copy())


def recording_for_root(kind: str, operation: str, tags: dict[str, Any]) -> Recording | None:
    """Begin a run whose root span opens here, if anybody records it.

    A run that will not be kept is that of `NOBODYS`.
    """
    recorders = recorders_here()
    if not recorders:
        return None
    caller = find_caller(sys._getframe(2), operation, tags)  # noqa: SLF001 - the documented way
    target = None
    if caller is not None:
        known = recorders[-1].descriptions.known_target(caller.instance)
        target = known or target_of(caller.instance)
    otherwise = "async" if caller is not None and caller.is_async else "sync"
    name = target.name if target is not None else str(tags.get("haystack.component.name", kind))
    begun = open_recording(
        kind, name, recorders=recorders, mode=mode_of(operation, tags, otherwise), target=target,
        snapshot=None if caller is None else caller.snapshot,
    )  # fmt: skip
    return NOBODYS.recording if begun is None else begun[0]


def open_recording(
    kind: str, name: str, *, recorders: list[PipelineRecorder], mode: str,
    target: Target | None, snapshot: Any = None, terms: Terms | None = None,
    redact: Redaction | None = None, extensions: Mapping[str, Any] | None = None,
    file_name: str | None = None,
) -> tuple[Recording, list[RecordedRun]] | None:  # fmt: skip
    """Begin a run for these recorders; the innermost one says how it is recorded.

    Returns it with what each recorder will have of it, or None when it is clear
    beforehand that none of them will keep it. See `begin_recording`.
    """
    innermost = recorders[-1]
    everyone = [recorder.settings for recorder in recorders]
    terms = terms or innermost.settings.budget
    if target is not None:
        innermost._attach(target.instance)  # noqa: SLF001 - the other half of one thing
        if terms is not None and terms.stops:
            innermost._guard_agents(target.instance)  # noqa: SLF001 - the other half of one thing
    begun = begin_recording(
        kind, name, mode=mode, everyone=everyone, target=target, snapshot=snapshot,
        descriptions=innermost.descriptions, terms=terms, redact=redact, extensions=extensions,
        file_name=file_name,
    )  # fmt: skip
    if begun is None:
        return None
    recording, runs = begun
    _unfinished.add(recording)

    def on_root_end(ended: Recording, _root: LiveSpan) -> None:
        innermost._add_what_was_not_wrapped(ended)  # noqa: SLF001 - the other half of one thing
        finish_recording(ended)
        _unfinished.discard(ended)
        for recorder, run in zip(recorders, runs, strict=True):
            recorder._remember(run)  # noqa: SLF001 - the other half of one thing

    recording.on_root_end = on_root_end
    return begun


def _attachment(instance: Any) -> Any:
    try:
        from inspector.recording.attach import attach

        return attach(instance)
    except Exception as error:  # noqa: BLE001 - a guest never raises into its host
        complain("A run is recorded through tracing alone", error)
        return None


def _detach(attachment: Any) -> None:
    try:
        attachment.detach()
    except Exception as error:  # noqa: BLE001 - a guest never raises into its host
        complain("A wrapper stayed where it was, and does nothing", error)
