"""The invented product behind the examples: its manual, its tools and its sensors.

Brackenfold is a greenhouse controller that exists only here. Everything is deterministic,
so that recording the examples again gives the same runs but for their times.
"""

import re
import time
from typing import Annotated, Any

from haystack import Document, component
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.document_stores.types import DuplicatePolicy
from haystack.tools.from_function import tool

MANUAL: dict[str, tuple[str, str]] = {
    "watering-schedule": (
        "Watering",
        (
            "Each bed is watered once a day at dawn, for twelve minutes at most. The "
            "controller cuts the time short as soon as the bed's moisture probe reads 62 % "
            "or more. A bed that is still dry at noon has either received too little water "
            "or lost it too quickly; the day report says how many minutes its valve was "
            "really open."
        ),
    ),
    "valve-screen": (
        "Watering",
        (
            "A fine screen sits in front of every bed valve. Rinse it under running water "
            "every six weeks. A clogged screen halves the flow long before it stops it: the "
            "valve opens for its full twelve minutes, the pump runs, and the bed receives "
            "about five litres instead of eleven. So if a single bed is dry at noon, check "
            "its screen."
        ),
    ),
    "moisture-probe": (
        "Sensors",
        (
            "The moisture probe must stand upright, two hand widths from the nearest "
            "dripper. A probe right below a dripper reads wet after a minute, so the "
            "controller closes the valve far too early. The day report then shows one or two "
            "minutes of watering for that bed."
        ),
    ),
    "error-f12": (
        "Errors",
        (
            "F12: the probe of a bed does not answer on the bus. The bed keeps its last "
            "known schedule. Check the blue plug at the end of the bed first. A sleeping "
            "probe needs to be woken before it answers: hold its button for three seconds, "
            "or read it with the wake option."
        ),
    ),
    "roof-vents": (
        "Climate",
        (
            "The roof vents open in three stages at 24, 27 and 30 degrees Celsius and close two "
            "degrees lower. On windy days above 14 metres per second they stay shut, whatever the "
            "temperature, and the shade cloth is drawn instead."
        ),
    ),
    "mulch": (
        "Growing",
        (
            "A layer of straw mulch four centimetres deep keeps a bed moist for a third longer. "
            "Leave a ring of bare soil around each stem. Without mulch, expect raised beds to dry "
            "out by early afternoon from June to August."
        ),
    ),
    "night-light": (
        "Light",
        (
            "Basil and peppers want fourteen hours of light. From October to March the "
            "controller adds what the sun leaves out, always in the evening, and never after "
            "half past nine, so that the moths are left in peace."
        ),
    ),
    "pump-filter": (
        "Watering",
        (
            "The filter of the main pump is rinsed at the start of each season. If all beds "
            "are dry at once, look at the pump filter and the rain barrel before you look at "
            "the beds."
        ),
    ),
}

AMENDED_SCREEN = (
    "A fine screen sits in front of every bed valve. Since the 2026 edition it clicks out "
    "without tools: rinse it every two weeks in summer and every six weeks otherwise. A clogged "
    "screen halves the flow long before it stops it: the valve opens for its full twelve "
    "minutes, the pump runs, and the bed receives about five litres instead of eleven. So if a "
    "single bed is dry at noon, check its screen. Screens with a green rim are outdated and are "
    "exchanged free of charge."
)

BEDS: dict[str, dict[str, Any]] = {
    "tomatoes": {"moisture": 31, "celsius": 26.4, "valve_minutes": 12.0},
    "basil": {"moisture": 64, "celsius": 25.1, "valve_minutes": 7.5},
    "peppers": {"moisture": 28, "celsius": 27.0, "valve_minutes": 12.0},
}
SLEEPING = {"peppers"}


def manual_store(**amended: str) -> InMemoryDocumentStore:
    """Return a store with the manual; keywords (`valve_screen=...`) replace single pages."""
    # In-memory stores of the same index share their documents, hence an index an edition.
    edition = "-".join(["manual", *sorted(amended)])
    store = InMemoryDocumentStore(index=f"brackenfold-{edition}")
    store.write_documents(
        [
            Document(
                id=name,
                content=amended.get(name.replace("-", "_"), text),
                meta={"chapter": chapter, "page": 4 + 3 * number, "source": "manual.pdf"},
            )
            for number, (name, (chapter, text)) in enumerate(MANUAL.items())
        ],
        policy=DuplicatePolicy.OVERWRITE,
    )
    return store


_SHELF = InMemoryBM25Retriever(manual_store(), top_k=2)


@tool
def search_manual(
    query: Annotated[str, "What to look for, in a few words"],
) -> list[dict[str, Any]]:
    """Search the manual of the controller."""
    time.sleep(0.14)  # tools take their time, too
    found = _SHELF.run(query=query)["documents"]
    return [{"page": d.meta["page"], "id": d.id, "text": d.content} for d in found]


@tool
def read_sensor(
    bed: Annotated[str, "The bed, such as tomatoes"],
    wake: Annotated[bool, "Wake a sleeping probe first"] = False,
) -> dict[str, Any]:
    """Read the moisture probe and the valve of one bed."""
    time.sleep(0.4 if wake else 0.09)
    if bed in SLEEPING and not wake:
        try:
            _ask_bus(bed)
        except OSError as silence:
            raise RuntimeError(f"F12: the probe of bed {bed!r} does not answer.") from silence
    return {"bed": bed, **BEDS[bed]}


def _ask_bus(bed: str) -> None:
    time.sleep(0.25)
    raise TimeoutError(f"No reply from address {len(bed)} on the sensor bus after 250 ms.")


@tool
def plan_chore(
    bed: Annotated[str, "The bed it is for"],
    chore: Annotated[str, "What to do, in one sentence"],
    day: Annotated[str, "A day of the week"],
) -> dict[str, Any]:
    """Put a chore on the calendar of the greenhouse."""
    time.sleep(0.17)
    return {"planned": True, "bed": bed, "chore": chore, "day": day, "reminder": "07:30"}


@component
class WateringPlanner:
    """Turns an answer that names minutes per bed into a plan for the valves."""

    def __init__(self, longest_minutes: int = 12) -> None:
        self.longest_minutes = longest_minutes

    @component.output_types(plan=dict[str, int])
    def run(self, replies: list[Any]) -> dict[str, dict[str, int]]:
        """Read `bed: minutes` lines; a bed the controller does not know is an error."""
        found = re.findall(r"^- (\w+): (\d+) minutes$", replies[0].text, re.MULTILINE)
        return {"plan": {bed: self._minutes(bed, int(minutes)) for bed, minutes in found}}

    def _minutes(self, bed: str, wanted: int) -> int:
        try:
            used = BEDS[bed]["valve_minutes"]
        except KeyError as missing:
            raise ValueError(
                f"The answer plans water for bed {bed!r}, which is unknown."
            ) from missing
        return min(self.longest_minutes, max(wanted, int(used)))
