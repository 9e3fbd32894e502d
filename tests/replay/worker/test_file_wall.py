"""A stranger's run uses no file of the person who replays it, whatever its template calls."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest
from haystack import Pipeline, component
from haystack.components.builders import PromptBuilder
from haystack.dataclasses import ByteStream, ImageContent

from inspector import record_run
from tests.replay.worker.conftest import played
from tests.replay.worker.test_stub import stub_worker

HARMLESS = "{{ stream.mime_type }} {{ image.mime_type }}"


@component
class Source:
    """Gives out values that can read and write files."""

    @component.output_types(stream=ByteStream, image=ImageContent)
    def run(self, query: str) -> dict[str, Any]:
        """Return them."""
        image = ImageContent("QUJD", mime_type="image/png", validation=False)
        return {"stream": ByteStream(query.encode(), mime_type="text/plain"), "image": image}


def recorded(folder: Path, template: str) -> Path:
    """Record a harmless template, and write another one into the definition of the file."""
    pipeline = Pipeline(metadata={"name": "files"})
    pipeline.add_component("source", Source())
    pipeline.add_component("builder", PromptBuilder(HARMLESS))
    pipeline.connect("source.stream", "builder.stream")
    pipeline.connect("source.image", "builder.image")
    path = folder / "files.run.json"
    record_run(pipeline, {"source": {"query": "evil"}})[1].save(path)
    tree = orjson.loads(path.read_bytes())
    tree["run"]["definition"]["components"]["builder"]["init_parameters"]["template"] = template
    for name in ("digest", "record_digests"):
        tree.pop(name, None)
    path.write_bytes(orjson.dumps(tree))
    return path


def test_without_a_change_it_is_the_same_and_is_kept(tmp_path: Path) -> None:
    worker = stub_worker(recorded(tmp_path, HARMLESS), tmp_path)
    assert played(worker)[-1]["outcome"] == "same"
    assert worker.run().outputs == {"builder": {"prompt": "text/plain image/png"}}


def test_a_run_that_failed_fails_again_and_leaves_nothing_behind(tmp_path: Path) -> None:
    """Haystack makes a folder for what it might write when a component fails."""
    crash = Path(__file__).parents[3] / "resources" / "examples" / "crash.run.json"
    worker = stub_worker(crash, tmp_path)
    finished = played(worker)[-1]
    assert finished["outcome"] == "same", finished["error"]
    assert {path.name for path in tmp_path.iterdir()} == {"replay.run.json"}


@pytest.mark.parametrize("beside", [True, False], ids=["beside the recording", "elsewhere"])
def test_a_template_writes_no_file(tmp_path: Path, beside: bool) -> None:
    (tmp_path / "job").mkdir()
    victim = tmp_path / ("job/mine.txt" if beside else "mine.txt")
    victim.write_text("mine")
    call = f"{{{{ stream.to_file({str(victim)!r}) }}}}"
    worker = stub_worker(recorded(tmp_path / "job", call + HARMLESS), tmp_path / "job")
    finished = played(worker)[-1]
    assert victim.read_text() == "mine"
    assert finished["outcome"] == "drift"
    assert f"refused: open {str(victim)!r}" in worker.last_words


@pytest.mark.parametrize(
    "call", ["stream.from_file_path(PATH).data", "image.from_file_path(PATH).base64_image"]
)
def test_a_template_reads_no_file_into_a_replay_that_is_passed_on(
    tmp_path: Path, call: str
) -> None:
    secret = tmp_path / "secret.png"
    secret.write_text("the-secret-of-the-user")
    call = call.replace("PATH", repr(str(secret)))
    worker = stub_worker(recorded(tmp_path, f"{{{{ {call} }}}}{HARMLESS}"), tmp_path)
    finished = played(worker)[-1]
    assert finished["outcome"] == "drift"
    assert f"refused: open {str(secret)!r}" in worker.last_words
    kept = (tmp_path / "replay.run.json").read_bytes()
    assert b"the-secret-of-the-user" not in kept
    assert b"dGhlLXNlY3JldC" not in kept


ATTEMPTS = {
    "read": "open('mine.txt').read()",
    "write": "open('new.txt', 'w')",
    "append": "open('mine.txt', 'a')",
    "os.open": "os.open('new.txt', os.O_CREAT | os.O_WRONLY)",
    "bytes": "open(b'mine.txt')",
    "environment": "open('/proc/self/environ')",
    "users": "open('/etc/passwd')",
    "out of a root": "open(os.path.dirname(os.__file__) + '/../' * 20 + HERE + '/mine.txt')",
    "list": "os.listdir('.')",
    "list here": "os.listdir()",
    "scan": "os.scandir('/')",
    "remove": "os.remove('mine.txt')",
    "rename": "os.rename('mine.txt', 'new.txt')",
    "take the place": "os.replace('mine.txt', os.__file__)",
    "make": "os.mkdir('new')",
    "truncate": "os.truncate('mine.txt', 0)",
    "permit": "os.chmod('mine.txt', 0o777)",
    "touch": "os.utime('mine.txt')",
    "link": "os.link('mine.txt', 'new.txt')",
    "point": "os.symlink('mine.txt', 'new.txt')",
    "own code": "open(os.__file__, 'a')",
    "temporary": "tempfile.mkstemp()",
    "database": "sqlite3.connect('new.db')",
}


def test_under_limits_no_file_is_used(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    script = f"""
import os, sqlite3, sys, tempfile
from inspector.replay.limits import Limits, RefusedError
HERE = os.getcwd()
wall = Limits().impose(lambda: None)
for name, code in {ATTEMPTS!r}.items():
    try:
        eval(code)
    except (PermissionError, RefusedError, FileNotFoundError) as error:
        continue
    print("was let do:", name)
import colorsys  # code of Python itself may still be read
open(os.__file__).read()
wall.admit(HERE + "/mine.txt")
print(open("mine.txt").read())
with wall.writing(HERE + "/replay.run.json"):
    open("replay.run.json", "w").write("replayed")
try:
    open("replay.run.json", "w")
except PermissionError:
    print("closed again")
"""
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert "was let do" not in ran.stdout, ran.stdout
    assert ran.stdout.endswith("mine\nclosed again\n")
    assert {path.name for path in tmp_path.iterdir()} == {"mine.txt", "replay.run.json"}
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert (tmp_path / "replay.run.json").read_text() == "replayed"
