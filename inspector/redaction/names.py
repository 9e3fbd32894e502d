"""Names of persons and places, with presidio, where that is installed.

Nothing here is needed for anything else: presidio brings language models with it, and is slow.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from inspector.errors import RedactionError
from inspector.redaction.edits import APART, Edit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NOT_CHECKED = "names not checked"
_RULES = {"PERSON": "name", "LOCATION": "address"}
_SURE = 0.6
_PIECE = 100_000


def is_installed() -> bool:
    """Whether names can be looked for here."""
    return find_spec("presidio_analyzer") is not None


def name_finder() -> Callable[[bytes], Iterator[Edit]]:
    """Return what finds names.

    Raises:
        RedactionError: presidio or its language model is not installed.

    """
    if not is_installed():
        raise RedactionError(
            "Names cannot be looked for: presidio is not installed.",
            hint="Install presidio-analyzer, or leave names out; the report then says so.",
        )
    analyzer = _analyzer()

    def find(data: bytes) -> Iterator[Edit]:
        start = 0
        for text in data.split(APART):
            yield from _in_text(analyzer, text, start)
            start += len(text) + 1

    return find


def _in_text(analyzer: Any, data: bytes, offset: int) -> Iterator[Edit]:
    text = data.decode("utf-8", "replace")
    for at in range(0, len(text), _PIECE):
        piece = text[at : at + _PIECE]
        before = len(text[:at].encode())
        for found in analyzer.analyze(piece, language="en", entities=list(_RULES)):
            if found.score < _SURE:
                continue
            start = offset + before + len(piece[: found.start].encode())
            said = piece[found.start : found.end]
            yield Edit(
                start, start + len(said.encode()), _RULES[found.entity_type],
                " ".join(said.casefold().split()).encode(),
            )  # fmt: skip


@lru_cache(maxsize=1)
def _analyzer() -> Any:
    from presidio_analyzer import AnalyzerEngine

    try:
        return AnalyzerEngine()
    except (OSError, SystemExit, ValueError) as error:
        raise RedactionError(
            f"Names cannot be looked for: presidio did not start ({error}).",
            hint="It needs a language model, such as en_core_web_lg.",
        ) from None
