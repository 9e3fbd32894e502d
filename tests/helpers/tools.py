"""Tools for the agents of the tests, and a diary of what they were really called with.

The tools are module-level functions, so that a pipeline that uses them can be serialised.
The diary is an independent witness: nothing of the product writes to it.
"""

import threading
import time
from dataclasses import dataclass
from typing import Annotated, Any

from haystack.tools.from_function import create_tool_from_function, tool
from haystack.tools.tool import Tool


@dataclass(frozen=True, slots=True)
class Entry:
    """One call of a tool, as the tool itself saw it."""

    tool: str
    arguments: dict[str, Any]
    result: Any
    error: BaseException | None
    thread: str
    began_ns: int
    ended_ns: int


class Diary:
    """What the tools of this process did, in the order in which they finished."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def mentioning(self, token: str) -> list[Entry]:
        """Return the entries in whose arguments `token` stands."""
        return [entry for entry in list(self.entries) if token in repr(entry.arguments)]

    def clear(self) -> None:
        self.entries.clear()


DIARY = Diary()


def _write(
    name: str,
    began_ns: int,
    arguments: dict[str, Any],
    result: Any,
    error: BaseException | None = None,
) -> None:
    thread = threading.current_thread().name
    ended_ns = time.perf_counter_ns()
    DIARY.entries.append(Entry(name, arguments, result, error, thread, began_ns, ended_ns))


@tool
def look_up(topic: Annotated[str, "What to look up in the manual"]) -> dict[str, Any]:
    """Look a topic up in the manual."""
    began_ns = time.perf_counter_ns()
    found = {"topic": topic, "pages": [len(topic), len(topic) + 1], "text": f"About {topic}."}
    _write("look_up", began_ns, {"topic": topic}, found)
    return found


@tool
def measure(
    sensor: Annotated[str, "The name of the sensor"],
    unit: Annotated[str, "celsius or kelvin"] = "celsius",
) -> float:
    """Read a sensor. Knows Celsius and Kelvin; anything else is an error with a cause."""
    began_ns = time.perf_counter_ns()
    asked = {"sensor": sensor, "unit": unit}
    try:
        offset = {"celsius": 0.0, "kelvin": 273.15}[unit]
    except KeyError as missing:
        error = ValueError(f"Sensor {sensor} cannot be read in {unit}.")
        _write("measure", began_ns, asked, None, error)
        raise error from missing
    degrees = round(20.5 + len(sensor) + offset, 2)
    _write("measure", began_ns, asked, degrees)
    return degrees


def _take_note(
    text: Annotated[str, "What to note"], author: Annotated[str, "Who writes"]
) -> dict[str, Any]:
    began_ns = time.perf_counter_ns()
    note = {"note": f"{author}: {text}", "length": len(text)}
    _write("take_note", began_ns, {"text": text, "author": author}, note)
    return note


def note_tool() -> Tool:
    """Return a tool whose author comes from the agent's state and whose note goes there."""
    return create_tool_from_function(
        _take_note,
        name="take_note",
        description="Keep a note for the customer.",
        inputs_from_state={"author": "author"},
        outputs_to_state={"last_note": {"source": "note"}},
    )


NOTE_STATE: dict[str, Any] = {"author": {"type": str}, "last_note": {"type": str}}
