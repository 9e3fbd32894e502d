"""What a file says of the pipeline, and what must never get into it."""

from pathlib import Path
from typing import Any

import pytest
from haystack import Pipeline, component
from haystack.components.agents import Agent
from haystack.components.generators.chat import MockChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import Tool
from haystack.utils import Secret

from inspector.recording.api import record_run
from inspector.recording.definition import definition_of
from inspector.recording.environment import package_of
from inspector.recording.recorder import PipelineRecorder
from inspector.recording.secrets import scrubber_for, without_credentials
from inspector.runfile.load import load_run
from tests.recording.drawing import at, through_tracing_alone

pytestmark = pytest.mark.haystack

HIDDEN = "-".join(["not", "a", "real", "key", "0123456789"])
VARIABLE = "GREENHOUSE_ACCESS"


@component
class Client:
    """Holds a secret, and lets its value out in three places."""

    def __init__(self, api_key: Secret, url: str = "", headers: dict[str, str] | None = None):
        self.api_key = api_key
        self.url = url
        self.headers = headers

    @component.output_types(text=str, headers=dict[str, str])
    def run(self, text: str) -> dict[str, Any]:
        key = self.api_key.resolve_value()
        return {"text": f"{text} {key}", "headers": {"Authorization": f"Bearer {key}"}}


def with_client(**parameters: Any) -> Pipeline:
    pipeline = Pipeline(metadata={"name": "clients"})
    pipeline.add_component("client", Client(**parameters))
    pipeline.add_component("llm", MockChatGenerator("hi"))
    return pipeline


DATA = {"client": {"text": "hello"}, "llm": {"messages": "hi"}}


@pytest.fixture(autouse=True)
def hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, HIDDEN)


def test_the_value_of_a_secret_is_nowhere_in_the_file(tmp_path: Path) -> None:
    recorder = PipelineRecorder(tmp_path, wrappers=False)
    pipeline = with_client(
        api_key=Secret.from_env_var(VARIABLE),
        url=f"https://user:{HIDDEN}@example.org/v1",
        headers={"X-Key": HIDDEN},
    )
    result, run = record_run(pipeline, DATA, recorder=recorder)

    assert HIDDEN in result["client"]["text"]
    (path,) = recorder.paths
    assert HIDDEN not in path.read_text()
    assert at(run, "client#1").outputs["text"] == f"hello <secret:{VARIABLE}>"
    key = run.definition["components"]["client"]["init_parameters"]["api_key"]
    assert key["env_vars"] == [VARIABLE]
    taken = {entry["rule"]: entry["count"] for entry in run.header["redaction"]}
    assert taken.keys() == {"secret-env-values", "credentials-in-definition"}
    assert taken["secret-env-values"] >= 4
    assert taken["credentials-in-definition"] == 1
    assert load_run(path).verify().state == "ok"


def test_the_value_of_a_secret_is_nowhere_in_the_journal(tmp_path: Path) -> None:
    @component
    class Look:
        @component.output_types(found=bool)
        def run(self, text: str, headers: dict[str, str]) -> dict[str, bool]:
            # Longer than the writer waits before it begins a journal.
            journal: list[Path] = []
            while not journal:
                journal = list(tmp_path.glob("*.run.jsonl"))
            while "client#1" not in (said := journal[0].read_text()):
                pass
            return {"found": HIDDEN in said}

    pipeline = with_client(api_key=Secret.from_env_var(VARIABLE))
    pipeline.add_component("look", Look())
    pipeline.connect("client.text", "look.text")
    pipeline.connect("client.headers", "look.headers")
    result, _ = record_run(pipeline, DATA, recorder=PipelineRecorder(tmp_path, wrappers=False))
    assert result["look"]["found"] is False


def test_a_token_is_left_out_and_nothing_else_is() -> None:
    pipeline = with_client(api_key=Secret.from_token(HIDDEN), url="https://example.org")
    _, run = record_run(pipeline, DATA, recorder=through_tracing_alone())

    components = run.definition["components"]
    assert components["client"] == {
        "type": "tests.recording.test_definition.Client",
        "init_parameters": {"url": "https://example.org", "headers": None},
    }
    assert "init_parameters" in components["llm"]
    (error,) = run.header["definition_errors"]
    assert error["component"] == "client"


