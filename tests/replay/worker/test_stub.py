"""A stranger's run replays with nothing of the stranger's, and hostile ones start nothing."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from haystack.components.agents.state import State
from haystack.hooks import hook

from inspector import PipelineRun, load_run
from inspector.replay.api import Replayer
from inspector.replay.host import Worker, WorkerError
from inspector.replay.limits import Limits
from inspector.replay.mode import ReplayError
from inspector.replay.protocol import Job
from inspector.replay.stub import _CLASSES, build_stub
from inspector.replay.stub_parts import Stub, named, type_of
from inspector.replay.stub_plan import PURE, plan_stub
from inspector.runfile.drift import DriftKind, DriftReport
from tests.helpers import agents, pipelines
from tests.helpers.openai_server import OpenAIServer
from tests.replay.worker.conftest import of, played

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
NAMES = sorted(path.name.removesuffix(".run.json") for path in EXAMPLES.glob("*.run.json"))


def stub_worker(path: Path, folder: Path, **limits: Any) -> Worker:
    job = Job(target="", stub=True, run=str(path), output=str(folder / "replay.run.json"))
    return Worker(job, python=sys.executable, directory=folder, limits=Limits(**limits))


@pytest.mark.parametrize("name", NAMES)
def test_every_example_replays_on_stubs(name: str) -> None:
    run = load_run(EXAMPLES / f"{name}.run.json")
    built = build_stub(run)
    replayer = Replayer(built.target, run, treat=built.treat)
    if run.error is None:
        replayer.play()
    else:
        with pytest.raises(Exception, match="failed to run"):
            replayer.play()
    assert_only_stores_are_unknown(replayer.report, run)
    assert replayer.report.live_calls == 0
    assert replayer.run.outputs == run.outputs


def assert_only_stores_are_unknown(report: DriftReport, run: PipelineRun) -> None:
    """Nothing drifted; of each retriever the report says that nobody looked into its store."""
    served = {
        span.path for span in run.spans if span.role == "retrieval" and span.path.count("#") == 1
    }
    assert report.same
    assert {drift.kind for drift in report.drifts} <= {DriftKind.NOT_VERIFIED}
    assert set(report.not_verified) == served


@hook
def before_one(state: State) -> None:
    """Tell the state that it was here."""
    state.set("author", f"{state.get('author')} 1")


@hook
def before_two(state: State) -> None:
    """Tell the state that it was here after the first."""
    state.set("author", f"{state.get('author')} 2")


class Watcher:
    """A hook that is a class, and reaches out."""

    seen = 0

    def run(self, state: State) -> None:
        """Count."""
        type(self).seen += 1
        state.set("author", f"{state.get('author')} {type(self).seen}")

    def to_dict(self) -> dict[str, Any]:
        """Say what it is."""
        return {"type": "tests.Watcher", "init_parameters": {}}


def several_hooks(server: OpenAIServer) -> pipelines.Case:
    case = agents.three_tools(server, in_pipeline=True)
    agent = case.target.get_component("support_agent")
    agent.hooks = {"before_llm": [before_one, Watcher(), before_two], "after_tool": [before_one]}
    return case


CASES: dict[str, Callable[[OpenAIServer], pipelines.Case]] = {
    "rag": pipelines.rag,
    "parallel branches": pipelines.parallel_branches,
    "many queries in threads": pipelines.multi_query,
    "loop": pipelines.validator_loop,
    "router": pipelines.router,
    "rankers and embedders": pipelines.hybrid_embedding,
    "super component": pipelines.super_component,
    "agent with parallel tools": agents.three_tools,
    "agent in a pipeline": lambda server: agents.three_tools(server, in_pipeline=True),
    "pipeline as a tool": agents.pipeline_as_tool,
    "two agents as tools": agents.agent_as_tool,
    "agent with a hook": agents.with_hook,
    "agent that asks a person": lambda server: agents.human_in_the_loop(server)[0],
    "agent with several hooks": several_hooks,
}


@pytest.mark.parametrize("make", CASES.values(), ids=CASES)
def test_a_recorded_case_replays_on_stubs_sync_and_async(
    make: Callable[[OpenAIServer], pipelines.Case], openai_server: OpenAIServer, tmp_path: Path
) -> None:
    from inspector import record_run

    case = make(openai_server)
    _result, recorded = record_run(case.target, case.data, **case.options)
    recorded.save(tmp_path / "case.run.json")
    run = load_run(tmp_path / "case.run.json")
    asked, seen = openai_server.count(), Watcher.seen
    built = build_stub(run)
    replayer = Replayer(built.target, run, treat=built.treat, **case.options)
    replayer.play()
    assert_only_stores_are_unknown(replayer.report, run)
    asyncio.run(replayer.play_async())
    assert_only_stores_are_unknown(replayer.report, run)
    assert openai_server.count() == asked
    assert Watcher.seen == seen, "a hook ran on stubs"


def test_the_list_names_the_hooks_of_an_agent(openai_server: OpenAIServer) -> None:
    from inspector import record_run

    case = several_hooks(openai_server)
    _result, run = record_run(case.target, case.data)
    (line,) = plan_stub(run).lines()
    assert line.endswith(
        "its LLM, its tools and its hooks are stubs; "
        "FunctionHook, Watcher change again what was recorded"
    )


def test_a_hook_at_a_place_that_agents_do_not_have_is_refused(tmp_path: Path) -> None:
    def change(tree: dict[str, Any]) -> None:
        agent = tree["topology"]["components"]
        entry = next(each for each in agent.values() if "agent" in each)
        entry["agent"]["hooks"] = {"__init__": ["os.system"]}

    run = load_run(hostile(tmp_path, change, "agent-tools"))
    with pytest.raises(ReplayError, match="no place where an agent has hooks"):
        build_stub(run)


def test_in_its_own_process_a_run_replays_under_limits(tmp_path: Path) -> None:
    worker = stub_worker(EXAMPLES / "agent-tools.run.json", tmp_path)
    events = played(worker)
    assert events[-1]["outcome"] == "same", events[-1]
    assert {each["kind"] for each in of(events, "began")} >= {"agent", "llm", "tool"}
    assert worker.run().outputs == load_run(EXAMPLES / "agent-tools.run.json").outputs


# -- hostile files -------------------------------------------------------------------------


def hostile(
    folder: Path, change: Callable[[dict[str, Any]], None], example: str = "rag-answer"
) -> Path:
    """Write an example whose header was changed by somebody who means ill."""
    tree = orjson.loads((EXAMPLES / f"{example}.run.json").read_bytes())
    change(tree["run"])
    for name in ("digest", "record_digests"):
        tree.pop(name, None)
    path = folder / "hostile.run.json"
    path.write_bytes(orjson.dumps(tree))
    return path


def defined(header: dict[str, Any], name: str) -> dict[str, Any]:
    parameters: dict[str, Any] = header["definition"]["components"][name]["init_parameters"]
    return parameters


def test_a_generator_that_would_carry_a_secret_to_a_stranger_is_a_stub(
    tmp_path: Path, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DB_PASSWORD", "a-secret-of-the-user")

    def change(header: dict[str, Any]) -> None:
        defined(header, "llm")["api_base_url"] = openai_server.url
        defined(header, "llm")["api_key"]["env_vars"] = ["DB_PASSWORD"]

    events = played(stub_worker(hostile(tmp_path, change), tmp_path))
    assert events[-1]["outcome"] == "same", events[-1]
    assert openai_server.count() == 0


def test_a_tool_server_that_would_start_a_command_starts_nothing(tmp_path: Path) -> None:
    witness = tmp_path / "started"
    command = {"command": "/usr/bin/touch", "args": [str(witness)]}

    def change(header: dict[str, Any]) -> None:
        info = {
            "type": "haystack_integrations.tools.mcp.mcp_tool.StdioServerInfo",
            "init_parameters": command,
        }
        defined(header, "assistant")["tools"] = [
            {
                "type": "haystack_integrations.tools.mcp.mcp_toolset.MCPToolset",
                "data": {"server_info": info, "eager_connect": True, **command},
            },
            {"type": "os.system", "data": {"name": "read_sensor", "function": "os.system"}},
        ]

    events = played(stub_worker(hostile(tmp_path, change, "agent-tools"), tmp_path))
    assert events[-1]["outcome"] == "same", events[-1]
    assert not witness.exists()


@pytest.mark.parametrize(
    "type_name",
    ["os.system", "subprocess.Popen", "haystack.utils.auth.os", "no_such_package.Thing"],
)
def test_no_class_is_looked_up_by_the_name_in_a_file(tmp_path: Path, type_name: str) -> None:
    def change(header: dict[str, Any]) -> None:
        header["topology"]["components"]["llm"]["type"] = type_name
        header["definition"]["components"]["llm"] = {
            "type": type_name,
            "init_parameters": {"command": f"touch {tmp_path / 'started'}"},
        }

    before = set(sys.modules)
    built = build_stub(load_run(hostile(tmp_path, change)))
    instance = built.target.get_component("llm")
    assert isinstance(instance, Stub)
    assert not {name for name in set(sys.modules) - before if name.startswith("no_such")}
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize(
    "name",
    ["", "a b", "x;y", "lambda", "a..b", "../../etc/passwd", "a" * 3_000, "__import__('os').x"],
)
def test_a_name_that_is_no_name_of_a_class_is_refused(name: str) -> None:
    with pytest.raises(ReplayError, match="is no name of a class"):
        named(Stub, name)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("unsafe", True), ("custom_filters", {"shell": "os.system"}), ("anything_new", "x")],
)
def test_a_parameter_that_is_not_listed_makes_a_stub_of_a_pure_component(
    tmp_path: Path, parameter: str, value: Any
) -> None:
    def change(header: dict[str, Any]) -> None:
        defined(header, "router")[parameter] = value

    plan = plan_stub(load_run(hostile(tmp_path, change, "untaken-branch")))
    router = next(part for part in plan.parts if part.name == "router")
    assert (router.how, router.why) == ("stub", f"{parameter} is not passed on")


def bomb(template: str) -> Callable[[dict[str, Any]], None]:
    def change(header: dict[str, Any]) -> None:
        (message,) = defined(header, "prompt_builder")["template"][-1:]
        message["content"] = [{"text": template}]

    return change


def test_a_template_that_never_ends_uses_up_its_time_and_no_more(tmp_path: Path) -> None:
    loops = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    worker = stub_worker(
        hostile(tmp_path, bomb(loops + "{{ documents }}{{ query }}")), tmp_path, processor_s=8
    )
    with pytest.raises(WorkerError, match="used up the processor time that it had"):
        played(worker)


def test_a_template_that_fills_the_memory_fails_alone(tmp_path: Path) -> None:
    template = "{{ documents }}{{ query }}{{ 'A' * 6000000000 }}"
    finished = played(stub_worker(hostile(tmp_path, bomb(template)), tmp_path))[-1]
    assert finished["outcome"] in ("failed", "drift"), finished
    assert "MemoryError" in str(finished["error"]) or "prompt_builder" in str(finished["error"])


def test_a_stub_process_sees_no_variable_of_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inspector.replay.handover import environment_for

    monkeypatch.setenv("OPENAI_API_KEY", "a-secret-of-the-user")
    assert set(environment_for(Path(sys.executable), Limits())) == {
        "HAYSTACK_TELEMETRY_ENABLED", "PYTHONUNBUFFERED", "PYTHONUTF8"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("what", "code"),
    [
        ("subprocess.Popen", "import subprocess; subprocess.run(['true'])"),
        ("os.system", "import os; os.system('true')"),
        ("socket", "import socket; socket.create_connection(('127.0.0.1', 9), timeout=1)"),
        ("socket.getaddrinfo", "import socket; socket.getaddrinfo('localhost', 80)"),
        ("os.fork", "import os; os.fork()"),
        ("ctypes.dlopen", "import ctypes; ctypes.CDLL(None)"),
    ],
)
def test_under_limits_nothing_reaches_out(tmp_path: Path, what: str, code: str) -> None:
    import subprocess

    script = f"""
