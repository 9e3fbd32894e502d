"""The components that a run's definition describes, found from where a span sits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.runfile.kinds import SpanKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from inspector.runfile.model import PipelineRun, Span

_PASSED = ("pipeline", "agent")  # segments of a path that stand for no component of their own
_MADE_OF = ("type", "init_parameters")
_DEEPEST = 12


class DefinedComponent(NamedTuple):
    """A component as the definition of a run describes it."""

    key: str
    """What a replay knows it by: its name, or the names of what it lies in before it."""
    type: str
    parameters: Mapping[str, Any]


def component_of(run: PipelineRun, span: Span) -> DefinedComponent | None:
    """Return the component that a span belongs to, the innermost one that is defined."""
    if not span.path and span.kind is SpanKind.PIPELINE:
        return None
    names = [segment.partition("#")[0] for segment in span.path.split("/") if segment]
    return component_at(run, "/".join(names))


def component_at(run: PipelineRun, key: str) -> DefinedComponent | None:
    """Return the component of this key, or the innermost one on the way there."""
    definition = run.definition
    if not isinstance(definition, dict):
        return None
    found: DefinedComponent | None = None
    components = definition.get("components")
    if not isinstance(components, dict):
        # An agent or a component that is run by itself goes by the name of its run.
        return _defined(run.name, definition)
    walked: list[str] = []
    for name in key.split("/")[:_DEEPEST]:
        entry = components.get(name) if isinstance(components, dict) else None
        if entry is None:
            if name in _PASSED:
                continue
            break
        walked.append(name)
        found = _defined("/".join(walked), entry) or found
        components = _inner_components(entry)
    return found


def components(run: PipelineRun) -> Iterator[DefinedComponent]:
    """Yield every component that the definition of a run describes, those inside others too."""
    definition = run.definition
    if not isinstance(definition, dict):
        return
    if isinstance(definition.get("components"), dict):
        yield from _inside(definition["components"], "", 0)
    elif (alone := _defined(run.name, definition)) is not None:
        yield alone


def _inside(entries: Mapping[str, Any], before: str, depth: int) -> Iterator[DefinedComponent]:
    for name, entry in entries.items():
        key = f"{before}{name}"
        if (found := _defined(key, entry)) is not None:
            yield found
        inner = _inner_components(entry)
        if inner and depth < _DEEPEST:
            yield from _inside(inner, f"{key}/", depth + 1)


def _defined(key: str, entry: Any) -> DefinedComponent | None:
    parameters = entry.get("init_parameters") if isinstance(entry, dict) else None
    if not isinstance(parameters, dict):
        return None
    return DefinedComponent(key, str(entry.get("type", "")), parameters)


def _inner_components(entry: Any) -> Mapping[str, Any] | None:
    parameters = entry.get("init_parameters") if isinstance(entry, dict) else None
    pipeline = parameters.get("pipeline") if isinstance(parameters, dict) else None
    found = pipeline.get("components") if isinstance(pipeline, dict) else None
    return found if isinstance(found, dict) else None


def parameters_of(component: DefinedComponent) -> Iterator[tuple[str, Any]]:
    """Yield the parameters of a component; of what it is made of, those inside it by dotted names.

    An agent holds its chat generator, whose model is what people want to change.
    """
    for name, value in component.parameters.items():
        if isinstance(value, dict) and set(value) == set(_MADE_OF):
            inner = value["init_parameters"]
            if isinstance(inner, dict):
                yield from ((f"{name}.{each}", part) for each, part in inner.items())
                continue
        if name != "pipeline":
            yield name, value