def test_a_lambda_tool_leaves_the_settings_of_its_agent_known() -> None:
    tool = Tool(name="t", description="d", parameters={"type": "object"}, function=lambda: 1)
    agent = Agent(
        chat_generator=MockChatGenerator("hi"), tools=[tool], system_prompt="Be brief.",
        state_schema={"notes": {"type": list}}, max_agent_steps=7,
    )  # fmt: skip
    pipeline = Pipeline()
    pipeline.add_component("agent", agent)
    pipeline.add_component("llm", MockChatGenerator("hi"))
    definition, errors = definition_of(pipeline)

    assert definition is not None
    assert "hi" in str(definition["components"]["llm"]["init_parameters"])
    assert "lambda" in errors[0]["why"]
    told = definition["components"]["agent"]
    assert told["type"] == "haystack.components.agents.agent.Agent"
    parameters = told["init_parameters"]
    assert (parameters["system_prompt"], parameters["max_agent_steps"]) == ("Be brief.", 7)
    assert "hi" in str(parameters["chat_generator"]["init_parameters"])
    assert parameters["tools"] == [
        {"type": "haystack.tools.tool.Tool", "data": {
            "name": "t", "description": "d", "parameters": {"type": "object"},
            "inputs_from_state": None, "outputs_to_state": None, "outputs_to_string": None,
        }},
    ]  # fmt: skip
    assert definition_of(agent)[0] == told


def test_what_a_component_keeps_is_read_and_never_called() -> None:
    class Odd:
        def __init__(self, size: int, made: Any, live: Any, many: Any) -> None:
            self.size, self._made, self.live, self.many = size, made, live, many

        @property
        def made(self) -> Any:
            raise AssertionError("a property is code")

        def to_dict(self) -> Any:
            raise ValueError("not me")

    definition, errors = definition_of(Odd(3, object(), object(), [1] * 2_000))
    assert definition is not None
    assert definition["init_parameters"] == {"size": 3, "live": {"type": "builtins.object"}}
    assert "not me" in errors[0]["why"]


def test_credentials_are_taken_out_of_headers_and_urls_of_a_definition() -> None:
    definition, count = without_credentials(
        {
            "http_client_kwargs": {"headers": {"Authorization": "Bearer x", "Accept": "*/*"}},
            "api_base_url": "https://ada:lovelace@example.org/v1",
            "plain": "mail ada@example.org about http://example.org",
        }
    )
    assert definition == {
        "http_client_kwargs": {"headers": {"Authorization": "<authorization>", "Accept": "*/*"}},
        "api_base_url": "https://<credentials>@example.org/v1",
        "plain": "mail ada@example.org about http://example.org",
    }
    assert count == 2


def test_only_values_that_can_only_be_secrets_are_searched_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in {
        "NAMED": "secret",
        "NAMED_SHORT": "abc",
        "NAMED_NUMBER": "123456789012",
        "SOME_OTHER_API_KEY": "abcdefghijkl",
        "SOME_OTHER_TOKEN": "disabled",
    }.items():
        monkeypatch.setenv(name, value)
    named = frozenset({"NAMED", "NAMED_SHORT", "NAMED_NUMBER"})
    scrubber = scrubber_for(named, guessed=["SOME_OTHER_API_KEY", "SOME_OTHER_TOKEN"])
    assert scrubber is not None
    text = b'["secret","abc",123456789012,"abcdefghijkl","disabled"]'
    assert scrubber.clean(text) == (
        b'["<secret:NAMED>","abc",123456789012,"<secret:SOME_OTHER_API_KEY>","disabled"]'
    )
    assert scrubber.report() == {"redaction": [{"rule": "secret-env-values", "count": 2}]}


def test_a_secret_that_json_escapes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, 'some"b\\c')
    scrubber = scrubber_for(frozenset({VARIABLE}))
    assert scrubber is not None
    assert scrubber.clean(b'{"x":"some\\"b\\\\c"}') == b'{"x":"<secret:GREENHOUSE_ACCESS>"}'


def test_what_changed_since_the_last_run_is_described_anew() -> None:
    pipeline = Pipeline()
    pipeline.add_component("llm", MockChatGenerator("hi", model="one"))
    agent = Agent(chat_generator=MockChatGenerator("hi", meta={"k": 1}))
    pipeline.add_component("agent", agent)

    messages = [ChatMessage.from_user("x")]
    data: dict[str, Any] = {"llm": {"messages": messages}, "agent": {"messages": messages}}

    def definition() -> dict[str, Any]:
        _, run = record_run(pipeline, dict(data), recorder=through_tracing_alone())
        return {
            name: part["init_parameters"] for name, part in run.definition["components"].items()
        }

    assert definition()["llm"]["model"] == "one"
    pipeline.get_component("llm").model = "two"
    assert definition()["llm"]["model"] == "two"
    agent.chat_generator.meta["k"] = 2
    assert definition()["agent"]["chat_generator"]["init_parameters"]["meta"] == {"k": 2}
    data["more"] = {"messages": "x"}
    pipeline.add_component("more", MockChatGenerator("ho"))
    assert "more" in definition()


def test_a_module_belongs_to_the_package_it_was_installed_with() -> None:
    assert package_of("haystack.components.agents") == "haystack-ai"
    assert package_of("orjson") == "orjson"
    assert package_of("json.decoder") is None
    assert package_of("__main__") is None
