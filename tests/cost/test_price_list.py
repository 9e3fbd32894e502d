"""The user's own price list."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from inspector.cost import estimate, load_prices
from inspector.cost.price_list import PriceListError, read_price_list
from inspector.cost.prices import Asked, NoQuote, Quote
from tests.cost.runs import call, openai, run_of

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
WHOLE = """
name = "our contract"
date = "2026-11-01"
currency = "EUR"
usd = 0.9

[prices."openai/gpt-4o-mini"]
input = 0.10
cached_input = 0.05
output = 0.40
batch = { input = 0.04 }
tiers = { flex = { input = 0.06, output = 0.20 } }
above = [{ input_tokens = 1000, input = 0.20 }]

[prices."ollama/*"]
input = 0.01
output = 0.02

[[prices."acme-1"]]
input = 1
output = 1

[[prices."acme-1"]]
from = 2026-06-01
input = 2
output = 2
"""


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    path = tmp_path / "prices.toml"
    path.write_text(WHOLE, encoding="utf-8")
    return path


def test_the_own_list_overrides_and_adds_in_its_currency(listed: Path) -> None:
    run = run_of(
        call(1, usage=openai(1_000, 100, cached=400)),
        call(2, usage=openai(2_000, 0)),
        call(3, provider="ollama", llm="llama3.2", usage=openai(1_000, 0)),
        call(4, llm="o3-mini", usage=openai(1_000, 0)),
    )
    made = estimate(run, listed)
    assert [each.amount for each in made.calls] == [
        (600 * Decimal("0.10") + 400 * Decimal("0.05") + 100 * Decimal("0.40")) / 1_000_000,
        2_000 * Decimal("0.20") / 1_000_000,  # a longer prompt
        1_000 * Decimal("0.01") / 1_000_000,  # one's own machine, at one's own price
        1_000 * Decimal("1.1") * Decimal("0.9") / 1_000_000,  # the bundled dollars, in euros
    ]
    assert made.complete
    assert made.currency == "EUR"
    assert made.pricing_source.startswith("our contract of 2026-11-01, then genai-prices")
    assert made.pricing_snapshot_date == "2026-11-01"
    tree = made.to_dict()
    assert "total_usd" not in tree
    assert tree["total"] == float(made.total)


def find(path: Path, llm: str, provider: str = "openai", when: datetime = NOW, **context: str):
    return read_price_list(path).find(Asked(provider=provider, llm=llm, context=context), when)


def test_prices_from_a_day_on(listed: Path) -> None:
    assert find(listed, "acme-1").rates["input"].price == 2
    before = datetime(2026, 5, 31, 23, tzinfo=UTC)
    assert find(listed, "ACME-1", "acme", before).rates["input"].price == 1


def test_batch_and_tiers_of_the_own_list(listed: Path) -> None:
    batch = find(listed, "gpt-4o-mini", processing="batch").rates
    assert (batch["input"].price, batch["output"].price) == (Decimal("0.04"), Decimal("0.40"))
    flex = find(listed, "gpt-4o-mini", service_tier="flex").rates
    assert (flex["input"].price, flex["output"].price) == (Decimal("0.06"), Decimal("0.20"))
    assert isinstance(find(listed, "gpt-4o-mini", service_tier="priority"), NoQuote)


def test_without_a_rate_dollars_are_not_taken_for_euros(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text('currency = "EUR"\n[prices.mine]\ninput = 1\noutput = 1\n', encoding="utf-8")
    made = estimate(run_of(call(1, usage=openai(10, 10))), path)
    assert made.total is None
    assert "what a US dollar is worth" in made.calls[0].why


def test_a_list_that_stands_alone(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    tree = {"only": True, "prices": {"gpt-*": {"input": 0.1, "output": 0}}}
    path.write_text(json.dumps(tree), encoding="utf-8")
    run = run_of(call(1, usage=openai(10, 0)), call(2, llm="o3-mini", usage=openai(10, 0)))
    made = estimate(run, path)
    assert [each.amount for each in made.calls] == [Decimal("0.000001"), None]
    assert made.pricing_source == "p.json"


def test_a_name_counts_before_a_pattern_and_a_long_pattern_before_a_short(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    names = ("*", "openai/*", "openai/gpt-*", "gpt-4o")
    lines = [f'[prices."{name}"]\ninput = {number}\n' for number, name in enumerate(names)]
    path.write_text("".join(lines), encoding="utf-8")
    found = {llm: find(path, llm).rates["input"].price for llm in ("gpt-4o", "gpt-5", "o3")}
    assert found == {"gpt-4o": 3, "gpt-5": 2, "o3": 1}
    assert find(path, "x", "y").rates["input"].price == 0


def test_numbers_are_what_a_person_wrote(tmp_path: Path) -> None:
    for name, text in (("a.toml", "[prices.x]\ninput = 0.1\n"),
                       ("a.json", '{"prices":{"x":{"input":0.1}}}')):  # fmt: skip
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        assert find(path, "x").rates["input"].price == Decimal("0.1")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[prices.x]\ninput = 'cheap'", "x: the price `input` has to be a number, not 'cheap'."),
        ("[prices.x]\ninput = -1", "x: the price `input` has to be a number that is not negative"),
        ("[prices.x]\ninput = nan", "x: the price `input` has to be"),
        ("[prices.x]\ninput = true", "x: the price `input` has to be a number, not True."),
        ("[prices.x]\ninput = 1e40", "x: the price `input` is no price"),
        ("[prices.x]\nimput = 1", "x: nothing is called 'imput'."),
        ("[prices]\nx = 5", "x has to be a table of prices, not 5."),
        ("[prices.x]\nfrom = 2026-01-01", "x has no price."),
        ("[prices]\nx = []", "x has no prices."),
        ("[prices.x]\ninput = 1\nfrom = 'soon'", "x: `from` has to be a date"),
        ("[prices.x]\ninput = 1\nabove = 5", "x: `above` has to be a list"),
        ("[prices.x]\ninput = 1\nabove = [{input = 2}]", "x: `above` needs a number"),
        ("[prices.x]\ninput = 1\nbatch = 5", "x: batch has to be a table of prices, not 5."),
        ("[prices.x]\ninput = 1\ntiers = {flex = {outptu = 1}}", "x: flex: nothing is called"),
        ("currency = 'euros'\n[prices]", "`currency` has to be three letters"),
        ("usd = 0\n[prices]", "`usd` has to be more than 0."),
        ("only = 'yes'\n[prices]", "`only` has to be true or false"),
        ("name = 5\n[prices]", "`name` has to be text"),
        ("name = 'x'", "has no table `prices`."),
        ("date = 5\n[prices]", "`date` has to be a date"),
        ("prices = [", "is not a price list"),
        ("other = 1\n[prices]", "nothing is called 'other'."),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PriceListError) as raised:
        read_price_list(path)
    assert says in str(raised.value)
    assert str(raised.value).startswith("prices.toml")
    assert raised.value.hint


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PriceListError, match=r"Cannot read the prices in no\.toml"):
        load_prices(tmp_path / "no.toml")
    path = tmp_path / "bytes.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PriceListError, match="is not a price list"):
        load_prices(path)
    path.write_text("[1]", encoding="utf-8")
    with pytest.raises(PriceListError, match="no table of prices"):
        load_prices(path)


def test_an_answer_is_a_quote(listed: Path) -> None:
    assert isinstance(find(listed, "gpt-4o-mini"), Quote)
    assert find(listed, "gpt-4o-mini").matched == "openai/gpt-4o-mini"
