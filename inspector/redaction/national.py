"""Numbers that states and health services give to persons, told by their check digits.

A number whose checks are weak, or that has none, counts only where a word before it says
what it is.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from inspector.redaction.checks import is_date, luhn, mod_11_10, verhoeff, weighted
from inspector.redaction.linear import finder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_NINO_BAD = {"BG", "GB", "NK", "KN", "TN", "NT", "ZZ"}
_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"
_HETU = "0123456789ABCDEFHJKLMNPRSTUVWXY"
_CN = "10X98765432"
_CF_ODD = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11,
         3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
        strict=True,
    )
)  # fmt: skip


def _ssn(text: str) -> bool:
    return text[:3] not in ("000", "666") and text[0] != "9" and text[3:5] != "00" \
        and text[5:] != "0000" and len(set(text)) > 1  # fmt: skip


def _nino(text: str) -> bool:
    return text[:2] not in _NINO_BAD


def _nhs(text: str) -> bool:
    check = 11 - weighted(text, (10, 9, 8, 7, 6, 5, 4, 3, 2)) % 11
    return check % 11 == int(text[9]) and check != 10


def _steuer(text: str) -> bool:
    return text[0] != "0" and mod_11_10(text) and len(set(text[:10])) in (8, 9, 10)


def _nir(text: str) -> bool:
    number = text[:13].replace("2A", "19").replace("2B", "18")
    return number.isdigit() and 97 - int(number) % 97 == int(text[13:])


def _dni(text: str) -> bool:
    number = text[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return _DNI[int(number) % 23] == text[-1]


def _codice(text: str) -> bool:
    total = sum(
        _CF_ODD[sign] if place % 2 == 0 else int(sign, 36) - (0 if sign.isdigit() else 10)
        for place, sign in enumerate(text[:15])
    )
    return chr(65 + total % 26) == text[15]


def _bsn(text: str) -> bool:
    return weighted(text, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0 and int(text) > 0


def _rrn_be(text: str) -> bool:
    body, check = text[:9], int(text[9:])
    return check in (97 - int(body) % 97, 97 - int("2" + body) % 97)


def _pesel(text: str) -> bool:
    if len(set(text)) < 3:
        return False
    month = int(text[2:4]) % 20
    check = (10 - weighted(text, "1379137913") % 10) % 10
    return check == int(text[10]) and is_date(text[:2], f"{month:02}", text[4:6])


def _personnummer(text: str) -> bool:
    text = text[-10:]
    return luhn(text) and is_date(text[:2], text[2:4], text[4:6])


def _hetu(text: str) -> bool:
    return is_date(text[4:6], text[2:4], text[:2]) and \
        _HETU[int(text[:6] + text[7:10]) % 31] == text[10]  # fmt: skip


def _fodselsnummer(text: str) -> bool:
    one = (11 - weighted(text, (3, 7, 6, 1, 8, 9, 4, 5, 2)) % 11) % 11
    two = (11 - weighted(text, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11) % 11
    dated = is_date(text[4:6], text[2:4], f"{int(text[:2]) % 40:02}")
    return one == int(text[9]) and two == int(text[10]) and dated


def _cpr(text: str) -> bool:
    return is_date(text[4:6], text[2:4], text[:2])


def _cpf(text: str) -> bool:
    if len(set(text)) < 3:
        return False
    one = weighted(text, tuple(range(10, 1, -1))) * 10 % 11 % 10
    two = weighted(text, tuple(range(11, 1, -1))) * 10 % 11 % 10
    return one == int(text[9]) and two == int(text[10])


def _aadhaar(text: str) -> bool:
    return text[0] in "23456789" and verhoeff(text)


def _china(text: str) -> bool:
    dated = is_date(text[6:10], text[10:12], text[12:14]) and text[6:8] in ("19", "20")
    total = weighted(text, (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2))
    return dated and _CN[total % 11] == text[17].upper()


def _nric(text: str) -> bool:
    total = weighted(text[1:8], "2765432") + {"T": 4, "G": 4, "M": 3}.get(text[0], 0)
    letters = "JZIHGFEDCBA" if text[0] in "ST" else "XWUTRQPNMLK"
    if text[0] == "M":
        return "KLJNPQRTUWX"[10 - total % 11] == text[8]
    return letters[total % 11] == text[8]


def _korea(text: str) -> bool:
    return is_date(text[:2], text[2:4], text[4:6])


def _birth_number(text: str) -> bool:
    month = int(text[2:4]) % 50
    month = month - 20 if month > 20 else month
    return is_date(text[:2], f"{month:02}", text[4:6]) and int(text) % 11 == 0


def _ahv(text: str) -> bool:
    return (10 - weighted(text, "131313131313") % 10) % 10 == int(text[12])


def _pps(text: str) -> bool:
    extra = (ord(text[8]) - 64) * 9 if len(text) == 9 else 0
    return "WABCDEFGHIJKLMNOPQRSTUV"[(weighted(text, "8765432") + extra) % 23] == text[7]


def _tckn(text: str) -> bool:
    if len(set(text)) < 3:
        return False
    odd, even = sum(map(int, text[0:9:2])), sum(map(int, text[1:8:2]))
    return (odd * 7 - even) % 10 == int(text[9]) and sum(map(int, text[:10])) % 10 == int(text[10])


def _south_africa(text: str) -> bool:
    return luhn(text) and is_date(text[:2], text[2:4], text[4:6]) and text[10] in "01"


def _cnp(text: str) -> bool:
    check = weighted(text, "279146358279") % 11
    return (1 if check == 10 else check) == int(text[12]) and is_date(
        text[1:3], text[3:5], text[5:7]
    )


def _tfn(text: str) -> bool:
    return weighted(text, (1, 4, 3, 7, 5, 8, 6, 9, 10)) % 11 == 0


def _my_number(text: str) -> bool:
    rest = weighted(text, "65432765432") % 11
    return (0 if rest <= 1 else 11 - rest) == int(text[11])


def _nif(text: str) -> bool:
    rest = weighted(text, "98765432") % 11
    return (0 if rest < 2 else 11 - rest) == int(text[8])


def _eleven(text: str) -> bool:
    """Of Poland, Brazil, Norway or Turkey."""
    if _pesel(text) or _cpf(text) or _fodselsnummer(text):
        return True
    return text[0] != "0" and _tckn(text)


def _thirteen(text: str) -> bool:
    """Of South Africa, Romania or Switzerland."""
    if _south_africa(text) or (text.startswith("756") and _ahv(text)):
        return True
    return text[0] in "12345678" and _cnp(text)


def _any(_text: str) -> bool:
    return True


_LETTERED = (_nino, _dni, _codice, _nric, _any)


class Shape(NamedTuple):
    """One kind of number: how it is written, its check, and the words it needs before it."""

    pattern: re.Pattern[bytes]
    plain: bytes  # the pattern, without what may stand beside it
    holds: Callable[[str], bool]
    least: int  # so many digits it has
    lettered: bool  # there is a capital in it
    solid: int  # so many of its digits stand side by side
    needs: bytes = b""  # what is in it in any case, each digit written as 0, each capital as A
    words: frozenset[str] = frozenset()


def _shape(
    pattern: bytes, holds: Callable[[str], bool], least: int, needs: bytes = b"", words: str = ""
) -> Shape:
    whole = re.compile(rb"(?<![A-Za-z0-9_.])(?:" + pattern + rb")(?![A-Za-z0-9_])")
    lettered = holds in _LETTERED
    sizes = [int(size) for size in re.findall(rb"\[0-9\]\{([0-9]+)", pattern)]
    return Shape(
        whole, pattern, holds, least, lettered, max(sizes, default=0), needs,
        frozenset(words.split()),
    )  # fmt: skip


_ALONE = (
    _shape(rb"[0-9]{3}-[0-9]{2}-[0-9]{4}", _ssn, 9, b"000-00-0000"),
    _shape(rb"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]", _nino, 6),
    _shape(rb"[0-9]{2} [0-9]{3} [0-9]{3} [0-9]{3}", _steuer, 11, b"00 000 000 000"),
    _shape(rb"[12] ?[0-9]{2} ?(?:0[1-9]|1[0-2]) ?(?:[0-9]{2}|2[AB]) ?[0-9]{3} ?[0-9]{3} ?[0-9]{2}",
           _nir, 13),
    _shape(rb"[XYZ]?-?[0-9]{7,8}-?[A-HJ-NP-TV-Z]", _dni, 7),
    _shape(rb"[A-Z]{6}[0-9]{2}[A-EHLMPRST][0-9]{2}[A-Z][0-9]{3}[A-Z]", _codice, 7,
           b"AAAAAA00A00A000A"),
    _shape(rb"[0-9]{2}\.[0-9]{2}\.[0-9]{2}-[0-9]{3}\.[0-9]{2}", _rrn_be, 11,
           b"00.00.00-000.00"),
    _shape(rb"[0-9]{11}", _eleven, 11),
    _shape(rb"(?:19|20)?[0-9]{6}[-+][0-9]{4}", _personnummer, 10, b"-"),
    _shape(rb"[0-9]{6}[-+A][0-9]{3}[0-9A-FHJ-NPR-Y]", _hetu, 9),
    _shape(rb"[0-9]{6} [0-9]{5}", _fodselsnummer, 11, b"000000 00000"),
    _shape(rb"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}", _cpf, 11,
           b"000.000.000-00"),
    _shape(rb"[0-9]{4} [0-9]{4} [0-9]{4}", _aadhaar, 12, b"0000 0000 0000"),
    _shape(rb"[A-Z]{3}[ABCFGHJLPT][A-Z][0-9]{4}[A-Z]", _any, 4, b"AAAAA0000A"),
    _shape(rb"[1-9][0-9]{16}[0-9X]", _china, 17),
    _shape(rb"[STFGM][0-9]{7}[A-Z]", _nric, 7, b"A0000000A"),
    _shape(rb"[0-9]{6}-[1-8][0-9]{6}", _korea, 13, b"000000-0000000"),
    _shape(rb"[0-9]{6}/[0-9]{4}", _birth_number, 10, b"000000/0000"),
    _shape(rb"756\.[0-9]{4}\.[0-9]{4}\.[0-9]{2}", _ahv, 13,
           b"000.0000.0000.00"),
    _shape(rb"[0-9]{13}", _thirteen, 13),
    _shape(rb"[A-Z]{4}[0-9]{6}[HM][A-Z]{5}[A-Z0-9][0-9]", _any, 7, b"AAAA000000AAAAA"),
)  # fmt: skip

_NINE = rb"[0-9]{3}[ .-]?[0-9]{3}[ .-]?[0-9]{3}"
_WORDED = (
    _shape(rb"[0-9]{3}[ -]?[0-9]{2}[ -]?[0-9]{4}", _ssn, 9, words="ssn social"),
    _shape(rb"[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{4}", _nhs, 10, words="nhs"),
    _shape(rb"[0-9]{11}", _steuer, 11, words="steuer tax tin idnr"),
    _shape(rb"[0-9]{9}", _bsn, 9, words="bsn burgerservice sofi"),
    _shape(rb"[0-9]{4}[. ]?[0-9]{2}[. ]?[0-9]{3}", _bsn, 9, words="bsn burgerservice sofi"),
    _shape(_NINE, luhn, 9, words="sin insurance"),
    _shape(_NINE, _tfn, 9, words="tfn tax"),
    _shape(_NINE, _nif, 9, words="nif contribuinte"),
    _shape(rb"[0-9]{6}-?[0-9]{4}", _cpr, 10, words="cpr"),
    _shape(rb"[0-9]{7}[A-W][A-I]?", _pps, 7, words="pps ppsn"),
    _shape(rb"[0-9]{4} ?[0-9]{4} ?[0-9]{4}", _my_number, 12, words="individual mynumber"),
    _shape(rb"[A-Z0-9]{6,9}", _any, 5, words="passport reisepass passeport pasaporte"),
    _shape(rb"[A-Z0-9]{9,10}", _any, 5, words="personalausweis ausweis"),
)
_WORDS_BEFORE = (
    rb"ssn|social sec|nhs|steuer|tax ?(?:id|file|num|no)|tin|idnr|bsn|burgerservice|sofi|sin"
    rb"|insurance n"
    rb"|tfn|nif|contribuinte|cpr|ppsn?|individual n|mynumber|passport|reisepass|passeport|pasaporte"
    rb"|personalausweis|ausweis"
)
_WORD = re.compile(rb"(?i)(?<![a-z])(?:" + _WORDS_BEFORE + rb")(?![a-z]{4})")
_ZEROS = re.compile(rb"0+")
_HAS_DIGIT = re.compile(rb"[0-9]").search
_LEAST_WORDED = 5
_LEAST_BARE = min(shape.least for shape in _ALONE if not shape.lettered)
LEAST_LETTERED = min(shape.least for shape in _ALONE if shape.lettered)
ALIKE = bytes(
    48 if 48 <= sign <= 57 else 65 if 65 <= sign <= 90 else sign for sign in range(256)
)  # fmt: skip


def national_ids(
    data: bytes, start: int, end: int, digits: int, said: bytes = b""
) -> Iterator[tuple[int, int, bytes]]:
    """Yield the places of such numbers between two places, and each without separators.

    Args:
        data: The text.
        start: Where it may begin.
        end: Where it ends at the latest.
        digits: How many digits stand there.
        said: The words before it.

    """
    alike = data[start:end].translate(ALIKE)
    if (digits >= _LEAST_BARE or (digits >= LEAST_LETTERED and b"A" in alike)) and (
        next(_any_shape(data[max(0, start - 1) : end + 1]), None) is not None
    ):
        for shape in _possible(alike):
            yield from _found(shape, data, start, end)
    if not said:
        return
    words = {word for found in _WORD.findall(said) for word in found.decode().lower().split()}
    for shape in _WORDED if words and digits >= _LEAST_WORDED else ():
        if digits >= shape.least and shape.words & words:
            yield from _found(shape, data, start, end)


@lru_cache(maxsize=4_096)  # of dates, orders and tables there are many that are written alike
def _possible(alike: bytes) -> tuple[Shape, ...]:
    """Return which numbers may be in what is written so: a 0 for a digit, an A for a capital."""
    groups = _ZEROS.findall(alike)
    digits, longest = sum(map(len, groups)), max(map(len, groups), default=0)
    lettered = b"A" in alike
    return tuple(
        shape
        for shape in _ALONE
        if digits >= shape.least
        and longest >= shape.solid
        and (lettered or not shape.lettered)
        and shape.needs in alike
    )


def _found(shape: Shape, data: bytes, start: int, end: int) -> Iterator[tuple[int, int, bytes]]:
    place = start
    while (found := shape.pattern.search(data, place, end)) is not None:
        plain = found[0].translate(None, b" .-/+")
        # A century may be told by the sign between the digits.
        if _HAS_DIGIT(plain) and shape.holds(
            (found[0] if shape.holds is _hetu else plain).decode()
        ):
            yield found.start(), found.end(), plain
        place = found.start() + 1


SHAPES = b"|".join(shape.plain for shape in _ALONE)
"""What such a number looks like that is known by itself, for either engine."""

WORDED = rb"(?i:" + _WORDS_BEFORE + rb")[^0-9\x00]{0,40}[0-9]"
"""What stands where a word says that a number follows."""

_any_shape = finder(rb"(?:^|[^A-Za-z0-9._])(?:" + SHAPES + rb")\b")
