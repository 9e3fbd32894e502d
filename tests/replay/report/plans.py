"""What the tests of the command name as TARGET: the pipeline, and others like it."""

from haystack import Pipeline, component

from tests.replay.report.parts import DATA, PAGES, TEMPLATE, pages, pipeline

__all__ = ["DATA", "PAGES", "same"]


def same() -> Pipeline:
    """Return what was recorded."""
    return pipeline()


def longer() -> Pipeline:
    """Return it with another prompt."""
    return pipeline(template=TEMPLATE.replace("Answer.", "Answer at length."))


def empty() -> Pipeline:
    """Return it with a store that nobody filled."""
    return pipeline(documents=[])


def amended() -> Pipeline:
    """Return it with a page that was changed."""
    return pipeline(pages(pump="The pump runs at dusk, and the pump is loud."))


def more() -> Pipeline:
    """Return it with one question more."""
    return pipeline(asks=("first", "second", "third"))


@component
class Failing:
    """Fails, with or without reason."""

    __haystack_side_effecting__ = False
    broken = True

    @component.output_types(said=str)
    def run(self, text: str) -> dict[str, str]:
        """Fail."""
        if self.broken:
            raise ValueError(f"no {text}")
        return {"said": text}


def failing() -> Pipeline:
    """Return a pipeline that fails."""
    made = Pipeline()
    made.add_component("part", Failing())
    return made


def mended() -> Pipeline:
    """Return the same, which does not fail any more."""
    made = failing()
    made.get_component("part").broken = False
    return made
