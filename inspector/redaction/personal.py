"""Mail addresses, phone numbers, accounts, cards and network addresses in a text."""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import IPv6Address
from typing import TYPE_CHECKING

from inspector.redaction.checks import card_size, iban, iban_length
from inspector.redaction.edits import Edit, begins_at, ends_at
from inspector.redaction.linear import finder
from inspector.redaction.national import ALIKE, LEAST_LETTERED, SHAPES, WORDED, national_ids

if TYPE_CHECKING:
    from collections.abc import Iterator

EMAIL, PHONE, IBAN, CARD, IP, NATIONAL = "email", "phone", "iban", "card", "ip", "national-id"

_DIGITS = b"0123456789"
_APART = b" .-/()"
_LONGEST_LOCAL = 64

# -- mail ------------------------------------------------------------------------------------

_LOCAL_SIGNS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._%+'-" + bytes(
    range(128, 256)
)
_LOCAL_TABLE = bytes(97 if sign in _LOCAL_SIGNS else 32 for sign in range(256))
_QUOTED_LOCAL = re.compile(rb"\"[^\"\s@\x00]{1,60}\"$")
_DOMAIN = re.compile(
    rb"(?:[A-Za-z0-9\x80-\xff](?:[A-Za-z0-9\x80-\xff-]{0,62})\.)"
    rb"{1,8}([A-Za-z\x80-\xff][A-Za-z0-9\x80-\xff-]{0,23}[A-Za-z0-9\x80-\xff])"
    rb"|\[(?:[0-9]{1,3}\.){3}[0-9]{1,3}\]"
)  # fmt: skip
# What looks like an address and is the name of a file, or of everybody's account.
_NO_DOMAINS = frozenset(b"png jpg jpeg gif svg webp css js ts py html json yaml yml md".split())
_NO_LOCALS = frozenset({b"git", b"hg", b"svn"})
_HIDDEN = re.compile(
    rb"(?i)([a-z0-9][a-z0-9._%+-]{0,63})\s{0,3}[\[({<]\s{0,2}(?:at|@)\s{0,2}[\])}>]\s{0,3}"
    rb"([a-z0-9-]{1,63}(?:\s{0,3}(?:\.|[\[({<]\s{0,2}(?:dot|\.)\s{0,2}[\])}>]|\s(?:dot|punkt)\s)"
    rb"\s{0,3}[a-z0-9-]{1,63}){1,5})"
    rb"|(?<![a-z0-9._-])([a-z0-9][a-z0-9._%+-]{0,63})"
    rb"\s{1,2}at\s{1,2}([a-z0-9-]{1,63}(?:\s{1,2}dot\s{1,2}[a-z0-9-]{2,63}){1,4})(?![a-z0-9])"
)
_DOT = re.compile(rb"(?i)\s*(?:[\[({<]\s*(?:dot|\.)\s*[\])}>]|\s(?:dot|punkt)\s|\.)\s*")


def emails(data: bytes) -> Iterator[Edit]:
    """Yield mail addresses."""
    place = data.find(b"@")
    while place >= 0:
        domain = _DOMAIN.match(data, place + 1)
        if domain is not None:
            start = _local_start(data, place)
            if start < place and _is_mail(data[start:place], domain[1]):
                yield Edit(start, domain.end(), EMAIL, data[start : domain.end()].lower())
        place = data.find(b"@", place + 1)


def _local_start(data: bytes, place: int) -> int:
    """Return where the name before an `@` begins."""
    floor = max(0, place - _LONGEST_LOCAL)
    if data[place - 1 : place] == b'"':
        quoted = _QUOTED_LOCAL.search(data, floor, place)
        return place if quoted is None else quoted.start()
    start = floor + data[floor:place].translate(_LOCAL_TABLE).rfind(b" ") + 1
    while start < place and data[start] in b".-":
        start += 1
    return place if data[place - 1 : place] == b"." else start


def _is_mail(local: bytes, top: bytes | None) -> bool:
    if local.lower() in _NO_LOCALS:
        return False
    return top is None or (top.lower() not in _NO_DOMAINS and not top.isdigit())


def hidden_emails(data: bytes, place: int) -> Iterator[Edit]:
    """Yield the mail address around a place in which words stand for the signs."""
    first = begins_at(data, place, 2 * _LONGEST_LOCAL)
    for found in _HIDDEN.finditer(data, first, ends_at(data, place, 4 * _LONGEST_LOCAL)):
        local, domain = (found[1], found[2]) if found[1] else (found[3], found[4])
        text = local + b"@" + _DOT.sub(b".", domain)
        yield Edit(found.start(), found.end(), EMAIL, text.lower())


