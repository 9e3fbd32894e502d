"""One attempt of a durable execution, recorded.

It is a guest in somebody's durable execution, which costs money and has effects. So nothing in
here raises: what goes wrong is said once in the log, noted in the segment where there is one,
and the attempt runs on as if nobody recorded it.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import replace
from secrets import token_bytes
from typing import TYPE_CHECKING, Any, Self, cast

from inspector.hayhooks.recorder.alive import SignsOfLife
from inspector.hayhooks.recorder.checkpoints import Checkpoints
from inspector.hayhooks.recorder.facts import Facts, ended_as, facts_of, loop_of, target_in
from inspector.hayhooks.recorder.layout import (
    MANIFEST,
    SALT_KEY,
    SCHEMA,
    STATE_KEY,
    folder_name,
    manifest_text,
    segment_name,
)
from inspector.hayhooks.recorder.live import SpanStream
from inspector.hayhooks.recorder.tap import TappedWriter
from inspector.recording.guest import complain
from inspector.recording.recorder import open_recording, recorders_here
from inspector.recording.session import CURRENT
from inspector.recording.targets import find_caller, target_of
from inspector.redaction.salts import key_of
from inspector.runfile.durable import ATTEMPT, EXTENSION

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from contextvars import Token
    from pathlib import Path
    from types import TracebackType

    from inspector.hayhooks.recorder.options import Options
    from inspector.recording.attach import Attachment
    from inspector.recording.recorder import PipelineRecorder
    from inspector.recording.session import LiveSpan, Recording
    from inspector.recording.targets import Target
    from inspector.redaction.settings import Redaction
    from inspector.runfile.journal import RunWriter

_HERE: ContextVar[RecordedAttempt | None] = ContextVar("inspector_attempt", default=None)
_SALT_BYTES = 24


def recording_of(context: Any = None) -> dict[str, Any] | None:
    """Return what a result may say of its recording; None where nothing is recorded here.

    That is `{"run": id, "execution": id, "attempt": n, "schema": 1}`. The run's id is the same
    in all attempts. A result that carries it leads to the run.
    """
    attempt = _HERE.get()
    if attempt is None or not attempt.is_on or (context is not None and not attempt.is_of(context)):
        return None
    return attempt.reference


class RecordedAttempt:
    """Records what runs in its block as an attempt of an execution; for `with` and `async with`.

    Args:
        context: The durable context of the attempt.
        options: How it is recorded, and where it goes; None for not at all.

    """

    def __init__(self, context: Any, options: Options | None) -> None:
        self._context = context
        self._options = options
        self._facts: Facts | None = None
        self._recorder: PipelineRecorder | None = None
        self._recording: Recording | None = None
        self._root: LiveSpan | None = None
        self._tap: TappedWriter | None = None
        self._token: Token[LiveSpan | None] | None = None
        self._here: Token[RecordedAttempt | None] | None = None
        self._checkpoints: Checkpoints | None = None
        self._alive: SignsOfLife | None = None
        self._attached: list[tuple[Any, Attachment]] = []
        self._told: set[asyncio.Future[Any]] = set()

    @property
    def is_on(self) -> bool:
        """Whether it is recording."""
        return self._root is not None and self._root.end_ns is None

    @property
    def reference(self) -> dict[str, Any] | None:
        """What a result may say of the recording; see `recording_of`."""
        facts = self._facts
        if facts is None:
            return None
        return {
            "run": facts.run, "execution": facts.execution, "attempt": facts.attempt,
            "schema": SCHEMA,
        }  # fmt: skip

    def is_of(self, context: Any) -> bool:
        """Whether this is the attempt of a context."""
        return context is self._context

    def took(self, request: Any) -> None:
        """Record what the execution was asked for."""
        if self._root is not None:
            self._root.set("inputs", request)

    def gave(self, result: Any) -> None:
        """Record what the attempt returned."""
        if self._root is not None and self._recording is not None:
            try:
                self._root.fields["outputs"] = self._recording.capture.at_once(result)
            except Exception as error:  # noqa: BLE001 - a guest never raises into its host
                self._root.miss("outputs", error)

    # -- in and out ------------------------------------------------------------------------

    def __enter__(self) -> Self:
        if (news := self._begin()) is not None:
            self._tell(news)
        return self

    async def __aenter__(self) -> Self:
        try:
            if self._options is not None and (salt := self._salt(self._options)) is not None:
                # A tenth of a second of work, which is none for the event loop.
                await asyncio.to_thread(key_of, salt)
        except Exception as error:  # noqa: BLE001 - it is done when it is needed, then
            complain("The salt of a recording was not made ready", error)
        if (news := self._begin()) is not None:
            try:
                await news
            except Exception as error:  # noqa: BLE001 - a guest never raises into its host
                complain("An execution does not say that it is recorded", error)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        try:
            self._end(error)
        except Exception as trouble:  # noqa: BLE001 - a guest never raises into its host
            complain("The end of an attempt was not recorded", trouble)
        finally:
            self._let_go()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.__exit__(kind, error, trace)

    def _begin(self) -> Coroutine[Any, Any, Any] | None:
        """Begin to record; return what the execution is to be told of it, if that is news."""
        try:
            if self._options is None:
                return None
            self._facts = facts = facts_of(self._context)
            around = _HERE.get()
            if around is not None and around.is_on and around.is_of(self._context):
                return None  # it is recorded already
            self._open(facts, self._options)
            self._here = _HERE.set(self)
            return self._news(facts, self._options)
        except Exception as error:  # noqa: BLE001 - the attempt goes on without being recorded
            complain("An attempt of a durable execution is not recorded", error)
            self._let_go()
            self._root = None
            return None

    def _open(self, facts: Facts, options: Options) -> None:
        self._recorder = recorder = options.recorder
        recorder.hold()
        target = _described(target_in(self._context))
        others = [each for each in recorders_here() if each is not recorder]
        begun = open_recording(
            target.kind if target is not None else facts.kind,
            target.name if target is not None else facts.deployment or facts.kind,
            recorders=[*others, recorder], mode=_mode(), target=target,
            redact=self._redaction(options),
            extensions={EXTENSION: facts.said()},
            file_name=segment_name(facts.execution, facts.attempt),
        )  # fmt: skip
        assert begun is not None, "our recorder keeps every run"
        self._recording = recording = begun[0]
        stream = None
        if options.live_spans:
            stream = SpanStream(self._context, facts.run, facts.attempt, options.live_spans)
        self._tap = TappedWriter(recording.writer, stream)
        recording.writer = cast("RunWriter", self._tap)
        recording.on_inner_run = self._meet
        name = f"attempt {facts.attempt}"
        recording.root = root = recording.prepare("other", ATTEMPT, name, None, "", "other")
        root.open()
        self._root = root
        self._token = CURRENT.set(root)
        self._checkpoints = Checkpoints(self._context, root, self._on_wait)
        if (loop := loop_of(self._context)) is not None:
            self._alive = SignsOfLife(loop, root)
        recording.writer.do(_write_manifest, options.folder, facts)
        self._tap.secure()

    def _redaction(self, options: Options) -> Redaction | None:
        """Return the redaction of the attempt, with a salt that all attempts share."""
        wanted = options.recorder.settings.redact
        salt = self._salt(options)
        return wanted if wanted is None or salt is None else replace(wanted, salt=salt)

    def _salt(self, options: Options) -> bytes | None:
        """Return the salt of this execution; None where it needs none of its own.

        Numbered placeholders would count anew in each segment, and the same number would stand
        for two people. The salt is kept where the contents are, with the execution's state.
        """
        wanted = options.recorder.settings.redact
        if wanted is None or wanted.salt is not None:
            return None
        known = self._state().get(SALT_KEY)
        salt = b""
        with suppress(ValueError):
            salt = bytes.fromhex(known) if isinstance(known, str) else b""
        if len(salt) < _SALT_BYTES:
            salt = token_bytes(_SALT_BYTES)
            self._put_state(**{SALT_KEY: salt.hex()})
        return salt

    def _state(self) -> dict[str, Any]:
        state = getattr(self._context, "state", None)
        known = state.get(STATE_KEY) if isinstance(state, dict) else None
        return known if isinstance(known, dict) else {}

    def _put_state(self, **facts: Any) -> None:
        state = getattr(self._context, "state", None)
        if isinstance(state, dict):
            state[STATE_KEY] = {**self._state(), **facts}

    def _news(self, facts: Facts, options: Options) -> Coroutine[Any, Any, Any] | None:
        """Note the run in the execution's state, and return the progress event that says it.

        State and progress become durable by the same commit: where the state knows of the run,
        the event is known, too.
        """
        is_known = self._state().get("run") == facts.run
        self._put_state(run=facts.run, schema=SCHEMA)
        if is_known or not options.progress:
            return None
        told: Coroutine[Any, Any, Any] = self._context.report_progress(
            "This execution is recorded by Run Inspector", kind="recorder",
            metadata={"run": facts.run, "schema": SCHEMA},
        )  # fmt: skip
        return told

    def _tell(self, news: Coroutine[Any, Any, Any]) -> None:
        """Report progress from a plain `with`, which cannot wait for it on the event loop."""
        try:
            loop = loop_of(self._context)
            running = _running_loop()
            if running is not None:
                task = running.create_task(news)
                self._told.add(task)
                task.add_done_callback(self._heard)
            elif loop is not None:
                asyncio.run_coroutine_threadsafe(news, loop).add_done_callback(_say_if_failed)
            else:
                news.close()
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            news.close()
            complain("An execution does not say that it is recorded", error)

    def _heard(self, task: asyncio.Future[Any]) -> None:
        self._told.discard(task)
        _say_if_failed(task)

    # -- what runs inside ------------------------------------------------------------------

    def _meet(self, operation: str, tags: Any) -> None:
        """Wrap a pipeline or agent that the wrapper made itself, such as one for each job."""
        recording, recorder = self._recording, self._recorder
        try:
            if CURRENT.get() is not self._root or recording is None or recorder is None:
                return
            found = find_caller(sys._getframe(2), operation, tags)  # noqa: SLF001 - the documented way
            if found is None or found.instance is recording.target:
                return
            if not any(instance is found.instance for instance, _ in self._attached):
                from inspector.recording.attach import attach

                self._attached.append((found.instance, attach(found.instance)))
            if recording.target is None:
                recording.target = found.instance
                described = recorder.descriptions.of(target_of(found.instance))
                recording.writer.header({**described.header, "name": recording.name})
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            complain("A run inside of an attempt is recorded through tracing alone", error)

    def _end(self, error: BaseException | None) -> None:
        recording, root = self._recording, self._root
        if recording is None or root is None:
            return
        # On the disk before anybody is told: whoever hears of it may end this process at once.
        self._say(ending=None, **ended_as(self._context, error))
        if error is not None:
            root.fail(error)
        root.end()
        if self._tap is not None and self._options is not None and self._options.live_spans:
            self._tap.secure()  # the stream ends with the attempt

    def _on_wait(self, is_waiting: bool) -> None:
        self._say(ending="waiting" if is_waiting else None)

    def _say(self, **facts: Any) -> None:
        """Say more of the attempt in the header of its segment, where a kill leaves it."""
        recording = self._recording
        if recording is None:
            return
        own = {**recording.extensions.get(EXTENSION, {}), **facts}
        known = {key: value for key, value in own.items() if value is not None}
        recording.extensions = {**recording.extensions, EXTENSION: known}
        recording.writer.header({"extensions": recording.extensions})
        if self._tap is not None:
            self._tap.secure()

    def _let_go(self) -> None:
        for variable, token in ((CURRENT, self._token), (_HERE, self._here)):
            if token is not None:
                with suppress(ValueError):
                    variable.reset(token)  # type: ignore[arg-type]  # each has its own
        self._token = self._here = None
        try:
            if self._alive is not None:
                self._alive.stop()
            if self._checkpoints is not None:
                self._checkpoints.close()
            for _, attachment in self._attached:
                attachment.detach()
            if self._recorder is not None:
                self._recorder.release()
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            complain("A wrapper stayed where it was, and does nothing", error)
        self._attached.clear()
        self._checkpoints = self._recorder = self._alive = None


def _described(instance: Any) -> Target | None:
    try:
        return None if instance is None else target_of(instance)
    except Exception as error:  # noqa: BLE001 - it is described when it runs, then
        complain("What an execution runs is not described", error)
        return None


def _mode() -> str:
    return "sync" if _running_loop() is None else "async"


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _say_if_failed(done: Any) -> None:
    if not done.cancelled() and (error := done.exception()) is not None:
        complain("An execution does not say that it is recorded", error)


def _write_manifest(record: tuple[Any, ...]) -> None:
    """Write what is the same in all attempts beside the segments; on the writer's thread."""
    _, _, folder, facts = record
    target: Path = folder / folder_name(facts.execution) / MANIFEST
    try:
        from inspector.runfile.files import replace as write

        if not target.exists():
            for _ in write(str(target), [manifest_text(facts.manifest())]):
                pass
    except OSError as error:
        complain("The manifest of an execution was not written", error)
