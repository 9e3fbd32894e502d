"""A component of a stranger's file that is really made, since somebody ticked its class.

It happens in the worker, under its limits. What is ticked is the name of a class: whatever
else goes by that name, such as a function that starts a command, is not made.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from haystack import component
from haystack.core.serialization import component_from_dict

from inspector.replay.mode import ReplayError

if TYPE_CHECKING:
    from inspector.replay.stub_plan import Part


def ticked(part: Part) -> Any:
    """Make a component with the parameters that were recorded.

    Raises:
        ReplayError: What goes by the name of its class is no component.

    """
    assert part.how == "ticked"
    import_module(part.type.rpartition(".")[0])
    cls = component.registry.get(part.type)
    if not isinstance(cls, type):
        raise ReplayError(f"{part.type} is no component.")
    recorded = {"type": part.type, "init_parameters": dict(part.parameters)}
    return component_from_dict(cls, recorded, part.name)
