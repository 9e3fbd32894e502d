"""A run redacted while it is written: before anything is in a journal or a file."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from inspector.redaction.fields import Fields
from inspector.redaction.records import Redactor
from inspector.redaction.streams import Stream, plain
from inspector.runfile.compact import compact
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from inspector.redaction.settings import Redaction
    from inspector.redaction.streams import Chunk
    from inspector.runfile.scrub import Scrub

HELD_BACK = (
    "of a stream, what a rule could still match is held back until it cannot; "
    "a run that is cut off lacks that"
)
_COUNTED_HERE = "secret-env-values"  # their placeholders are counted as those of a rule
_HELD_WHOLE = "streams are held back whole until they end, since a rule has no longest match"


class LiveRedactor(Redactor):
    """What a run's writer asks. Used on the writer's thread.

    Args:
        redaction: The rules.
        environment: Values that are secrets, by the names of their variables.
        scrub: What keeps values of variables out of every file.
        taken: The highest number of each rule that is in use already.

    """

    def __init__(
        self,
        redaction: Redaction,
        environment: Mapping[str, str] | None = None,
        *,
        scrub: Scrub | None = None,
        taken: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(
            redaction, environment, before=None if scrub is None else scrub.clean, taken=taken
        )
        self._scrub = scrub
        self._streams: dict[str, Stream] = {}
        self._fields = None
        if redaction.fields:
            self._fields = Fields(redaction.fields, self.replaced, plain)

    # -- fields ----------------------------------------------------------------------------

    @property
    def redact(self) -> Any:
        """Takes fields out of a tree before it becomes text; None where none are asked for."""
        return None if self._fields is None else self._fields.taken_out

    def without_fields(self, tree: Any, *around: str) -> Any:
        """Return a tree without the fields, as if it stood under any of some names."""
        if self._fields is None:
            return tree
        return self._fields.taken_out(tree, self._fields.within(*around))

    def replaced(self, value: Any) -> Any:
        """Return what stands in place of a field's value."""
        return field_placeholder(self, value)

    # -- streams ---------------------------------------------------------------------------

    def chunk(self, span_id: str, at_ns: int, tree: Any) -> list[Chunk]:
        """Take a chunk of a span's stream; return those that may be written now."""
        stream = self._streams.get(span_id)
        if stream is None:
            stream = self._streams[span_id] = Stream(self)
        if self._fields is not None:
            tree = self._fields.taken_out(plain(tree), self._fields.within("chunks"))
        return self._noted(span_id, stream.take(at_ns, tree))

    def rest(self, span_id: str) -> list[Chunk]:
        """Return the chunks of a span that were held back, when it has ended."""
        stream = self._streams.pop(span_id, None)
        return [] if stream is None else self._noted(span_id, stream.rest())

    def _noted(self, span_id: str, chunks: list[Chunk]) -> list[Chunk]:
        self.places.note_stream(span_id, f"span {span_id}", (chunk.tree for chunk in chunks))
        return chunks

    # -- the report ------------------------------------------------------------------------

    def report(self) -> dict[str, Any]:
        told = super().report()
        before = {} if self._scrub is None else self._scrub.report()
        others = [e for e in before.get("redaction", ()) if e["rule"] != _COUNTED_HERE]
        told["redaction"] = [*others, *told["redaction"]]
        whole = self.own.reach is None or self.redaction.names
        told["redacted"]["streams"] = _HELD_WHOLE if whole else HELD_BACK
        return told


_FIELD = re.compile(r"<field:(?:[0-9]{1,6}|[0-9a-f]{8})>")


def field_placeholder(redactor: Redactor, value: Any) -> Any:
    """Return what stands in place of a field's value: a text for a text, else a tag."""
    if isinstance(value, str):
        if _FIELD.fullmatch(value):
            return value
        return redactor.placeholders.of("field", value.encode("utf-8", "surrogatepass"))
    if isinstance(value, dict) and value.get(TAG) == "redacted":
        return value
    text = compact(value, str)
    placeholder = redactor.placeholders.of("field", text)
    return {TAG: "redacted", "rule": "field", "placeholder": placeholder}


_ENDINGS = (
    "_API_KEY", "_APIKEY", "_TOKEN", "_SECRET", "_SECRET_KEY", "_PASSWORD", "_PASSWD",
    "_ACCESS_KEY", "_CREDENTIALS", "_PASSPHRASE", "_PRIVATE_KEY", "_DSN", "_CONNECTION_STRING",
)  # fmt: skip
_SHORTEST = 8
_SHORTEST_NAMED = 6


def secrets_of_environment(named: Iterable[str] = ()) -> dict[str, str]:
    """Return the values of variables that hold secrets, as they are now.

    Args:
        named: Variables that a definition says are secrets; besides these, those that are
            called like one.

    """
    found: dict[str, str] = {}
    wanted = set(named)
    for name, value in os.environ.items():
        if name in wanted:
            if len(value) >= _SHORTEST_NAMED:
                found[name] = value
        elif name.upper().endswith(_ENDINGS) and _looks_like_one(value):
            found[name] = value
    return found


def _looks_like_one(value: str) -> bool:
    return len(value) >= _SHORTEST and not value.isalpha() and not value.startswith("/")
