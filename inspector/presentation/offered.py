"""What is said of a run that somebody put on GitHub."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.presentation.replay_ticks import TickRow
from inspector.presentation.visible import one_line
from inspector.presentation.words import UNKNOWN, byte_words, sentence, started_words

if TYPE_CHECKING:
    from inspector.sources.offers import Offer

_LOOKS = {"attachment": "file", "block": "note", "gist": "document"}
_MINUTES = len("2026-01-02 03:04")


def offer_title(offer: Offer) -> str:
    """Return what a run is called where it stands."""
    return f"{offer.name} in {offer.archive}" if offer.archive else offer.name


def offer_facts(offer: Offer) -> str:
    """Return what it is, who put it there, when, and its size."""
    return sentence([_what(offer), offer.author, _when(offer), _size(offer)])


def offer_row(key: str, offer: Offer, *, ticked: bool) -> TickRow:
    """Return it as a row that may be ticked."""
    return TickRow(
        key,
        one_line(offer_title(offer)),
        _what(offer),
        _size(offer),
        sentence([one_line(offer.author), _when(offer)]),
        _LOOKS.get(offer.how, "file"),
        "secondary",
        ticked,
    )


def _what(offer: Offer) -> str:
    what = "sealed" if offer.sealed else offer.what
    return f"{offer.how}, {what}" if what else offer.how


def _when(offer: Offer) -> str:
    when = started_words(offer.date or None)[:_MINUTES]
    return "" if when == UNKNOWN else f"{when} UTC"


def _size(offer: Offer) -> str:
    return "size unknown" if offer.size is None else byte_words(offer.size)