# -- numbers ---------------------------------------------------------------------------------

# Everything that such a number may be written with; letters as countries and checks have them.
NUMBER_SIGNS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .()/-+"

_DATES = re.compile(
    rb"[ .()/+-]*(?:(?:19|20)[0-9]{2}(?P<s>[-/.])[0-9]{1,2}(?P=s)[0-9]{1,2}"
    rb"|[0-9]{1,2}(?P<t>[-/.])[0-9]{1,2}(?P=t)(?:19|20)[0-9]{2})"
    rb"(?:[ T]+[0-9]{1,2})?[ .()/A-Z+-]*|[ .()/A-Z+-]*(?:19|20)[0-9]{2}[ ./()-]+(?:19|20)"
    rb"?[0-9]{2}[ .()/A-Z+-]*"
)
_GAP = re.compile(rb"[ -]")
_CARD = re.compile(rb"(?<![A-Za-z0-9.+-])[0-9](?:[ -]?[0-9]){12,18}(?![A-Za-z0-9])")
_IBAN = re.compile(rb"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?:[ -]{0,2}[A-Z0-9]){11,30}")
_IPV4 = re.compile(
    rb"(?<![A-Za-z0-9.-])(?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]"
    rb"|1?[0-9]?[0-9])(?![0-9A-Za-z])(?!\.[0-9])"
)
_SECTIONS = (
    b"release", b"section", b"chapter", b"clause", b"table", b"figure", b"fig", b"build",
    b"article", b"item", b"paragraph", b"step", b"appendix", b"revision", b"rev", b"\xc2\xa7",
)  # fmt: skip
_MOST_BETWEEN = 4
_NO_IP_BEFORE = re.compile(
    rb"(?i)(?:\bv(?:ersions?|er)?(?: [0-9.]+ (?:to|and|or))?|"
    + b"|".join(_SECTIONS)
    + rb"|(?:upgrade|update|bump|downgrade|notes)[a-z0-9]{0,2}(?: [a-z0-9]{1,12})? to"
    rb"|==|[<>^~]=?)[ :.\"'=]{0,4}$"
)
# What it ends with in any case, before what may stand between.
_MAY_BE_NUMBERED = (
    *_SECTIONS, b"v", b"versions", b"version", b"ver", b"to", b"and", b"or", b"=", b"<", b">",
    b"^", b"~",
)  # fmt: skip
_PHONE_PLUS = re.compile(
    rb"(?<![A-Za-z0-9+])(?:\+|(?<![.:])00(?=[1-9]))[ (]{0,2}[1-9](?:[ ./()-]{0,3}[0-9])"
    rb"{6,14}(?![0-9A-Za-z])"
)
_PHONE_US = re.compile(
    rb"(?<![A-Za-z0-9.+-])(?:1[ .-])?(?:\([2-9][0-9]{2}\)[ .-]?[2-9][0-9]{2}[ .-][0-9]{4}"
    rb"|[2-9][0-9]{2}(?P<s>[.-])[2-9][0-9]{2}(?:(?P=s)| )[0-9]{4})(?![0-9A-Za-z-])(?!\.[0-9])"
)
_POSTCODE = re.compile(rb"[0-9]{5}-[0-9]{4}")
_PHONE_ZERO = re.compile(
    rb"(?<![A-Za-z0-9./+-])(?:0[1-9](?:[ .-][0-9]{2}){4}"
    rb"|\(?0[1-9][0-9]{1,4}\)?(?:[ /-]{1,3}[0-9]{2,8}){1,4})(?![0-9A-Za-z-])"
)
# With how many digits, at the least and at the most, and what is in it in any case: one of
# these, where each digit is written as 0.
_PHONES = (
    (_PHONE_PLUS, 8, 17, (b"+", b"00")),
    (_PHONE_US, 10, 11, (b"000-0000", b"000.0000", b"000 0000")),
    (_PHONE_ZERO, 9, 12, (b"00", b"00")),
)
_PHONE_SAID = re.compile(rb"(?<![A-Za-z0-9])\+?\(?[0-9](?:[ ./()-]{0,3}[0-9]){5,14}(?![0-9A-Za-z])")
_SAYS_PHONE = re.compile(
    rb"(?i)(?:phone|tel|telefon|tel[e\xc3\xa9]*phone|mobile?|handy|cell|fax|whatsapp|sms"
    rb"|call(?: me| us)?(?: at| on)?"
    rb"|ring|dial|hotline|rufnummer|num[\xc3\xa9e]*ro)(?:[ -]?(?:no|nr|number|num))"
    rb"?[a-z]{0,3}[ .:=#\"'(is\\/]{0,8}$"
)
_BEFORE = 32


