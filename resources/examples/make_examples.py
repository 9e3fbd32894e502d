"""Record the bundled runs anew, from real pipelines against a small OpenAI on this machine.

    python resources/examples/make_examples.py [--only NAME]...

What is said and done is the same each time; only the times differ.
"""

import argparse
import asyncio
import json
import os
import platform
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from desk_scenes import DESK_SCENES
from haystack.core.errors import PipelineRuntimeError
from manual_scenes import MANUAL_SCENES
from scene import Scene

from inspector import recording
from tests.helpers.openai_server import OpenAIServer

HERE = Path(__file__).resolve().parent
SCENES = sorted((*MANUAL_SCENES, *DESK_SCENES), key=lambda scene: scene.place)
BASE_URL = "OPENAI_BASE_URL"
# Which kernel they were recorded on is nobody's business.
platform.platform = lambda *_args, **_options: f"{platform.system()}-{platform.machine()}"


def record(scene: Scene) -> bytes:
    """Run a scene once and return its run file, as the recorder wrote it."""
    with tempfile.TemporaryDirectory() as folder, OpenAIServer(scene.script) as server:
        # The generators find the server where they would find a proxy of the provider, so
        # that no local address stands in the pipeline's definition.
        os.environ[BASE_URL] = server.url
        target = scene.build()
        try:
            with recording(directory=folder):
                _run(scene, target)
        except PipelineRuntimeError:
            if not scene.fails:
                raise
        finally:
            del os.environ[BASE_URL]
        (path,) = Path(folder).glob("*.run.json")
        return path.read_bytes()


def _run(scene: Scene, target: Any) -> None:
    if not scene.streamed:
        target.run(scene.data())
        return

    async def consume() -> None:
        async for chunk in target.stream(scene.data()):
            del chunk  # a chat window would show it

    asyncio.run(consume())


def write(scene: Scene) -> Path:
    """Record a scene and keep it beside this script."""
    path = HERE / f"{scene.name}.run.json"
    path.write_bytes(record(scene))
    return path


def write_index() -> None:
    """List the runs for the start page, in the order in which they are best looked at."""
    listed = [
        {"file": f"{scene.name}.run.json", "title": scene.title, "shows": scene.shows}
        for scene in SCENES
    ]
    text = json.dumps(listed, indent=2, ensure_ascii=False)
    (HERE / "index.json").write_text(text + "\n", encoding="utf-8")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    names = [scene.name for scene in SCENES]
    parser.add_argument("--only", action="append", choices=names, help="record just this one")
    only = parser.parse_args(arguments).only
    for scene in SCENES:
        if not only or scene.name in only:
            path = write(scene)
            print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
    write_index()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
