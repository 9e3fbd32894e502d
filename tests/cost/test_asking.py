"""Who answered, as far as a file tells."""

import pytest

from inspector.cost import estimate
from inspector.cost.asking import asked_for, configured_in
from inspector.runfile.estimate import Standing
from tests.cost.runs import call, openai, run_of

CHAT = "haystack.components.generators.chat.openai.OpenAIChatGenerator"


def asked(type_name=CHAT, *, provider="openai", llm="some-model", **configured):
    told = {"provider": provider, "name": llm}
    return asked_for(type_name=type_name, llm={k: v for k, v in told.items() if v}, usage=None,
                     configured=configured, kwargs={})  # fmt: skip


@pytest.mark.parametrize(
    ("url", "provider"),
    [
        ("https://api.openai.com/v1", "openai"),
        ("https://api.groq.com/openai/v1", "groq"),
        ("https://openrouter.ai/api/v1", "openrouter"),
        ("https://mine.openai.azure.com/", "azure"),
        ("https://llm.example.org/v1", "llm.example.org"),
        ("https://[broken", "openai"),
    ],
)
def test_many_are_asked_through_the_generator_for_openai(url, provider) -> None:
    assert asked(api_base_url=url).provider == provider


@pytest.mark.parametrize(
    ("type_name", "provider"),
    [
        ("haystack_integrations.components.generators.ollama.chat.X", "ollama"),
        ("haystack_integrations.components.generators.vllm.chat.X", "vllm"),
        ("haystack_integrations.components.generators.llama_cpp.chat.X", "llama_cpp"),
        ("haystack.components.generators.chat.hugging_face_local.X", "huggingface"),
        ("haystack.components.embedders.sentence_transformers_text_embedder.X",
         "sentence_transformers"),
        ("haystack.components.generators.chat.mock.MockChatGenerator", None),
    ],
)  # fmt: skip
def test_what_runs_at_home_has_no_price(type_name, provider) -> None:
    found = asked(type_name, provider=provider)
    assert found.runs_here
    run = run_of(call(1, type=type_name, provider=provider, llm="gpt-4o", usage=openai(9, 9)))
    (cost,) = estimate(run).calls
    assert cost.standing is Standing.LOCAL
    assert cost.amount is None
    assert estimate(run).complete


def definition(url: str) -> dict:
    inner = {"type": CHAT, "init_parameters": {"model": "m", "api_base_url": url}}
    agent = {"type": "x.Agent", "init_parameters": {"chat_generator": inner, "tools": []}}
    return {"components": {"agent": agent, "llm": inner}, "connections": []}


def test_a_server_on_this_machine_answers_itself_or_for_a_provider() -> None:
    spans = (
        call(1, name="llm", type=CHAT, llm="qwen3-8b", usage=openai(10, 10)),
        call(2, name="llm", type=CHAT, llm="gpt-4o-mini", usage=openai(10, 10)),
    )
    run = run_of(*spans, definition=definition("http://localhost:8000/v1"))
    assert [each.standing for each in estimate(run).calls] == [Standing.LOCAL, Standing.PRICED]


def test_settings_are_found_by_component_and_by_class() -> None:
    made = definition("http://localhost:1/v1")
    own = made["components"]["llm"]["init_parameters"]
    assert configured_in(made, ("llm",), CHAT) is own
    assert configured_in(made, ("agent",), CHAT) is own
    assert configured_in(made, ("other",), CHAT) is own  # standing somewhere in it
    assert configured_in(made, ("llm",), "x.Y") == {}
    assert configured_in(None, ("llm",), CHAT) == {}
    assert configured_in({"type": CHAT, "init_parameters": own}, (), CHAT) is own


def test_the_model_is_taken_from_the_settings_where_the_reply_does_not_say() -> None:
    assert asked(llm=None, model="embed-english-v3.0").key == "openai/embed-english-v3.0"
    assert asked(llm=None).key == "openai/unnamed"
    assert asked(provider=None).key == "unknown/some-model"


def test_a_tier_in_the_settings_counts_and_one_of_the_call_before_it() -> None:
    spans = [
        call(1, name="llm", type=CHAT, llm="gpt-5-mini", usage=openai(1_000_000, 0)),
        call(2, name="llm", type=CHAT, llm="gpt-5-mini", usage=openai(1_000_000, 0),
             inputs={"generation_kwargs": {"service_tier": "priority"}}),
        call(3, name="llm", type=CHAT, llm="gpt-5-mini", usage=openai(1_000_000, 0),
             more_llm={"service_tier": "default"}),
    ]  # fmt: skip
    made = definition("https://api.openai.com/v1")
    made["components"]["llm"]["init_parameters"]["generation_kwargs"] = {"service_tier": "flex"}
    calls = estimate(run_of(*spans, definition=made)).calls
    assert [str(each.amount) for each in calls] == ["0.125", "0.45", "0.25"]
    assert [each.tier for each in calls] == ["flex tier", "priority tier", ""]


def test_a_file_with_strange_fields_is_estimated_all_the_same() -> None:
    run = run_of(
        call(1, usage=openai(1_000, 0), inputs=[1, 2]),
        {**call(2), "llm": 7, "usage": [1]},
        {**call(3, usage=openai(5, 5)), "type": 5, "path": None},
        {**call(4), "usage": {"raw": {"prompt_tokens": "many"}}},
        definition="none",
    )
    calls = estimate(run).calls
    assert len(calls) == 4
    assert calls[0].standing is Standing.PRICED
    assert {each.standing for each in calls[1:]} <= {Standing.UNKNOWN, Standing.PRICED}
