from base64 import b64encode

import pytest

from inspector.presentation.byte_text import bytes_in, hex_lines
from inspector.presentation.value_text import readable, reads_as_text


def recorded(data, mime=""):
    held = {"$": "bytes", "base64": b64encode(data).decode()}
    return {"$": "byte_stream", "data": held, "mime_type": mime, "meta": {}} if mime else held


def test_bytes_read_as_a_hex_dump_with_what_can_be_read_beside_it():
    written = readable(recorded(b"run\x00\xff inspector, 1.0"))
    assert written.text == (
        "00000000  72 75 6e 00 ff 20 69 6e  73 70 65 63 74 6f 72 2c  run.. inspector,\n"
        "00000010  20 31 2e 30                                        1.0"
    )
    assert written.complete
    assert written.language == "hex"


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 31, 32, 1_000])
def test_how_long_the_whole_dump_is_is_known_before_it_is_written(size):
    value = bytes_in(recorded(bytes(size)))
    assert value.size == size
    whole, total = hex_lines(value, 10**9)
    assert len(whole) == total
    assert hex_lines(value, 100)[0] == whole[:100]


def test_only_the_beginning_of_large_bytes_is_decoded():
    value = recorded(bytes(5_000_000))
    written = readable(value, 1_000)
    assert len(written.text) == 1_000
    assert not written.complete
    assert written.total > 20_000_000


def test_text_in_a_byte_stream_is_text():
    written = readable(recorded(b"# Beds\n\n- tomatoes\n- peppers", "text/markdown"))
    assert written.text.startswith("# Beds")
    assert written.language == "markdown"


def test_svg_is_read_and_never_drawn():
    value = recorded(b"<svg xmlns='x'><image href='file:///x'/></svg>", "image/svg+xml")
    assert bytes_in(value).picture == ""
    assert readable(value).text.startswith("<svg")


@pytest.mark.parametrize(
    ("head", "picture"),
    [
        (b"\x89PNG\r\n\x1a\n", "png"),
        (b"\xff\xd8\xff\xe0", "jpg"),
        (b"GIF89a", "gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "webp"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", ""),
        (b"BM says hello", ""),
        (b"%PDF-1.7", ""),
        (b"", ""),
    ],
)
def test_a_picture_is_known_by_its_bytes(head, picture):
    assert bytes_in(recorded(head + bytes(20 if head else 0))).picture == picture


def test_a_bitmap_has_to_say_that_it_is_one():
    assert bytes_in(recorded(b"BM" + bytes(60), "image/bmp")).picture == "bmp"


def test_bytes_that_were_left_out_are_nothing_to_show():
    left_out = {"$": "bytes", "size": 10, "digest": "aa"}
    assert bytes_in(left_out) is None
    assert bytes_in({"$": "image", "data": left_out, "mime_type": "image/png"}) is None
    assert not reads_as_text(left_out)


@pytest.mark.parametrize("text", ["not base64 at all!", "\u00e4\u00f6", "abc", "===="])
def test_what_is_no_base64_is_no_trouble(text):
    value = {"$": "bytes", "base64": text}
    assert isinstance(readable(value).text, str)
    assert bytes_in(value).picture == ""
