"""Archives of strangers do no harm: names lead nowhere, and sizes are counted."""

import io
import stat
import struct
import zipfile

import pytest

from inspector.errors import FetchError
from inspector.sources import packed
from inspector.sources.packed import member_bytes, member_head, members_of


def archive_of(*files: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return out.getvalue()


def test_files_of_an_archive_are_listed_and_read() -> None:
    archive = archive_of(("runs/a.run.json", b'{"a": 1}'), ("b.txt", b"b" * 100))
    members, left_out = members_of(archive)
    assert [(m.name, m.size) for m in members] == [("runs/a.run.json", 8), ("b.txt", 100)]
    assert left_out == []
    assert member_bytes(archive, members[0]) == b'{"a": 1}'
    assert member_head(archive, members[1], 3) == b"bbb"


@pytest.mark.parametrize(
    "name", ["../a.json", "a/../../b.json", "/etc/a.json", "C:a.json", "a\\..\\b.json", "a\x1b[2J"]
)
def test_a_name_that_leads_out_of_the_archive_is_left_out_and_said(name: str) -> None:
    members, left_out = members_of(archive_of((name, b"{}"), ("good.json", b"{}")))
    assert [member.name for member in members] == ["good.json"]
    assert len(left_out) == 1
    assert "its name leads out" in left_out[0]


def test_a_name_that_ends_early_is_left_out() -> None:
    archive = archive_of(("a.jsonXexe", b"{}")).replace(b"a.jsonXexe", b"a.json\0exe")
    assert members_of(archive)[0] == []


def test_a_link_in_an_archive_is_left_out() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        entry = zipfile.ZipInfo("a.run.json")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
    members, left_out = members_of(out.getvalue())
    assert members == []
    assert "a link or a device" in left_out[0]


def test_an_encrypted_file_and_a_rare_packing_are_left_out() -> None:
    archive = bytearray(archive_of(("a.json", b"{}")))
    at = archive.find(b"PK\x01\x02")
    archive[at + 8] |= 1
    assert "encrypted" in members_of(bytes(archive))[1][0]
    rare = archive_of(("a.json", b"{}"), method=zipfile.ZIP_LZMA)
    assert "not read here" in members_of(rare)[1][0]


def test_a_bomb_is_stopped_while_it_unpacks_whatever_size_it_claims() -> None:
    archive = bytearray(archive_of(("a.json", b"\0" * (packed._ANYWAY + 1))))
    members, _ = members_of(bytes(archive))
    with pytest.raises(FetchError, match="made to fill a machine"):
        member_bytes(bytes(archive), members[0])


def test_an_archive_that_lies_about_a_size_is_damaged() -> None:
    archive = archive_of(("a.json", b"x" * 5_000))
    lying = archive.replace(struct.pack("<L", 5_000), struct.pack("<L", 4))
    members, _ = members_of(lying)
    with pytest.raises(FetchError, match="damaged"):
        member_bytes(lying, members[0])


def test_too_many_files_are_refused() -> None:
    archive = archive_of(*((f"{n}.json", b"") for n in range(1_001)))
    with pytest.raises(FetchError, match="more than 1,000 files"):
        members_of(archive)


def test_a_list_longer_than_any_archive_needs_is_not_even_read() -> None:
    archive = bytearray(archive_of(("a.json", b"{}")))
    at = archive.rfind(b"PK\x05\x06")
    archive[at + 12 : at + 16] = struct.pack("<L", 2**30)
    with pytest.raises(FetchError, match="more than 1,000 files"):
        members_of(bytes(archive))


@pytest.mark.parametrize("cut", [4, 40, 90])
def test_a_cut_off_archive_is_a_sentence(cut: int) -> None:
    archive = archive_of(("a.json", b"{}" * 50))
    with pytest.raises(FetchError, match="cut off"):
        members_of(archive[:cut])
