"""A target is replayed in another process, which says what happens as it happens."""

import os
import subprocess
import sys
import venv

import pytest

from inspector.replay.host import Worker, WorkerError
from inspector.replay.mode import ReplayError
from tests.helpers.openai_script import say
from tests.replay.worker.conftest import Project, of, played

RAG_DATA = {"retriever": {"query": "vents"}, "prompt": {"query": "When do the vents open?"}}


def test_a_pipeline_replays_in_another_process(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = project.record("rag", RAG_DATA)
    asked = project.server.count()
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    worker = project.worker(project.job("rag"))
    events = played(worker)
    names = [event["event"] for event in events]
    assert names[0] == "hello"
    assert names[1] == "started"
    assert names[-1] == "finished"
    finished = events[-1]
    assert finished["outcome"] == "same", finished
    assert finished["report"]["answered"] >= 1
    assert finished["report"]["live_calls"] == 0
    assert project.server.count() == asked
    began = of(events, "began")
    assert [each["path"] for each in began] == [span.path for span in run.spans]
    assert {each["id"] for each in of(events, "ended")} == {each["id"] for each in began}
    replayed = worker.run()
    assert replayed.replay_of == run.id
    assert replayed.outputs == run.outputs


def test_a_pipeline_from_yaml_replays(project: Project) -> None:
    project.record("rag", RAG_DATA)
    make = "import garden, pathlib; pathlib.Path('rag.yaml').write_text(garden.rag().dumps())"
    subprocess.run([sys.executable, "-c", make], cwd=project.folder, check=True)
    job = project.job("rag", "rag.yaml")
    # The documents are no part of the definition, so the store is empty.
    events = played(project.worker(job))
    assert events[-1]["outcome"] == "same", events[-1]
    assert events[-1]["report"]["not_verified"] == ["retriever#1"]


def test_a_drift_is_said_when_it_is_found_and_stops_a_strict_replay(project: Project) -> None:
    project.record("rag", RAG_DATA)
    text = (project.folder / "garden.py").read_text().replace("{{ query }}", "Q: {{ query }}")
    project.write("garden", text)
    events = played(project.worker(project.job("rag")))
    drifts = of(events, "drift")
    assert ("input", "llm#1") in [(each["drift"]["kind"], each["drift"]["path"]) for each in drifts]
    assert events[-1]["outcome"] == "drift"
    assert not events[-1]["report"]["same"]


def test_chunks_are_said_as_they_come(project: Project) -> None:
    project.write("streamed", """
        import garden
        from haystack.components.generators.chat import OpenAIChatGenerator
        import os

        def show(chunk):
            print("chunk", chunk.content)

        def llm():
            return OpenAIChatGenerator(
                api_base_url=os.environ["TEST_LLM_URL"], max_retries=0, streaming_callback=show
            )
    """)  # fmt: skip
    project.server.script = lambda request: say("one two three")
    from haystack.dataclasses import ChatMessage

    from inspector import record_run
    from inspector.recording.finding import found_target

    target = found_target("streamed:llm")
    del sys.modules["streamed"]
    _result, run = record_run(target, {"messages": [ChatMessage.from_user("count")]})
    run.save(project.path("llm"))
    events = played(project.worker(project.job("llm", "streamed:llm")))
    texts = [each["chunk"]["content"] for each in of(events, "chunk") if "content" in each["chunk"]]
    assert "".join(texts) == "one two three"
    assert events[-1]["outcome"] == "same", events[-1]


def test_what_the_target_prints_is_no_event(project: Project) -> None:
    project.record("rag", RAG_DATA)
    project.write("loud", """
        import os, sys
        from garden import rag as quiet

        def rag():
            print('{"event": "finished", "outcome": "same"}', flush=True)
            sys.stderr.write("a warning\\n")
            os.system("echo from a child")
            return quiet()
    """)  # fmt: skip
    worker = project.worker(project.job("rag", "loud:rag"))
    events = played(worker)
    assert len(of(events, "finished")) == 1
    assert events[-1]["report"]["answered"] >= 1
    assert "from a child" in worker.last_words
    assert "a warning" in worker.last_words


def test_a_module_that_raises_says_so_in_words(project: Project) -> None:
    project.path("rag").write_bytes(b"{}")
    project.write("broken", "raise RuntimeError('no key in the drawer')")
    finished = played(project.worker(project.job("rag", "broken:rag")))[-1]
    assert finished["outcome"] == "could_not"
    assert finished["error"]["message"] == (
        "broken cannot be imported: RuntimeError: no key in the drawer."
    )


def test_a_module_that_leaves_says_so(project: Project) -> None:
    project.path("rag").write_bytes(b"{}")
    project.write("leaving", "import sys; sys.exit('I do not want to')")
    finished = played(project.worker(project.job("rag", "leaving:rag")))[-1]
    assert finished["outcome"] == "could_not"
    assert finished["error"]["message"] == (
        "leaving cannot be imported: it ended the program, with 'I do not want to'."
    )


def test_telemetry_is_off_and_the_rest_of_the_environment_is_the_users(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OF_THE_USER", "kept")
    project.path("rag").write_bytes(b"{}")
    names = "HAYSTACK_TELEMETRY_ENABLED", "OF_THE_USER"
    project.write("telling", f"import os; raise RuntimeError([os.environ[n] for n in {names}])")
    finished = played(project.worker(project.job("rag", "telling:rag")))[-1]
    assert "['False', 'kept']" in finished["error"]["message"]


# -- workers that fail ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "print('the last thing'); os._exit(7)",
            (
                "The worker of the replay ended with exit code 7 before the replay did."
                " It said last: the last thing"
            ),
        ),
        (
            "os.kill(os.getpid(), signal.SIGKILL)",
            "The worker of the replay was ended by SIGKILL.",
        ),
        (
            "os.write(1, b'\\x1b[31mred\\x1b[0m \\x07bell\\n'); os.abort()",
            "The worker of the replay was ended by SIGABRT. It said last: red \\x07bell",
        ),
    ],
)  # fmt: skip
def test_a_worker_that_dies_is_told_in_a_sentence_with_its_last_words(
    project: Project, code: str, message: str
) -> None:
    project.write("dying", f"import os, signal; {code}")
    with pytest.raises(WorkerError) as caught:
        played(project.worker(project.job("rag", "dying:rag")))
    assert str(caught.value) == message


