"""What each integration reports, and what of it is billed as what."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.cost.classes import billed, context_of
from inspector.recording.replies import usage_of
from inspector.runfile.usage import Usage, normalise_usage

GENERATORS = "haystack_integrations.components.generators"
CORE = "haystack.components.generators.chat"

# Class of the component, what it reports in `meta["usage"]`, and the tokens by class of price.
# Figures are made up, shapes are those of the packages in the versions that are named; where
# a package changed what a word includes, both are here.
REPORTS = {
    "OpenAI chat completions, haystack-ai 3.4": (
        f"{CORE}.openai.OpenAIChatGenerator",
        {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150,
         "prompt_tokens_details": {"cached_tokens": 100, "audio_tokens": 0},
         "completion_tokens_details": {"reasoning_tokens": 20, "audio_tokens": 0}},
        {"input": 20, "cached_input": 100, "output": 10, "reasoning": 20},
    ),
    "OpenAI chat completions, audio": (
        f"{CORE}.openai.OpenAIChatGenerator",
        {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150,
         "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 50},
         "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 25}},
        {"input": 70, "audio_input": 50, "output": 5, "audio_output": 25},
    ),
    "OpenAI responses, haystack-ai 3.4": (
        f"{CORE}.openai_responses.OpenAIResponsesChatGenerator",
        {"input_tokens": 120, "output_tokens": 30, "total_tokens": 150,
         "input_tokens_details": {"cached_tokens": 64},
         "output_tokens_details": {"reasoning_tokens": 9}},
        {"input": 56, "cached_input": 64, "output": 21, "reasoning": 9},
    ),
    "Azure, haystack-ai 3.4": (
        f"{CORE}.azure.AzureOpenAIChatGenerator",
        {"prompt_tokens": 15, "completion_tokens": 36, "total_tokens": 51},
        {"input": 15, "output": 36},
    ),
    "Anthropic, anthropic-haystack 8: the cache is in prompt_tokens": (
        f"{GENERATORS}.anthropic.chat.chat_generator.AnthropicChatGenerator",
        {"prompt_tokens": 1210, "completion_tokens": 5, "cache_creation_input_tokens": 200,
         "cache_read_input_tokens": 1000, "service_tier": "standard",
         "cache_creation": {"ephemeral_5m_input_tokens": 150, "ephemeral_1h_input_tokens": 50},
         "server_tool_use": {"web_search_requests": 2}},
        {"input": 10, "cached_input": 1000, "cache_write_5m": 150, "cache_write_1h": 50,
         "output": 5, "web_search": 2},
    ),
    "Anthropic, before it was: the cache comes on top": (
        f"{GENERATORS}.anthropic.chat.chat_generator.AnthropicChatGenerator",
        {"prompt_tokens": 10, "completion_tokens": 5, "cache_creation_input_tokens": 200,
         "cache_read_input_tokens": 1000},
        {"input": 10, "cached_input": 1000, "cache_write": 200, "output": 5},
    ),
    "Bedrock, amazon-bedrock-haystack 9: the cache stays outside": (
        f"{GENERATORS}.amazon_bedrock.chat.chat_generator.AmazonBedrockChatGenerator",
        {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 115,
         "cache_read_input_tokens": 80, "cache_write_input_tokens": 20, "cache_details": []},
        {"input": 10, "cached_input": 80, "cache_write": 20, "output": 5},
    ),
    "Google, google-genai-haystack 7: thoughts stay outside": (
        f"{GENERATORS}.google_genai.chat.chat_generator.GoogleGenAIChatGenerator",
        {"prompt_tokens": 50, "completion_tokens": 10, "total_tokens": 90,
         "thoughts_token_count": 30, "cached_content_token_count": 40,
         "prompt_token_count": 50, "candidates_token_count": 10, "total_token_count": 90,
         "prompt_tokens_details": [{"modality": "TEXT", "token_count": 50}]},
        {"input": 10, "cached_input": 40, "output": 10, "reasoning": 30},
    ),
    "Google, audio, some of it cached": (
        f"{GENERATORS}.google_genai.chat.chat_generator.GoogleGenAIChatGenerator",
        {"prompt_tokens": 100, "completion_tokens": 10, "cached_content_token_count": 40,
         "prompt_tokens_details": [{"modality": "AUDIO", "token_count": 60}],
         "cache_tokens_details": [{"modality": "AUDIO", "token_count": 25}]},
        {"input": 25, "cached_input": 15, "cached_audio": 25, "audio_input": 35, "output": 10},
    ),
    "Cohere, cohere-haystack 11: billed units, as floats": (
        f"{GENERATORS}.cohere.chat.chat_generator.CohereChatGenerator",
        {"prompt_tokens": 8.0, "completion_tokens": 4.0},
        {"input": 8, "output": 4},
    ),
    "Cohere's own words: its additions to a prompt are not billed": (
        f"{GENERATORS}.cohere.chat.chat_generator.CohereChatGenerator",
        {"billed_units": {"input_tokens": 8.0, "output_tokens": 4.0},
         "tokens": {"input_tokens": 70.0, "output_tokens": 6.0}},
        {"input": 8, "output": 4},
    ),
    "Mistral, mistral-haystack 3": (
        f"{GENERATORS}.mistral.chat.chat_generator.MistralChatGenerator",
        {"prompt_tokens": 15, "completion_tokens": 36, "total_tokens": 51},
        {"input": 15, "output": 36},
    ),
    "Ollama, ollama-haystack 7": (
        f"{GENERATORS}.ollama.chat.chat_generator.OllamaChatGenerator",
        {"completion_tokens": 298, "prompt_tokens": 26, "total_tokens": 324},
        {"input": 26, "output": 298},
    ),
    "vLLM": (
        f"{GENERATORS}.vllm.chat.chat_generator.VLLMChatGenerator",
        {"prompt_tokens": 26, "completion_tokens": 4, "total_tokens": 30,
         "prompt_tokens_details": None},
        {"input": 26, "output": 4},
    ),
    "DeepSeek": (
        f"{CORE}.openai.OpenAIChatGenerator",
        {"prompt_tokens": 26, "completion_tokens": 4, "total_tokens": 30,
         "prompt_cache_hit_tokens": 20, "prompt_cache_miss_tokens": 6},
        {"input": 6, "cached_input": 20, "output": 4},
    ),
    "an embedder of OpenAI": (
        "haystack.components.embedders.openai_text_embedder.OpenAITextEmbedder",
        {"prompt_tokens": 8, "total_tokens": 8}, {"embedding": 8},
    ),
    "an embedder of Cohere": (
        "haystack_integrations.components.embedders.cohere.text_embedder.CohereTextEmbedder",
        {"billed_units": {"input_tokens": 4}}, {"embedding": 4},
    ),
}  # fmt: skip


@pytest.mark.parametrize("who", REPORTS)
def test_what_is_reported_is_billed_as(who) -> None:
    type_name, raw, meaning = REPORTS[who]
    usage = usage_of([raw], type_name)
    bill = billed(usage)
    assert not bill.doubt
    assert {name: count for name, count in bill.counts.items() if name != "request"} == meaning


def test_several_reports_of_one_call_are_billed_together() -> None:
    parts = [
        {"prompt_tokens": 10, "completion_tokens": 1},
        {"prompt_tokens": 5, "completion_tokens": 2},
    ]
    bill = billed(usage_of(parts, ""))
    assert bill.counts == {"input": 15, "output": 3, "request": 2}


@pytest.mark.parametrize(
    ("usage", "doubt"),
    [
        (Usage(output_tokens=5), "how many tokens were sent was not reported"),
        (Usage(input_tokens=5), "how many tokens were produced was not reported"),
        (Usage(input_tokens=5, output_tokens=0, cached_input_tokens=9), "more tokens were cached"),
        (Usage(input_tokens=5, output_tokens=1, reasoning_tokens=9), "more tokens were reasoned"),
        (Usage(input_tokens=5, output_tokens=1, cached_input_tokens=1, audio_input_tokens=1),
         "how many of the cached tokens were audio"),
    ],
)  # fmt: skip
def test_what_does_not_add_up_is_said(usage, doubt) -> None:
    assert doubt in billed(usage).doubt


COUNTS = st.none() | st.integers(0, 10_000)


@settings(deadline=None)  # the machine may be busy
@given(st.builds(Usage, input_tokens=COUNTS, output_tokens=COUNTS, cached_input_tokens=COUNTS,
                 cache_write_tokens=COUNTS, reasoning_tokens=COUNTS, audio_input_tokens=COUNTS,
                 audio_output_tokens=COUNTS))  # fmt: skip
def test_each_token_is_in_one_class(usage) -> None:
    bill = billed(usage)
    counts = bill.counts
    sent = ("input", "cached_input", "cached_audio", "audio_input", "cache_write",
            "cache_write_5m", "cache_write_1h")  # fmt: skip
    produced = ("output", "reasoning", "audio_output")
    in_classes = [sum(counts.get(name, 0) for name in names) for names in (sent, produced)]
    said = [usage.input_tokens or 0, usage.output_tokens or 0]
    # What does not add up is in none, and the bill says that it is not all.
    assert in_classes == said or bill.doubt
    assert all(0 <= found <= all_of_it for found, all_of_it in zip(in_classes, said, strict=True))
    assert min(counts.values()) >= 0


@pytest.mark.parametrize(
    ("llm", "raw", "asked", "context"),
    [
        ({}, {}, {}, {}),
        ({"service_tier": "default"}, {}, {"service_tier": "flex"}, {}),  # the reply knows better
        ({"service_tier": "priority"}, {}, {}, {"service_tier": "priority"}),
        ({}, {}, {"service_tier": "flex"}, {"service_tier": "flex"}),
        ({}, {}, {"service_tier": "auto"}, {}),
        ({}, {"service_tier": "standard"}, {}, {}),
        ({}, {"service_tier": "batch"}, {}, {"processing": "batch"}),
        ({"processing": "batch"}, {}, {}, {"processing": "batch"}),
        ({}, {"speed": "fast"}, {}, {"speed": "fast"}),
        ({}, {"parts": [{"service_tier": "batch"}]}, {}, {"processing": "batch"}),
        ({"service_tier": 7}, {"service_tier": None}, {"service_tier": []}, {}),
    ],
)
def test_what_selects_other_prices(llm, raw, asked, context) -> None:
    assert context_of(llm, raw, asked) == context


def test_an_embedder_that_says_nothing_has_no_usage() -> None:
    assert normalise_usage({"search_units": 1}) is None