from inspector.replay.limits import Limits, RefusedError
Limits().impose(lambda: None)
try:
    {code.replace("; ", chr(10) + "    ")}
except RefusedError as error:
    print(error)
"""
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert "A replay of stubs reaches nothing outside" in ran.stdout
    assert what in ran.stdout


# -- limits of what is built from ----------------------------------------------------------


def nested(depth: int) -> Any:
    tree: Any = "bottom"
    for _ in range(depth):
        tree = {"a": tree}
    return tree


@pytest.mark.parametrize(
    ("value", "message"),
    [(nested(80), "nested too deeply"), (["x"] * 300_000, "too big"), ("x" * 9_000_000, "too big")],
    ids=["deep", "many", "long"],
)
def test_a_definition_that_is_too_much_is_refused(tmp_path: Path, value: Any, message: str) -> None:
    def change(header: dict[str, Any]) -> None:
        defined(header, "llm")["generation_kwargs"] = value

    with pytest.raises(ReplayError, match=message):
        plan_stub(load_run(hostile(tmp_path, change)))


def test_a_run_without_a_topology_says_so(tmp_path: Path) -> None:
    run = load_run(hostile(tmp_path, lambda header: header.pop("topology")))
    with pytest.raises(ReplayError, match="does not say what its pipeline was made of"):
        plan_stub(run)


def test_the_list_of_what_is_made_and_what_makes_it_agree() -> None:
    assert set(_CLASSES) == set(PURE)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("str", str),
        ("list[str]", list[str]),
        ("str | None", str | None),
        ("list[haystack.dataclasses.chat_message.ChatMessage] | None", None),
        ("os.system", Any),
        ("list[os.system]", list[Any]),
        (7, Any),
    ],
)
def test_only_listed_types_are_known(words: Any, expected: Any) -> None:
    found = type_of(words)
    assert expected is None or found == expected


def test_the_plan_lists_every_component_in_words() -> None:
    retriever = "haystack.components.retrievers.in_memory.bm25_retriever.InMemoryBM25Retriever"
    plan = plan_stub(load_run(EXAMPLES / "rag-answer.run.json"))
    assert plan.lines()[:2] == [
        f"stub: retriever ({retriever})",
        "real: prompt_builder (haystack.components.builders.chat_prompt_builder.ChatPromptBuilder)",
    ]


def test_the_command_lists_first_and_then_replays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from inspector.cli.main import main

    output = tmp_path / "kept.run.json"
    path = EXAMPLES / "rag-answer.run.json"
    assert main(["replay", "--stub", str(path), "-o", str(output)]) == 0
    said = capsys.readouterr()
    assert "stub: llm" in said.err
    assert "the same as recorded" in said.out
    assert load_run(output).replay_of == load_run(path).id


def test_the_command_refuses_what_makes_no_sense_with_stubs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from inspector.cli.main import main

    path = str(EXAMPLES / "rag-answer.run.json")
    assert main(["replay", "--stub", path, "--pipeline", "a:b"]) == 2
    assert "--stub replays on stubs only" in capsys.readouterr().err
