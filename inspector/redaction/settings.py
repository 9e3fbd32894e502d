"""What a redaction is told: which rules, whose terms, which form of placeholder."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from inspector.errors import RedactionError
from inspector.redaction.catalog import GROUPS, RULES_VERSION
from inspector.redaction.names import NOT_CHECKED, name_finder, why_not
from inspector.redaction.own_rules import OwnRules
from inspector.redaction.salts import salt_check, salt_of_environment
from inspector.redaction.scanner import Scanner

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_RULE_NAME = re.compile(r"[a-z][a-z0-9-]{0,40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Redaction:
    """How secrets and personal data are taken out.

    Every form of rule is used with either form of placeholder: numbers that hold within one
    file, or, with a salt, digests that are the same in all files with that salt.

    Args:
        off: Built-in rules that are not asked, such as `"ip"`.
        terms: Texts of yours; case does not count.
        fields: Paths whose values are taken out whatever they say, such as `"meta.customer"`.
        rules: Patterns of yours by name, in RE2's syntax, which runs in linear time.
        keep: What stays although a rule finds it, such as `"support@example.org"`.
        salt: At least 8 characters that files share; it is kept in none of them.
        names: Look for names and places, with presidio.
        environment: Take out the values of variables that hold secrets.

    Raises:
        RedactionError: One of these makes no sense.

    """

    off: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    rules: tuple[tuple[str, str], ...] = ()
    keep: tuple[str, ...] = ()
    salt: bytes | None = None
    names: bool = False
    environment: bool = True

    def __post_init__(self) -> None:
        given: Any = self.rules
        if isinstance(given, dict):
            given = given.items()
        try:
            rules = tuple((str(name), str(pattern)) for name, pattern in given)
        except (TypeError, ValueError):
            raise RedactionError(
                "The rules of a redaction are patterns by name.",
                hint='Write rules={"employee": "EMP-[0-9]{4}"}.',
            ) from None
        object.__setattr__(self, "rules", rules)
        for name in ("off", "terms", "fields", "keep"):
            object.__setattr__(self, name, _texts(name, getattr(self, name)))
        salt: Any = self.salt
        if isinstance(salt, str):
            object.__setattr__(self, "salt", salt.encode())
        self._check()

    def _check(self) -> None:
        for name in self.off:
            if name not in GROUPS:
                raise RedactionError(
                    f"There is no rule {name}.", hint=f"There are {', '.join(GROUPS)}."
                )
        for name, _ in self.rules:
            if not _RULE_NAME.fullmatch(name) or name in GROUPS or name == "secret":
                raise RedactionError(
                    f"A rule cannot be called {name!r}.",
                    hint="Use small letters, digits and hyphens, and no name of a built-in rule.",
                )
        if not all(term.strip() for term in self.terms):
            raise RedactionError(
                "A term to take out is empty.", hint="A variable of the shell may not be set."
            )
        if self.salt is not None:
            salt_check(self.salt)
        OwnRules(self.terms, self.rules)

    def scanner(self, environment: Mapping[str, str] | None = None) -> Scanner:
        """Return what finds all this in a text.

        Args:
            environment: Values that are secrets, by the names of their variables.

        Raises:
            RedactionError: Names are asked for, and cannot be looked for here.

        """
        own = self.own(environment)
        return Scanner(
            frozenset(self.off),
            own if own else None,
            frozenset(kept.casefold().encode() for kept in self.keep)
            | frozenset(kept.encode() for kept in self.keep),
            name_finder() if self.names else None,
            kinds=frozenset(name for name, _ in self.rules),
        )

    def own(self, environment: Mapping[str, str] | None = None) -> OwnRules:
        """Return the user's own rules."""
        return OwnRules(self.terms, self.rules, environment if self.environment else None)

    @property
    def names_words(self) -> str:
        """Say whether names were looked for."""
        return "names checked with presidio" if self.names else NOT_CHECKED

    def said(self) -> dict[str, Any]:
        """Return what a file says of this: enough to do it again, and no secret."""
        told: dict[str, Any] = {
            "rules_version": RULES_VERSION,
            "placeholders": "numbered" if self.salt is None else "salted",
            "names": self.names_words,
        }
        if self.salt is not None:
            told["salt_check"] = salt_check(self.salt)
        if self.off:
            told["off"] = list(self.off)
        if self.fields:
            told["fields"] = list(self.fields)
        if self.rules:
            told["rules"] = dict(self.rules)
        if self.terms:
            # Terms are secrets: only how many there were.
            told["terms"] = len(self.terms)
        if self.keep:
            told["kept"] = len(self.keep)
        return told

    def together_with(self, other: Redaction) -> Redaction:
        """Return one that takes out what either does; the form is that of this one."""
        return replace(
            self,
            off=tuple(name for name in self.off if name in other.off),
            terms=tuple(dict.fromkeys((*self.terms, *other.terms))),
            fields=tuple(dict.fromkeys((*self.fields, *other.fields))),
            rules=tuple({**dict(other.rules), **dict(self.rules)}.items()),
            keep=tuple(text for text in self.keep if text in other.keep),
            names=self.names or other.names,
            environment=self.environment or other.environment,
        )

    def with_more(
        self,
        terms: Iterable[str] = (),
        fields: Iterable[str] = (),
        keep: Iterable[str] = (),
        off: Iterable[str] = (),
    ) -> Redaction:
        """Return the same with further terms, fields, rules to leave out, or things to keep."""
        return replace(
            self,
            terms=tuple(dict.fromkeys((*self.terms, *terms))),
            fields=tuple(dict.fromkeys((*self.fields, *fields))),
            keep=tuple(dict.fromkeys((*self.keep, *keep))),
            off=tuple(dict.fromkeys((*self.off, *off))),
        )


