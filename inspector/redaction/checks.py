"""Check digits: what tells a card, an account or a person's number from any other number."""

from __future__ import annotations

import re
from calendar import monthrange
from itertools import cycle

_VERHOEFF_TIMES = (
    "0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
    "5987604321", "6598710432", "7659821043", "8765932104", "9876543210",
)  # fmt: skip
_VERHOEFF_TURNS = (
    "0123456789", "1576283094", "5803796142", "8916043527",
    "9453126870", "4286573901", "2793806415", "7046913258",
)  # fmt: skip

# What a check becomes, by the place of a digit, the digit, and the check.
_VERHOEFF_STEPS = tuple(
    {
        str(digit): tuple(int(row[int(turn[digit])]) for row in _VERHOEFF_TIMES)
        for digit in range(10)
    }
    for turn in _VERHOEFF_TURNS
)
_DOUBLED = dict(zip("0123456789", (0, 2, 4, 6, 8, 1, 3, 5, 7, 9), strict=True)).__getitem__

_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22,
    "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28,
    "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23,
    "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26,
    "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20,
    "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30,
    "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22,
    "SA": 24, "SC": 31, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28, "TL": 23,
    "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}  # fmt: skip


def luhn(digits: str) -> bool:
    """Whether the last digit is the one that Luhn's sum asks for."""
    backwards = digits[::-1]
    return (sum(map(int, backwards[::2])) + sum(map(_DOUBLED, backwards[1::2]))) % 10 == 0


def verhoeff(digits: str) -> bool:
    """Whether the last digit is the one that Verhoeff's scheme asks for."""
    check = 0
    for steps, digit in zip(cycle(_VERHOEFF_STEPS), reversed(digits), strict=False):
        check = steps[digit][check]
    return check == 0


def iban_length(country: str) -> int | None:
    """Return how long an IBAN of a country is; None for no country that has one."""
    return _IBAN_LENGTHS.get(country)


def iban(text: str) -> bool:
    """Whether this is an IBAN: without spaces, in capitals."""
    if len(text) != _IBAN_LENGTHS.get(text[:2]) or not text.isalnum() or not text.isascii():
        return False
    return int("".join(str(int(sign, 36)) for sign in text[4:] + text[:4])) % 97 == 1


_CARD_HEADS = re.compile(
    r"(?P<a>4)|(?P<b>3[47])|(?P<c>5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720|352[89]|35[3-8])"
    r"|(?P<d>6011|64[4-9]|65)|(?P<e>30[0-5]|36|38|39)|(?P<f>62)|(?P<g>50(?:18|20|38)|5893|6304|67)"
)
_CARD_SIZES: dict[str | None, tuple[int, ...]] = {
    "a": (13, 16, 19), "b": (15,), "c": (16,), "d": (16, 19), "e": (14,), "f": (16, 17, 18, 19),
    "g": (16, 18, 19),
}  # fmt: skip


def card_size(digits: str) -> int:
    """Return how many of these digits, from the first, are those of a payment card; 0 for none.

    They are when an issuer has cards that begin so and are so long, and Luhn's sum is right.
    """
    head = _CARD_HEADS.match(digits)
    if head is None or len(set(digits)) < 2:
        return 0
    for size in reversed(_CARD_SIZES[head.lastgroup]):
        if len(digits) >= size and luhn(digits[:size]):
            return size
    return 0


def card(digits: str) -> bool:
    """Whether these are the digits of a payment card, and nothing else."""
    return card_size(digits) == len(digits) > 0


def is_date(year: str, month: str, day: str) -> bool:
    """Whether there is such a day; the year in two or four digits."""
    number = int(month)
    if not 1 <= number <= 12:
        return False
    full = int(year) if len(year) == 4 else 2000 + int(year)
    return 1 <= int(day) <= monthrange(max(full, 1), number)[1]


def weighted(digits: str, weights: str | tuple[int, ...]) -> int:
    """Return the sum of digits times weights, as many as there are weights."""
    factors = [int(weight) for weight in weights]
    return sum(int(digit) * factor for digit, factor in zip(digits, factors, strict=False))


def mod_11_10(digits: str) -> bool:
    """Whether the last digit is that of ISO 7064's hybrid system mod 11, 10."""
    product = 10
    for digit in digits[:-1]:
        total = (int(digit) + product) % 10 or 10
        product = (total * 2) % 11
    return (11 - product) % 10 == int(digits[-1])
