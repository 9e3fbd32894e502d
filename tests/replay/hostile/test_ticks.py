"""A stranger's file starts nothing without a tick, and with one only under limits."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inspector import load_run
from inspector.replay.host import Worker, WorkerError
from inspector.replay.limits import Limits
from inspector.replay.protocol import Job
from inspector.replay.stub_plan import PURE, StubPlan, plan_stub
from tests.helpers.openai_server import OpenAIServer
from tests.replay.hostile import files
from tests.replay.hostile.files import hostile

VALIDATOR = "haystack.components.validators.json_schema.JsonSchemaValidator"
BUILDER = "haystack.components.builders.chat_prompt_builder.ChatPromptBuilder"
LLM = "haystack.components.generators.chat.openai.OpenAIChatGenerator"


def replayed(
    path: Path, folder: Path, classes: tuple[str, ...] | None, **limits: Any
) -> tuple[dict[str, Any], Worker]:
    output = folder / "replay.run.json"
    job = Job(
        target="", stub=True, run=str(path), output=str(output), mode="drift_ok", classes=classes
    )  # fmt: skip
    worker = Worker(job, python=sys.executable, directory=folder, limits=Limits(**limits))
    with worker:
        events = list(worker.events())
    return events[-1], worker


def how(plan: StubPlan, name: str) -> tuple[str, str]:
    found = next(part for part in plan.parts if part.name == name)
    return found.how, found.why


def test_without_a_tick_a_class_is_a_stub_even_where_it_could_do_no_harm(tmp_path: Path) -> None:
    run = load_run(files.EXAMPLES / "rag-answer.run.json")
    assert how(plan_stub(run), "prompt_builder") == ("real", "")
    assert how(plan_stub(run, ()), "prompt_builder") == ("stub", "it was not ticked")


def test_with_nothing_ticked_everything_is_answered(tmp_path: Path) -> None:
    path = hostile(tmp_path, files.template(files.ENDLESS))
    finished, worker = replayed(path, tmp_path, ())
    assert finished["outcome"] == "same", finished
    calls = [span for span in worker.run().spans if span.kind == "component"]
    assert {span.raw["source"] for span in calls} == {"recorded"}


def test_a_ticked_class_is_made_and_runs_in_the_worker(tmp_path: Path) -> None:
    path = files.EXAMPLES / "validator-loop.run.json"
    finished, worker = replayed(path, tmp_path, (*PURE, VALIDATOR))
    assert finished["outcome"] == "same", finished
    validators = [span for span in worker.run().spans if span.name == "validator"]
    assert {span.raw["source"] for span in validators} == {"executed"}
    finished, worker = replayed(path, tmp_path, tuple(PURE))
    validators = [span for span in worker.run().spans if span.name == "validator"]
    assert {span.raw["source"] for span in validators} == {"recorded"}


def test_a_model_is_never_made_from_a_file_whatever_is_ticked(
    tmp_path: Path, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DB_PASSWORD", "a-secret-of-the-user")
    path = hostile(tmp_path, files.exfiltration(openai_server.url, "DB_PASSWORD"))
    assert how(plan_stub(load_run(path), (*PURE, LLM)), "llm")[0] == "stub"
    finished, _worker = replayed(path, tmp_path, (*PURE, LLM))
    assert finished["outcome"] == "same", finished
    assert openai_server.count() == 0


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ({"type": "planted.Thing"}, "planted.Thing"),
        ({"type": "planted-module.Thing"}, "planted-module.Thing"),
        ({"type": "2planted.Thing"}, "2planted.Thing"),
        ("list[planted.Thing]", "planted.Thing"),
        ([{"a": [{"function": "os.system"}]}], "os.system"),
        ("dict[str, planted.inner.Thing | None]", "planted.inner.Thing"),
    ],
)
def test_a_class_that_names_another_one_needs_a_tick_for_that_too(
    tmp_path: Path, value: Any, named: str
) -> None:
    def change(tree: dict[str, Any]) -> None:
        parameters = tree["run"]["definition"]["components"]["validator"]["init_parameters"]
        parameters["json_schema"] = value

    run = load_run(hostile(tmp_path, change, "validator-loop"))
    ticked = (*PURE, VALIDATOR)
    assert how(plan_stub(run, ticked), "validator") == (
        "stub", f"it needs {named}, which was not ticked",
    )  # fmt: skip
    assert how(plan_stub(run, (*ticked, named)), "validator")[0] == "ticked"


@pytest.mark.parametrize("type_name", ["os.system", "subprocess.Popen", "pty.spawn"])
def test_a_tick_makes_components_and_starts_no_function(tmp_path: Path, type_name: str) -> None:
    module, _, name = type_name.rpartition(".")
    path = hostile(tmp_path, files.names_a_module(module, name))
    finished, worker = replayed(path, tmp_path, (*PURE, type_name))
    assert finished["outcome"] == "same", finished
    builders = [span for span in worker.run().spans if span.name == "answer_builder"]
    assert {span.raw["source"] for span in builders} == {"recorded"}


def test_what_a_ticked_class_does_when_it_is_imported_reaches_nothing(tmp_path: Path) -> None:
    # What stands beside the file is not found at all: the worker is cut off from its folder.
    witness = tmp_path / "started"
    (tmp_path / "planted.py").write_text(f"import os\nos.system('touch {witness}')\n")
    path = hostile(tmp_path, files.names_a_module("planted"))
    finished, _worker = replayed(path, tmp_path, (*PURE, "planted.Thing"))
    assert finished["outcome"] == "same", finished
    assert not witness.exists()


def test_a_tool_server_starts_nothing_whatever_is_ticked(tmp_path: Path) -> None:
    witness = tmp_path / "started"
    path = hostile(tmp_path, files.tool_server(witness), "agent-tools")
    everything = (*PURE, *(each.name for each in manifest_classes(path)))
    finished, _worker = replayed(path, tmp_path, everything)
    assert finished["outcome"] == "same", finished
    assert not witness.exists()


def manifest_classes(path: Path) -> Any:
    from inspector.replay.manifest import manifest_of

    return manifest_of(load_run(path)).classes


def test_a_template_that_never_ends_ends_with_its_time(tmp_path: Path) -> None:
    path = hostile(tmp_path, files.template(files.ENDLESS + "{{ documents }}{{ query }}"))
    with pytest.raises(WorkerError, match="used up the processor time that it had"):
        replayed(path, tmp_path, None, processor_s=8)


def test_a_template_that_fills_the_memory_fails_alone(tmp_path: Path) -> None:
    path = hostile(tmp_path, files.template("{{ documents }}{{ query }}" + files.HUGE))
    finished, _worker = replayed(path, tmp_path, None)
    assert finished["outcome"] in ("failed", "drift"), finished


def test_an_alias_bomb_is_refused_in_a_sentence(tmp_path: Path) -> None:
    finished, _worker = replayed(hostile(tmp_path, files.alias_bomb()), tmp_path, None)
    assert finished["outcome"] == "could_not", finished
    assert "The definition in the file" in finished["error"]["message"]


def test_no_key_reaches_a_worker_under_limits(tmp_path: Path) -> None:
    from inspector.replay.handover import environment_for

    given = environment_for(Path(sys.executable), Limits(), {"OPENAI_API_KEY": "k"})
    assert "OPENAI_API_KEY" not in given


@pytest.mark.parametrize(
    "code",
    [
        "import os; os.system('touch {witness}')",
        "import subprocess; subprocess.Popen(['touch', '{witness}'])",
        "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9/')",
        "open('{witness}', 'w').close()",
        "open('/etc/passwd').read()",
    ],
)
def test_a_ticked_module_that_means_ill_is_stopped_at_its_import(tmp_path: Path, code: str) -> None:
    witness = tmp_path / "started"
    place = tmp_path / "packages"
    place.mkdir()
    text = f"{code.replace('{witness}', str(witness))}\nimport sys; sys.through = True\n"
    (place / "planted.py").write_text(text)
    path = hostile(tmp_path, files.names_a_module("planted"))
    # A worker finds no module beside the file: here it is put where packages are.
    script = f"""
import sys
sys.path.append({str(place)!r})
from inspector.replay.limits import Limits, RefusedError
from inspector.replay.worker import _load
wall = Limits().impose(_load)
wall.admit({str(path)!r})
from inspector.replay.stub import build_stub
from inspector.replay.stub_parts import Stub
from inspector.runfile.load import load_run
run = load_run({str(path)!r})
assert "planted" not in sys.modules
try:
    built = build_stub(run, ("planted.Thing",))
    assert isinstance(built.target.get_component("answer_builder"), Stub)
    print("answered")
except RefusedError as error:
    print("refused")
assert not hasattr(sys, "through")
"""
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert ran.stdout.strip() in ("answered", "refused"), ran.stderr
    assert ran.returncode == 0, ran.stderr
    assert not witness.exists()


def test_an_agent_that_is_not_ticked_is_answered_as_a_whole(tmp_path: Path) -> None:
    path = files.EXAMPLES / "agent-tools.run.json"
    assert how(plan_stub(load_run(path), tuple(PURE)), "assistant")[0] == "stub"
    finished, worker = replayed(path, tmp_path, tuple(PURE))
    assert finished["outcome"] == "same", finished
    assert not [span for span in worker.run().spans if span.kind == "llm"]
