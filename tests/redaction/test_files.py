# ruff: noqa: E501 - runs and cases in a line each
"""Copies of runs without secrets: what is changed in them, and what is not."""

import json
from pathlib import Path

import orjson
import pytest

from inspector import Redaction, load_run, redact_run
from inspector.assets import asset
from inspector.diff.compare import diff_runs
from inspector.errors import RedactionError
from inspector.redaction.scanner import Scanner
from tests.helpers.secret_world import AT, credentials
from tests.redaction.runs import made_bytes, made_run, span

EXAMPLES = sorted((Path(__file__).parents[2] / "resources" / "examples").glob("*.run.json"))
MAIL = f"jo.doe{AT}example.org"
OTHER = f"kim{AT}example.org"
TOKEN = next(case.secret for case in credentials() if case.kind == "github classic")
PLAIN = Redaction(environment=False)


def text_of(run) -> str:
    from inspector.runfile.save import to_bytes

    return to_bytes(run).decode()


def test_the_original_is_not_changed(tmp_path):
    file = tmp_path / "a.run.json"
    file.write_bytes(made_bytes(span(1, inputs={"q": MAIL})))
    before = file.read_bytes()
    copy, report = redact_run(load_run(file), PLAIN)
    assert file.read_bytes() == before
    assert report.count == 1
    assert copy.spans[0].inputs == {"q": "<email:1>"}


def test_one_secret_has_one_placeholder_however_it_is_written():
    run = made_run(
        span(1, inputs={"a": MAIL, "b": MAIL.upper(), "c": OTHER}),
        span(
            2,
            inputs={"a": "4111 1111 1111 1111", "b": "4111-1111-1111-1111", "n": 4111111111111111},
        ),
        values=(f"{MAIL} " + "x" * 300,),
    )
    copy, report = redact_run(run, PLAIN)
    assert copy.spans[0].inputs == {"a": "<email:1>", "b": "<email:1>", "c": "<email:2>"}
    card = {"$": "redacted", "rule": "card", "placeholder": "<card:1>"}
    assert copy.spans[1].inputs == {"a": "<card:1>", "b": "<card:1>", "n": card}
    taken = {each.rule: each for each in report.taken}
    assert (taken["email"].count, taken["email"].distinct) == (4, 2)
    assert (taken["card"].count, taken["card"].distinct) == (3, 1)


def test_keys_are_replaced_and_none_is_lost():
    tree = {MAIL: 1, MAIL.title(): 2, "plain": {f"x {TOKEN}": [MAIL]}}
    copy, _ = redact_run(made_run(span(1, inputs=tree)), PLAIN)
    assert copy.spans[0].inputs == {
        "<email:1>": 1, "<email:1> 2": 2, "plain": {"x <github-token:1>": ["<email:1>"]},
    }  # fmt: skip


def test_what_stands_under_the_key_of_a_secret_is_one_whatever_it_looks_like():
    tree = {
        "password": "plain words", "headers": {"Authorization": "Bearer abc", "Cookie": "a=b; c=d"},
        "list": [{"name": "api_key", "value": "short1"}, ["X-Api-Key", "abcdef"]],
        "max_tokens": 100, "token": "Paris", "author": "Kim", "cvv": 737,
    }  # fmt: skip
    copy, _ = redact_run(made_run(span(1, inputs=tree)), PLAIN)
    found = copy.spans[0].inputs
    assert found["password"] == "<password:1>"
    assert found["headers"]["Cookie"] == "<cookie:1>"
    assert found["list"][0]["value"] == "<secret:1>"
    assert found["cvv"]["$"] == "redacted"
    assert (found["max_tokens"], found["token"], found["author"]) == (100, "Paris", "Kim")


def test_ids_digests_times_and_usage_are_left_alone():
    usage = {"input_tokens": 4111111111111111, "output_tokens": 3, "total_tokens": 4111111111111114}
    document = {"$": "document", "id": "4111111111111111", "content": MAIL}
    run = made_run(
        span(1, inputs={"d": [document]}, usage=usage,
             retrieval={"documents": [{"id": "4111111111111111", "digest": "ab" * 16, "rank": 0}]}),
        span(2, tool_call={"id": "call_4111111111111111", "index": 0}),
    )  # fmt: skip
    copy, _ = redact_run(run, PLAIN)
    one, two = copy.spans
    assert one.raw["usage"] == usage
    assert one.inputs["d"][0]["id"] == "4111111111111111"
    assert one.raw["retrieval"] == run.spans[0].raw["retrieval"]
    assert two.raw["tool_call"]["id"] == "call_4111111111111111"
    for field in ("id", "started_at", "duration_ns"):
        assert copy.header[field] == run.header[field]
    assert [(s.id, s.path, s.start_ns, s.end_ns) for s in copy.spans] == [
        (s.id, s.path, s.start_ns, s.end_ns) for s in run.spans
    ]


