import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inspector.presentation.llm_calls import llm_flags
from inspector.presentation.needle import Needle, folded
from inspector.presentation.notes import Mark
from inspector.presentation.query_parser import parse_query
from inspector.presentation.search import RunSearch
from inspector.presentation.search_places import places_in, span_of
from inspector.runfile.model import PipelineRun
from tests.helpers.span_runs import document, message, run_with

MANY = {"digest-of-a-prompt": message("user", "Where is the Pump?")}


@pytest.fixture
def run() -> PipelineRun:
    return run_with(
        {"name": "desk"},
        {"name": "retriever", "outputs": {"documents": [document(1, "the pump room", 0.5)]},
         "type": "shop.Retriever", "end_ns": 2_000_000_000},
        {"name": "llm", "kind": "llm", "inputs": {"messages": [{"$ref": "digest-of-a-prompt"}]},
         "outputs": {"replies": [message("assistant", "In the cellar.")]},
         "usage": {"total_tokens": 1500}, "llm": {"name": "gpt-4o-mini"}, "visit": 2},
        {"name": "search", "kind": "tool", "status": "failed", "arguments": {"query": "Straße"},
         "error": {"type": "builtins.TimeoutError", "message": "no answer",
                   "cause": {"type": "OSError", "message": "wire cut"}}, "path": "agent#1/search"},
        {"name": "llm", "kind": "llm", "outputs": {"text": "Caf\u0065\u0301 open"}, "step": 3},
        values=MANY,
    )  # fmt: skip


def ids(run: PipelineRun, line: str, **more: object) -> str:
    found = RunSearch(run).find(parse_query(line), **more)  # type: ignore[arg-type]
    assert found is not None
    assert [row for row, flag in enumerate(found.mask) if flag] == list(found.rows)
    return " ".join(run.table.id(row) for row in found.rows)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", "s1 s2 s3 s4 s5"),
        ("kind:llm", "s3 s5"),
        ("name:SEARCH", "s4"),
        ("name:=llm", "s3 s5"),
        ("name:=ll", ""),
        ("status:failed", "s4"),
        ("duration:>1s", "s2"),
        ("tokens:>1k", "s3"),
        ("tokens:<2k", "s3"),
        ("type:retriever", "s2"),
        ("model:4O", "s3"),
        ("visit:2", "s3"),
        ("step:3", "s5"),
        ("path:agent", "s4"),
        ("error:timeout", "s4"),
        ('error:"wire cut"', "s4"),
        ("has:error", "s4"),
        ("has:documents", "s2"),
        ("has:messages", "s3"),
        ("has:usage", "s3"),
        ("has:output", "s2 s3 s5"),
        ("has:input", "s3 s4"),
        ("pump", "s2 s3"),
        ("PUMP kind:llm", "s3"),
        ("input:pump", "s3"),
        ("output:pump", "s2"),
        ("strasse", "s4"),
        ("input:STRASSE", "s4"),
        ("café", "s5"),
        ("output:=\"Café open\"", "s5"),
        ("gpt", "s3"),
        ("-pump -kind:llm", "s1 s4"),
        ("kind:tool OR pump", "s2 s3 s4"),
        ("-(kind:tool OR pump OR desk)", "s5"),
        ("cost:>0", ""),
        ("-cost:>0 kind:llm", "s3 s5"),
    ],
)  # fmt: skip
def test_a_query_finds_the_spans_that_it_asks_for(run, line, expected):
    assert ids(run, line) == expected


@pytest.mark.parametrize("line", ["content", "role", "chat_message", "digest", "$ref", "score"])
def test_the_words_of_the_format_are_not_what_a_value_says(run, line):
    assert ids(run, line) == ""


def test_a_query_that_the_table_answers_is_answered_at_once(run):
    search = RunSearch(run)
    assert search.at_once(parse_query("kind:llm -name:x duration:>1ms")) is not None
    assert search.at_once(parse_query("kind:llm tokens:>1")) is None
    assert search.at_once(parse_query("kind:llm pump")) is None


def test_a_stretch_of_time_narrows_what_is_found(run):
    assert ids(run, "kind:llm OR kind:component", bounds=(1_500_000_000, 1_600_000_000)) == "s2"


def test_rows_are_told_as_they_are_found_each_once(run):
    told: list[int] = []
    found = RunSearch(run).find(parse_query("kind:tool OR pump"), found=told.extend)
    assert found is not None
    assert sorted(told) == list(found.rows)


def test_a_cancelled_search_answers_nothing_and_the_next_one_all(run):
    search = RunSearch(run)
    assert search.find(parse_query("pump"), cancelled=lambda: True) is None
    assert search.find(parse_query("tokens:>1"), cancelled=lambda: True) is None
    again = search.find(parse_query("pump tokens:>1"))
    assert again is not None
    assert again.rows == (2,)


def test_values_that_refer_to_values_are_looked_into_once_and_circles_end():
    values = {
        f"v{n}": {"inner": [{"$ref": f"v{n + 1}"}, {"$ref": f"v{n + 1}"}]} for n in range(3_000)
    }
    values["v3000"] = {"text": ["needle", {"$ref": "v0"}]}
    made = run_with({"name": "a"}, {"inputs": {"x": {"$ref": "v0"}}}, values=values)
    assert ids(made, "needle") == "s2"
    assert ids(made, "haystack") == ""


