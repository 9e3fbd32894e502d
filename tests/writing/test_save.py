"""An open run can be saved again, whatever it came from."""

import json
import os

import orjson
import pytest

from inspector.errors import RunFileError
from inspector.runfile.interned import Interned
from inspector.runfile.journal import RunWriter
from inspector.runfile.load import load_run
from inspector.runfile.save import save_run, to_bytes
from tests.writing.writing import TIMEOUT_S, a_run, eventually, header, lines_of, span

LONG = "The vents opened at noon. " * 20


@pytest.fixture
def run(tmp_path):
    with a_run(target=tmp_path / "source" / "a.run.json") as writer:
        writer.start(span(1, inputs={"text": Interned(LONG), "n": [1.5, 2**53, "ä"]}))
        writer.start(span(2, "s1", outputs=Interned([Interned(LONG), {"k": LONG[1:]}])))
        for number in range(20):
            writer.chunk("s2", number, {"content": f"word {number}"})
        writer.end("s2", 3_000, "ok", {})
        writer.end("s1", 4_000, "ok", {})
    return writer.load()


def told(run):
    return (
        run.header,
        [run.resolve(one.raw) for one in run.spans],
        {digest: run.values.get(digest) for digest in run.values.digests()},
    )


def test_saving_a_recorded_run_changes_not_one_byte(run, tmp_path):
    run.save(tmp_path / "b.run.json")
    assert (tmp_path / "b.run.json").read_bytes() == run.origin.read_bytes() == to_bytes(run)


@pytest.mark.parametrize("name", ["b.run.json", "b.run.json.gz", "b.run.json.zst"])
@pytest.mark.parametrize("indent", [None, 1, 2, 4])
def test_every_form_of_a_run_says_the_same_and_is_sound(run, tmp_path, name, indent):
    save_run(run, tmp_path / name, indent=indent)
    again = load_run(tmp_path / name)
    assert told(again) == told(run)
    assert again.verify().state == "ok"


def test_an_indented_run_is_for_people(run, tmp_path):
    save_run(run, tmp_path / "b.run.json", indent=2)
    lines = lines_of(tmp_path / "b.run.json")
    assert lines[:3] == ["{", '  "format": "haystack-run",', '  "version": 1,']


def test_what_we_do_not_know_is_kept(run, tmp_path):
    tree = orjson.loads(run.origin.read_bytes())
    tree["future"] = {"a": [1, {"b": None}]}
    tree["run"]["also_future"] = 1e-7
    tree["spans"][0]["later"] = {"c": "d"}
    tree["spans"][1]["extensions"] = {"org.example": {"e": 1}}
    source = tmp_path / "future.run.json"
    source.write_text(json.dumps(tree, indent=3))
    load_run(source).save(tmp_path / "b.run.json")
    saved = orjson.loads((tmp_path / "b.run.json").read_bytes())
    assert saved["future"] == tree["future"]
    assert saved["run"] == tree["run"]
    assert saved["spans"] == tree["spans"]
    assert load_run(tmp_path / "b.run.json").verify().state == "ok"
    assert len(lines_of(tmp_path / "b.run.json")) == len(lines_of(run.origin)) + 1


def test_a_journal_of_a_killed_recording_becomes_a_run_file(tmp_path):
    writer = RunWriter(header(), target=tmp_path / "a.run.json")
    writer.start(span(1, inputs={"text": Interned(LONG)}))
    writer.start(span(2, "s1"))
    writer.chunk("s2", 5, {"content": "half"})
    assert eventually(lambda: any(tmp_path.glob("*.run.jsonl")))
    (journal,) = tmp_path.glob("*.run.jsonl")
    assert eventually(lambda: b'"chunk"' in journal.read_bytes())
    copy = tmp_path / "copy.run.jsonl"
    copy.write_bytes(journal.read_bytes())
    os.utime(copy, (0, 0))  # nobody has written to it for long
    writer.finish({"status": "completed"})
    assert writer.wait(TIMEOUT_S)
    load_run(copy).save(tmp_path / "b.run.json")
    again = load_run(tmp_path / "b.run.json")
    assert (str(again.status), len(again.spans)) == ("incomplete", 2)
    assert again.spans[1].chunks[0].value == {"content": "half"}
    assert again.spans[0].inputs == {"text": LONG}
    assert again.verify().state == "ok"


def test_a_place_that_cannot_be_written_is_said_in_words(run, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RunFileError, match=r"Cannot save b\.run\.json: Not a directory\.") as said:
        save_run(run, tmp_path / "file" / "b.run.json")
    assert said.value.hint


def test_an_existing_file_is_replaced_at_once_and_keeps_its_permissions(run, tmp_path):
    target = tmp_path / "b.run.json"
    target.write_text("before")
    target.chmod(0o644)
    save_run(run, target)
    assert target.stat().st_mode & 0o777 == 0o644
    assert load_run(target).id == run.id
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.run.json", "source"]


def test_numbers_that_others_wrote_stand_as_they_wrote_them(tmp_path):
    source = tmp_path / "a.run.json"
    source.write_text(
        '{"format":"haystack-run","version":1,"run":{"id":"x","big":123456789012345678901234567890},\n'
        '"spans":[\n{"id":"s1","parent":null,"kind":"pipeline","path":"","start_ns":0,"f":1.50}\n],\n'
        '"values":{\n}}'
    )
    text = to_bytes(load_run(source))
    assert b'"big":123456789012345678901234567890' in text
    assert b'"f":1.50' in text
