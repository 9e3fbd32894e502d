"""A file says whether it is as its writer left it, and which records are not."""

import json

import orjson
import pytest

from inspector.runfile.load import load_run
from tests.runfile.files import SAMPLE, by_name, name_of, ref, run_file, span

TEXT = SAMPLE.read_bytes()
BIG, OTHER = {"text": "x" * 300}, {"text": "y" * 300}
SPANS = [span(1), span(2, 1, inputs=ref(BIG)), span(3, 1, inputs=ref(OTHER))]
FILE = run_file(SPANS, by_name(BIG, OTHER))


def checked(text):
    integrity = load_run(text).verify()
    return integrity.state, integrity.changed, integrity.message


def test_a_file_as_it_was_written_is_ok():
    assert checked(FILE) == ("ok", (), "Every record is as it was written.")
    assert checked(TEXT)[0] == "ok"


@pytest.mark.parametrize("text", [FILE, TEXT], ids=["drawn", "sample"])
def test_layout_is_not_content(text):
    tree = orjson.loads(text)
    written = json.dumps(tree, ensure_ascii=False).encode()
    laid_out = json.dumps(tree, indent=2).encode()
    for other in (laid_out, written, text.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + text):
        assert checked(other)[0] == "ok"


def test_a_key_that_was_put_in_twice_is_a_change():
    text = FILE.replace(b'"name":"part2"', b'"name":"forged","name":"part2"')
    assert checked(text)[:2] == ("changed", ("span s2",))


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        (b'"name":"drawn"', b'"name":"forged"', ("run",)),
        (b'"name":"part2"', b'"name":"part9"', ("span s2",)),
        (b'"text":"yyy', b'"text":"zzz', (f"value {name_of(OTHER)}",)),
        (b'"id":"s3"', b'"id":"s4"', ("span s4",)),
    ],
)
def test_what_was_changed_is_named(before, after, changed):
    assert before in FILE
    state, names, message = checked(FILE.replace(before, after, 1))
    assert (state, names) == ("changed", changed)
    assert message == "1 record changed."


def test_what_was_taken_out_is_counted():
    lines = FILE.split(b"\n")
    del lines[3]
    assert checked(b"\n".join(lines)) == ("changed", (), "1 is missing.")


def test_what_was_added_is_named():
    text = FILE.replace(b'{"id":"s3"', orjson.dumps(span(9, 1)) + b',\n{"id":"s3"')
    assert checked(text)[:2] == ("changed", ("span s9",))


def test_what_changed_places_is_named():
    lines = FILE.split(b"\n")
    lines[3], lines[4] = lines[4] + b",", lines[3].removesuffix(b",")
    state, names, _ = checked(b"\n".join(lines))
    assert (state, names) == ("changed", ("span s3", "span s2"))


def test_digests_that_were_forged_for_one_record_do_not_fit_the_whole():
    tree = orjson.loads(FILE)
    tree["digest"] = "sha256:" + "0" * 64
    assert checked(orjson.dumps(tree)) == (
        "changed", ("digest",), "The digest over all records does not fit.",
    )  # fmt: skip


@pytest.mark.parametrize("digests", [5, "no base64!", "", "AAAA"])
def test_digests_that_are_none_are_a_change(digests):
    tree = orjson.loads(FILE)
    tree["record_digests"] = digests
    assert checked(orjson.dumps(tree))[0] == ("none" if digests == 5 else "changed")


def test_a_file_without_digests_says_that_nothing_can_be_said():
    tree = orjson.loads(FILE)
    del tree["record_digests"], tree["digest"]
    state, _, message = checked(orjson.dumps(tree))
    assert (state, message) == ("none", "The file holds no digests, so nothing can be said.")


def test_a_cut_file_says_that_it_is_not_complete():
    state, _, message = checked(FILE[:-200])
    assert state == "none"
    assert "it is not complete" in message


def test_values_prove_themselves_even_without_digests():
    tree = orjson.loads(FILE.replace(b'"text":"yyy', b'"text":"zzz'))
    del tree["record_digests"], tree["digest"]
    assert checked(orjson.dumps(tree))[:2] == ("changed", (f"value {name_of(OTHER)}",))


def test_a_changed_record_of_thousands_is_found_alone():
    text = run_file([span(n, inputs={"n": n}) for n in range(1, 5_000)])
    assert checked(text.replace(b'{"n":777}', b'{"n":778}'))[1] == ("span s777",)


def test_a_file_that_changes_while_it_is_checked_is_said(tmp_path):
    path = tmp_path / "a.run.json"
    path.write_bytes(TEXT)
    run = load_run(path)
    path.write_bytes(b"gone")
    with pytest.raises(Exception, match="while it was open"):
        run.verify()
