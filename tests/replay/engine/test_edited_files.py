"""Recordings that somebody edited or damaged: no crash, no live call, and a reason in words."""

import copy
import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from haystack.core.errors import PipelineError

from inspector.errors import InspectorError
from inspector.replay.api import ReplayDriftError, Replayer, replay_run
from inspector.runfile.load import load_run
from tests.helpers import pipelines
from tests.replay.engine.conftest import Offline

ODD: tuple[Any, ...] = (
    None, 0, -1, 1.5, True, "", "x", [], {}, [[[]]], "\ud800", 10**30, {"$": "tuple"},
    {"$ref": "nowhere"}, {"$": "object", "type": "os.system"},
    {"$": "truncated", "type": "str", "size": 1},
)  # fmt: skip


def places(tree: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if not isinstance(tree, (dict, list)):
        return []
    pairs: Any = tree.items() if isinstance(tree, dict) else enumerate(tree)
    found = []
    for key, value in pairs:
        found += [(*path, key), *places(value, (*path, key))]
    return found


def edited(tree: Any, place: tuple[Any, ...], value: Any) -> Any:
    tree = copy.deepcopy(tree)
    inner = tree
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return load_run(json.dumps(tree).encode())


@pytest.fixture
def told(offline: Offline, tmp_path: Path) -> tuple[Any, Any, dict[str, Any]]:
    case = pipelines.rag(offline.server)
    _result, run = offline.record(case)
    run.save(tmp_path / "rag.run.json")
    return case.target, case.data, orjson.loads((tmp_path / "rag.run.json").read_bytes())


@pytest.mark.parametrize("share", range(4))
def test_no_edit_of_a_file_crashes_a_replay_or_lets_it_go_live(
    share: int, told: tuple[Any, Any, dict[str, Any]], offline: Offline
) -> None:
    target, data, tree = told
    every = [place for place in places(tree) if place[0] in ("spans", "values")]
    for number, place in enumerate(every):
        if number % 4 != share or number % 3:
            continue
        value = ODD[(number * 7) % len(ODD)]
        told_why = "."
        try:
            replay_run(target, edited(tree, place, value), copy.deepcopy(data))
        except ReplayDriftError as error:
            told_why = str(error.report) + "."
        except InspectorError as error:
            told_why = str(error)
        except PipelineError as error:
            pytest.fail(f"{place} edited to {value!r}: {error}")
        assert told_why.endswith("."), (place, value)
    offline.assert_nothing_was_live()


@pytest.mark.parametrize(
    ("replies", "why"),
    [
        ([7], "its replies are no messages"),
        ([None], "its replies are no messages"),
        ("Yes.", "its replies are no messages"),
        ([{"$": "chat_message", "role": "assistant", "content": [3]}], "no such part"),
        ([{"$": "chat_message", "role": "assistant", "content": [{"text": 3}]}], "is no text"),
    ],
)
def test_an_answer_that_no_llm_gives_is_said_to_be_damaged(
    replies: Any, why: str, told: tuple[Any, Any, dict[str, Any]], offline: Offline
) -> None:
    target, data, tree = told
    (number,) = (n for n, span in enumerate(tree["spans"]) if span["path"] == "llm#1")
    run = edited(tree, ("spans", number, "outputs"), {"replies": replies})
    with pytest.raises(ReplayDriftError, match=why):
        replay_run(target, run, data)
    offline.assert_nothing_was_live()


def test_an_edited_answer_shows_in_what_runs_again(
    told: tuple[Any, Any, dict[str, Any]],
) -> None:
    target, data, tree = told
    (number,) = (n for n, span in enumerate(tree["spans"]) if span["path"] == "llm#1")
    said = {"$": "chat_message", "role": "assistant", "content": [{"text": "Something else."}]}
    run = edited(tree, ("spans", number, "outputs"), {"replies": [said]})
    replayer = Replayer(target, run, mode="drift_ok")
    result = replayer.play(data)
    assert result["answer_builder"]["answers"][0].data == "Something else."
    assert [drift.path for drift in replayer.report.drifts] == ["answer_builder#1"]
