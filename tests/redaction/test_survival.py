# ruff: noqa: E501 - runs and cases in a line each
"""What the rules find is in no byte of what is written, however it was cut up before."""

import gzip
import random

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.redaction.records import Redactor
from inspector.redaction.run import redact_run
from inspector.redaction.scanner import Scanner
from inspector.redaction.settings import Redaction
from inspector.redaction.streams import Stream
from inspector.runfile.files import compress
from tests.helpers.rag_text import PARAGRAPHS
from tests.helpers.secret_world import credentials, personal, placed
from tests.redaction.runs import made_run, span

CASES = [*credentials(3), *personal(3)]
FORMS = (Redaction(environment=False), Redaction(environment=False, salt=b"a shared salt of tests"))
SHORTEST = 6


def found_in(text: str) -> list[bytes]:
    """Return what the rules find in a text, as it stands there."""
    data = text.encode()
    edits = Scanner().scan(data)
    return [data[edit.start : edit.end] for edit in edits if edit.end - edit.start >= SHORTEST]


@st.composite
def texts(draw):
    parts = draw(st.lists(st.sampled_from([case.text for case in CASES]), min_size=1, max_size=3))
    around = draw(st.lists(st.sampled_from(PARAGRAPHS), min_size=0, max_size=2))
    mixed = draw(st.permutations([*parts, *around]))
    return draw(st.sampled_from(["\n", " ", "\n\n", ". "])).join(mixed)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(text=texts(), form=st.sampled_from(FORMS), place=st.integers(0, 14))
def test_nothing_found_survives_in_any_byte_of_a_saved_form(tmp_path_factory, text, form, place):
    case = CASES[0]._replace(text=text, secret=text)
    tree = placed(case, place).tree
    run = made_run(
        span(1, inputs={"made": tree}),
        span(2, inputs={"q": text}, outputs={"docs": {"$value": 0}}, error={"type": "E", "message": text}),
        values=(["x" * 300, text],),
        header={"inputs": {"q": tree}},
    )  # fmt: skip
    copy, _ = redact_run(run, form)
    folder = tmp_path_factory.mktemp("forms")
    saved = []
    for name, indent in (("a.run.json", None), ("b.run.json", 2), ("c.run.json.gz", None)):
        copy.save(folder / name, indent=indent)
        data = (folder / name).read_bytes()
        saved.append(gzip.decompress(data) if name.endswith(".gz") else data)
    secrets = [each for each in found_in(text) if b"<" not in each]
    for data in (*saved, orjson.dumps(orjson.loads(saved[0]))):
        for secret in secrets:
            spelt = orjson.dumps(secret.decode("utf-8", "replace"))[1:-1]
            assert spelt not in data
    assert copy.verify().state == "ok"
    assert compress(saved[0], ".gz") != b""


def streamed(text: str, sizes: list[int], redactor: Redactor) -> tuple[list[str], list[str]]:
    """Return the chunks of a text cut into such sizes, and what was passed on before the end."""
    stream = Stream(redactor)
    passed = []
    at = 0
    for size in sizes:
        tree = {"$": "streaming_chunk", "content": text[at : at + size]}
        passed += [chunk.tree["content"] for chunk in stream.take(at, tree)]
        at += size
    early = list(passed)
    passed += [chunk.tree["content"] for chunk in stream.rest()]
    return passed, early


STREAMED = [
    case for case in CASES[::3] if len(case.text) < 200 and not case.text.lstrip().startswith(("{", "[", '"'))
]  # fmt: skip


@pytest.mark.parametrize("number", range(0, len(STREAMED), 4))
def test_a_secret_split_at_every_position_does_not_survive(number):
    for case in STREAMED[number : number + 4]:
        text = f"Here it comes: {case.text} and that was all of it."
        redactor = Redactor(Redaction(environment=False))
        whole = redactor.text(text)
        secrets = [each.decode() for each in found_in(text)]
        assert secrets, case
        for cut in range(1, len(text)):
            chunks, _ = streamed(text, [cut, len(text) - cut], redactor)
            assert "".join(chunks) == whole
            assert len(chunks) == 2
        ones, _ = streamed(text, [1] * len(text), redactor)
        assert "".join(ones) == whole
        assert not any(secret in "".join(ones) for secret in secrets)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(text=texts(), seed=st.integers(0, 2**30))
def test_a_stream_says_what_the_whole_text_says(text, seed):
    rng = random.Random(seed)
    long = f"{PARAGRAPHS[0]} {text} {PARAGRAPHS[4]} {text} {PARAGRAPHS[7]}"
    sizes = []
    while sum(sizes) < len(long):
        sizes.append(rng.randrange(1, 9))
    redactor = Redactor(Redaction(environment=False))
    chunks, early = streamed(long, sizes, redactor)
    assert "".join(chunks) == redactor.text(long)
    assert "".join(early) == "".join(chunks)[: len("".join(early))]


def test_only_the_tail_of_a_stream_is_held_back():
    text = " ".join([PARAGRAPHS[4]] * 10)
    redactor = Redactor(Redaction(environment=False))
    _, early = streamed(text, [5] * (len(text) // 5 + 1), redactor)
    assert len("".join(early)) > len(text) - 200


def test_a_rule_without_a_longest_match_holds_the_stream_back_until_its_end():
    redactor = Redactor(Redaction(environment=False, rules={"all": "BEGIN[\\s\\S]*END"}))
    chunks, early = streamed("x BEGIN one two END y", [4] * 6, redactor)
    assert early == []
    assert "".join(chunks) == "x <all:1> y"


def test_arguments_of_calls_and_thoughts_are_texts_of_their_own():
    redactor = Redactor(Redaction(environment=False))
    stream = Stream(redactor)
    key = next(case.secret for case in CASES if case.kind == "github classic")
    arguments = f'{{"key": "{key}"}}'
    passed = []
    for at in range(0, len(arguments), 7):
        tree = {
            "$": "streaming_chunk", "content": "ok ",
            "tool_calls": [{"index": 0, "arguments": arguments[at : at + 7]}],
            "meta": {"raw": [{"$": "object", "fields": {"index": 0, "arguments": arguments[at : at + 7]}}]},
        }  # fmt: skip
        passed += stream.take(at, tree)
    passed += stream.rest()
    said = "".join(chunk.tree["tool_calls"][0]["arguments"] for chunk in passed)
    raw = "".join(chunk.tree["meta"]["raw"][0]["fields"]["arguments"] for chunk in passed)
    assert said == raw == '{"key": "<github-token:1>"}'
    assert key[:20] not in orjson.dumps([chunk.tree for chunk in passed]).decode()


@settings(max_examples=80, deadline=None, derandomize=True)
@given(text=texts(), form=st.sampled_from(FORMS))
def test_a_redacted_text_is_redacted(text, form):
    redactor = Redactor(form)
    once = redactor.text(text)
    assert redactor.text(once) == once
