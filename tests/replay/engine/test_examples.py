"""Every bundled example replays STRICT on the pipeline it was recorded from, offline."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector import load_run
from inspector.replay.api import Replayer
from tests.helpers.openai_server import KEY_VARIABLE

FOLDER = Path(__file__).parents[3] / "resources" / "examples"
NAMES = sorted(path.name.removesuffix(".run.json") for path in FOLDER.glob("*.run.json"))


@pytest.fixture(scope="module")
def scenes() -> Iterator[dict[str, Any]]:
    """Yield the scenes, made as they were when the examples were recorded."""
    before = set(sys.modules)
    sys.path.insert(0, str(FOLDER))
    try:
        from desk_scenes import DESK_SCENES  # type: ignore[import-not-found]
        from manual_scenes import MANUAL_SCENES  # type: ignore[import-not-found]

        yield {scene.name: scene for scene in (*MANUAL_SCENES, *DESK_SCENES)}
    finally:
        sys.path.remove(str(FOLDER))
        for name in {"desk_scenes", "manual_scenes", "greenhouse", "scene"} - before:
            sys.modules.pop(name, None)


def test_every_example_has_its_scene(scenes: dict[str, Any]) -> None:
    assert set(NAMES) == set(scenes)


@pytest.mark.parametrize("name", NAMES)
def test_an_example_replays(
    name: str, scenes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    scene = scenes[name]
    run = load_run(FOLDER / f"{name}.run.json")
    replayer = Replayer(scene.build(), run)
    if scene.fails:
        with pytest.raises(Exception, match="failed to run") as caught:
            replayer.play()
        assert str(caught.value) == run.error.message if run.error else False
    else:
        replayer.play()
        again, recorded = replayer.run, run
        assert sorted(span.path for span in again.spans) == sorted(
            span.path for span in recorded.spans
        )
    assert replayer.report.drifts == ()
    assert replayer.report.live_calls == 0
    assert replayer.report.answered > 0
    assert replayer.report.not_verified == ()
