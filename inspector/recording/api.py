"""`record_run`, `record_run_async` and `recording`: how a person records."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import orjson

from inspector.errors import RecordingError
from inspector.recording.guest import complain
from inspector.recording.keep import Always
from inspector.recording.recorder import PipelineRecorder, open_recording, recorders_here
from inspector.recording.replies import MODEL_ROLES, note_reply
from inspector.recording.retrieval import asked_of, note_retrieval
from inspector.recording.session import CURRENT
from inspector.recording.spending import Terms
from inspector.recording.targets import Target, expected_span, target_of
from inspector.recording.whereabouts import innermost
from inspector.redaction.project import redaction_of
from inspector.runfile.layout import FORMAT_NAME, FORMAT_VERSION

if TYPE_CHECKING:
    from contextvars import Token
    from pathlib import Path
    from types import TracebackType

    from inspector.cost.budget import Budget
    from inspector.recording.kept_runs import RecordedRun
    from inspector.recording.session import LiveSpan, Recording
    from inspector.redaction.project import Redact
    from inspector.runfile.model import PipelineRun

_OPERATIONS = {"pipeline": "haystack.pipeline.run", "agent": "haystack.agent.run"}
_INNER = "inspector.inner"
_WAIT_S = 60.0


def recording(directory: str | Path | None = None, **settings: Any) -> PipelineRecorder:
    """Record every run inside the block, in any thread or task; for `with` and `async with`.

    Takes what `PipelineRecorder` takes: `keep`, `sink`, `stream`, `compress`, `embeddings`,
    `limits`, `directory_limits`, `wrappers`, `budget`, `redact`.
    """
    return PipelineRecorder(directory, **settings)


def record_run(
    target: Any, data: Any = None, *, recorder: PipelineRecorder | None = None,
    budget: Budget | None = None, redact: Redact = None, **run_kwargs: Any,
) -> tuple[Any, PipelineRun]:  # fmt: skip
    """Run a pipeline, an agent or any component; return its result and the recorded run.

    What the run raises is raised here, unchanged. The run that failed is the last of
    `recorder.runs`; where the recorder has a directory, a note on the error names the file.
    `redact` is that of `PipelineRecorder`.

    Raises:
        RecordingError: The target has no `run`.

    """
    described = target_of(target)
    args, kwargs = arguments_for(described, data, run_kwargs)
    session = Session(described, args, kwargs, recorder, mode="sync", budget=budget, redact=redact)
    with session:
        result = target.run(*args, **kwargs)
        session.take(result)
    return result, session.run()


async def record_run_async(
    target: Any, data: Any = None, *, recorder: PipelineRecorder | None = None,
    budget: Budget | None = None, redact: Redact = None, **run_kwargs: Any,
) -> tuple[Any, PipelineRun]:  # fmt: skip
    """Do with `run_async` what `record_run` does; what has no `run_async` runs in a thread.

    Raises:
        RecordingError: The target has no `run`.

    """
    described = target_of(target)
    args, kwargs = arguments_for(described, data, run_kwargs)
    session = Session(described, args, kwargs, recorder, mode="async", budget=budget, redact=redact)
    with session:
        if callable(getattr(target, "run_async", None)):
            result = await target.run_async(*args, **kwargs)
        else:
            result = await asyncio.to_thread(target.run, *args, **kwargs)
        session.take(result)
    return result, await asyncio.to_thread(session.run)


class Session:
    """One call of `record_run`: opens the root, and closes it whatever happens."""

    def __init__(
        self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any],
        recorder: PipelineRecorder | None, *, mode: str, budget: Budget | None = None,
        redact: Redact = None,
    ) -> None:  # fmt: skip
        self._redact = None if redact is None else redaction_of(redact)
        self._terms = None if budget is None else Terms(budget)
        self._args = args
        self._kwargs = kwargs
        self._target = target
        self._mode = mode
        recorders = recorders_here()
        # Only the caller holds a recorder that is made here, and a failure returns nothing.
        self._is_lost = recorder is None and not recorders
        if recorder is not None:
            recorders = [each for each in recorders if each is not recorder] + [recorder]
        if not any(each.settings.keep == Always() for each in recorders):
            # Whatever the others keep: the caller gets this run.
            recorders.insert(0, PipelineRecorder(redact=redact))
        self._recorders = recorders
        if self._terms is not None:
            self._terms.refuse_without(wrappers=recorders[-1].settings.wrappers)
        self._held = False
        self._token: Token[LiveSpan | None] | None = None
        self._recording: Recording | None = None
        self._root: LiveSpan | None = None
        self._run: RecordedRun | None = None

    def __enter__(self) -> None:
        try:
            self._open()
        except Exception as error:  # noqa: BLE001 - the run goes on without being recorded
            complain("A run is not recorded", error)

    def _open(self) -> None:
        self._recorders[-1].hold()
        self._held = True
        target = self._target
        around = innermost()
        begun = open_recording(
            target.kind, target.name, recorders=self._recorders, mode=self._mode, target=target,
            snapshot=self._kwargs.get("pipeline_snapshot"), terms=self._terms,
            redact=self._redact,
        )  # fmt: skip
        assert begun is not None, "one of the recorders keeps every run"
        recording, runs = begun
        self._recording = recording
        kept = zip(self._recorders, runs, strict=True)
        self._run = next(run for each, run in kept if each.settings.keep == Always())
        if around is not None:
            around.recording.leave_out(
                target.name, f"recorded as a run of its own, {recording.run_id}"
            )
        recording.expects = expected_span(target)
        recording.root = root = recording.prepare(
            target.kind, _OPERATIONS.get(target.kind, _INNER), target.name, None, "",
            target.role, target.type,
        )  # fmt: skip
        if target.kind == "component":
            root.set("inputs", self._inputs())
        root.peculiar = recording.expects is not None
        root.open()
        self._root = root
        self._token = CURRENT.set(root)

    def _inputs(self) -> Any:
        if self._target.kind == "pipeline":
            return self._args[0] if self._args else self._kwargs.get("data")
        return self._kwargs if not self._args else {"args": self._args, **self._kwargs}

    def take(self, result: Any) -> None:
        """Record the result, where Haystack's span did not."""
        recording = self._recording
        root = self._root
        if recording is None or root is None or recording.finished:
            return
        try:
            root.fields["outputs"] = recording.capture.at_once(result)
            if root.role in MODEL_ROLES:
                note_reply(root, result)
            elif root.role == "retrieval":
                root.fields["retrieval"] = asked_of(root, self._inputs())
                note_retrieval(root, result)
            if recording.expects is not None:
                recording.leave_out("spans", "Haystack's tracing did not report this run")
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            root.miss("outputs", error)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        if self._token is not None:
            with suppress(ValueError):
                CURRENT.reset(self._token)
        recording = self._recording
        root = self._root
        if recording is not None and root is not None:
            if not recording.finished and recording.inputs is None:
                root.set("inputs", self._inputs())
            if error is not None:
                root.fail(error)
            root.end()
            if error is not None:
                self._note_path(error, recording)
        if self._held:
            self._recorders[-1].release()

    def _note_path(self, error: BaseException, recording: Recording) -> None:
        keeps = [each.settings.keep for each in self._recorders if each.settings.directory]
        ended = {"id": recording.run_id, "status": "failed"}
        with suppress(Exception):
            if keeps and keeps[-1].keeps(ended):
                error.add_note(f"Run Inspector recorded this run in {recording.path}")
            elif self._is_lost:
                # Not on the error: it stays what it would be without us.
                complain(
                    "A run failed, and nothing keeps what was recorded of it",
                    "pass recorder=PipelineRecorder(...), or run inside recording(...)",
                )

    def run(self) -> PipelineRun:
        """Wait for the run and return it. The host's result must not be lost over ours."""
        from inspector.runfile.load import load_run

        recording, run = self._recording, self._run
        why = "it could not be recorded"
        if run is not None:
            try:
                if run.wait(_WAIT_S):
                    return run.load()
                why = f"it was not written within {_WAIT_S:.0f} s"
            except Exception as error:  # noqa: BLE001 - the result is the host's, and stays
                why = f"{type(error).__name__}: {error}"
            complain("A run was not kept", why)
        header = {
            "id": "" if recording is None else recording.run_id,
            "kind": self._target.kind, "name": self._target.name, "status": "incomplete",
            "not_recorded": [{"what": "the run", "why": why}],
        }  # fmt: skip
        empty = {"format": FORMAT_NAME, "version": FORMAT_VERSION, "run": header,
                 "spans": [], "values": {}}  # fmt: skip
        return load_run(orjson.dumps(empty))


def arguments_for(
    target: Target, data: Any, run_kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return what `run` is called with, from one form for everything that runs."""
    if target.kind == "pipeline":
        return ({} if data is None else data,), run_kwargs
    if data is None:
        return (), run_kwargs
    if isinstance(data, dict):
        return (), {**data, **run_kwargs}
    if target.kind == "agent":
        return (), {"messages": data, **run_kwargs}
    raise RecordingError(
        f"The inputs of a {target.name} are a dictionary, not a {type(data).__name__}.",
        hint="Pass them by name, such as record_run(component, {'query': '...'}).",
    )