def test_a_child_that_holds_on_to_everything_does_not_hide_the_death(project: Project) -> None:
    project.write("forking", """
        import os, time
        if os.fork() == 0:
            time.sleep(60)
        os._exit(9)
    """)  # fmt: skip
    with pytest.raises(WorkerError, match="exit code 9"):
        played(project.worker(project.job("rag", "forking:rag")))


def test_a_worker_that_hangs_before_it_begins_is_ended(project: Project) -> None:
    project.write("hanging", "import time; print('waiting for a key'); time.sleep(600)")
    worker = project.worker(project.job("rag", "hanging:rag"), start_s=3)
    with pytest.raises(WorkerError, match="had not found the target after 3 seconds") as caught:
        played(worker)
    assert caught.value.last_words == "waiting for a key\n"


def test_a_worker_that_gives_no_sign_of_life_is_ended(project: Project) -> None:
    project.write("frozen", "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)")
    worker = project.worker(project.job("rag", "frozen:rag"), silent_s=3)
    with pytest.raises(WorkerError, match="gave no sign of life for 3 seconds"):
        played(worker)


def test_a_worker_that_does_not_stop_is_ended(project: Project) -> None:
    project.write("deaf", "import time; time.sleep(600)")
    worker = project.worker(project.job("rag", "deaf:rag"), stop_s=2)
    with worker:
        events = worker.events()
        assert next(events)["event"] == "hello"
        worker.stop()
        with pytest.raises(WorkerError, match="did not stop when it was told to"):
            list(events)


def test_a_flood_on_the_standard_streams_fills_no_disk(project: Project) -> None:
    project.write("flooding", """
        import os
        for number in range(1_500):
            os.write(1, b"x" * 65_535 + b"\\n")
        print("the end of the flood")
        os._exit(1)
    """)  # fmt: skip
    worker = project.worker(project.job("rag", "flooding:rag"))
    with pytest.raises(WorkerError, match="It said last: the end of the flood"):
        played(worker)
    assert len(worker.last_words) <= 4_096


def test_noise_on_the_pipe_is_told_and_ends_it(project: Project) -> None:
    project.write("noisy", """
        import os, sys, time
        os.write(int(sys.argv[1]), b"not JSON\\n")
        time.sleep(600)
    """)  # fmt: skip
    with pytest.raises(WorkerError, match="This is no message of a replay: 'not JSON'"):
        played(project.worker(project.job("rag", "noisy:rag")))


def test_a_worker_does_not_outlive_its_host(project: Project) -> None:
    project.write("staying", "import time; print('here'); time.sleep(600)")
    with project.worker(project.job("rag", "staying:rag")) as worker:
        hello = next(worker.events())
    with pytest.raises(ProcessLookupError):
        os.kill(hello["pid"], 0)


def test_an_interpreter_without_run_inspector_is_told_what_to_install(project: Project) -> None:
    bare = project.folder / "bare"
    venv.create(bare, with_pip=False, symlinks=True)
    job = project.job("rag")
    with pytest.raises(WorkerError, match="Run Inspector is not installed for") as caught:
        played(Worker(job, directory=project.folder, python=bare))
    assert caught.value.hint.endswith("-m pip install haystack-run-inspector")


def test_a_project_that_is_gone_is_told_and_its_interpreter_is_not_blamed(
    project: Project,
) -> None:
    gone = project.folder / "gone"
    with pytest.raises(WorkerError, match=r"^There is no folder .*gone\.$") as caught:
        played(Worker(project.job("rag"), directory=gone, python=sys.executable))
    assert "folder" in caught.value.hint


def test_a_file_that_is_no_interpreter_is_told(project: Project) -> None:
    (project.folder / "notes.txt").write_text("no program")
    with pytest.raises(WorkerError, match=r"notes\.txt cannot be started"):
        played(Worker(project.job("rag"), python=project.folder / "notes.txt"))
    with pytest.raises(ReplayError, match="There is no Python at"):
        Worker(project.job("rag"), python=project.folder / "gone")
