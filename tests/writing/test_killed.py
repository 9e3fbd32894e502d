"""What is left when the process that records dies in one way or another."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from inspector.runfile.load import load_run
from tests.writing.writing import eventually

SPANS = """
import os, sys, time
from inspector.runfile.journal import Interned, RunWriter
from tests.writing.writing import header, span

def write_span(writer, number):
    text = Interned(f"{number} " + "x" * 500)
    writer.start(span(number, None if number == 1 else "s1", inputs={"text": text}))
    if number > 1:
        writer.end(f"s{number}", number * 1_000, "ok", {"outputs": {"text": text, "n": number}})

writer = RunWriter(header(), target=sys.argv[1])
"""

WITHOUT_END = (
    SPANS
    + """
for number in range(1, 10**9):
    write_span(writer, number)
    print(number, flush=True)
    time.sleep(0.001)
"""
)

ENDS_WITHOUT_WAITING = (
    SPANS
    + """
for number in range(1, 50):
    write_span(writer, number)
writer.finish({"status": "completed"})
"""
)

ENDS_WITHIN_THE_RUN = (
    SPANS
    + """
for number in range(1, 50):
    write_span(writer, number)
"""
)

RAISES = ENDS_WITHIN_THE_RUN + "raise SystemExit(3)"

FORKS = (
    SPANS
    + """
import threading
write_span(writer, 1)
if os.fork() == 0:
    write_span(writer, 666)
    writer.finish({"status": "failed"})
    assert writer.wait(30)
    own = RunWriter(header(name="child"), target=sys.argv[1].replace("a.run", "child.run"))
    own.start(span())
    own.finish({"status": "completed"})
    assert own.wait(30)
    os._exit(0)
os.wait()
write_span(writer, 2)
writer.finish({"status": "completed"})
assert writer.wait(30)
"""
)

CHILD_PROCESSES = (
    SPANS
    + """
import multiprocessing

def work(number):
    writer = RunWriter(header(name=f"child {number}"), directory=sys.argv[1], name=str(number))
    for inner in range(1, 6):
        write_span(writer, inner)
    writer.finish({"status": "completed"})

if __name__ == "__main__":
    write_span(writer, 1)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        pool.map(work, range(6))
        pool.close()
        pool.join()
"""
)

TAKES_ITS_TIME_TO_SINK = (
    SPANS
    + """
def sink(run):
    time.sleep(0.3)
    with open(sys.argv[1] + ".sunk", "wb") as file:
        file.write(run.to_bytes())

writer = RunWriter(header(), sink=sink)
write_span(writer, 1)
writer.finish({"status": "completed"})
"""
)


def run_script(script: str, target: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", script, str(target)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@contextmanager
def running(script: str, target: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", script, str(target)], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("after", [1, 30, 150, 151, 400])
def test_a_killed_recording_opens_with_what_had_happened(tmp_path, after):
    with running(WITHOUT_END, tmp_path / "a.run.json") as process:
        said = 0
        while said < after:
            said = int(process.stdout.readline())
        assert eventually(lambda: list(tmp_path.iterdir()) != [])
        said = int(process.stdout.readline())
        began = said
        # At 1 ms a span, what happened a tenth of a second ago is on disk by now.
        while said < began + 120:
            said = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        process.wait()
    (journal,) = tmp_path.iterdir()
    assert journal.name == "a.run.jsonl"
    run = load_run(journal)
    assert str(run.status) == "incomplete"
    assert len(run.spans) >= began
    assert str(run.spans[0].status) == "unfinished"
    for one in run.spans[1:]:
        assert one.inputs["text"].startswith(f"{one.id[1:]} xxx")
    ended = [one for one in run.spans[1:] if str(one.status) == "ok"]
    assert len(ended) >= began - 2
    assert all(one.outputs["n"] == int(one.id[1:]) for one in ended)


def test_a_run_that_was_finished_is_written_when_the_process_exits_at_once(tmp_path):
    done = run_script(ENDS_WITHOUT_WAITING, tmp_path / "a.run.json")
    assert (done.returncode, done.stderr) == (0, "")
    run = load_run(tmp_path / "a.run.json")
    assert (str(run.status), len(run.spans)) == ("completed", 49)
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(("script", "code"), [(ENDS_WITHIN_THE_RUN, 0), (RAISES, 3)])
def test_a_run_that_was_not_finished_leaves_its_journal_when_the_process_exits(
    tmp_path, script, code
):
    done = run_script(script, tmp_path / "a.run.json")
    assert (done.returncode, done.stderr) == (code, "")
    (journal,) = tmp_path.iterdir()
    run = load_run(journal)
    assert (str(run.status), len(run.spans)) == ("incomplete", 49)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_a_forked_child_leaves_the_run_to_its_parent_and_can_record_its_own(tmp_path):
    done = run_script(FORKS, tmp_path / "a.run.json")
    assert (done.returncode, done.stderr) == (0, "")
    run = load_run(tmp_path / "a.run.json")
    assert [one.id for one in run.spans] == ["s1", "s2"]
    assert load_run(tmp_path / "child.run.json").name == "child"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_runs_of_worker_processes_are_written_although_these_do_not_exit_properly(tmp_path):
    script = tmp_path / "workers.py"
    script.write_text(CHILD_PROCESSES)
    folder = tmp_path / "runs"
    done = subprocess.run(
        [sys.executable, str(script), str(folder)], capture_output=True, text=True, timeout=60,
        check=False, env={**os.environ, "PYTHONPATH": str(Path.cwd())},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    for number in range(6):
        assert load_run(folder / f"{number}.run.json").name == f"child {number}"


def test_a_sink_is_served_when_the_process_exits_at_once(tmp_path):
    done = run_script(TAKES_ITS_TIME_TO_SINK, tmp_path / "a")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(load_run(tmp_path / "a.sunk").spans) == 1
