"""What is to be different in a replay, so that one sees what follows from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PASSED = ("agent", "pipeline")  # spans between a component and what it holds


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """Changes to one replay. The target itself stays as it is.

    Args:
        inputs: Inputs of the pipeline's components, `{component: {socket: value}}`; of an
            agent or a component, `{input: value}`.
        parameters: Parameters that components are made with, `{component: {parameter: value}}`;
            a prompt template is one of them. A component inside another goes by its name, or
            by the names on the way to it: `{"technician/prompt_builder": {...}}`. An agent or
            a component that is replayed by itself goes by the name of its class.
        answers: What calls give back in place of the recorded answers, by path or by name,
            such as `{"llm#1": {...}}` or `{"step0/tool:search[0]": "..."}`.

    """

    inputs: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    answers: Mapping[str, Any] = field(default_factory=dict)

    def unmet(self, met: set[str]) -> str | None:
        """Return what is to be different in a call that was never made, if anything is."""
        return next((word for word in (*self.parameters, *self.answers) if word not in met), None)


def keys_of(path: str, name: str) -> Iterator[str]:
    """Yield what a component at a path may be called in `parameters`, the most exact first."""
    names = [segment.partition("#")[0] for segment in path.split("/")]
    if len(names) > 1:
        yield "/".join(names)
        yield "/".join([*(each for each in names[:-1] if each not in _PASSED), names[-1]])
    yield name


def with_inputs(data: Any, changes: Mapping[str, Any]) -> Any:
    """Return the data of a run with some inputs changed."""
    if not changes or not isinstance(data, dict):
        return data
    changed = dict(data)
    for name, value in changes.items():
        before = changed.get(name)
        if isinstance(before, dict) and isinstance(value, dict):
            changed[name] = {**before, **value}
        else:
            changed[name] = value
    return changed
