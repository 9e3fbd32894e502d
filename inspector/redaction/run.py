"""Taking secrets out of a run that is recorded already. The original is never changed."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson

from inspector.redaction.fields import Fields
from inspector.redaction.live import field_placeholder, secrets_of_environment
from inspector.redaction.records import Redactor, Replaced
from inspector.redaction.report import RedactionReport
from inspector.redaction.settings import Redaction
from inspector.redaction.streams import Stream
from inspector.runfile.compact import compact
from inspector.runfile.digest import value_id
from inspector.runfile.layout import run_file
from inspector.runfile.load import load_run
from inspector.runfile.save import header_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from inspector.runfile.model import PipelineRun

_REF = re.compile(rb'"\$ref":"([^"\\]{1,200})"')
_CHUNKS = re.compile(rb'"chunks":\{"\$ref":"([^"\\]{1,200})"\}')
_NUMBERED = re.compile(rb"<([a-z][a-z0-9-]{0,40}):([0-9]{1,6})>")


def redact_run(
    run: PipelineRun,
    rules: Redaction | None = None,
    *,
    environment: Mapping[str, str] | None = None,
) -> tuple[PipelineRun, RedactionReport]:
    """Return a copy of a run without secrets and personal data, and what was taken out.

    Values are kept under the digests of what is left of them, and the file's own digest is
    that of the copy. Ids, digests and usage are as they were. The copy is in no file yet.

    Args:
        run: Any run that was opened.
        rules: What to take out; the built-in rules unless given.
        environment: Values that are secrets, by the names of their variables; those of this
            process unless given.

    Raises:
        RunFileError: The run cannot be read to its end.
        RedactionError: A rule needs something that is not installed.

    """
    data, report, _ = _redacted(run, rules, environment, None, None)
    return load_run(data), report


def look_at(
    run: PipelineRun,
    rules: Redaction | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    watch: Callable[[float], None] | None = None,
) -> tuple[bytes, RedactionReport, list[Replaced]]:
    """Return what a copy of a run without secrets would be, and each place replaced in it.

    Args:
        run: Any run that was opened.
        rules: What to take out; the built-in rules unless given.
        environment: Values that are secrets, by the names of their variables; those of this
            process unless given.
        watch: Told now and then how much of it is done, from 0 to 1. What it raises ends this.

    Returns:
        The copy's file, the report, and the places. The `record` of a place is where it is,
        in words.

    Raises:
        RunFileError: The run cannot be read to its end.
        RedactionError: A rule needs something that is not installed.

    """
    data, report, places = _redacted(run, rules, environment, [], watch)
    return data, report, places or []


def _redacted(
    run: PipelineRun,
    rules: Redaction | None,
    environment: Mapping[str, str] | None,
    replaced: list[Replaced] | None,
    watch: Callable[[float], None] | None,
) -> tuple[bytes, RedactionReport, list[Replaced] | None]:
    redaction = rules or Redaction()
    if environment is None:
        environment = secrets_of_environment() if redaction.environment else {}
    work = _Work(run, redaction, environment, replaced, watch)
    data = b"".join(work.parts())
    for place in replaced or ():
        work.find(place)
    return data, work.report(), replaced


class _Work:
    """One run being redacted."""

    def __init__(
        self, run: PipelineRun, redaction: Redaction, environment: Mapping[str, str],
        replaced: list[Replaced] | None, watch: Callable[[float], None] | None,
    ) -> None:  # fmt: skip
        self._run = run
        self._watch = watch
        self._done = 0  # of the spans and values
        self._redactor = Redactor(redaction, environment, replaced=replaced)
        self._new: dict[str, bytes] = {}  # the values of the copy, in order
        self._names: dict[str, str] = {}  # what a value is called now
        self._streamed: dict[str, tuple[str, str]] = {}  # whose chunks a value is
        self._places = replaced
        self._record_of_fields = ""
        self._fields: Fields | None = None
        if redaction.fields:
            self._fields = Fields(redaction.fields, self._replaced, run.resolve, self._looked_up)

    def report(self) -> RedactionReport:
        """Return what was taken out."""
        redactor = self._redactor
        return RedactionReport(
            redactor.places.taken(everything=True), redactor.redaction.names_words
        )

    def find(self, place: Replaced) -> None:
        """Say of a place where it is."""
        places = self._redactor.places
        place.span_id, place.field = places.held_by(place.record, place.path)
        place.record = places.where(place.record, place.path)

    def parts(self) -> Iterator[bytes]:
        """Yield the copy's file."""
        run = self._run
        spans = [self._parsed(text) for _, text in run.record_texts()]
        header = self._parsed(header_text(run))
        self._skip_numbers(run)
        if self._fields is not None:
            spans = [self._without_fields(span, f"span {_id_of(span)}") for span in spans]
            header = self._without_fields(header, "run")
        for span in spans:
            ref = _ref_of(span.get("chunks")) if isinstance(span, dict) else None
            if ref is not None and ref in run.values:
                self._streamed[ref] = (str(span.get("id")), _name_of(span))
        if self._fields is None:
            for digest in run.values.digests():
                self._value(digest)
        # The header's values come first, as in a file that was recorded.
        head = self._record(header)
        self._note("run", "run", head)
        texts = [self._span(span) for span in spans]
        if isinstance(head, dict):
            head.update(self._said(head))
        extra = [
            (
                orjson.dumps(self._redactor.text(key)),
                self._redactor.cleaned(self._followed(compact(self._parsed(text), str)))[0],
            )
            for key, text in run.parts.extra.items()
        ]
        yield from run_file(
            compact(head, str),
            (compact(span, str) for span in texts),
            self._new.items(),
            named_by_digest=False,
            extra=extra,
        )

    def _said(self, head: dict[str, Any]) -> dict[str, Any]:
        before = head.get("redaction")
        kept = [entry for entry in before if _is_others(entry)] if isinstance(before, list) else []
        told = self.report().told()
        said = self._redactor.report()["redacted"]
        earlier = head.get("redacted")
        if isinstance(earlier, dict):
            said = _together(earlier, said)
        return {"redaction": [*kept, *told], "redacted": said}

    # -- values ----------------------------------------------------------------------------

    def _value(self, digest: str) -> str:
        """Take a value over, and what it refers to before it; returns what it is called now."""
        stack = [digest]
        while stack:
            current = stack[-1]
            if current in self._names:
                stack.pop()
                continue
            text = self._raw(current)
            missing = [
                name
                for ref in _REF.findall(text)
                if (name := ref.decode()) not in self._names and name in self._run.values
                and name not in stack
            ]  # fmt: skip
            if missing:
                stack.extend(missing)
                continue
            if current in self._streamed:
                kept = self._streamed_value(current, text)
            else:
                kept = self._kept(current, self._redactor.clean(self._followed(text)))
            self._names[current] = kept
            self._tell()
            stack.pop()
        return self._names[digest]

    def _tell(self) -> None:
        """Say how far it is."""
        self._done += 1
        if self._watch is not None:
            whole = len(self._run.table) + len(self._run.values)
            self._watch(min(1.0, self._done / max(1, whole)))

    def _raw(self, digest: str) -> bytes:
        """Return a value's JSON in one spelling: nothing can hide in how it is written."""
        return compact(self._parsed(self._run.values.raw(digest)), str)

    def _kept(self, old: str, text: bytes) -> str:
        name = value_id(text)
        if text == self._run.values.raw(old):
            name = old  # also where another writer names values in its own way
        self._new[name] = text
        return name

    def _followed(self, text: bytes) -> bytes:
        """Return JSON whose references lead to the values of the copy."""
        return _REF.sub(self._renamed, text)

    def _renamed(self, found: re.Match[bytes]) -> bytes:
        name = self._names.get(found[1].decode())
        return found[0] if name is None else b'"$ref":"%s"' % name.encode()

    # -- records ---------------------------------------------------------------------------

    def _parsed(self, text: bytes) -> Any:
        from inspector.runfile.leaf import LeafError, read_leaf

        try:
            return read_leaf(text)[0]
        except LeafError as error:
            return {"$": "opaque", "type": "json", "repr": "", "why": f"it {error}"}

    def _record(self, tree: Any) -> Any:
        """Return a record of the copy."""
        text = compact(tree, str)
        for ref in _REF.findall(text):
            name = ref.decode()
            if name in self._run.values:
                self._value(name)
        return self._redactor.cleaned(self._followed(text))[1]

    def _span(self, span: Any) -> Any:
        self._tell()
        if not isinstance(span, dict):
            return self._record(span)
        chunks = span.pop("chunks", None)
        record = self._record(span)
        name = _name_of(span)
        self._note(f"span {span.get('id')}", name, record)
        if isinstance(chunks, list):
            record["chunks"] = self._chunks(chunks, str(span.get("id")), name)
        elif chunks is not None:
            record["chunks"] = self._record(chunks)
        return record

    def _note(self, key: str, name: str, tree: Any) -> None:
        self._redactor.note(key, name, compact(tree, str), tree)

    def _streamed_value(self, digest: str, text: bytes) -> str:
        """Take over a value that is the chunks of a stream, which are searched as one text."""
        listed = self._run.values.get(digest)
        if not isinstance(listed, list):
            return self._kept(digest, self._redactor.clean(self._followed(text)))
        chunks = self._chunks(listed, *self._streamed[digest])
        # As long as nothing was found in them, they may go on to refer to what they share.
        kept = self._followed(text) if chunks == listed else compact(chunks, str)
        return self._kept(digest, kept)

    def _chunks(self, listed: list[Any], span_id: str, name: str) -> list[Any]:
        pairs = [
            item if isinstance(item, list) and len(item) == 2 and type(item[0]) is int else None
            for item in listed
        ]
        whole = (
            (0, item if pair is None else pair[1]) for pair, item in zip(pairs, listed, strict=True)
        )
        trees = [chunk.tree for chunk in Stream(self._redactor).whole(whole)]
        self._redactor.places.note_stream(span_id, name, trees)
        self._redactor.stamp(f"chunks {span_id}")
        return [
            tree if pair is None else [pair[0], tree]
            for pair, tree in zip(pairs, trees, strict=True)
        ]

    # -- fields ----------------------------------------------------------------------------

    def _without_fields(self, tree: Any, record: str) -> Any:
        assert self._fields is not None
        self._record_of_fields = record
        return self._fields.taken_out(tree)

    def _replaced(self, value: Any) -> Any:
        text = value.encode("utf-8", "replace") if isinstance(value, str) else compact(value, str)
        kept = text.decode("utf-8", "replace")
        if kept in self._redactor.redaction.keep:
            return value
        found = field_placeholder(self._redactor, value)
        if self._places is not None and found != value and self._fields is not None:
            placeholder = found if isinstance(found, str) else found["placeholder"]
            path, record = ".".join(self._fields.trail), self._record_of_fields
            place = Replaced("field", placeholder, text, 0, len(text), path, record)
            place.kept = kept
            self._places.append(place)
        return found

    def _looked_up(self, digest: str) -> Any:
        if digest not in self._run.values:
            return None
        return self._parsed(self._run.values.raw(digest))

    def _skip_numbers(self, run: PipelineRun) -> None:
        """Give no number that the run has already, from an earlier redaction or by chance."""
        texts: list[Callable[[], bytes]] = [lambda: header_text(run)]
        texts += [partial(run.record_text, row) for row in range(len(run.table))]
        texts += [partial(run.values.raw, name) for name in run.values.digests()]
        for text in texts:
            for rule, number in _NUMBERED.findall(text()):
                self._redactor.placeholders.skip(rule.decode(), int(number))