def test_values_have_the_digests_of_what_is_left_and_the_file_one_of_its_own():
    run = made_run(
        span(1, inputs={"a": {"$value": 1}}),
        span(2, outputs={"a": {"$value": 0}}),
        values=(f"{MAIL} {'x' * 300}", ["kept " * 60, {"$value": 0}]),
    )
    copy, _ = redact_run(run, PLAIN)
    old, new = set(run.values.digests()), set(copy.values.digests())
    assert len(old) == len(new) == 2
    assert not old & new  # both hold the mail: one of them by reference
    assert copy.verify().state == "ok"
    assert copy.spans[0].inputs["a"][1] == copy.spans[1].outputs["a"]
    assert MAIL not in text_of(copy)


def test_the_report_is_in_the_file_with_rules_counts_and_places():
    run = made_run(
        span(1), span(2, inputs={"q": "x"}, outputs={"docs": [{"$value": 0}]}),
        span(3, inputs={"docs": [{"$value": 0}]}),
        values=({"$": "document", "content": f"{'x' * 300} {MAIL}"},), header={"name": f"of {MAIL}"},
    )  # fmt: skip
    copy, report = redact_run(run, PLAIN)
    told = copy.header["redaction"]
    assert told == report.told()
    assert told == [
        {"rule": "email", "count": 2, "distinct": 1, "paths": told[0]["paths"]}
    ]  # fmt: skip
    assert sorted(told[0]["paths"]) == ["part2#1: outputs.docs[0].content", "run: name"]
    assert copy.header["redacted"]["names"] == "names not checked"
    assert "names not checked" in str(report)


def test_what_is_encoded_counts_in_the_report():
    from base64 import b64encode

    packed = b64encode(f"please write to {MAIL} today".encode()).decode()
    copy, report = redact_run(made_run(span(1, inputs={"a": packed})), PLAIN)
    assert [(each.rule, each.count) for each in report.taken] == [("email", 1)]
    assert report.taken[0].paths == ("made: inputs.a",)
    assert copy.spans[0].inputs["a"] != packed


@pytest.mark.parametrize("held", ["4111 1111 1111 1111", "ada@hafen.de"])
def test_what_is_in_base64_without_a_digit_is_found(held):
    from base64 import b64encode

    packed = b64encode(held.encode()).decode()
    assert packed.rstrip("=").isalpha()
    copy, report = redact_run(made_run(span(1, inputs={"a": packed})), PLAIN)
    assert report.count == 1
    assert copy.spans[0].inputs["a"] != packed


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ('{"auths": {"ghcr.io": {"auth": "Ym9iOmdlaGVpbTc3eA=="}}}', "secret"),  # of docker
        ("RWRTY0Iy" + "aW5nZWhl" * 25 + "aW0=", "service-key"),  # a secret key of minisign
        (r"sk\_live\_" + "4eC39HqLyjWDarjtT1zdp7dc", "payment-key"),  # as Markdown writes it
        (r"jo\.doe\@example.org", "email"),
    ],
)
def test_keys_of_other_programs_and_signs_escaped_in_markdown_are_found(text, rule):
    assert [edit.rule for edit in Scanner().scan(f"It is {text} there".encode())] == [rule]


def test_what_is_called_auth_is_a_secret_where_it_looks_like_one():
    tree = {
        "auth": "Ym9iOmdlaGVpbTc3eA==",
        "other": {"auth": "required", "author": "Ada3x9Lovelace"},
    }
    copy, _ = redact_run(made_run(span(1, inputs=tree)), PLAIN)
    assert copy.spans[0].inputs == {**tree, "auth": "<secret:1>"}


@pytest.mark.parametrize("term", ["", " "])
def test_a_term_that_is_empty_is_no_redaction(term):
    with pytest.raises(RedactionError, match="is empty"):
        Redaction(terms=["Project Bluebird", term])


def test_a_schema_describes_what_is_written():
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(asset("schema/run.schema.json").read_text(encoding="utf-8"))
    redaction = Redaction(
        terms=["made"], fields=["meta.x"], rules={"n": "N-[0-9]+"}, salt="0123456789"
    )
    for rules in (PLAIN, redaction):
        copy, _ = redact_run(made_run(span(1, inputs={"q": MAIL})), rules)
        jsonschema.Draft202012Validator(schema).validate(orjson.loads(text_of(copy)))


