"""Wrapping everything a pipeline or an agent holds, for as long as somebody records it."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Any

from inspector.recording.agent_stop import unguard
from inspector.recording.guest import complain
from inspector.recording.walk import MOST_OBJECTS, Walk, components_of, walk_values
from inspector.recording.wrappers.install import INSTALLED, Installed, Refused
from inspector.recording.wrappers.shells import HELD_BY, HOLDING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inspector.recording.walk import Found

MOST_ADOPTED = 1_000

# Guards who wraps what. Held for dictionary look-ups only, never while code of the host runs.
_lock = threading.RLock()

_users: dict[int, list[Attachment]] = {}


def attach(target: Any) -> Attachment:
    """Wrap `target` and what is inside it until `Attachment.detach`. Never raises.

    Several attachments may share instances; the last one to go restores them.
    """
    attachment = Attachment()
    attachment.renew(target)
    return attachment


class Attachment:
    """The instances that are wrapped for one recording, or one recorder."""

    def __init__(self) -> None:
        self._found: list[Found] = []
        self._addresses: set[int] = set()
        self._adopted: deque[Found] = deque()
        self._components: list[int] = []
        self._refused: dict[int, tuple[Found, str]] = {}
        self._left_out: list[dict[str, str]] = []
        self._detached = False

    @property
    def found(self) -> tuple[Any, ...]:
        """The wrapped instances, in the order they were found."""
        return tuple(found.instance for found in self._found)

    @property
    def not_recorded(self) -> tuple[dict[str, str], ...]:
        """What could not be wrapped, and why: `{"what", "why"}`."""
        return tuple(self._left_out)

    @property
    def refused(self) -> tuple[tuple[Found, str], ...]:
        """What could not be wrapped, and why."""
        return tuple(self._refused.values())

    def renew(self, target: Any) -> None:
        """Wrap what came to `target` since, if anything did. Never raises."""
        try:
            components = [id(instance) for _, instance in components_of(target)]
            if components and components == self._components:
                return
            self._components = components
            walk = Walk()
            self.add(tuple(walk.from_values([("", target)])))
            if walk.was_cut_short:
                self.leave_out("what is deep inside", f"more than {MOST_OBJECTS:,} objects")
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            complain("What a run holds was not wrapped", error)
            self.leave_out(type(target).__name__, f"{type(error).__name__}: {error}")

    def add(self, found: Iterable[Found]) -> None:
        """Wrap these objects, too, until this attachment goes."""
        with _lock:
            if self._detached:
                return
            for each in found:
                if id(each.instance) not in self._addresses:
                    self._wrap(each)

    def adopt(self, values: Iterable[Any]) -> None:
        """Wrap what turned up while running, and let go of the oldest when it gets much."""
        found = [each for each in walk_values(values) if id(each.instance) not in self._refused]
        with _lock:
            before = len(self._found)
            self.add(found)
            self._adopted.extend(self._found[before:])
            while len(self._adopted) > MOST_ADOPTED:
                self._unwrap(oldest := self._adopted.popleft())
                self._found.remove(oldest)

    def leave_out(self, what: str, why: str) -> None:
        """Note what is not recorded of the target."""
        self._left_out.append({"what": what, "why": why})

    def detach(self) -> None:
        """Leave every instance as it was. Calling it again does nothing."""
        with _lock:
            self._detached = True
            found, self._found = self._found, []
            self._adopted.clear()
            self._refused.clear()
            for each in found:
                self._unwrap(each)

    def _wrap(self, found: Found) -> None:
        address = id(found.instance)
        try:
            if address not in INSTALLED:
                INSTALLED[address] = Installed(found.instance, found.what)
        except Exception as error:  # noqa: BLE001 - a strange object costs its own record only
            why = str(error) if isinstance(error, Refused) else f"{type(error).__name__}: {error}"
            where, kind = found.where, type(found.instance).__name__
            self.leave_out(where if where == kind else f"{where} ({kind})", why[:200])
            if len(self._refused) < MOST_ADOPTED:
                self._refused[address] = (found, why)
            return
        _users.setdefault(address, []).append(self)
        self._addresses.add(address)
        self._found.append(found)
        above = found.above()
        HELD_BY.setdefault(address, set()).update(above)
        for holder in above:
            HOLDING[holder] = HOLDING.get(holder, 0) + 1

    def _unwrap(self, found: Found) -> None:
        address = id(found.instance)
        self._addresses.discard(address)
        for holder in found.above():
            if (left := HOLDING.get(holder, 1) - 1) > 0:
                HOLDING[holder] = left
            else:
                HOLDING.pop(holder, None)
        users = _users.get(address, [])
        if self in users:
            users.remove(self)
        if users:
            return
        _users.pop(address, None)
        HELD_BY.pop(address, None)
        installed = INSTALLED.pop(address, None)
        if installed is not None:
            try:
                unguard(found.instance)
                installed.remove()
            except Exception as error:  # noqa: BLE001 - a guest never raises into its host
                complain("A wrapper stayed where it was, and does nothing", error)


def adopt_beside(instance: Any, values: Iterable[Any]) -> None:
    """Wrap values that `instance` was given, for everybody who has wrapped `instance`."""
    unknown = [value for value in values if id(value) not in INSTALLED]
    if not unknown:
        return
    with _lock:
        attachments = tuple(_users.get(id(instance), ()))
    for attachment in attachments:
        attachment.adopt(unknown)
