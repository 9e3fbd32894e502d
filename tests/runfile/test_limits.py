"""Files that ask for too much are stopped with a sentence, before they fill memory or disk."""

import gzip
import io
import json
import os
import random

import pytest

from inspector.errors import RunFileError
from inspector.runfile.bounds import MIB, Limits
from inspector.runfile.load import load_run
from tests.runfile.files import SAMPLE, run_file, span

try:
    from compression import zstd
except ImportError:
    from backports import zstd

SMALL = Limits(unpacked_bytes=2 * MIB, whole_bytes=MIB, line_bytes=MIB, held_bytes=MIB)
START = b'{"format":"haystack-run","version":1,"run":{"id":"a","name":"'


def bomb(pack, mib):
    """A run whose name is very long."""
    return pack(START + b"a" * (mib * MIB))


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
def test_a_compressed_bomb_is_stopped_by_size(pack):
    with pytest.raises(RunFileError) as caught:
        load_run(bomb(pack, 4), limits=Limits(unpacked_bytes=2 * MIB, unpacked_ratio=10**6))
    assert "bytes that unpack to more than 2 MiB" in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
def test_a_compressed_bomb_is_stopped_by_its_ratio(pack):
    limits = Limits(unpacked_ratio=10, held_bytes=MIB)
    with pytest.raises(RunFileError, match="more than 10 times its size"):
        load_run(bomb(pack, 3), limits=limits)


def test_a_bomb_in_a_bomb_is_one_file_that_is_no_run():
    with pytest.raises(RunFileError, match="holds no JSON object"):
        load_run(gzip.compress(gzip.compress(SAMPLE.read_bytes())))


def test_a_bomb_of_zeros_is_known_by_its_first_block():
    with pytest.raises(RunFileError, match="zero bytes"):
        load_run(gzip.compress(bytes(30 * MIB)))


def test_members_of_gzip_count_together():
    packed = gzip.compress(START) + gzip.compress(b"a" * MIB) * 5
    with pytest.raises(RunFileError, match="unpack to more than 2 MiB"):
        load_run(packed, limits=SMALL)


def test_what_stands_behind_compressed_data_is_ignored():
    packed = gzip.compress(SAMPLE.read_bytes()) + bytes(512)
    assert len(load_run(packed).spans) == 11


def test_damage_in_the_middle_of_compressed_data_shows_what_came_before():
    noise = random.Random(7)
    spans = [span(n, inputs={"noise": noise.randbytes(100).hex()}) for n in range(1, 20_000)]
    packed = bytearray(gzip.compress(run_file(spans), 1))
    for place in range(len(packed) // 2, len(packed) // 2 + 50):
        packed[place] ^= 0xFF
    run = load_run(bytes(packed))
    # Behind the damage the unpacker may stop or go on with nonsense, as chance will have it.
    shown = [(each.id, each.inputs["noise"]) for each in run.spans[:100]]
    assert shown == [(each["id"], each["inputs"]["noise"]) for each in spans[:100]]
    assert not run.complete
    assert "could be unpacked" in run.problems[0].message


def test_a_stream_that_never_ends_is_stopped():
    class Endless(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, buffer):
            buffer[:] = (START + b"a" * len(buffer))[: len(buffer)]
            return len(buffer)

    with pytest.raises(RunFileError, match="goes on for more than 2 MiB"):
        load_run(Endless(), limits=SMALL)


def test_a_large_file_that_is_not_laid_out_in_lines_is_refused_with_a_way_on():
    tree = json.loads(run_file([span(n, inputs={"x": "y" * 1000}) for n in range(1, 2000)]))
    with pytest.raises(RunFileError) as caught:
        load_run(json.dumps(tree, indent=1).encode(), limits=SMALL)
    assert "is not kept one record a line" in str(caught.value)
    assert "as Run Inspector saves it" in caught.value.hint


@pytest.mark.skipif(os.name == "nt", reason="the file system keeps no holes")
def test_two_gigabytes_of_something_else_are_refused_at_once(tmp_path):
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.write(b'{"other": "')
        file.truncate(2**31)
    with pytest.raises(RunFileError, match=r"large\.json is JSON, but no run"):
        load_run(path)


@pytest.mark.skipif(os.name == "nt", reason="the file system keeps no holes")
def test_two_gigabytes_of_a_run_in_another_layout_are_refused_at_once(tmp_path):
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.write(b'{\n "format": "haystack-run", "run": "')
        file.truncate(2**31)
    with pytest.raises(RunFileError, match="has 2,048 MiB and is not kept one record a line"):
        load_run(path)


def test_a_span_longer_than_we_read_is_left_out_and_said():
    text = run_file([span(1), span(2, 1, inputs={"x": "y" * 4 * MIB}), span(3, 1)])
    run = load_run(text, limits=SMALL)
    assert [each.id for each in run.spans] == ["s1", "s3"]
    assert str(run.problems[0]) == "line 4: This line has 4 MiB, more than is read."


def test_a_value_may_be_as_long_as_it_is():
    big = ["z" * (3 * MIB), 1]
    values = {"a" * 32: big, "b" * 32: {"small": 1}}
    spans = [span(1, outputs=[{"$ref": "a" * 32}, {"$ref": "b" * 32}])]
    run = load_run(run_file(spans, values), limits=SMALL)
    assert run.span("s1").outputs == [big, {"small": 1}]
    assert run.complete
    assert run.problems == ()
    assert run.verify().message.startswith("2 records changed")  # their names are not digests


def test_a_long_value_that_is_cut_off_is_not_a_value():
    text = run_file([span(1, outputs={"$ref": "a" * 32})], {"a" * 32: "z" * (3 * MIB)})
    run = load_run(text[:-MIB], limits=SMALL)
    assert len(run.values) == 0
    assert not run.complete


def test_no_room_on_disk_is_said(monkeypatch):
    spans = [span(n, inputs={"noise": os.urandom(600).hex()}) for n in range(1, 1_000)]
    packed = gzip.compress(run_file(spans), 1)
    monkeypatch.setattr("tempfile.tempdir", "/nowhere/at/all")
    with pytest.raises(RunFileError) as caught:
        load_run(packed, limits=SMALL)
    assert str(caught.value).startswith("Cannot unpack the data: ")
    assert "TMPDIR" in caught.value.hint


def test_large_compressed_files_are_read_from_disk_and_show_the_same():
    spans = [span(n, inputs={"noise": os.urandom(600).hex()}) for n in range(1, 1_000)]
    text = run_file(spans)
    assert len(text) > MIB
    run = load_run(gzip.compress(text, 1), limits=SMALL)
    assert run.complete
    assert run.span("s900").inputs == spans[899]["inputs"]
    assert run.verify().state == "ok"


def test_very_many_members_of_gzip_take_no_time():
    text = SAMPLE.read_bytes()
    packed = b"".join(gzip.compress(text[at : at + 3], 1) for at in range(0, len(text), 3))
    assert len(load_run(packed).spans) == 11
