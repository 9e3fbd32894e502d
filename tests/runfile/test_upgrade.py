"""Old files stay readable for ever, one named change at a time."""

import orjson
import pytest

from inspector.errors import NewerFormatError
from inspector.runfile.load import load_run
from inspector.runfile.upgrade import CURRENT, UPGRADES, check_version, upgrade
from tests.runfile.files import DATA, HEADER, run_file, span


def test_there_is_a_way_from_every_version_to_the_next():
    assert set(UPGRADES) == set(range(1, CURRENT))


def test_there_is_a_file_of_every_version():
    versions = {orjson.loads(path.read_bytes())["version"] for path in DATA.glob("*.run.json")}
    assert versions == set(range(1, CURRENT + 1))


def seconds_to_nanoseconds(raw):
    spans = [{**each, "start_ns": int(each["start"] * 1e9)} for each in raw["spans"]]
    return {**raw, "spans": spans}


def rename_the_flow(raw):
    return {**raw, "run": {**raw["run"], "name": raw["run"]["flow"]}}


STEPS = {1: seconds_to_nanoseconds, 2: rename_the_flow}


def test_changes_are_made_in_order_and_the_file_itself_is_left_alone():
    old = {"version": 1, "run": {"flow": "a"}, "spans": [{"start": 1.5}], "other": 5}
    before = orjson.dumps(old)
    assert upgrade(old, upgrades=STEPS, current=3) == {
        "version": 3,
        "run": {"flow": "a", "name": "a"},
        "spans": [{"start": 1.5, "start_ns": 1_500_000_000}],
        "other": 5,
    }
    assert orjson.dumps(old) == before


def test_a_current_file_is_not_changed():
    raw = {"version": CURRENT, "spans": []}
    assert upgrade(raw) == raw


def test_only_versions_that_were_are_read():
    assert check_version(CURRENT, "a") == CURRENT
    assert check_version("no number", "a") == CURRENT
    with pytest.raises(NewerFormatError):
        check_version(CURRENT + 1, "a")


# What we do not know


def test_unknown_fields_survive_loading_and_saving(tmp_path):
    spans = [span(1, wonder={"a": [1, 2.50]}), span(2, 1, outputs={"$": "new tag", "x": 1})]
    values = {"not a digest": {"$": "another", "y": None}}
    header = {**HEADER, "marvel": {"b": 1}, "extensions": {"example.org": {"c": "ü"}}}
    text = run_file(spans, values, header, top={"miracle": [{"d": 1e5}], "extensions": {"e": 1}})
    for name in ("a.run.json", "a.run.json.gz", "a.run.json.zst"):
        path = tmp_path / name
        load_run(text).save(path)
        again = load_run(path)
        assert again.header == header
        assert again.span("s1").raw["wonder"] == {"a": [1, 2.50]}
        assert again.span("s2").outputs == {"$": "new tag", "x": 1}
        assert again.values.get("not a digest") == {"$": "another", "y": None}
        assert dict(again.parts.extra) == {
            "miracle": b'[{"d":100000.0}]', "extensions": b'{"e":1}',
        }  # fmt: skip
        assert again.problems == ()


def test_saving_what_was_opened_changes_no_byte(tmp_path):
    for path in DATA.glob("*.run.json"):
        load_run(path).save(tmp_path / "again.run.json")
        assert (tmp_path / "again.run.json").read_bytes() == path.read_bytes()


def test_a_pretty_printed_copy_is_saved_as_the_file_it_was_made_from(tmp_path):
    import json

    for path in DATA.glob("*.run.json"):
        pretty = json.dumps(json.loads(path.read_bytes()), indent=2, ensure_ascii=False)
        load_run(pretty.encode()).save(tmp_path / "again.run.json")
        assert (tmp_path / "again.run.json").read_bytes() == path.read_bytes()


def test_a_cut_file_is_saved_whole_and_says_that_it_was_not(tmp_path):
    text = run_file([span(1), span(2, 1)])
    load_run(text[: text.index(b'"values"')]).save(tmp_path / "a.run.json")
    again = load_run(tmp_path / "a.run.json")
    assert len(again.spans) == 2
    assert again.complete