def test_a_record_that_cannot_be_read_whole_is_searched_as_far_as_it_can():
    made = run_with({"name": "a"}, {"type": 7, "visit": "x", "inputs": {"q": "needle"}, "step": 4})
    assert ids(made, "needle step:4") == "s2"


def test_a_field_that_is_kept_as_a_value_is_read_from_there():
    values = {
        "e": {"type": "OSError", "message": "wire cut"},
        "l": {"name": "gpt-4o"},
        "u": {"total_tokens": 7},
        "i": {"q": "needle"},
    }
    fields = {name: {"$ref": name[0]} for name in ("error", "llm", "usage", "inputs")}
    made = run_with({"name": "a"}, fields, {"name": "b"}, values=values)
    for line in ("error:wire", "cut", "model:GPT", "gpt", "tokens:7", "needle", "input:needle"):
        assert ids(made, line) == "s2", line


def test_escaped_characters_are_found_as_what_they_mean():
    made = run_with({"name": "a"}, {"inputs": {"q": 'say "hi"\nthen\\go \u0007'}})
    for line in (r'"say \"hi\""', '"hi\\"\nthen"', r'"then\\go"', '"go \u0007"'):
        assert ids(made, line) == "s2", line


def test_places_name_the_field_and_show_what_stands_around(run):
    (place, *_) = places_in(run, 2, parse_query("kind:llm pump -other"))
    assert place.field == "inputs.messages[0].content[0].text"
    assert (place.before, place.match, place.after) == ("Where is the ", "Pump", "?")
    assert places_in(run, 3, parse_query("strasse"))[0].match == "Straße"
    assert places_in(run, 3, parse_query("wire"))[0].field == "error.cause.message"
    assert places_in(run, 3, parse_query("search"))[0] == (None, "name", "", "search", "")
    assert places_in(run, 3, parse_query("kind:tool -pump")) == []


@given(st.text(max_size=30), st.text(min_size=1, max_size=5), st.text(max_size=30))
def test_what_is_found_in_a_text_is_where_it_is_marked(before, wanted, after):
    text = before + wanted + after
    needle = Needle(wanted)
    if not needle.stands_in(text):  # a combining character joined the two
        return
    start, end = span_of(text, needle.folded)
    assert 0 <= start < end <= len(text) + 1
    if len(folded(text)) == len(text) == len(folded(before)) + len(wanted) + len(folded(after)):
        assert folded(text[start:end]) == needle.folded or not text.isascii()


@example("\n\u0301", "\n\u0301")
@given(st.text(alphabet="aAbBßé\u0301\"\\/\n\u0001ſK \U0001f600", min_size=1, max_size=6),
       st.text(alphabet="aAbBßé\u0301\"\\/\n\u0001ſK \U0001f600", max_size=20))  # fmt: skip
def test_looking_into_the_bytes_finds_what_looking_into_the_value_does(wanted, text):
    import orjson

    needle = Needle(wanted)
    expected = needle.stands_in(text)
    for raw in (orjson.dumps({"q": text}), orjson.dumps(["x", text])):
        assert needle.stands_in_json(raw) == (
            expected or needle.stands_in("q" if b'"q"' in raw else "x")
        )


def test_a_generator_in_a_pipeline_is_an_llm_call_like_one_of_an_agent() -> None:
    run = run_with(
        {"name": "asker", "kind": "component", "role": "llm"},
        {"name": "ranker", "kind": "component", "role": "ranking"},
        {"name": "llm", "kind": "llm", "role": "llm"},
        {"name": "asker", "kind": "component", "role": "llm", "visit": 2},
    )
    assert ids(run, "kind:llm") == "s1 s3 s4"
    assert ids(run, "kind:component") == "s1 s2 s4"
    assert list(llm_flags(run)) == [1, 0, 1, 1]


def test_of_a_great_many_components_those_that_ask_an_llm_are_found() -> None:
    run = run_with(
        *(
            {"name": f"part{number}", "kind": "component", "role": "llm" if number % 3 else "other"}
            for number in range(900)
        )
    )
    assert list(llm_flags(run)) == [int(number % 3 > 0) for number in range(900)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("boiler", "s1 s5"),
        ("BOILER kind:llm", "s5"),
        ("-boiler kind:llm", "s3"),
        ("note:boiler", "s1 s5"),
        ("note:=boiler", "s1"),
        ("input:boiler", ""),
        ("has:note", "s1 s5"),
        ("has:bookmark", "s2"),
        ("pump OR boiler", "s1 s2 s3 s5"),
    ],
)
def test_what_a_person_wrote_is_found_too(run, line, expected):
    search = RunSearch(run)
    search.marks = {0: Mark(note="Boiler"), 1: Mark(bookmarked=True), 4: Mark(note="the boiler?")}
    found = search.find(parse_query(line))
    assert found is not None
    assert " ".join(run.table.id(row) for row in found.rows) == expected
    assert str(found.query) == str(parse_query(line))


def test_a_word_found_in_a_note_says_that_it_stands_there(run):
    query = parse_query("boiler")
    place = places_in(run, 4, query, note="Is this the boiler, too?")[0]
    assert (place.shown_field, place.field) == ("note", None)
    assert f"{place.before}{place.match}{place.after}" == "Is this the boiler, too?"
    assert places_in(run, 4, query) == []
