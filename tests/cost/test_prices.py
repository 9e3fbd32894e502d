"""The bundled prices: whose they are, of when, and at what moment."""

import ast
import json
import socket
from datetime import UTC, date, datetime
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path

import genai_prices
import pytest
from genai_prices.types import Usage as TheirUsage
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.assets import asset
from inspector.cost import estimate, load_prices
from inspector.cost.asking import asked_for
from inspector.cost.call import cost_of_call
from inspector.cost.prices import Asked, NoQuote, Quote
from inspector.errors import InspectorError
from inspector.runfile.estimate import Standing
from inspector.runfile.usage import Usage, normalise_usage
from tests.cost.runs import call, openai, run_of

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
ROOT = Path(__file__).parents[2]


def test_we_know_when_the_installed_prices_were_published() -> None:
    installed = version("genai-prices")
    known = json.loads(asset("prices/known.json").read_text(encoding="utf-8"))["genai-prices"]
    assert installed in known, "add the release to resources/prices/known.json"
    prices = load_prices()
    assert prices.source == f"genai-prices {installed}"
    assert prices.digest == known[installed]["data"]
    assert prices.snapshot_date == known[installed]["released"]


def test_only_one_module_knows_the_price_library() -> None:
    importers = set()
    for path in (ROOT / "inspector").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            if any(name.partition(".")[0] == "genai_prices" for name in names):
                importers.add(path.relative_to(ROOT / "inspector").as_posix())
    assert importers == {"cost/bundled.py"}


def test_nobody_is_asked_for_newer_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_kwargs: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert estimate(run_of(call(1, usage=openai(1_000, 0)))).total == Decimal("0.00015")


def test_what_others_downloaded_in_this_process_is_not_used() -> None:
    from genai_prices.data_snapshot import DataSnapshot, set_custom_snapshot

    set_custom_snapshot(DataSnapshot(providers=[], from_auto_update=True))
    try:
        assert estimate(run_of(call(1, usage=openai(1_000, 0)))).total == Decimal("0.00015")
    finally:
        set_custom_snapshot(None)


def test_the_price_of_the_day_of_the_run_and_of_another_day() -> None:
    # claude-opus-4-6: above 200,000 tokens twice as much until 2026-03-12, and the same since
    used = {"input_tokens": 300_000, "output_tokens": 0}
    run = run_of(call(1, llm="claude-opus-4-6", provider="anthropic", usage=used),
                 started_at="2026-03-01T10:00:00Z")  # fmt: skip
    then, later = Decimal("3.00"), Decimal("1.50")
    assert estimate(run).total == then
    assert estimate(run, as_of="run").total == then
    assert estimate(run, as_of="2026-03-13").total == later
    assert estimate(run, as_of=date(2026, 3, 12)).total == then
    assert estimate(run, as_of=datetime(2026, 3, 13, tzinfo=UTC)).total == later
    assert estimate(run, as_of="today").total == later
    assert estimate(run, as_of="run").as_of == "2026-03-01"
    with pytest.raises(InspectorError, match="no day whose prices"):
        estimate(run, as_of="yesterday-ish")


def test_a_price_that_depends_on_the_hour_is_that_of_the_call() -> None:
    # deepseek-chat: 0.27 dollars from 00:30 to 16:30, 0.135 at night
    used = openai(1_000_000, 0)
    late = 60 * 60 * 1_000_000_000  # an hour after the run began
    run = run_of(
        call(1, llm="deepseek-chat", provider="deepseek", usage=used, start_ns=0),
        call(2, llm="deepseek-chat", provider="deepseek", usage=used, start_ns=late),
        started_at="2026-11-29T16:00:00Z",
    )
    assert [each.amount for each in estimate(run).calls] == [Decimal("0.27"), Decimal("0.135")]


def price(provider, llm, context=None, when=NOW):
    return load_prices().find(Asked(provider=provider, llm=llm, context=context or {}), when)


def test_batch_and_tiers_have_prices_of_their_own_or_none() -> None:
    plain = price("openai", "gpt-5-mini").rates["input"].price
    assert plain == Decimal("0.25")
    tier = {"service_tier": "flex"}
    assert price("openai", "gpt-5-mini", tier).rates["input"].price == Decimal("0.125")
    tier = {"service_tier": "priority"}
    assert price("openai", "gpt-5-mini", tier).rates["input"].price == Decimal("0.45")
    # The library would silently take the plain price for each of these.
    early = datetime(2026, 9, 1, tzinfo=UTC)
    for found in (
        price("openai", "gpt-5-mini", {"service_tier": "no-such-tier"}),
        price("openai", "gpt-5-mini", {"service_tier": "flex"}, early),
        price("azure", "gpt-4o", {"processing": "batch"}),
        price("anthropic", "claude-haiku-4-5", {"service_tier": "priority"}),
    ):
        assert isinstance(found, NoQuote)
        assert "price for" in found.why


