"""Opening a replay: a recording of its own, whose wrappers also answer."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self, cast

from inspector.recording.attach import Attachment
from inspector.recording.environment import our_version
from inspector.recording.identity import new_run_id
from inspector.recording.lifecycle import FINGERPRINT_RULES, finish_recording, time_now
from inspector.recording.operations import AGENT, PIPELINE
from inspector.recording.secrets import scrubber_for
from inspector.recording.session import CURRENT, Recording
from inspector.recording.targets import expected_span, find_caller
from inspector.recording.tracer import install, uninstall
from inspector.recording.walk import Walk, components_of, walk
from inspector.recording.wrappers.install import INSTALLED
from inspector.replay import guard, intercept, threads, warmth, wires
from inspector.replay.classes import RUNS
from inspector.replay.gates import watch_of
from inspector.replay.held_writer import HeldCapture, HeldWriter
from inspector.replay.mode import ReplayError
from inspector.replay.redacted import redactor_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextvars import Token
    from types import TracebackType

    from inspector.recording.described import Description
    from inspector.recording.session import LiveSpan
    from inspector.recording.targets import Target
    from inspector.recording.walk import Found
    from inspector.replay.guard import Guarded
    from inspector.replay.session import ReplaySession
    from inspector.runfile.journal import RunWriter

_OPERATIONS = {"pipeline": PIPELINE, "agent": AGENT}
_INNER = "inspector.inner"


class Opened:
    """A replay that goes on, from the first span to the last."""

    def __init__(
        self, session: ReplaySession, target: Target, inputs: Any, *, mode: str,
        description: Description, found: Iterable[Found], toolsets: Iterable[Any] = (),
    ) -> None:  # fmt: skip
        self._session = session
        self._target = target
        self._inputs = inputs
        self._found = found
        self._toolsets = [*toolsets, *_toolsets_in(inputs)]
        header = _header(target, mode, description)
        scrub = scrubber_for(description.secret_names, description.taken_out)
        redactor = redactor_of(session.run, session.terms.redact, description.secret_names, scrub)
        self.writer = HeldWriter(header, redactor or scrub, watch_of(session.terms.gate))
        self.recording = Recording(
            header["id"],
            target.kind,
            target.name,
            writer=cast("RunWriter", self.writer),
            capture=HeldCapture(session.memory),
        )
        self.recording.mode = mode
        self.recording.definition = header.get("definition")
        self.recording.started_at = header["started_at"]
        self.recording.target = target.instance
        self.recording.replay = session
        self.recording.on_inner_run = self._meet
        session.opened(self.recording, self.writer)
        self._attachment: Attachment | None = None
        self._token: Token[LiveSpan | None] | None = None
        self._blocked: Token[Guarded | None] | None = None
        self._root: LiveSpan | None = None

    @property
    def root(self) -> LiveSpan | None:
        """The outermost span, also after its end."""
        return self._root

    def __enter__(self) -> Self:
        target, recording = self._target, self.recording
        install()
        attachment = self._attachment = Attachment()
        attachment.add(self._found)
        try:
            refuse_what_cannot_be_asked(self._session, attachment)
        except ReplayError:
            attachment.detach()
            uninstall()
            raise
        self._session.adopt = self._adopt
        intercept.arm(attachment.found, self._session)
        warmth.spare(attachment.found)
        if self._toolsets:
            from inspector.replay.toolsets import lend

            lend(self._session, self._toolsets, attachment.found)
        threads.carry_context()
        wires.watch()
        guard.install()
        guard.quiet_telemetry()
        recording.expects = expected_span(target)
        root = recording.root = recording.prepare(
            target.kind, _OPERATIONS.get(target.kind, _INNER), target.name, None, "",
            target.role, target.type,
        )  # fmt: skip
        if target.kind == "component":
            root.set("inputs", self._inputs)
        root.peculiar = recording.expects is not None
        recording.on_root_end = lambda ended, _root: finish_recording(ended)
        root.open()
        self._root = root
        self._token = CURRENT.set(root)
        self._blocked = guard.BLOCKED.set(self._session)
        return self

    def _meet(self, operation: str, tags: dict[str, Any]) -> None:
        """Stand in front of what an inner pipeline or agent holds that was made only now."""
        try:
            caller = find_caller(sys._getframe(2), operation, tags)  # noqa: SLF001 - documented
            if caller is None:
                return
            inner = caller.instance
            parts = [part for _, part in components_of(inner)] or [inner]
            if not all(id(part) in INSTALLED for part in parts):
                self._adopt(walk(inner))
        except ReplayError as error:
            self._session.fail(str(error), error.hint)  # nothing may be raised in a tracer

    def _adopt(self, found: Iterable[Found]) -> None:
        """Wrap what was made for this replay only."""
        assert self._attachment is not None
        before = len(self._attachment.found)
        self._attachment.add(found)
        # Only what is new, and can be wrapped: all of it is let go once, at the end.
        instances = self._attachment.found[before:]
        intercept.arm(instances, self._session)
        warmth.spare(instances)
        refuse_what_cannot_be_asked(self._session, self._attachment)

    def take(self, result: Any) -> None:
        """Record the result, where Haystack's span did not."""
        root = self._root
        if root is not None and "outputs" not in root.fields:
            root.fields["outputs"] = self.recording.capture.at_once(result)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self._session.over = True
        with suppress(ValueError):
            if self._blocked is not None:
                guard.BLOCKED.reset(self._blocked)
        with suppress(ValueError):
            if self._token is not None:
                CURRENT.reset(self._token)
        root = self._root
        if root is not None:
            if error is not None:
                root.fail(error)
            root.end()
        threads.let_go()
        wires.let_go()
        if self._attachment is not None:
            warmth.spare_no_more(self._attachment.found)
            warmth.spare_no_more(self._toolsets)
            intercept.disarm(self._attachment.found, self._session)
            self._attachment.detach()
        uninstall()