def test_a_second_redaction_finds_nothing_new_and_gives_no_number_twice():
    once, _ = redact_run(made_run(span(1, inputs={"a": MAIL, "t": "bluebird"})), PLAIN)
    twice, report = redact_run(once, PLAIN)
    assert twice.spans[0].inputs == once.spans[0].inputs
    assert report.count == 1
    more = made_run(span(1, inputs={**once.spans[0].inputs, "b": OTHER}), header=dict(once.header))
    third, _ = redact_run(more, Redaction(terms=["bluebird"], environment=False))
    assert third.spans[0].inputs == {"a": "<email:1>", "t": "<term:1>", "b": "<email:2>"}
    assert third.header["redacted"]["terms"] == 1


def test_with_a_salt_placeholders_are_the_same_in_all_files_and_the_salt_in_none():
    salt = "correct horse battery staple"
    one, _ = redact_run(made_run(span(1, inputs={"a": OTHER, "b": MAIL})), Redaction(salt=salt))
    two, _ = redact_run(made_run(span(1, inputs={"x": MAIL})), Redaction(salt=salt))
    other, _ = redact_run(made_run(span(1, inputs={"x": MAIL})), Redaction(salt=salt + "!"))
    assert one.spans[0].inputs["b"] == two.spans[0].inputs["x"]
    assert one.spans[0].inputs["a"] != one.spans[0].inputs["b"]
    assert other.spans[0].inputs["x"] != two.spans[0].inputs["x"]
    assert salt not in text_of(one)
    assert one.header["redacted"]["salt_check"] == two.header["redacted"]["salt_check"]


@pytest.mark.parametrize("salt", [None, "a salt of the whole team"])
def test_every_form_of_rule_takes_either_form_of_placeholder(salt):
    rules = Redaction(
        terms=["Bluebird"], fields=["meta.customer", "**.secret_plan.*"], rules={"employee": "EMP-[0-9]{4}"},
        salt=salt, environment=False,
    )  # fmt: skip
    tree = {
        "meta": {"customer": "Kim", "n": 5}, "deep": [{"secret_plan": {"a": [1, 2], "b": None}}],
        "text": f"EMP-1234 of bluebird wrote to {MAIL}; bluebirds sing",
    }  # fmt: skip
    copy, _ = redact_run(made_run(span(1, inputs=tree)), rules)
    found = copy.spans[0].inputs
    number = "[0-9a-f]{8}" if salt else "[0-9]+"
    assert found["meta"]["n"] == 5
    assert_like(f"<field:{number}>", found["meta"]["customer"])
    assert_like(f"<field:{number}>", found["deep"][0]["secret_plan"]["a"]["placeholder"])
    assert found["deep"][0]["secret_plan"]["b"] is None
    assert_like(
        f"<employee:{number}> of <term:{number}> wrote to <email:{number}>; bluebirds sing",
        found["text"],
    )
    assert copy.verify().state == "ok"


def assert_like(pattern: str, text: str) -> None:
    import re

    assert re.fullmatch(pattern, text), text


def test_a_field_is_taken_out_where_its_path_leads_through_references_only():
    shared = {"user": {"name": "Kim"}, "pad": "x" * 300}
    run = made_run(
        span(1, inputs={"request": {"$value": 0}}), span(2, inputs={"other": {"$value": 0}}),
        values=(shared,),
    )  # fmt: skip
    copy, _ = redact_run(run, Redaction(fields=["request.user.name"], environment=False))
    assert copy.spans[0].inputs["request"]["user"]["name"] == "<field:1>"
    assert copy.spans[1].inputs["other"]["user"]["name"] == "Kim"
    everywhere, _ = redact_run(run, Redaction(fields=["user.name"], environment=False))
    assert "Kim" not in text_of(everywhere)


def test_values_of_the_environment_are_taken_out_in_every_form(monkeypatch):
    from base64 import b64encode
    from urllib.parse import quote

    value = "p4ss/w+rd of the house"
    monkeypatch.setenv("HOUSE_PASSWORD", value)
    tree = {
        "a": f"x{value}y",
        "b": b64encode(f"--{value}--".encode()).decode(),
        "c": quote(value, safe=""),
    }
    copy, report = redact_run(made_run(span(1, inputs=tree)))
    found = copy.spans[0].inputs
    assert found["a"] == "x<secret:HOUSE_PASSWORD>y"
    assert found["c"] == "<secret:HOUSE_PASSWORD>"
    assert [(each.rule, each.count) for each in report.taken] == [("environment-value", 3)]
    assert found["b"] != tree["b"]


def test_nothing_hides_in_how_json_is_spelt():
    raw = made_bytes(span(1, inputs={"q": "@@@"}))
    escaped = "".join(f"\\u{ord(sign):04x}" for sign in MAIL).encode()
    twice = b'"q":"' + escaped + b'","q":"@@@"'
    for text in (raw.replace(b'"@@@"', b'"' + escaped + b'"'), raw.replace(b'"q":"@@@"', twice)):
        copy, _ = redact_run(load_run(text), PLAIN)
        out = text_of(copy)
        assert MAIL not in json.dumps(json.loads(out))
        assert escaped.decode() not in out