def from_said(said: Any, own: Redaction | None = None, salt: bytes | None = None) -> Redaction:
    """Return the redaction that a file says it went through.

    Args:
        said: What its header has under `redacted`.
        own: Where terms come from, and what was kept: files do not say these.
        salt: The shared salt, where the file has one; that of the environment unless given.

    Raises:
        RedactionError: A rule in the file makes no sense.

    """
    told = said if isinstance(said, dict) else {}
    rules = told.get("rules")
    redaction = Redaction(
        off=tuple(name for name in _list(told.get("off")) if name in GROUPS),
        fields=tuple(_list(told.get("fields"))),
        rules=tuple(rules.items()) if isinstance(rules, dict) else (),
        terms=() if own is None else own.terms,
        keep=() if own is None else own.keep,
        names="presidio" in str(told.get("names")) and not why_not(),
    )
    if told.get("placeholders") != "salted":
        return redaction
    for candidate in (salt, None if own is None else own.salt, salt_of_environment()):
        if candidate is not None and salt_check(candidate) == told.get("salt_check"):
            return replace(redaction, salt=candidate)
    return redaction


def redaction_from(settings: Mapping[str, Any], where: str) -> Redaction:
    """Return the redaction that a table of settings describes.

    Raises:
        RedactionError: It has settings that there are not.

    """
    known = {field.name for field in fields(Redaction)} - {"salt"} | {"salt_env"}
    if unknown := sorted(set(settings) - known):
        raise RedactionError(
            f"{where} has no setting {unknown[0]!r} for redactions.",
            hint=f"There are {', '.join(sorted(known))}.",
        )
    given = dict(settings)
    variable = given.pop("salt_env", None)
    salt = None
    if variable is not None:
        salt = salt_of_environment(str(variable))
        if salt is None:
            raise RedactionError(
                f"{where} wants the salt from {variable}, which is not set.",
                hint="Set it, or leave salt_env out for placeholders of one file.",
            )
    return Redaction(salt=salt, **given)


def _texts(name: str, given: Any) -> tuple[str, ...]:
    if isinstance(given, str):
        given = (given,)
    try:
        texts = tuple(given)
    except TypeError:
        texts = (None,)
    if not all(isinstance(text, str) for text in texts):
        raise RedactionError(f"`{name}` of a redaction is a list of texts, not {given!r}.")
    return texts


def _list(given: Any) -> list[str]:
    return [text for text in given if isinstance(text, str)] if isinstance(given, list) else []
