"""What is said of a redaction: before a copy leaves, and of a file that went through one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.presentation.words import byte_words, number_words, one_line, plural
from inspector.redaction.catalog import RULES
from inspector.redaction.names import NOT_CHECKED

if TYPE_CHECKING:
    from inspector.presentation.redaction_places import PreviewKind, PreviewPlace, PreviewSecret
    from inspector.presentation.redaction_preview import RedactionPreview
    from inspector.runfile.model import PipelineRun

_SAYS = {rule.name: rule.says for rule in RULES}
_LONGEST = 200
_MOST_PATHS = 20
_FORMS = {
    "numbered": "numbered within this file",
    "salted": "the same in all files with one salt",
}


def leaving_words(preview: RedactionPreview) -> str:
    """Say how much is replaced in the copy, by kind."""
    counts = preview.counts
    if not counts:
        return "Nothing is replaced: the copy holds whatever the run holds."
    whole = sum(counts.values())
    verb = "is" if whole == 1 else "are"
    kinds = ", ".join(f"{number_words(count)} {rule}" for rule, count in counts.items())
    return f"{plural(whole, 'place')} {verb} replaced: {kinds}."


def staying_words(preview: RedactionPreview) -> str:
    """Say how much was unticked; empty where nothing was."""
    places = sum(len(each.places) for each in preview.unticked)
    return f"{plural(places, 'place')} that the rules found will be in the copy." if places else ""


def adds_nothing(before: RedactionPreview, now: RedactionPreview) -> bool:
    """Whether a text or a field was added that stands nowhere."""
    had, has = before.redaction, now.redaction
    is_more = len(has.terms) > len(had.terms) or len(has.fields) > len(had.fields)
    return is_more and before.counts == now.counts


def size_words(preview: RedactionPreview) -> str:
    """Say how large the run is, and how large the copy."""
    before, after = byte_words(preview.size_before), byte_words(preview.size)
    return f"{before} now, {after} in the copy with its report"


def names_words(preview: RedactionPreview) -> str:
    """Say whether names of persons were looked for; they may be there where they were, too."""
    names = f"{preview.report.names[:1].upper()}{preview.report.names[1:]}"
    if preview.report.names == NOT_CHECKED:
        return f"{names}: take out as text whoever is in it."
    return f"{names}; it does not find all of them."


def kind_words(kind: PreviewKind) -> tuple[str, str]:
    """Return what a kind is called, and what it finds."""
    return kind.rule, _SAYS.get(kind.rule, "your rule")


def kind_count_words(kind: PreviewKind) -> str:
    """Return how many places of a kind are replaced, and how many stay."""
    if kind.count == kind.total:
        return plural(kind.total, "place")
    return f"{number_words(kind.count)} of {plural(kind.total, 'place')}"


def becomes_words(secret: PreviewSecret) -> str:
    """Return what stands in the copy in place of a secret."""
    return secret.placeholder if secret.ticked else "stays"


def where_words(place: PreviewPlace) -> str:
    """Return the span and the field of a place."""
    return one_line(place.where) if place.span_id else f"run: {one_line(place.field)}"


def spoken_place(secret: PreviewSecret, place: PreviewPlace) -> str:
    """Return a place for those who hear it."""
    happens = f"becomes {secret.placeholder}" if secret.ticked else "stays"
    return f"{where_words(place)}: {place.line}; {one_line(place.secret)[:_LONGEST]} {happens}"


def saved_words(name: str, preview: RedactionPreview) -> str:
    """Say that a copy was written."""
    places = preview.report.count
    return (
        f"Saved {one_line(name)}: {plural(places, 'place')} replaced, {preview.report.names}."
        " The original is as it was."
    )


def report_lines(run: PipelineRun) -> list[tuple[str, str, str]]:
    """Return what a file says that was taken out of it: a rule, how much, and where.

    Of a file that went through no redaction there is nothing.
    """
    told = run.header.get("redaction")
    said = run.header.get("redacted")
    entries = told if isinstance(told, list) else []
    lines = [_line(entry) for entry in entries if isinstance(entry, dict)]
    if isinstance(said, dict):
        names = said.get("names")
        if isinstance(names, str):
            lines.append(("Names of persons", _words(names), ""))
        form = said.get("placeholders")
        if isinstance(form, str):
            lines.append(("Placeholders", _FORMS.get(form, _words(form)), ""))
        kept = said.get("kept")
        if isinstance(kept, int) and not isinstance(kept, bool) and kept > 0:
            lines.append(("Left in by choice", plural(kept, "text"), ""))
    return lines


def _line(entry: dict[str, Any]) -> tuple[str, str, str]:
    count = entry.get("count", 1)
    known = isinstance(count, int) and not isinstance(count, bool)
    how_many = plural(count, "place") if known else ""
    paths = entry.get("paths")
    places = [_words(path) for path in paths if isinstance(path, str)] if isinstance(
        paths, list
    ) else []  # fmt: skip
    more = len(places) - _MOST_PATHS
    shown = [*places[:_MOST_PATHS], f"and {more} more"] if more > 0 else places
    return _words(entry.get("rule")), how_many, "\n".join(shown)


def _words(value: Any) -> str:
    return one_line(value)[:_LONGEST] if isinstance(value, str) else ""
