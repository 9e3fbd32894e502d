"""`run-inspector cost`: an estimate, its provenance, and how it was worked out."""

import json
from pathlib import Path

import pytest

from inspector.cli.main import main
from tests.cost.runs import STARTED_AT, call, openai
from tests.runfile.files import HEADER, run_file, span


@pytest.fixture
def recorded(tmp_path: Path) -> str:
    spans = [
        span(1, kind="pipeline", name="p", path=""),
        call(2, 1, name="writer", usage=openai(10_000, 500, cached=6_000)),
        call(3, 1, name="stranger", llm="zorblax-9", usage=openai(10, 10)),
    ]
    path = tmp_path / "a.run.json"
    path.write_bytes(run_file(spans, header={**HEADER, "started_at": STARTED_AT}))
    return str(path)


def test_a_person_reads_a_table_with_its_source(recorded, capsys) -> None:
    assert main(["cost", recorded]) == 0
    told = capsys.readouterr()
    out = told.out.replace("\u202f", " ")
    assert "writer" in out
    assert "≈ $0.0014" in out
    assert "estimated total" in out
    assert "≥ $0.0014" in out
    assert "An estimate in USD, by list prices: genai-prices" in out
    assert "no price for openai/zorblax-9" in told.err
    assert "×" not in out


def test_explained_it_shows_the_multiplications(recorded, capsys) -> None:
    assert main(["cost", recorded, "--explain", "--by", "llm"]) == 0
    out = capsys.readouterr().out.replace("\u202f", " ")
    assert "input tokens: 4 000 × $0.15 / million" in out
    assert "input tokens from the cache: 6 000 × $0.075 / million" in out
    assert "$0.00045" in out


def test_a_program_reads_exact_amounts(recorded, capsys) -> None:
    assert main(["cost", recorded, "--json"]) == 0
    tree = json.loads(capsys.readouterr().out)
    assert tree["estimate"] is True
    assert tree["total_usd"] == 0.00135
    assert tree["unknown_calls"] == 1
    assert [each["amount"] for each in tree["by_call"]] == ["0.00135", None]
    assert tree["by_call"][0]["multiplications"][0] == {
        "what": "input", "count": 4000, "price": "0.15", "per": 1_000_000, "amount": "0.0006",
    }  # fmt: skip


def test_the_own_prices_of_another_day(recorded, capsys, tmp_path: Path) -> None:
    listed = tmp_path / "prices.toml"
    listed.write_text(
        'name = "ours"\ncurrency = "EUR"\n[[prices."*"]]\ninput = 1\noutput = 1\n'
        '[[prices."*"]]\nfrom = 2026-11-15\ninput = 2\noutput = 2\n',
        encoding="utf-8",
    )
    totals = []
    for when in ("run", "2026-11-01", "today"):
        assert main(["cost", recorded, "--prices", str(listed), "--as-of", when, "--json"]) == 0
        tree = json.loads(capsys.readouterr().out)
        totals.append((tree["total"], tree["currency"], tree["unknown_calls"]))
    assert totals == [(0.02104, "EUR", 0), (0.01052, "EUR", 0), (0.02104, "EUR", 0)]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--as-of", "someday"], "'someday' is no day"),
        (["--prices", "nowhere.toml"], "Cannot read the prices in nowhere.toml"),
    ],
)
def test_what_cannot_be_done_is_said(recorded, capsys, more, says) -> None:
    assert main(["cost", recorded, *more]) == 2
    assert says in capsys.readouterr().err


def test_a_run_without_models_says_so(capsys, tmp_path: Path) -> None:
    path = tmp_path / "a.run.json"
    path.write_bytes(run_file([span(1)]))
    assert main(["cost", str(path)]) == 0
    assert "No call of a model" in capsys.readouterr().out
