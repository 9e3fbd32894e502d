"""Components made anew with other parameters, for one replay; the target stays as it is."""

from __future__ import annotations

import copy
import threading
from typing import TYPE_CHECKING, Any

from inspector.recording.topology import class_name
from inspector.recording.walk import walk
from inspector.replay.classes import RUNS
from inspector.replay.mode import ReplayError
from inspector.replay.overrides import keys_of
from inspector.replay.plans import Plan, Source
from inspector.replay.trusted import allowing, modules_in
from inspector.replay.words import drift_of_parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from inspector.recording.session import LiveSpan
    from inspector.recording.walk import Found
    from inspector.replay.overrides import Overrides
    from inspector.replay.policy import Ruling
    from inspector.replay.session import ReplaySession


class Twins:
    """The twins of one replay, by the names of the components they stand for."""

    def __init__(self, session: ReplaySession) -> None:
        self._session = session
        self._lock = threading.Lock()
        self._made: dict[str, Any] = {}
        self.met: set[str] = set()  # the words of overrides that fitted a call

    @property
    def made(self) -> dict[str, Any]:
        """The twins that there are, by the words of the overrides."""
        with self._lock:
            return dict(self._made)

    def of(self, name: str, instance: Any, parameters: Mapping[str, Any]) -> Any:
        """Return the twin of a component, the same one each time."""
        with self._lock:
            if name not in self._made:
                self._made[name] = twin = twin_of(instance, parameters)
                self._session.adopt(inside_of(twin))
            return self._made[name]


def overridden(
    session: ReplaySession, overrides: Overrides, live: LiveSpan, instance: Any, ruling: Ruling
) -> Plan | None:
    """Return what the caller of the replay wants to be different about a call, if anything."""
    place = session.place(live)
    for word in (live.path, place, live.name):
        if word in overrides.answers:
            session.twins.met.add(word)
            session.cassette.pass_by(place)
            live.fields["source"] = Source.EDITED
            return Plan(Source.EDITED, edited=(overrides.answers[word],))
    if not overrides.parameters or live.kind != "component":
        return None
    keys = keys_of(live.path, live.name)
    key = next((each for each in keys if overrides.parameters.get(each)), None)
    if key is None:
        return None
    parameters = overrides.parameters[key]
    session.twins.met.add(key)
    if ruling.treatment in RUNS:
        plan = session.running(live, ruling.treatment)
    else:
        session.cassette.pass_by(place)
        plan = session.without(live, ruling, drift_of_parameters(live, parameters))
    twin = session.twins.of(key, instance, parameters)
    plan.function, plan.function_async = as_twin(twin), as_twin_async(twin)
    return plan


def twin_of(instance: Any, parameters: Mapping[str, Any]) -> Any:
    """Return a component like this one, made with other parameters.

    Raises:
        ReplayError: It cannot be made anew, or has no such parameter.

    """
    name = class_name(instance).rpartition(".")[2]
    try:
        told = copy.deepcopy(instance.to_dict())
        init = told["init_parameters"]
    except Exception as error:
        raise ReplayError(
            f"{name} does not tell its own parameters, so it cannot be made anew ({error}).",
            hint="Change the component itself, and replay it.",
        ) from error
    trusted = modules_in(told)
    for parameter, value in parameters.items():
        _put(init, parameter, _told(value), name)
    try:
        with allowing(trusted):
            twin = type(instance).from_dict(told)
    except Exception as error:
        raise ReplayError(f"{name} cannot be made with these parameters: {error}") from error
    if (named := getattr(instance, "__component_name__", None)) is not None:
        twin.__component_name__ = named
    warm_up = getattr(twin, "warm_up", None)
    inside = list(inside_of(twin))
    if callable(warm_up) and not inside:
        warm_up()
    return twin


def _put(init: dict[str, Any], parameter: str, value: Any, name: str) -> None:
    """Put a value in the place of a parameter; `chat_generator.model` is one of a part."""
    *outer, last = parameter.split(".")
    place: Any = init
    for step in outer:
        part = place.get(step) if isinstance(place, dict) else None
        place = part.get("init_parameters") if isinstance(part, dict) else None
    if not isinstance(place, dict) or last not in place:
        known = sorted(place if isinstance(place, dict) else init)
        raise ReplayError(
            f"{name} has no parameter {parameter!r}.", hint=f"It has {', '.join(known)}."
        )
    place[last] = value


def as_twin(twin: Any) -> Callable[..., Any]:
    """Return what runs the twin where the original's method was called."""

    def run(_original: Any, /, *args: Any, **kwargs: Any) -> Any:
        return type(twin).run(twin, *args, **kwargs)

    return run


def as_twin_async(twin: Any) -> Callable[..., Any]:
    """Return what runs the twin where the original's `run_async` was called."""

    async def run(_original: Any, /, *args: Any, **kwargs: Any) -> Any:
        return await type(twin).run_async(twin, *args, **kwargs)

    return run


def inside_of(twin: Any) -> Iterable[Found]:
    """Return what a twin holds that has to be wrapped, as the original's is."""
    return [found for found in walk(twin) if found.instance is not twin]


def _told(value: Any) -> Any:
    """Return a parameter as `to_dict` tells it."""
    if isinstance(value, (list, tuple)):
        return [_told(part) for part in value]
    to_dict = getattr(value, "to_dict", None)
    return to_dict() if callable(to_dict) else value