def test_a_journal_and_other_members_of_a_file_are_redacted_too():
    raw = made_bytes(span(1, inputs={"q": "x"}), header={"extensions": {"a": {"who": MAIL}}})
    raw = raw.replace(
        b'"record_digests"', b'"others":{"who":["%s"]},\n"record_digests"' % MAIL.encode()
    )
    copy, _ = redact_run(load_run(raw), PLAIN)
    assert MAIL not in text_of(copy)
    assert "others" in text_of(copy)
    journal = b"\n".join(
        orjson.dumps(line)
        for line in (
            {"record": "run", "format": "haystack-run", "version": 1, "run": {"id": "r", "kind": "pipeline", "status": "running", "name": MAIL}},
            {"record": "start", "span": span(1, inputs={"q": f"to {MAIL}"})},
            {"record": "chunk", "id": "s1", "at_ns": 5, "chunk": {"$": "streaming_chunk", "content": "jo.doe" + AT}},
            {"record": "chunk", "id": "s1", "at_ns": 6, "chunk": {"$": "streaming_chunk", "content": "example.org ok"}},
        )
    )  # fmt: skip
    copy, _ = redact_run(load_run(journal + b"\n"), PLAIN)
    assert "example.org" not in text_of(copy)
    assert [chunk.value["content"] for chunk in copy.spans[0].chunks] == ["<email:1>", " ok"]


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda path: path.name)
def test_a_redacted_example_opens_and_compares(file):
    run = load_run(file)
    redaction = Redaction(terms=["pump", "valve", "the", "bed", "water"], environment=False)
    copy, report = redact_run(run, redaction)
    again, _ = redact_run(run, redaction)
    assert copy.problems == run.problems
    assert copy.verify().state == "ok"
    assert len(copy.spans) == len(run.spans)
    assert report.count > 0
    assert diff_runs(copy, again).same
    assert not any(" the " in text for text in (text_of(copy),))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda path: path.name)
def test_the_built_in_rules_find_nothing_in_an_example(file):
    run = load_run(file)
    copy, report = redact_run(run, PLAIN)
    assert report.count == 0
    assert list(copy.values.digests()) == list(run.values.digests())
    assert diff_runs(run, copy).same


def test_no_example_holds_what_a_rule_finds_in_its_bytes():
    scanner = Scanner(frozenset({"national-id", "phone", "card"}))
    for file in EXAMPLES:
        data = file.read_bytes()
        assert [data[edit.start : edit.end] for edit in scanner.scan(data)] == []


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"off": ["nothing"]}, "no rule nothing"),
        ({"rules": {"Email": "x"}}, "cannot be called"),
        ({"rules": {"email": "x"}}, "cannot be called"),
        ({"rules": {"a": "(?=x)"}}, "linear time"),
        ({"rules": {"a": r"(x)\1"}}, "linear time"),
        ({"rules": {"a": "x*"}}, "empty text"),
        ({"rules": 5}, "patterns by name"),
        ({"fields": ["**"]}, "no path"),
        ({"salt": "short"}, "too short"),
        ({"terms": 7}, "list of texts"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(settings, says):
    with pytest.raises(RedactionError, match=says):
        redact_run(made_run(span(1)), Redaction(**settings))


def test_a_pattern_that_would_take_pythons_engine_years_takes_no_time():
    rules = Redaction(rules={"slow": "(a+)+b", "slower": "(x|xx)+y"}, environment=False)
    text = "a" * 100_000 + " " + "x" * 100_000
    copy, _ = redact_run(made_run(span(1, inputs={"q": text + " aab xxy"})), rules)
    assert copy.spans[0].inputs["q"].endswith(" <slow:1> <slower:1>")


def test_our_own_patterns_are_not_slow_on_texts_made_to_be():
    # Each of these would take minutes if something went over them again and again.
    redactor_texts = (
        "a" * 300_000, "1" * 300_000, "1 " * 150_000, "@" * 100_000, "://" * 50_000, "\\" * 200_000,
        "%41" * 60_000, "password:" * 20_000, ("-----BEGIN PRIVATE" + " KEY-----") * 3_000, "A1" * 100_000,
        "+1 " * 50_000, ":" * 200_000, "a@" * 60_000, "'password': '" * 10_000, "&#64;" * 30_000,
        "cookie: a=b;" * 10_000, "aaaa at bbb dot " * 10_000, "(555) 555-" * 15_000,
    )  # fmt: skip
    scanner = Scanner()
    for text in redactor_texts:
        scanner.scan(text.encode())
