"""Server-sent events come out whole, however they come in."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.hayhooks.client.sse import EventParser, SentEvent, TooLongError

TWO = b"id: 7-0\nevent: chunk\ndata: {}\n\n: heartbeat\n\nevent: gap\r\ndata: a\r\ndata: b\r\n\r\n"
AS_EVENTS = [SentEvent("7-0", "chunk", "{}"), SentEvent("", "gap", "a\nb")]


def parsed(data: bytes, *cuts: int) -> list[SentEvent]:
    parser = EventParser()
    edges = [0, *sorted(cuts), len(data)]
    return [event for start, end in pairwise(edges) for event in parser.feed(data[start:end])]


@given(st.lists(st.integers(0, len(TWO)), max_size=8))
def test_where_the_network_cuts_makes_no_difference(cuts):
    assert parsed(TWO, *cuts) == AS_EVENTS


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=6))
def test_any_bytes_are_read_alike_in_any_pieces(data, cuts):
    assert parsed(data, *(min(cut, len(data)) for cut in cuts)) == parsed(data)


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_every_kind_of_line_end_is_one(end):
    lines = [b"\xef\xbb\xbfevent: x", b"data:1", b"data", b"data:  2", b"", b"data: 3", b"", b""]
    assert parsed(end.join(lines)) == [SentEvent("", "x", "1\n\n 2"), SentEvent("", "message", "3")]


def test_an_event_that_is_cut_off_is_none():
    assert parsed(b"event: completed\ndata: {}\n") == []


def test_what_has_no_data_or_no_sense_is_passed_over():
    odd = b"nonsense\nevent: x\n\nid: a\0b\nretry: 10\ndata: 1\n\n"
    assert parsed(odd) == [SentEvent("", "message", "1")]


def test_what_is_no_utf_8_comes_as_replacements():
    assert parsed(b"data: a\xff\xed\xa0\x80b\n\n")[0].data == "a\ufffd\ufffd\ufffd\ufffdb"


@pytest.mark.parametrize(
    "endless", [b"x" * 100, b"data: y\n", b"data:\n", b"event: long\ndata: " + b"z" * 100]
)
def test_an_event_does_not_grow_for_ever(endless):
    with pytest.raises(TooLongError):
        feed_for_ever(EventParser(largest=1_000), endless)


def test_an_event_ends_what_counted_against_it():
    parser = EventParser(largest=100)
    for number in range(1_000):
        assert parser.feed(b"data: %d\n\n" % number)[0].data == str(number)


def feed_for_ever(parser: EventParser, piece: bytes) -> None:
    for _time in range(2_000):
        parser.feed(piece)
