"""Where time and tokens went, and what a file should not hold or lacks."""

from typing import Any

import pytest

from inspector.findings import Finding, check
from inspector.runfile.model import PipelineRun
from tests.helpers.drawn_runs import run_from_outline
from tests.helpers.span_runs import document, message, run_with

SECOND = 1_000_000_000
WORDS = (
    "bed", "valve", "screen", "probe", "dawn", "noon", "tomato", "basil", "pepper", "vent", "roof",
    "pump", "filter", "barrel",
)  # fmt: skip


def found(run: PipelineRun, rule: str) -> list[Finding]:
    return [each for each in check(run) if each.rule == rule]


def visits(*seconds: float) -> PipelineRun:
    """A component that ran so often, for so long."""
    spans: list[dict[str, Any]] = [{"start_ns": 0}]
    now = 0
    for number, taken in enumerate(seconds, 1):
        end = now + round(taken * SECOND)
        spans.append({"name": "work", "visit": number, "start_ns": now, "end_ns": end})
        now = end
    spans[0]["end_ns"] = now
    return run_with(*spans, duration_ns=now)


def test_a_step_that_took_far_longer_than_its_like_is_found() -> None:
    (slow,) = check(visits(0.1, 0.1, 0.2, 4.0, 0.1))
    assert slow.rule == "outlier-step"
    assert slow.sentence == "`work` took 4.0 s; it usually takes 100 ms."
    assert slow.spans == ("s5",)


@pytest.mark.parametrize(
    "seconds",
    [(0.1, 0.1, 0.2, 1.9, 0.1), (0.1, 0.1, 4.0), (1.0, 1.0, 1.0, 4.0, 1.0)],
    ids=["hardly noticed", "too few to tell", "not five times as long"],
)
def test_a_step_that_is_not_much_slower_is_well(seconds: tuple[float, ...]) -> None:
    assert check(visits(*seconds)) == ()


def stream(first_s: float, *texts: str, says: str = "It opens at dawn.") -> PipelineRun:
    """A call of ten seconds that streams."""
    chunks = [
        [round((1 + first_s + number / 10) * SECOND), {"$": "streaming_chunk", "content": text}]
        for number, text in enumerate(texts)
    ]
    llm = {
        "kind": "llm", "name": "llm", "start_ns": SECOND, "end_ns": 11 * SECOND,
        "usage": {"input_tokens": 5, "output_tokens": 5}, "llm": {"name": "some-llm"},
        "outputs": {"replies": [message("assistant", says)]}, "chunks": {"$ref": "c" * 32},
    }  # fmt: skip
    return run_with({"end_ns": 12 * SECOND}, llm, values={"c" * 32: chunks})


PIECES = ("It opens", " at ", "dawn.")


def test_a_stream_that_begins_late_is_found() -> None:
    (slow,) = check(stream(6.5, *PIECES))
    assert slow.rule == "slow-first-token"
    assert "streamed came after 6.5 s" in slow.sentence


def test_a_stream_that_begins_soon_and_adds_up_is_well() -> None:
    assert check(stream(4.9, *PIECES)) == ()


def test_pieces_that_are_not_the_answer_are_found_where_they_part() -> None:
    (other,) = check(stream(1, "It opens", " at ", "noon."))
    assert other.rule == "chunks-mismatch"
    assert "they part at character 13" in other.sentence
    assert other.fields == ("chunks", "outputs.replies")


@pytest.mark.parametrize(
    ("pieces", "says"), [((*PIECES, ""), "It opens at dawn.\n"), ((), "It opens at dawn.")]
)
def test_pieces_that_differ_only_at_their_ends_or_are_not_there_are_well(
    pieces: tuple[str, ...], says: str
) -> None:
    assert check(stream(1, *pieces, says=says)) == ()


def test_a_redacted_stream_is_not_held_against_its_answer() -> None:
    run = stream(1, "It opens", " at ", "noon.")
    header = dict(run.header) | {"redacted": {"placeholders": "numbered"}}
    spans = [dict(span.raw) for span in run.spans]
    values = {"c" * 32: run.values.get("c" * 32)}
    assert found(run, "chunks-mismatch")
    assert found(run_with(*spans, values=values, **header), "chunks-mismatch") == []


def waits(idle_s: float, kind: str = "component", operation: str = "") -> PipelineRun:
    end = round((2 + idle_s) * SECOND)
    gap = {"kind": kind, "name": "asks", "operation": operation, "start_ns": SECOND,
           "end_ns": end - SECOND}  # fmt: skip
    after = {"name": "after", "start_ns": end - SECOND, "end_ns": end}
    spans: list[dict[str, Any]] = [
        {"end_ns": end}, {"name": "before", "start_ns": 0, "end_ns": SECOND},
        *([gap] if operation else []), after,
    ]  # fmt: skip
    return run_with(*spans, duration_ns=end)