def refuse_what_cannot_be_asked(session: ReplaySession, attachment: Attachment) -> None:
    """Refuse to replay what would run live, since nothing can stand in front of it.

    Raises:
        ReplayError: It is none of what may run.

    """
    for found, why in attachment.refused:
        kind = str(found.what)
        if kind not in ("component", "tool"):
            continue
        name = found.where.rpartition(".")[2]
        ruling = session.policy.of(found.instance, kind, f"{found.where}#1", name)
        if ruling.treatment not in RUNS:
            raise ReplayError(
                f"{found.where} cannot be answered from a recording, since {why}. "
                "It would run live.",
                hint=f'If it may, say so: treat={{"{type(found.instance).__name__}": "execute"}}.',
            )


def _toolsets_in(inputs: Any) -> list[Any]:
    """Return the toolsets that an agent is given for this run only."""
    if not isinstance(inputs, dict):
        return _toolsets_in(inputs[0]) if isinstance(inputs, tuple) and inputs else []
    places = [inputs, *(value for value in inputs.values() if isinstance(value, dict))]
    given = [place["tools"] for place in places if "tools" in place]
    if not given:
        return []
    walk = Walk()
    for _ in walk.from_values([("", value) for value in given]):
        pass
    return walk.toolsets


def _header(target: Target, mode: str, description: Description) -> dict[str, Any]:
    started_at, _, offset_s = time_now()
    return {
        "id": new_run_id(),
        "kind": target.kind,
        "name": target.name,
        "mode": mode,
        "status": "running",
        "recorder": {
            "version": our_version(),
            "channels": ["tracing"],
            "fingerprint_rules": FINGERPRINT_RULES,
            "settings": {"embeddings": "digest", "wrappers": True},
        },
        **description.header,
        "started_at": started_at,
        "utc_offset_s": offset_s,
    }
