"""Writing a redacted copy: all of it or nothing, and never over the original."""

import gzip
from pathlib import Path

import pytest

from inspector.errors import RedactionError, RunFileError
from inspector.redaction.copies import write_copy

DATA = b"x" * 1_000_000


def test_a_copy_holds_exactly_what_it_was_given(tmp_path: Path) -> None:
    told: list[float] = []
    write_copy(DATA, tmp_path / "a.run.json", None, watch=told.append)
    assert (tmp_path / "a.run.json").read_bytes() == DATA
    assert told == sorted(told)
    assert told[-1] == 1.0
    write_copy(DATA, tmp_path / "a.run.json.gz", None)
    assert gzip.decompress((tmp_path / "a.run.json.gz").read_bytes()) == DATA


@pytest.mark.parametrize("link", ["none", "symbolic", "hard"])
def test_the_original_is_never_its_place_whatever_it_is_called(tmp_path: Path, link: str) -> None:
    original = tmp_path / "a.run.json"
    original.write_bytes(b"as it was")
    place = tmp_path / "b.run.json"
    if link == "symbolic":
        place.symlink_to(original)
    elif link == "hard":
        place.hardlink_to(original)
    else:
        place = tmp_path / "sub" / ".." / "a.run.json"
        (tmp_path / "sub").mkdir()
    with pytest.raises(RedactionError, match="cannot take the place of the original"):
        write_copy(DATA, place, original)
    assert original.read_bytes() == b"as it was"


def test_a_copy_that_is_stopped_leaves_what_was_there(tmp_path: Path) -> None:
    place = tmp_path / "a.run.json"
    place.write_bytes(b"of yesterday")

    def stop(part: float) -> None:
        if part > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_copy(DATA, place, None, watch=stop)
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [
        ("a.run.json", b"of yesterday")
    ]


def test_what_is_compressed_in_another_way_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunFileError, match=r"not compressed as \.zip"):
        write_copy(DATA, tmp_path / "a.zip", None)
    assert not list(tmp_path.iterdir())