def test_a_time_in_which_nothing_worked_is_found() -> None:
    (idle,) = check(waits(8))
    assert idle.rule == "idle-wait"
    assert idle.sentence == "Nothing was at work for 8.0 s before `after` ran."


def test_a_short_wait_and_one_for_a_person_are_well() -> None:
    assert check(waits(4)) == ()
    asks = "haystack.agent.hook.human_in_the_loop.strategy"
    assert check(waits(800, kind="hook", operation=asks)) == ()


def test_a_clock_that_goes_backwards_is_found() -> None:
    early = {"name": "early", "start_ns": 5_000_000, "end_ns": 6_000_000}
    run = run_with({"start_ns": 40_000_000, "end_ns": 90_000_000}, early)
    (back,) = check(run)
    assert back.rule == "clock-backwards"
    assert "`early` begins 35 ms before what it happened in." in back.sentence


def test_an_end_before_its_beginning_is_found() -> None:
    (back,) = check(run_with({}, {"name": "odd", "start_ns": 5_000_000, "end_ns": 1_000_000}))
    assert (back.rule, back.spans) == ("clock-backwards", ("s2",))
    assert "`odd` ends before it starts" in back.sentence


def test_clocks_that_differ_by_less_than_a_millisecond_are_well() -> None:
    early = {"name": "early", "start_ns": 500_000, "end_ns": 6_000_000}
    assert check(run_with({"start_ns": 1_400_000, "end_ns": 90_000_000}, early)) == ()


