"""What would leave this machine: each place that would be replaced, in context.

A preview is a value. Ticking, adding a term and taking that back give another preview; the
run is never changed, and nothing is written until somebody saves what `copy` returns.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from inspector.presentation.redaction_places import PreviewKind, PreviewPlace, PreviewSecret
from inspector.redaction.catalog import GROUPS
from inspector.redaction.run import look_at
from inspector.redaction.settings import Redaction
from inspector.runfile.load import load_run
from inspector.runfile.save import to_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from inspector.redaction.records import Replaced
    from inspector.redaction.report import RedactionReport
    from inspector.runfile.model import PipelineRun

__all__ = ["PreviewKind", "PreviewPlace", "PreviewSecret", "RedactionPreview"]

_LOOKED = "_looked"
Stretch = tuple[int, int, str]


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
    unticked: tuple[PreviewSecret, ...] = ()
    """What somebody wants to stay, as it was found before."""

    @cached_property
    def _looked(self) -> tuple[bytes, RedactionReport, list[Replaced]]:
        return look_at(self.run, self.redaction, environment=self.environment)

    def look(self, watch: Callable[[float], None] | None = None) -> RedactionPreview:
        """Find everything now, and not when it is asked for; returns this preview.

        Args:
            watch: Told how much is done, from 0 to 1. What it raises ends the search.

        Raises:
            RunFileError: The run cannot be read to its end.
            RedactionError: A rule needs something that is not installed.

        """
        if _LOOKED not in self.__dict__:
            found = look_at(self.run, self.redaction, environment=self.environment, watch=watch)
            self.__dict__[_LOOKED] = found  # as a cached property is kept
        self._keep_small()
        return self

    def let_go(self) -> None:
        """Keep what is shown, and forget the bytes; they are made again when asked for."""
        if _LOOKED in self.__dict__:
            self._keep_small()
            del self.__dict__[_LOOKED]

    def _keep_small(self) -> None:
        for each in (self.kinds, self.report, self.size, self.size_before, self._stretches):
            del each

    @cached_property
    def report(self) -> RedactionReport:
        """What is taken out, and what was not looked for."""
        return self._looked[1]

    @cached_property
    def size_before(self) -> int:
        """How many bytes the run has now, not compressed."""
        if self.earlier:
            return self.earlier[-1].size_before
        return len(to_bytes(self.run))

    @cached_property
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
        """What is found, by rule; also what was unticked, with the rule that had found it.

        What is unticked keeps its rank among what its rule finds, so that nothing jumps.
        """
        found: dict[str, dict[str, list[Replaced]]] = {}
        for place in self._looked[2]:
            found.setdefault(place.rule, {}).setdefault(place.placeholder, []).append(place)
        secrets = {
            rule: [_secret(places) for places in each.values()] for rule, each in found.items()
        }
        for other in sorted(self.unticked, key=lambda secret: secret.rank):
            secrets.setdefault(other.rule, []).insert(other.rank, other)
        order = {name: place for place, name in enumerate(GROUPS)}
        rules = sorted(secrets, key=lambda rule: (order.get(rule, len(order)), rule))
        return tuple(
            PreviewKind(
                rule,
                tuple(replace(secret, rank=rank) for rank, secret in enumerate(secrets[rule])),
            )
            for rule in rules
        )

    @property
    def counts(self) -> dict[str, int]:
        """How many places are replaced, by rule."""
        return {kind.rule: kind.count for kind in self.kinds if kind.count}

    @cached_property
    def _stretches(self) -> dict[tuple[str, str, bytes], list[Stretch]]:
        """What is replaced in each text, by where that stands and what it says, in order."""
        found: dict[tuple[str, str, bytes], set[Stretch]] = {}
        for place in self._looked[2]:
            stretch = (place.start, place.end, place.placeholder)
            found.setdefault((place.span_id, place.field, place.text), set()).add(stretch)
        return {text: sorted(stretches) for text, stretches in found.items()}

    def replaced_in(self, place: PreviewPlace) -> list[Stretch]:
        """Return what is replaced in the text of a place: start, end, placeholder."""
        return self._stretches.get((place.span_id, place.field, place.text), [])

    # -- changes ---------------------------------------------------------------------------

    def untick(self, secret: PreviewSecret | str) -> RedactionPreview:
        """Return the preview in which this stays, wherever it stands."""
        if not isinstance(secret, str):
            return self.untick_all((secret,))
        texts = [each for kind in self.kinds for each in kind.secrets if each.secret == secret]
        return self.untick_all(texts) if texts else self._with(self._keeping((secret,)))

    def untick_all(self, secrets: Iterable[PreviewSecret]) -> RedactionPreview:
        """Return the preview in which all of these stay."""
        news = tuple(replace(each, ticked=False) for each in secrets if each.ticked)
        return self._with(
            self._keeping(each.kept for each in news), unticked=(*self.unticked, *news)
        )

    def tick(self, secret: PreviewSecret | str) -> RedactionPreview:
        """Return the preview in which this is replaced again."""
        if not isinstance(secret, str):
            return self.tick_all((secret,))
        known = [each for each in self.unticked if secret in (each.secret, each.kept)]
        kept = tuple(each for each in self.redaction.keep if each != secret)
        if known:
            return self.tick_all(known)
        return self._with(replace(self.redaction, keep=kept))

    def tick_all(self, secrets: Iterable[PreviewSecret]) -> RedactionPreview:
        """Return the preview in which all of these are replaced again."""
        texts = {each.kept for each in secrets}
        kept = tuple(each for each in self.redaction.keep if each not in texts)
        others = tuple(each for each in self.unticked if each.kept not in texts)
        return self._with(replace(self.redaction, keep=kept), unticked=others)

    def without_rule(self, rule: str) -> RedactionPreview:
        """Return the preview without anything that a built-in rule finds."""
        return self._with(self.redaction.with_more(off=(rule,)))

    def with_term(self, text: str) -> RedactionPreview:
        """Return the preview in which a text that somebody selected is replaced, too."""
        return self._with(self.redaction.with_more(terms=(" ".join(text.split()),)))

    def with_field(self, path: str) -> RedactionPreview:
        """Return the preview in which what stands at a path is replaced, too."""
        return self._with(self.redaction.with_more(fields=(path,)))

    def with_salt(self, salt: bytes | None) -> RedactionPreview:
        """Return the preview with placeholders that are the same in all files with this salt.

        Without one they are numbered within the file.

        Raises:
            RedactionError: The salt is too short.

        """
        return self._with(replace(self.redaction, salt=salt))

    def with_names(self, *, on: bool) -> RedactionPreview:
        """Return the preview in which names and places are looked for with presidio, or not."""
        return self._with(replace(self.redaction, names=on))

    def undo(self) -> RedactionPreview:
        """Return the preview before the last change; itself when there was none."""
        return self.earlier[-1] if self.earlier else self

    def _keeping(self, texts: Iterable[str]) -> Redaction:
        return self.redaction.with_more(keep=texts)

    def _with(
        self, redaction: Redaction, *, unticked: tuple[PreviewSecret, ...] | None = None
    ) -> RedactionPreview:
        if redaction == self.redaction:
            return self
        stays = self.unticked if unticked is None else unticked
        return RedactionPreview(self.run, redaction, self.environment, (*self.earlier, self), stays)


def _secret(places: list[Replaced]) -> PreviewSecret:
    first = places[0]
    return PreviewSecret(
        first.rule, first.secret, first.placeholder, tuple(_place(place) for place in places),
        kept=first.kept or first.secret,
    )  # fmt: skip


def _place(place: Replaced) -> PreviewPlace:
    return PreviewPlace(
        place.record, place.text, place.start, place.end, place.span_id, place.field
    )
