"""Finds what somebody means by a few letters of it."""

from __future__ import annotations

from typing import NamedTuple

_IN_A_ROW = 12  # a letter right behind the one before: worth more than another word's start
_WORD_START = 10
_TEXT_START = 4
_LETTER = 1
_GAP = 0.2  # for each letter passed over between two that match
_LENGTH = 0.05  # for each letter of the text: of two alike, the shorter one
_NEVER = float("-inf")


class FuzzyMatch(NamedTuple):
    """How well a text fits, the higher the better, and which of its letters were meant."""

    score: float
    places: tuple[int, ...]


def fuzzy(wanted: str, text: str) -> FuzzyMatch | None:
    """Return how well a text fits what was typed; `None` where it does not.

    Each word that was typed has its letters in the text in their order, gaps allowed.
    Letters at the beginning of words and letters in a row count for more. The words
    themselves may come in any order.
    """
    folded = _folded(text)
    score, places = -_LENGTH * len(text), set[int]()
    for word in _folded(wanted).split():
        found = _best(word, folded)
        if found is None:
            return None
        score += found.score
        places.update(found.places)
    return FuzzyMatch(score, tuple(sorted(places)))


def _folded(text: str) -> str:
    # Letter by letter: places must stay what they are in the text that is shown.
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)


def _is_within(word: str, text: str) -> bool:
    at = -1
    for letter in word:
        at = text.find(letter, at + 1)
        if at < 0:
            return False
    return True


def _best(word: str, text: str) -> FuzzyMatch | None:
    """Return the best of all ways in which the letters of a word stand in a text."""
    if not _is_within(word, text):
        return None
    # `scores[j]`: the best way so far that ends with the letter at j.
    scores: list[float] = []
    ways: list[list[int]] = []
    for number, letter in enumerate(word):
        before, scores = scores, [_NEVER] * len(text)
        came_from = [-1] * len(text)
        best, best_at = _NEVER, -1  # of the ways that end two or more letters before
        for at, here in enumerate(text):
            if number and at >= 2:
                best -= _GAP
                if before[at - 2] - _GAP > best:
                    best, best_at = before[at - 2] - _GAP, at - 2
            if here != letter:
                continue
            worth = _LETTER + _worth_of_place(text, at)
            if not number:
                scores[at] = worth
                continue
            row = before[at - 1] + _IN_A_ROW if at else _NEVER
            scores[at] = worth + max(row, best)
            came_from[at] = at - 1 if row >= best else best_at
        ways.append(came_from)
    end = max(range(len(text)), key=scores.__getitem__)
    places = [end]
    for came_from in reversed(ways[1:]):
        places.append(came_from[places[-1]])
    return FuzzyMatch(scores[end], tuple(reversed(places)))


def _worth_of_place(text: str, at: int) -> float:
    if at == 0:
        return _WORD_START + _TEXT_START
    return _WORD_START if text[at].isalnum() and not text[at - 1].isalnum() else 0
