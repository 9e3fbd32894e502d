"""OTLP as protobuf says what its twin in JSON says, also where it is cut off or wrong."""

from random import Random

import pytest

from inspector import load_run, load_runs
from inspector.errors import InspectorError
from tests.importers.files import FOREIGN, drawn, import_note

FOLDER = FOREIGN / "otlp_protobuf"
RAG = (FOLDER / "haystack_rag.pb").read_bytes()
AGENT = (FOLDER / "haystack_agent.pb").read_bytes()


def field(number, value):
    """Return a field of a message: a number, or what has a length."""
    if isinstance(value, int):
        return bytes([number << 3]) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(value):
    made = b""
    while value > 0x7F:
        made += bytes([value & 0x7F | 0x80])
        value >>= 7
    return made + bytes([value])


def request(*attributes, resource=b""):
    span = field(1, b"t" * 16) + field(2, b"s" * 8) + field(5, b"gull")
    span += b"".join(field(9, field(1, b"k%d" % n) + field(2, value))
                     for n, value in enumerate(attributes))  # fmt: skip
    return field(1, field(1, resource) + field(2, field(1, field(1, b"tern")) + field(2, span)))


@pytest.mark.parametrize("name", ["haystack_rag", "haystack_agent"])
def test_every_span_is_as_in_json(name):
    twin = load_run(FOREIGN / "otlp_json" / f"{name}.msgtojson.json")
    run = load_run(FOLDER / f"{name}.pb")
    assert import_note(run)["format"] == "otlp-protobuf"
    assert [span.raw for span in run.spans] == [span.raw for span in twin.spans]
    assert run.topology == twin.topology
    assert import_note(run)["resource"] == import_note(twin)["resource"]


def test_requests_behind_their_lengths_are_read_in_both_spellings():
    wanted = [drawn(run) for run in load_runs(FOLDER / "haystack_both.delimited.pb")]
    counted = b"".join(len(each).to_bytes(4, "big") + each for each in (RAG, AGENT))
    assert [drawn(run) for run in load_runs(counted)] == wanted
    assert [drawn(run) for run in load_runs(RAG + AGENT)] == wanted


def test_values_of_all_kinds_are_read():
    nested = field(5, field(1, field(1, b"a")) + field(1, field(3, 7)))
    table = field(6, field(1, field(1, b"x") + field(2, field(2, 1))))
    double = bytes([4 << 3 | 1]) + bytes.fromhex("000000000000f83f")
    run = load_run(request(field(1, b"text"), field(3, 2**64 - 5), double, nested, table,
                           field(7, b"\x01\x02"), b""))  # fmt: skip
    assert run.spans[0].tags == {
        "k0": "text", "k1": -5, "k2": 1.5, "k3": ["a", 7], "k4": {"x": True}, "k5": "0102",
    }  # fmt: skip
    assert run.spans[0].name == "gull"


def test_a_file_that_is_cut_off_keeps_its_whole_spans():
    run = load_run(RAG[:-200])
    assert 1 <= len(run.spans) < 4
    assert any("cut off" in str(problem) for problem in run.problems)
    runs = load_runs((FOLDER / "haystack_both.delimited.pb").read_bytes()[:-5_000])
    assert len(runs[0].spans) == 4


def test_what_is_nested_without_end_is_left_out():
    value = field(1, b"x")
    for _ in range(2_000):
        value = field(5, field(1, value))
    assert "nested too deeply" in str(load_run(request(value)).spans[0].tags)


def test_text_is_not_taken_for_it():
    for text in (b"\n{", b'\n\n{"a": 1}', b"\n\x10hello hello hello", b"\n", b"\n\x00"):
        try:
            assert import_note(load_run(text))["format"] != "otlp-protobuf"
        except InspectorError:
            continue


def test_wrong_bytes_anywhere_are_no_trouble():
    random = Random(8)
    opened = 0
    for _ in range(300):
        data = bytearray(RAG)
        for _ in range(random.randint(1, 4)):
            data[random.randrange(len(data))] = random.randrange(256)
        try:
            runs = load_runs(bytes(data))
        except InspectorError:
            continue
        opened += 1
        assert all(span.raw["id"] == span.id for run in runs for span in run.spans)
    assert opened > 200
