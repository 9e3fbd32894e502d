"""A large file that was open before opens at once, and never shows what it does not hold."""

import os

import pytest

from inspector.runfile import index_cache
from inspector.runfile.load import load_run
from tests.runfile.files import run_file, span

PAD = "y" * 3000


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return index_cache.directory()


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "large.run.json"
    write(path)
    return path


def write(path, name="part", **top):
    spans = [span(1), *(span(n, 1, name=f"{name}{n % 7}") for n in range(2, 3000))]
    spans[7]["kind"] = "nonsense"
    values = {f"{n:032x}": {"n": n, "pad": PAD} for n in range(3000)}
    values["odd"] = 5
    spans[5]["outputs"] = [{"$ref": f"{9:032x}"}, {"$ref": "odd"}]
    path.write_bytes(run_file(spans, values, top=top))


def seen(run):
    return (
        [(each.id, each.parent_id, each.name, each.kind, each.start_ns) for each in run.spans],
        [each.depth for each in run.spans],
        run.header,
        run.problems,
        run.complete,
        run.span("s6").outputs,
        list(run.values.digests()),
        run.parts.extra,
    )


def progress_of(path):
    told = []
    run = load_run(path, progress=told.append)
    return run, len(told)


def test_the_second_opening_reads_nothing_and_shows_the_same(path):
    first, blocks = progress_of(path)
    again, none = progress_of(path)
    assert blocks > 10
    assert none == 1
    assert seen(first) == seen(again)
    assert again.verify().state == first.verify().state


def test_without_leave_nothing_is_kept(path, cache):
    load_run(path, use_cache=False)
    assert not cache.exists()


def test_small_files_are_not_worth_it(tmp_path, cache):
    small = tmp_path / "small.run.json"
    small.write_bytes(run_file([span(1)]))
    load_run(small)
    assert not cache.exists()


def test_only_the_owner_can_read_what_is_kept(path, cache):
    load_run(path)
    (kept,) = cache.iterdir()
    assert cache.stat().st_mode & 0o77 == 0 or os.name == "nt"
    assert kept.stat().st_mode & 0o77 == 0 or os.name == "nt"


def test_a_file_that_changed_is_read_again(path):
    load_run(path)
    write(path, name="other")
    run, blocks = progress_of(path)
    assert blocks > 10
    assert run.span("s3").name == "other3"


def test_a_file_that_was_written_with_the_same_size_and_time_is_read_again(path):
    load_run(path)
    before = path.stat()
    write(path, name="trap")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert load_run(path).span("s3").name == "trap3"


def test_a_damaged_index_is_made_anew(path, cache):
    whole = seen(load_run(path))
    (kept,) = cache.iterdir()
    data = kept.read_bytes()
    places = [0, 5, 30, 40, len(data) // 3, len(data) // 2, len(data) - 20, len(data) - 1]
    for place in places:
        spoilt = bytearray(data)
        spoilt[place] ^= 0x55
        kept.write_bytes(bytes(spoilt))
        assert seen(load_run(path)) == whole
    for size in (0, 1, 40, len(data) // 2, len(data) - 1):
        kept.write_bytes(data[:size])
        assert seen(load_run(path)) == whole
    kept.write_bytes(data + b"more")
    assert seen(load_run(path)) == whole


def test_an_index_cannot_point_outside_of_its_run(path, cache):
    """Sealed correctly, by somebody who wants to see us fall over."""
    whole = load_run(path)
    table = whole.table
    for column, wrong in (
        ("kind", 99),
        ("status", 77),
        ("parent_row", 10**6),
        ("name_code", 10**6),
    ):
        values = getattr(table, column)
        kept_value, values[4] = values[4], wrong
        index_cache.save(whole.parts.source, whole)
        values[4] = kept_value
        run, blocks = progress_of(path)
        assert blocks > 10
        assert seen(run) == seen(whole)


def test_nothing_can_be_kept_and_nobody_complains(path, cache):
    cache.parent.mkdir(parents=True)
    cache.write_bytes(b"a file where a directory should be")
    assert len(load_run(path).spans) == 2999
    assert len(load_run(path).spans) == 2999


def test_what_was_not_used_for_longest_makes_room(path, cache, tmp_path):
    cache.mkdir(parents=True)
    for number in range(250):
        old = cache / f"{number}.index"
        old.write_bytes(b"old")
        os.utime(old, (number, number))
    load_run(path)
    left = sorted(cache.iterdir())
    assert len(left) == 200
    assert not (cache / "10.index").exists()
    assert (cache / "249.index").exists()
    assert progress_of(path)[1] == 1


def test_members_that_we_do_not_know_are_there_again(tmp_path):
    path = tmp_path / "large.run.json"
    write(path, strange={"a": [1, 2]})
    first, again = load_run(path), load_run(path)
    assert again.parts.extra == first.parts.extra == {"strange": b'{"a":[1,2]}'}


def test_a_file_with_names_of_its_own_comes_back_the_same(tmp_path):
    path = tmp_path / "large.run.json"
    spans = [{**span(n), "id": f"x{n}", "parent": None if n == 1 else "x1"} for n in range(1, 3000)]
    path.write_bytes(run_file(spans, {f"{n:032x}": [PAD] for n in range(3000)}))
    first, (again, blocks) = load_run(path), progress_of(path)
    assert blocks == 1
    assert [each.id for each in first.spans] == [each.id for each in again.spans]
    assert again.span("x77").parent_id == "x1"
