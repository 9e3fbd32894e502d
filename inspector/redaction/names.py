"""Names of persons and places, with presidio, where that and a language model are installed.

Nothing here is needed for anything else: presidio brings language models with it, and is slow.
Left to itself it fetches a model that is not there; here only those that are installed count,
and of its recognizers only the one that reads the model.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from inspector.errors import RedactionError
from inspector.redaction.edits import APART, Edit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from importlib.metadata import EntryPoint

NOT_CHECKED = "names not checked"
_RULES = {"PERSON": "name", "LOCATION": "address"}
_SURE = 0.6
_PIECE = 100_000
_LANGUAGE = "en"
_BEST_FIRST = ("_lg", "_md", "_sm", "_trf")  # the last one takes many times as long
_SURROGATES = range(0xD800, 0xE000)
_UNUSED = ["tagger", "parser", "senter", "attribute_ruler", "lemmatizer"]
"""Parts of a model that names do not come from; they take most of its time."""
_NO_PRESIDIO = "presidio is not installed"
_NO_MODEL = "presidio has no English language model here, and none is fetched"


def why_not() -> str:
    """Say why names cannot be looked for here; nothing where they can. Loads neither of both."""
    if find_spec("presidio_analyzer") is None:
        return _NO_PRESIDIO
    return "" if _model() else _NO_MODEL


def name_finder() -> Callable[[bytes], Iterator[Edit]]:
    """Return what finds names.

    Raises:
        RedactionError: presidio or a language model for it is not installed.

    """
    lacks = why_not()
    if lacks:
        first = "presidio-analyzer" if lacks == _NO_PRESIDIO else "one, such as en_core_web_lg"
        raise RedactionError(
            f"Names cannot be looked for: {lacks}.",
            hint=f"Install {first}, or leave names out; the report then says so.",
        )
    analyzer = _analyzer()

    def find(data: bytes) -> Iterator[Edit]:
        start = 0
        for text in data.split(APART):
            yield from _in_text(analyzer, text, start)
            start += len(text) + 1

    return find


def _in_text(analyzer: Any, data: bytes, offset: int) -> Iterator[Edit]:
    at = 0
    while at < len(data):
        end = _end_of_piece(data, at)
        # Bytes that are no text become one sign each, so that places can be counted back.
        piece = data[at:end].decode("utf-8", "surrogateescape")
        readable = "".join("?" if ord(sign) in _SURROGATES else sign for sign in piece)
        counted, place = 0, offset + at
        found = analyzer.analyze(readable, language=_LANGUAGE, entities=list(_RULES))
        for each in sorted(found, key=lambda one: (one.start, one.end)):
            if each.score < _SURE:
                continue
            place += _size(piece[counted : each.start])
            counted = each.start
            said = piece[each.start : each.end]
            text = " ".join(readable[each.start : each.end].casefold().split())
            yield Edit(place, place + _size(said), _RULES[each.entity_type], text.encode())
        at = end


def _end_of_piece(data: bytes, at: int) -> int:
    """Return where to cut a long text: at the end of a line or a word, where there is one."""
    end = at + _PIECE
    if end >= len(data):
        return len(data)
    half = at + _PIECE // 2
    cut = data.rfind(b"\n", half, end)
    if cut < 0:
        cut = data.rfind(b" ", half, end)
    if cut >= 0:
        return cut + 1
    while end > half and data[end] & 0xC0 == 0x80:
        end -= 1
    return end


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _model() -> EntryPoint | None:
    """Return the best English model of spaCy that is installed, as its package names it."""
    prefix = f"{_LANGUAGE}_"
    models = [each for each in entry_points(group="spacy_models") if each.name.startswith(prefix)]
    return min(models, key=lambda each: (_rank(each.name), each.name), default=None)


def _rank(name: str) -> int:
    ranks = (place for place, size in enumerate(_BEST_FIRST) if size in name)
    return next(ranks, len(_BEST_FIRST))


@lru_cache(maxsize=1)
def _analyzer() -> Any:
    model = _model()
    try:
        from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
        from presidio_analyzer.nlp_engine import SpacyNlpEngine
        from presidio_analyzer.predefined_recognizers import SpacyRecognizer

        name = "" if model is None else model.name
        engine = SpacyNlpEngine([{"lang_code": _LANGUAGE, "model_name": name}])
        # Loaded by us: what is given a name only, it fetches where it does not know it.
        engine.nlp = {} if model is None else {_LANGUAGE: model.load().load(exclude=_UNUSED)}
        reader = SpacyRecognizer(supported_entities=list(_RULES))
        registry = RecognizerRegistry([reader], supported_languages=[_LANGUAGE])
        return AnalyzerEngine(registry, engine, supported_languages=[_LANGUAGE])
    except (ImportError, OSError, ValueError, TypeError, AttributeError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise RedactionError(
            f"Names cannot be looked for: presidio did not start ({first}).",
            hint="Look whether its language model fits the spaCy that is installed.",
        ) from None
