"""Pipelines of which runs are cut: some of their parts run again in a replay, some are answered."""

from typing import Any

from haystack import Document, Pipeline, component
from haystack.components.builders import ChatPromptBuilder
from haystack.components.routers import ConditionalRouter
from haystack.dataclasses import ChatMessage

PAGES = [
    "The valve opens at dawn. It closes when the bed is wet. Then the pump rests for an hour.",
    "A clogged screen halves the flow. Rinse it every six weeks. Look at the rim while you do.",
    "The probe stands upright. It is two hands away from the dripper. It never lies in the sun.",
    "Vents open in three stages. They close when it is windy. The shade is drawn on such days.",
    "Straw keeps a bed moist. Leave a ring around the stem. Renew it before the first frost.",
    "Lamps add what the sun leaves out. They burn in the evening. Moths are then left in peace.",
]


@component
class Shelf:
    """Finds all pages; nobody says what it does, so a replay answers it."""

    @component.output_types(documents=list[Document])
    def run(self, query: str) -> dict[str, Any]:
        """Return the pages."""
        pages = [Document(id=f"page-{at}", content=page) for at, page in enumerate(PAGES)]
        return {"documents": pages if query else []}


@component
class Teller:
    """Says the same whatever it is asked, as a model would that is not there."""

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage]) -> dict[str, Any]:
        """Return one reply."""
        text = "- tomatoes: 12 minutes\n- strawberries: 9 minutes"
        return {"replies": [ChatMessage.from_assistant(text, meta={"asked": len(messages)})]}


@component
class Planner:
    """Knows no strawberries."""

    @component.output_types(plan=list[str])
    def run(self, replies: list[ChatMessage]) -> dict[str, Any]:
        """Return the lines of the first reply."""
        lines = (replies[0].text or "").splitlines()
        for line in lines:
            if "strawberries" in line:
                raise ValueError(f"no such bed: {line}")
        return {"plan": lines}


def routed() -> Pipeline:
    """Return a pipeline that goes one way for more than two documents, and another for fewer."""
    template = (
        "You know the manual; else ask ada@example.com.\n{{ many }} pages:\n"
        "{% for document in documents %}{{ document.content }}\n{% endfor %}"
    )
    text = "{{ documents|length }}"
    made = Pipeline(metadata={"name": "routed"})
    made.add_component("shelf", Shelf())
    made.add_component(
        "router",
        ConditionalRouter(
            [
                {"condition": "{{ documents|length > 2 }}", "output": text,
                 "output_name": "many", "output_type": str},
                {"condition": "{{ documents|length <= 2 }}", "output": text,
                 "output_name": "few", "output_type": str},
            ]
        ),
    )  # fmt: skip
    made.add_component(
        "prompt", ChatPromptBuilder([ChatMessage.from_user(template)], required_variables="*")
    )
    made.add_component("teller", Teller())
    made.connect("shelf.documents", "router.documents")
    made.connect("shelf.documents", "prompt.documents")
    made.connect("router.many", "prompt.many")
    made.connect("prompt.prompt", "teller.messages")
    return made


def failing() -> Pipeline:
    """Return the same with a planner that fails."""
    made = routed()
    made.add_component("planner", Planner())
    made.connect("teller.replies", "planner.replies")
    return made