def test_a_longer_prompt_costs_more_where_the_list_says_so() -> None:
    # claude-sonnet-4-5: 3 dollars for a million up to 200,000 tokens, 6 above, for all of them
    at = price("anthropic", "claude-sonnet-4-5").rates["input"]
    assert (at.at(200_000), at.at(200_001)) == (Decimal(3), Decimal(6))


@pytest.mark.parametrize(
    ("provider", "llm", "matched"),
    [
        ("openai", "gpt-4o-mini-2024-07-18", "openai/gpt-4o-mini"),
        ("azure", "gpt-4o", "azure/gpt-4o"),
        ("google_genai", "gemini-2.5-flash", "google/gemini-2.5-flash"),
        ("amazon_bedrock", "eu.anthropic.claude-3-5-sonnet-20240620-v1:0", "aws/regional."),
        ("cohere", "command-r-plus", "cohere/command-r-plus"),
        ("mistral", "mistral-small-latest", "mistral/"),
        (None, "gpt-4o-mini", "openai/gpt-4o-mini"),
    ],
)
def test_integrations_find_their_provider(provider, llm, matched) -> None:
    asked = asked_for(type_name="", llm={"provider": provider, "name": llm}, usage=None,
                      configured={}, kwargs={})  # fmt: skip
    found = load_prices().find(asked, NOW)
    assert isinstance(found, Quote)
    assert found.matched.startswith(matched)


def test_a_provider_that_only_resembles_one_has_no_price() -> None:
    assert isinstance(price("my-openai-proxy", "gpt-4o-mini"), NoQuote)
    assert isinstance(price("openai", None), NoQuote)


MODELS = [
    ("openai", "gpt-4o-mini"), ("openai", "o3-mini"), ("anthropic", "claude-sonnet-4-5"),
    ("anthropic", "claude-haiku-4-5"), ("google", "gemini-2.5-flash"), ("google", "gemini-2.5-pro"),
    ("mistral", "mistral-small-latest"), ("perplexity", "sonar"), ("cohere", "command-r-plus"),
]  # fmt: skip
TOKENS = st.integers(0, 500_000)


@settings(deadline=None)  # the machine may be busy
@given(st.sampled_from(MODELS), TOKENS, TOKENS, TOKENS, TOKENS)
def test_our_multiplications_come_to_what_the_library_says(model, plain, cached, written, out):
    provider, llm = model
    sent = plain + cached + written
    usage = Usage(input_tokens=sent, output_tokens=out, cached_input_tokens=cached,
                  cache_write_tokens=written)  # fmt: skip
    found = cost_of_call(usage, Asked(provider=provider, llm=llm), load_prices(), NOW)
    theirs = genai_prices.calc_price(
        TheirUsage(input_tokens=sent, output_tokens=out, cache_read_tokens=cached,
                   cache_write_tokens=written),
        llm, provider_id=provider, genai_request_timestamp=NOW,
    )  # fmt: skip
    assert found.amount == theirs.total_price


def test_audio_has_its_own_price_and_no_other() -> None:
    raw = {"prompt_token_count": 1_000, "candidates_token_count": 0,
           "prompt_tokens_details": [{"modality": "AUDIO", "token_count": 400},
                                     {"modality": "TEXT", "token_count": 600}]}  # fmt: skip
    usage = normalise_usage(raw, provider="google_genai")
    # gemini-2.5-flash: text 0.30, audio 1.00 dollars for a million
    found = cost_of_call(
        usage, Asked(provider="google", llm="gemini-2.5-flash"), load_prices(), NOW
    )
    assert found.amount == (600 * Decimal("0.30") + 400 * Decimal("1.00")) / 1_000_000
    # gpt-4o-mini: no price for audio, and text is no price for it
    said = {**openai(1_000, 10), "prompt_tokens_details": {"audio_tokens": 400}}
    found = cost_of_call(normalise_usage(said), Asked(provider="openai", llm="gpt-4o-mini"),
                         load_prices(), NOW)  # fmt: skip
    assert found.standing is Standing.PARTLY
    assert found.amount == (600 * Decimal("0.15") + 10 * Decimal("0.60")) / 1_000_000
    assert found.why == "there is no price for audio_input"
