"""What is said of a run that somebody put on GitHub."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.presentation.words import UNKNOWN, byte_words, sentence, started_words

if TYPE_CHECKING:
    from inspector.sources.offers import Offer

_MINUTES = len("2026-01-02 03:04")


def offer_title(offer: Offer) -> str:
    """Return what a run is called where it stands."""
    return f"{offer.name} in {offer.archive}" if offer.archive else offer.name


def offer_facts(offer: Offer) -> str:
    """Return what it is, who put it there, when, and its size."""
    when = started_words(offer.date or None)[:_MINUTES]
    return sentence(
        [
            f"{offer.how}, sealed" if offer.sealed else offer.how,
            offer.author,
            "" if when == UNKNOWN else f"{when} UTC",
            "size unknown" if offer.size is None else byte_words(offer.size),
        ]
    )
