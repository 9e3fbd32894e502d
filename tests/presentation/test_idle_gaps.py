from inspector.presentation.idle_gaps import (
    IdleGap,
    gaps_of,
    idle_gaps,
    idle_words,
    is_mostly_idle,
)
from inspector.runfile.table import SpanTable
from tests.helpers.drawn_runs import run_from_table
from tests.helpers.tables import table_from_outline

S = 1_000_000_000
APPROVED = """
pipeline 0-100
  agent:component 0-100
    agent 0-100
      step 0-100
        llm 0-2
        ask:hook 2-95
        search:tool 95-100
"""


def in_seconds(outline: str) -> SpanTable:
    return table_from_outline(outline, unit_ns=S)


def nothing(_row: int) -> str:
    return ""


def plain(words: str) -> str:
    return words.replace("\u2009", " ").replace("\u202f", " ")


def found(table: SpanTable) -> list[IdleGap]:
    return idle_gaps(table, table.end_of_run(), nothing)


def test_time_in_which_only_what_holds_others_is_open_is_idle() -> None:
    table = in_seconds("pipeline 0-100\n  one 0-2\n  other 90-100")
    assert found(table) == [IdleGap(2 * S, 90 * S)]


def test_what_runs_in_between_is_no_gap_wherever_it_is() -> None:
    table = in_seconds("pipeline 0-100\n  long 0-90\n  short 1-2\n  last 90-100")
    assert found(table) == []


def test_a_component_with_others_inside_may_work_all_the_time() -> None:
    table = in_seconds("pipeline 0-100\n  retriever 0-100\n    embedder 0-2\n    store 95-100")
    assert found(table) == []


def test_a_component_that_is_an_agent_waits_with_it() -> None:
    table = in_seconds("agent:component 0-100\n  agent 0-100\n    step 0-100\n      llm 95-100")
    assert found(table) == [IdleGap(0, 95 * S)]


def test_a_hook_that_asks_a_person_is_the_reason_of_a_gap() -> None:
    ask = {"operation": "haystack.agent.hook.human_in_the_loop.strategy"}
    run = run_from_table(in_seconds(APPROVED), fields={"ask": ask})
    gaps = gaps_of(run, 100 * S)
    assert gaps == [IdleGap(2 * S, 95 * S, "for approval")]
    assert plain(gaps[0].words) == "waited 1 min 33 s for approval"


def test_any_other_hook_is_at_work() -> None:
    assert gaps_of(run_from_table(in_seconds(APPROVED)), 100 * S) == []


def test_a_pause_before_another_try_says_so() -> None:
    table = in_seconds("pipeline 0-100\n  llm 0-2 failed\n  llm 90-100")
    assert found(table) == [IdleGap(2 * S, 90 * S, "before llm was tried again")]


def test_short_gaps_are_none_in_a_long_run_and_in_a_short_one() -> None:
    assert found(in_seconds("pipeline 0-1000\n  a 0-500\n  b 505-1000")) == []
    assert found(table_from_outline("pipeline 0-100\n  a 0-2\n  b 98-100")) == []


def test_what_goes_on_after_the_last_span_is_a_gap_too() -> None:
    assert found(in_seconds("pipeline 0-100\n  a 0-2")) == [IdleGap(2 * S, 100 * S)]


def test_folding_is_worth_it_when_at_least_half_is_idle() -> None:
    assert is_mostly_idle([IdleGap(0, 50)], 100)
    assert not is_mostly_idle([IdleGap(0, 49)], 100)
    assert not is_mostly_idle([], 0)


def test_an_offer_says_how_long_and_how_much_of_the_run() -> None:
    assert plain(idle_words([IdleGap(0, 36 * S)], 37 * S)) == "36.0 s, 97 % idle"
