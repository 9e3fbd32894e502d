"""What would leave this machine: each place that would be replaced, in context.

A preview is a value. Ticking, adding a term and taking that back give another preview; the
run is never changed, and nothing is written until somebody saves what `copy` returns.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from inspector.presentation.visible import one_line
from inspector.redaction.catalog import GROUPS, group_of
from inspector.redaction.run import look_at
from inspector.redaction.settings import Redaction
from inspector.runfile.load import load_run
from inspector.runfile.save import to_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inspector.redaction.records import Replaced
    from inspector.redaction.report import RedactionReport
    from inspector.runfile.model import PipelineRun

_AROUND = 60


@dataclass(frozen=True, slots=True)
class PreviewPlace:
    """One place: what stands before it, what is taken out, and what stands after it."""

    where: str
    before: str
    secret: str
    after: str

    @property
    def line(self) -> str:
        """The place on one line, as it is now."""
        return one_line(f"{self.before}{self.secret}{self.after}")


@dataclass(frozen=True, slots=True)
class PreviewSecret:
    """One secret with all its places. Ticked, it is replaced in all of them."""

    rule: str
    secret: str
    placeholder: str
    places: tuple[PreviewPlace, ...]
    ticked: bool = True

    @property
    def group(self) -> str:
        """`credentials` or `personal data`."""
        return group_of(self.rule)


@dataclass(frozen=True, slots=True)
class PreviewKind:
    """What one rule finds."""

    rule: str
    secrets: tuple[PreviewSecret, ...]

    @property
    def count(self) -> int:
        """How many places are replaced."""
        return sum(len(each.places) for each in self.secrets if each.ticked)


@dataclass(frozen=True)
class RedactionPreview:
    """What a redaction would do to a run.

    Args:
        run: The run; it stays as it is.
        redaction: The rules. What was unticked is in its `keep`.
        environment: Values that are secrets, by the names of their variables; those of this
            process unless given.

    """

    run: PipelineRun
    redaction: Redaction = field(default_factory=Redaction)
    environment: Mapping[str, str] | None = None
    earlier: tuple[RedactionPreview, ...] = ()
    """The previews before this one, for undo."""

    @cached_property
    def _looked(self) -> tuple[bytes, RedactionReport, list[Replaced]]:
        return look_at(self.run, self.redaction, environment=self.environment)

    @property
    def report(self) -> RedactionReport:
        """What is taken out, and what was not looked for."""
        return self._looked[1]

    @cached_property
    def size_before(self) -> int:
        """How many bytes the run has now, not compressed."""
        return len(to_bytes(self.run))

    @property
    def size(self) -> int:
        """How many bytes would leave, not compressed."""
        return len(self._looked[0])

    @property
    def data(self) -> bytes:
        """Exactly the bytes that would leave, not compressed."""
        return self._looked[0]

    def copy(self) -> PipelineRun:
        """Return the run that would leave; save it to keep it."""
        return load_run(self.data)

    @cached_property
    def kinds(self) -> tuple[PreviewKind, ...]:
        """What is found, by rule; also what was unticked, with the rule that had found it."""
        found: dict[str, dict[str, list[Replaced]]] = {}
        for place in self._looked[2]:
            found.setdefault(place.rule, {}).setdefault(place.placeholder, []).append(place)
        secrets = {
            rule: [_secret(places) for places in each.values()] for rule, each in found.items()
        }
        for other in self.unticked:
            secrets.setdefault(other.rule, []).append(other)
        order = {name: place for place, name in enumerate(GROUPS)}
        rules = sorted(secrets, key=lambda rule: (order.get(rule, len(order)), rule))
        return tuple(PreviewKind(rule, tuple(secrets[rule])) for rule in rules)

    @cached_property
    def unticked(self) -> tuple[PreviewSecret, ...]:
        """What somebody wants to stay, as it was found before."""
        kept: dict[str, PreviewSecret] = {}
        for preview in self.earlier:
            for kind in preview.kinds:
                for secret in kind.secrets:
                    if secret.secret in self.redaction.keep:
                        kept[secret.secret] = replace(secret, ticked=False)
        return tuple(kept.values())

    @property
    def counts(self) -> dict[str, int]:
        """How many places are replaced, by rule."""
        return {kind.rule: kind.count for kind in self.kinds if kind.count}

    # -- changes ---------------------------------------------------------------------------

    def untick(self, secret: PreviewSecret | str) -> RedactionPreview:
        """Return the preview in which this stays, wherever it stands."""
        text = secret if isinstance(secret, str) else secret.secret
        return self._with(self.redaction.with_more(keep=(text,)))

    def tick(self, secret: PreviewSecret | str) -> RedactionPreview:
        """Return the preview in which this is replaced again."""
        text = secret if isinstance(secret, str) else secret.secret
        kept = tuple(each for each in self.redaction.keep if each != text)
        return self._with(replace(self.redaction, keep=kept))

    def without_rule(self, rule: str) -> RedactionPreview:
        """Return the preview without anything that a built-in rule finds."""
        return self._with(self.redaction.with_more(off=(rule,)))

    def with_term(self, text: str) -> RedactionPreview:
        """Return the preview in which a text that somebody selected is replaced, too."""
        return self._with(self.redaction.with_more(terms=(" ".join(text.split()),)))

    def with_field(self, path: str) -> RedactionPreview:
        """Return the preview in which what stands at a path is replaced, too."""
        return self._with(self.redaction.with_more(fields=(path,)))

    def undo(self) -> RedactionPreview:
        """Return the preview before the last change; itself when there was none."""
        return self.earlier[-1] if self.earlier else self

    def _with(self, redaction: Redaction) -> RedactionPreview:
        if redaction == self.redaction:
            return self
        return RedactionPreview(self.run, redaction, self.environment, (*self.earlier, self))


def _secret(places: list[Replaced]) -> PreviewSecret:
    first = places[0]
    return PreviewSecret(
        first.rule, first.secret, first.placeholder, tuple(_place(place) for place in places)
    )


def _place(place: Replaced) -> PreviewPlace:
    text = place.text
    before = text[max(0, place.start - _AROUND) : place.start].decode("utf-8", "ignore")
    after = text[place.end : place.end + _AROUND].decode("utf-8", "ignore")
    return PreviewPlace(
        place.record, before.rpartition("\0")[2], place.secret, after.partition("\0")[0]
    )
