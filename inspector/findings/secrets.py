"""Credentials in a run file: looked for by a quick pattern, and confirmed by redaction's rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from inspector.errors import RunFileError
from inspector.findings.sweep import HEADER, header_json
from inspector.redaction.catalog import CREDENTIALS, RULES
from inspector.redaction.linear import finder
from inspector.redaction.records import Redactor, Replaced
from inspector.redaction.settings import Redaction

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.findings.reading import Reading

_MOST_CONFIRMED_BYTES = 2 * 2**20
_MOST_FOUND = 200


class Secret(NamedTuple):
    """One secret, without what it is: its rule, and the first span and field that hold it."""

    rule: str
    span: str
    field: str


def secrets_of(reading: Reading) -> list[Secret]:
    """Return the credentials of a run, each once, in the order in which they stand in it."""
    off = tuple(
        rule.name
        for rule in RULES
        if rule.group != CREDENTIALS and rule.name not in ("name", "address", "term", "field")
    )
    replaced: list[Replaced] = []
    redactor = Redactor(Redaction(off=off, environment=False), {}, replaced=replaced)
    places: list[tuple[Replaced, int | str]] = []
    left = _MOST_CONFIRMED_BYTES
    try:
        for key, text in _suspects(reading):
            left -= len(text)
            if left < 0 or len(places) >= _MOST_FOUND:
                break
            before = len(replaced)
            redactor.cleaned(text)
            places += [(each, key) for each in replaced[before:]]
    except RunFileError:
        pass  # the file changed: the run says so among its problems
    return _told(reading, places)


def _suspects(reading: Reading) -> Iterator[tuple[int | str, bytes]]:
    """Yield the records and values that may hold a secret, and which they are."""
    for key in reading.sweep.suspects:
        reading.look_up()
        run = reading.run
        if key == HEADER:
            yield key, header_json(run)
        else:
            yield key, run.record_text(key) if isinstance(key, int) else run.values.raw(key)


def _told(reading: Reading, places: list[tuple[Replaced, int | str]]) -> list[Secret]:
    digests = {key.encode() for _, key in places if isinstance(key, str)}
    holders = _holders(reading, digests) if digests else {}
    found: dict[tuple[str, str], Secret] = {}
    for place, key in places:
        row = holders.get(key.encode()) if isinstance(key, str) else key
        span = "" if row in (None, HEADER) else reading.table.id(row)
        found.setdefault((place.rule, place.secret), Secret(place.rule, span, place.path))
    return list(found.values())


def _holders(reading: Reading, digests: set[bytes]) -> dict[bytes, int]:
    """Return the first row that refers to each of these values, also by way of others."""
    inside: dict[bytes, set[bytes]] = {}
    for name, text in reading.run.values.items():
        if b'"$ref"' in text:
            for digest in _refs(text):
                if digest in digests or digest in inside:
                    inside.setdefault(name.encode(), set()).update(
                        inside.get(digest, set()) | ({digest} & digests)
                    )
    found: dict[bytes, int] = {}
    for row, text in reading.run.record_texts():
        for digest in _refs(text):
            for held in ({digest} & digests) | inside.get(digest, set()):
                found[held] = min(row, found.get(held, row))
    return found


_refs_in = finder(rb'"\$ref":"([^"\\]{1,200})"')


def _refs(text: bytes) -> list[bytes]:
    return [each[1] for each in _refs_in(text)] if b'"$ref"' in text else []