def _id_of(span: Any) -> Any:
    return span.get("id") if isinstance(span, dict) else None


def _name_of(span: dict[str, Any]) -> str:
    return str(span.get("path") or span.get("name") or span.get("id"))


def _ref_of(tree: Any) -> str | None:
    ref = tree.get("$ref") if isinstance(tree, dict) else None
    return ref if isinstance(ref, str) else None


def _is_others(entry: Any) -> bool:
    """Whether an entry of a report is that of the recorder, which counts by itself."""
    return isinstance(entry, dict) and "distinct" not in entry


def _together(earlier: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Return what a file says that was redacted before: all rules that it went through."""
    said = {**earlier, **now}
    if isinstance(rules := earlier.get("rules"), dict):
        said["rules"] = {**rules, **now.get("rules", {})}
    if isinstance(fields := earlier.get("fields"), list):
        said["fields"] = list(dict.fromkeys((*fields, *now.get("fields", ()))))
    if isinstance(off := earlier.get("off"), list):
        said["off"] = [name for name in off if name in now.get("off", ())]
    if isinstance(numbers := earlier.get("numbers"), dict):
        said["numbers"] = {**numbers, **now.get("numbers", {})}
    if isinstance(terms := earlier.get("terms"), int):
        said["terms"] = terms + now.get("terms", 0)
    return said