_CANDIDATES = finder(
    rb"(?:^|[^A-Za-z0-9._+-])(?:[2-6](?:[ -]?[0-9]){12}|[0-9]{1,3}(?:\.[0-9]{1,3}){3}\b"
    rb"|[2-9][0-9]{2}-[2-9][0-9]{2}[ -][0-9]{4}\b|[2-9][0-9]{2}\.[2-9][0-9]{2}[ .][0-9]{4}\b"
    rb"|1[ .-]\(?[2-9][0-9]{2}\)?[ .-][2-9][0-9]{2}[ .-][0-9]{4}\b"
    rb"|\(?0[1-9](?:[ ./()-]{0,3}[0-9]){7})"
    rb"|(?:^|[^A-Za-z0-9])[A-Z]{2}[0-9]{2}(?:[ -]{0,2}[A-Z0-9]){11}"
    rb"|(?:\+|\b00)[ (]{0,2}[1-9](?:[ ./()-]{0,3}[0-9]){6}"
    rb"|\([2-9][0-9]{2}\)[ .-]?[2-9][0-9]{2}[ .-][0-9]{4}"
    rb"|(?i:phone|tel|telefon|tel\xc3\xa9phone|mobile?|handy|cell|fax|whatsapp|sms|call|ring|dial"
    rb"|hotline|rufnummer|num(?:\xc3\xa9|e)ro)[^0-9\x00\n]{0,24}[0-9](?:[ ./()-]{0,3}[0-9]){5}"
    rb"|\b(?:" + WORDED + rb")|(?:^|[^A-Za-z0-9._])(?:" + SHAPES + rb")\b"
)
_WIDEST = 64


def all_numbers(data: bytes) -> Iterator[Edit]:
    """Yield numbers of these kinds, wherever they stand."""
    reached = 0
    for found in _CANDIDATES(data):
        first, last = found.span()
        if last <= reached:
            continue
        said = data[first:last] if data[first : first + 1].isalpha() else b""
        # As far as a number may go on; and a digit of what is before belongs to it, too.
        floor = max(reached, begins_at(data, first, _WIDEST))
        first = floor + len(data[floor:first].rstrip(NUMBER_SIGNS))
        after = data[last : ends_at(data, last, _WIDEST)]
        last += len(after) - len(after.lstrip(NUMBER_SIGNS))
        reached = last
        yield from _numbers(data, first, last, said)


def _numbers(data: bytes, start: int, end: int, said: bytes) -> Iterator[Edit]:
    """Yield what stands between two places; `said` begins with a word that says what it is."""
    region = data[start:end]
    digits = len(region) - len(region.translate(None, _DIGITS))
    if region.count(b".") >= 3:
        yield from _addresses(data, start, end)
    lettered = region.upper() != region.lower()
    if digits < (LEAST_LETTERED if lettered or said else 6):
        return
    if 6 <= digits <= 10 and _DATES.fullmatch(region):
        return
    if digits >= 11:
        if digits >= 13:
            yield from _cards(data, start, end)
        if lettered:
            yield from _accounts(data, start, end)
    for first, last, text in national_ids(data, start, end, digits, said):
        yield Edit(first, last, NATIONAL, text)
    if digits >= 6:
        yield from _phones(data, start, end, is_said=bool(said))


def _addresses(data: bytes, start: int, end: int) -> Iterator[Edit]:
    for found in _IPV4.finditer(data, start, end):
        text = found[0]
        if text.startswith((b"127.", b"0.")) or text == b"255.255.255.255":
            continue
        if _is_numbered(data[max(0, found.start() - 32) : found.start()]):
            continue
        yield Edit(found.start(), found.end(), IP, text)


def _is_numbered(before: bytes) -> bool:
    """Whether numbers with points are of a section or a version there, by the words before them."""
    before = before.removesuffix(b"\n")
    end = before[-24:].rstrip(b" :.\"'").lower()
    if end.endswith(_SECTIONS) and len(before) - len(before.rstrip(b" :.\"'")) <= _MOST_BETWEEN:
        return True
    return end.endswith(_MAY_BE_NUMBERED) and _NO_IP_BEFORE.search(before) is not None