def pages(count: int, *, words: int = 700) -> list[dict[str, Any]]:
    """Documents that have no word in common but `manual`."""
    made = []
    for number in range(count):
        own = [f"{word}{chr(97 + number) * 3}" for word in WORDS]
        made.append(document(number, " ".join(["manual", *(own * (words // len(own)))])))
    return made


def answered(says: str, count: int = 3, *, words: int = 700, **meta: Any) -> PipelineRun:
    documents = pages(count, words=words)
    prompt = "\n".join(each["content"] for each in documents)
    ms = 1_000_000
    return run_with(
        {"end_ns": 90 * ms},
        {"name": "find", "role": "retrieval", "start_ns": ms, "end_ns": 2 * ms,
         "receivers": {"documents": ["prompt"]}, "senders": {"query": [None]},
         "inputs": {"query": "Which pump?"}, "outputs": {"documents": documents}},
        {"name": "prompt", "role": "prompt", "start_ns": 3 * ms, "end_ns": 4 * ms,
         "senders": {"documents": ["find"]}, "receivers": {"prompt": ["llm"]},
         "inputs": {"documents": documents}, "outputs": {"prompt": prompt}},
        {"name": "llm", "role": "llm", "start_ns": 5 * ms, "end_ns": 6 * ms,
         "senders": {"prompt": ["prompt"]}, "receivers": {"replies": ["answers"]},
         "usage": {"input_tokens": 9}, "llm": {"name": "some-llm"},
         "inputs": {"prompt": prompt}, "outputs": {"replies": [message("assistant", says)]}},
        {"name": "answers", "role": "conversion", "start_ns": 7 * ms, "end_ns": 8 * ms,
         "outputs": {"answers": [{"$": "answer", "type": "generated", "documents": [
             {**each, "meta": {"referenced": meta["only"] == number}}
             for number, each in enumerate(documents)]}] if meta else []}},
    )  # fmt: skip


def test_documents_that_an_answer_cites_are_used_and_the_others_wasted() -> None:
    (wasted,) = check(answered("The pumpaaa is old [1]."))
    assert (wasted.rule, wasted.possible) == ("tokens-wasted", False)
    assert wasted.documents == ("doc-1", "doc-2")
    assert "makes no use of 2 of 3 documents in its prompt" in wasted.sentence


def test_what_the_answer_builder_found_referred_to_counts_before_all_else() -> None:
    (wasted,) = check(answered("Old.", only=2))
    assert (wasted.documents, wasted.possible) == (("doc-0", "doc-1"), False)


def test_without_citations_the_words_of_an_answer_tell_possibly() -> None:
    (wasted,) = check(answered("It is the pumpbbb of the roofbbb."))
    assert (wasted.documents, wasted.possible) == (("doc-0", "doc-2"), True)


@pytest.mark.parametrize(
    "run",
    [
        answered("See [1], [2] and [3]."),
        answered("The pumpaaa, the pumpbbb and the pumpccc."),
        answered("The pumpaaa is old [1].", words=56),
        answered("The pumpaaa and the pumpbbb [1] [2]."),
    ],
    ids=["all cited", "all used", "short documents", "mostly used"],
)
def test_documents_that_are_used_or_short_are_not_wasted(run: PipelineRun) -> None:
    assert check(run) == ()


KEY = "sk-proj-" + "Zq8vK3mN7pR2tW5x" * 3


def test_a_key_in_a_run_is_found_and_not_repeated() -> None:
    held = {"prompt": f"Use {KEY} for it, please. " + "All is well. " * 30}
    run = run_with(
        {}, {"name": "asks", "inputs": {"$ref": "a" * 32}}, {"inputs": {"password": "hunter-2-x"}},
        values={"a" * 32: held},
    )  # fmt: skip
    by_kind = {each.sentence: each for each in found(run, "secret-in-run")}
    kinds = ("password", "llm-key")
    assert set(by_kind) == {f"1 secret of the kind `{kind}` stands in this file." for kind in kinds}
    key = by_kind["1 secret of the kind `llm-key` stands in this file."]
    assert [run.span(span_id).name for span_id in key.spans] == ["asks"]
    assert all("hunter" not in repr(each) and KEY not in repr(each) for each in check(run))


def test_a_key_in_the_header_of_a_run_is_found() -> None:
    components = {"llm": {"type": "garden.Gardener", "init_parameters": {"api_key": KEY}}}
    (found_there,) = check(run_with({}, definition={"components": components}))
    assert (found_there.rule, found_there.spans) == ("secret-in-run", ())
    assert KEY not in repr(found_there)


@pytest.mark.parametrize(
    "inputs",
    [
        {"api_key": {"$": "secret", "env_vars": ["OPENAI_API_KEY"]}},
        {"prompt": "The secret of a good bed is its password to spring: water."},
        {"max_tokens": 400, "token_type_ids": [1, 2]},
        {"text": "Use <llm-key:1> for it."},
    ],
)
def test_names_of_secrets_are_no_secrets(inputs: dict[str, Any]) -> None:
    assert check(run_with({}, {"inputs": inputs})) == ()


def test_values_that_could_not_be_kept_are_found_by_their_type() -> None:
    lock = {"$": "opaque", "type": "garden.Lock", "repr": "<garden.Lock object>"}
    run = run_with(
        {}, {"name": "a", "outputs": {"lock": {"$ref": "b" * 32}}},
        {"name": "b", "inputs": {"lock": {"$ref": "b" * 32}}},
        values={"c" * 32: lock, "b" * 32: {"held": [{"$ref": "c" * 32}]}},
    )  # fmt: skip
    (opaque,) = check(run)
    assert opaque.rule == "not-serialised"
    assert opaque.sentence.startswith("1 value of the type `garden.Lock` could not be kept")
    assert (opaque.spans, opaque.fields) == (("s2",), ("outputs.lock.held[0]",))


def test_values_that_were_left_out_for_their_size_are_found() -> None:
    left_out = {"$": "truncated", "type": "str", "size": 90_000_000, "why": "too large"}
    (cut,) = check(run_with({}, {"name": "a", "inputs": {"page": left_out}}))
    assert (cut.rule, cut.fields) == ("truncated-value", ("inputs.page",))
    assert "1 value was left out for its size, the largest of 90,000,000" in cut.sentence


def test_values_of_other_tags_are_well() -> None:
    tags = [{"$": "callable", "name": "f"}, {"$": "type", "name": "str"}, "opaque", "truncated",
            {"$": "object", "type": "garden.Bed", "fields": {"wet": True}}]  # fmt: skip
    assert check(run_with({}, {"inputs": {"all": tags}})) == ()


def test_a_call_without_tokens_is_missed_where_others_report_some() -> None:
    reply = {"replies": [message("assistant", "Yes.")]}
    silent = {"kind": "llm", "name": "a", "outputs": reply, "llm": {"name": "some-llm"}}
    told = {**silent, "name": "b", "usage": {"input_tokens": 3, "output_tokens": 1}}
    (missing,) = check(run_with({}, silent, told))
    assert (missing.rule, missing.spans) == ("usage-missing", ("s2",))
    assert check(run_with({}, silent)) == (), "nobody knows whether it counts"
    assert check(run_with({}, told)) == ()


def test_a_run_that_is_drawn_is_well() -> None:
    assert check(run_from_outline("pipeline 0-100\n  retriever 0-40\n  llm 40-100")) == ()
