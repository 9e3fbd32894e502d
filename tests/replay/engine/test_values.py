"""Values of many kinds come back as they were, and what was not kept is said not to be known."""

import collections
import dataclasses
import enum
import os
from typing import Any

import pytest
from haystack import Pipeline, component
from haystack.components.builders import PromptBuilder
from haystack.utils import Secret

from inspector import PipelineRecorder, WriteLimits, record_run
from inspector.replay.api import ReplayDriftError, Replayer, replay_run

SEEN: list[Any] = []
VARIABLE = "BRACKENFOLD_DOOR_CODE"


class Colour(enum.StrEnum):
    RED = "red"


class Size(enum.Enum):
    LARGE = 3


@dataclasses.dataclass
class Bed:
    name: str
    sizes: list[Size] = dataclasses.field(default_factory=list)


@component
class Gives:
    """Gives a value, and is answered."""

    def __init__(self, value: Any) -> None:
        self.value = value
        component.set_output_types(self, out=type(value))

    def run(self, text: str) -> dict[str, Any]:
        return {"out": self.value}


@component
class Looks:
    """Runs again, and looks at what it is given."""

    __haystack_side_effecting__ = False

    @component.output_types(out=str)
    def run(self, value: Any) -> dict[str, str]:
        SEEN.append(value)
        return {"out": type(value).__name__}


def given(value: Any) -> Pipeline:
    pipeline = Pipeline(connection_type_validation=False)
    pipeline.add_component("gives", Gives(value))
    pipeline.add_component("looks", Looks())
    pipeline.connect("gives.out", "looks.value")
    return pipeline


def float32() -> Any:
    import numpy as np

    return np.float32(0.1)


VALUES = {
    "an enumeration of strings": Colour.RED,
    "an enumeration": Size.LARGE,
    "a dataclass": Bed("north", [Size.LARGE]),
    "an ordered dictionary": collections.OrderedDict(b=1, a=2),
    "a counter": collections.Counter("aab"),
    "a defaultdict": collections.defaultdict(list, {"a": [1]}),
    "half a character": "a\ud800b",
    "a number of numpy": float32(),
    "a dictionary with other keys": {1: "a", (2, 3): "b"},
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
def test_a_value_comes_back_as_what_it_was(value: Any) -> None:
    pipeline = given(value)
    _result, run = record_run(pipeline, {"gives": {"text": "x"}})
    replayer = Replayer(pipeline, run, include_outputs_from={"gives"})
    result = replayer.play()
    assert replayer.report.drifts == ()
    assert result["gives"]["out"] == value
    assert type(result["gives"]["out"]) is type(value)
    # Haystack hands on copies, which are not always of the same class.
    recorded, replayed = SEEN[-2:]
    assert replayed == recorded
    assert type(replayed) is type(recorded)


def test_a_dictionary_of_a_class_of_ones_own_is_the_dictionary_that_it_holds() -> None:
    class Table(dict[str, int]):
        pass

    pipeline = given(Table(a=1))
    _result, run = record_run(pipeline, {"gives": {"text": "x"}})
    replayer = Replayer(pipeline, run, include_outputs_from={"gives"})
    assert replayer.play()["gives"]["out"] == {"a": 1}
    assert replayer.report.drifts == ()


@component
class Plans:
    @component.output_types(out=str)
    def run(self, bed: Bed, colour: Colour) -> dict[str, str]:
        return {"out": f"{bed.name} {colour.name}"}


def test_recorded_inputs_are_made_again_from_the_classes_that_are_declared() -> None:
    pipeline = Pipeline()
    pipeline.add_component("plans", Plans())
    data = {"plans": {"bed": Bed("north", [Size.LARGE]), "colour": Colour.RED}}
    result, run = record_run(pipeline, data)
    assert replay_run(pipeline, run) == result


@component
class Knows:
    """Runs again, and tells a secret."""

    __haystack_side_effecting__ = False

    def __init__(self, code: Secret) -> None:
        self.code = code

    @component.output_types(out=str)
    def run(self, door: str) -> dict[str, str]:
        return {"out": f"{door}: {self.code.resolve_value()}"}


def test_a_secret_in_what_runs_again_is_no_drift_and_in_no_report(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(VARIABLE, "made-up-code-4711")

    def make(template: str) -> Pipeline:
        pipeline = Pipeline()
        pipeline.add_component("knows", Knows(Secret.from_env_var(VARIABLE)))
        pipeline.add_component("builder", PromptBuilder(template, required_variables="*"))
        pipeline.connect("knows.out", "builder.said")
        return pipeline

    _result, run = record_run(make("Open {{said}}"), {"knows": {"door": "north"}})
    replayer = Replayer(make("Open {{said}}"), run)
    replayer.play()
    assert replayer.report.drifts == ()
    with pytest.raises(ReplayDriftError) as caught:
        replay_run(make("Please open {{said}}"), run)
    assert caught.value.report.of_kind("output")
    assert os.environ[VARIABLE] not in str(caught.value.report.to_dict())


def test_a_value_that_was_not_kept_whole_is_said_not_to_be_known() -> None:
    pipeline = Pipeline()
    pipeline.add_component("builder", PromptBuilder("Hi {{q}}", required_variables="*"))
    data = {"builder": {"q": "long " * 1_000}}
    recorder = PipelineRecorder(limits=WriteLimits(value_bytes=2_000))
    _result, run = record_run(pipeline, data, recorder=recorder)
    with pytest.raises(ReplayDriftError, match="not kept whole"):
        replay_run(pipeline, run, data)


@component
class Fails:
    __haystack_side_effecting__ = False

    def __init__(self, words: str) -> None:
        self.words = words

    @component.output_types(out=str)
    def run(self, text: str) -> dict[str, str]:
        raise ValueError(self.words)


def test_a_failure_that_is_another_one_now_is_an_output_drift() -> None:
    def make(words: str) -> Pipeline:
        pipeline = Pipeline()
        pipeline.add_component("fails", Fails(words))
        return pipeline

    recorder = PipelineRecorder()
    with pytest.raises(Exception, match="no water"):
        record_run(make("no water"), {"fails": {"text": "x"}}, recorder=recorder)
    (run,) = recorder.runs
    with pytest.raises(Exception, match="no water") as same:
        replay_run(make("no water"), run)
    assert not isinstance(same.value, ReplayDriftError)
    with pytest.raises(ReplayDriftError) as caught:
        replay_run(make("no light"), run)
    (drift,) = [each for each in caught.value.report.drifts if each.counts]
    assert (drift.kind, drift.leaf) == ("output", "error")
    assert "no water" in str(drift.recorded)
    assert "no light" in str(drift.live)