def _cards(data: bytes, start: int, end: int) -> Iterator[Edit]:
    place = start
    while (found := _CARD.search(data, place, end)) is not None:
        digits = found[0].translate(None, b" -")
        if not _is_grouped(found[0].translate(ALIKE)):
            place = found.end()
            continue
        size = card_size(digits.decode())
        if not size:
            # It may begin a group later: a year or a count stands before it.
            gap = _GAP.search(found[0])
            place = found.start() + gap.end() if gap else found.end()
            continue
        last = _after(found[0], size, b" -")
        if last < len(found[0]) and found[0][last : last + 1].isdigit():
            place = found.end()
            continue
        yield Edit(found.start(), found.start() + last, CARD, digits[:size])
        place = found.start() + last


@lru_cache(maxsize=4_096)
def _is_grouped(text: bytes) -> bool:
    """Whether digits are grouped as on cards, or spelt one by one; not as in a drawing."""
    sizes = [len(group) for group in _GAP.split(text)]
    return min(sizes[:-1], default=4) >= 3 or len(set(sizes)) == 1


def _after(text: bytes, count: int, skipped: bytes) -> int:
    """Return the place after so many signs; some do not count."""
    for place, sign in enumerate(text):
        if sign not in skipped:
            count -= 1
            if not count:
                return place + 1
    return len(text)


def _accounts(data: bytes, start: int, end: int) -> Iterator[Edit]:
    for found in _IBAN.finditer(data, max(0, start - 2), min(len(data), end + 36)):
        plain = found[0].translate(None, b" -").decode()
        size = iban_length(plain[:2])
        if size is None or len(plain) < size or not iban(plain[:size]):
            continue
        last = _after(found[0], size, b" -")
        yield Edit(found.start(), found.start() + last, IBAN, plain[:size].encode())


def _phones(data: bytes, start: int, end: int, *, is_said: bool) -> Iterator[Edit]:
    region = data[start:end]
    alike = region.translate(ALIKE)
    for pattern, least, most, signs in _PHONES:
        if signs[0] not in alike and signs[1] not in alike and signs[-1] not in alike:
            continue
        for found in pattern.finditer(data, start, end):
            digits = found[0].translate(None, b" .-/()+")
            if least <= len(digits) <= most and not _POSTCODE.fullmatch(found[0]):
                yield _phone(found, digits)
    if is_said:
        place = start + _skipped(region)
        if _SAYS_PHONE.search(data, begins_at(data, start, _BEFORE), place):
            number = _PHONE_SAID.match(data, place, end)
            if number is not None and not _DATES.fullmatch(number[0]):
                yield _phone(number, number[0].translate(None, b" .-/()+"))


def _skipped(region: bytes) -> int:
    return len(region) - len(region.lstrip(b" .)/-ABCDEFGHIJKLMNOPQRSTUVWXYZ"))


def _phone(found: re.Match[bytes], digits: bytes) -> Edit:
    text = found[0].rstrip(b" .-/(")
    return Edit(found.start(), found.start() + len(text), PHONE, digits)


# -- version 6 of network addresses ----------------------------------------------------------

_V6_MIDDLE = re.compile(rb":[0-9A-Fa-f]{0,4}:")
_V6_SIGNS = b"0123456789abcdefABCDEF:."
_V6_LONGEST = 45


def ipv6(data: bytes, colons: list[int]) -> Iterator[Edit]:
    """Yield network addresses with colons, at the first of two colons that stand near."""
    after = 0
    for colon in colons:
        if colon < after or _V6_MIDDLE.match(data, colon) is None:
            continue
        first = last = colon
        while first > 0 and data[first - 1] in _V6_SIGNS and last - first < _V6_LONGEST:
            first -= 1
        while last < len(data) and data[last] in _V6_SIGNS and last - first < _V6_LONGEST:
            last += 1
        after = last
        text = data[first:last].rstrip(b".")
        text = text[:-1] if text.endswith(b":") and not text.endswith(b"::") else text
        if len(text) < 6 or text.count(b":") < 2 or _is_word_beside(data, first, first + len(text)):
            continue
        try:
            address = IPv6Address(text.decode())
        except ValueError:
            continue
        if not (address.is_loopback or address.is_unspecified):
            yield Edit(first, first + len(text), IP, address.compressed.encode())


def _is_word_beside(data: bytes, first: int, last: int) -> bool:
    before = data[first - 1 : first]
    return before.isalnum() or before == b"_" or data[last : last + 1].isalnum()
