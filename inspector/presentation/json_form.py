"""A form for a JSON value, made from the JSON Schema that says what the value may be.

The schema comes from a server, so it is read with limits: what is deeper, longer or odder than
a form can show becomes a field to write JSON in, and the server has the last word in any case.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeGuard

from inspector.presentation.visible import one_line, visible_text

FieldKind = Literal["text", "integer", "number", "switch", "choice", "object", "list", "json"]

_MOST_FIELDS = 200
_DEEPEST = 6
_MOST_CHOICES = 500
_LONGEST_WORDS = 600
_KINDS: Mapping[str, FieldKind] = {
    "string": "text", "integer": "integer", "number": "number", "boolean": "switch",
    "object": "object", "array": "list",
}  # fmt: skip


class _Nothing:
    """Stands for a value that is not there; `None` is a value of JSON."""

    def __repr__(self) -> str:
        return "NOTHING"


NOTHING = _Nothing()


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One value of the form.

    Args:
        name: Its key in the object around it; empty for the whole and for items of lists.
        title: What stands beside it.
        description: What its author says of it.
        required: Whether the object around it has to have it.
        nullable: Whether it may be null.
        default: What it is when nobody says; `NOTHING` when that is not said.
        choices: The values it may have, for a choice.
        fields: What an object is made of.
        item: What each item of a list is.
        bounds: Limits by the words of JSON Schema, such as `minimum` and `maxLength`.
        why_json: Why it has to be written as JSON.

    """

    name: str = ""
    title: str = ""
    kind: FieldKind = "json"
    description: str = ""
    required: bool = True
    nullable: bool = False
    default: Any = NOTHING
    choices: tuple[Any, ...] = ()
    fields: tuple["Field", ...] = ()
    item: "Field | None" = None
    bounds: Mapping[str, Any] = field(default_factory=dict)
    why_json: str = ""
    is_long: bool = False


def form_of(schema: Mapping[str, Any] | None) -> Field:
    """Return the form for a schema; without one, a field for any JSON."""
    if not isinstance(schema, Mapping) or not schema:
        return Field(title="Value", kind="json", why_json="The server does not say what it takes.")
    return _Maker(schema).field("", schema, required=True, deep=0, through=())


class _Maker:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._left = _MOST_FIELDS

    def field(
        self, name: str, schema: Any, *, required: bool, deep: int, through: tuple[str, ...]
    ) -> Field:
        self._left -= 1
        nullable = False
        if not isinstance(schema, Mapping):
            schema = {}
        said = schema
        schema, through, problem = self._followed(schema, through)
        if not problem:
            schema, nullable, problem = self._without_null(schema)
        if not problem and "$ref" in schema:
            schema, through, problem = self._followed(schema, through)
        common = {
            "name": name,
            "title": _words(said.get("title") or schema.get("title")) or _words(name) or "Value",
            "description": _words(said.get("description") or schema.get("description")),
            "required": required,
            "nullable": nullable,
            "default": said.get("default", schema.get("default", NOTHING)),
        }
        if deep > _DEEPEST or self._left <= 0:
            problem = problem or "It is nested too deep for a form."
        if problem:
            return Field(kind="json", why_json=problem, **common)
        return self._typed(schema, common, deep, through)

    def _typed(
        self, schema: Mapping[str, Any], common: dict[str, Any], deep: int, through: tuple[str, ...]
    ) -> Field:
        if (choices := _choices(schema)) is not None:
            nullable = common["nullable"] or None in choices
            kept = tuple(choice for choice in choices if choice is not None)
            return Field(kind="choice", choices=kept, **{**common, "nullable": nullable})
        kind = _KINDS.get(str(schema.get("type", "")))
        if kind is None and isinstance(schema.get("properties"), Mapping):
            kind = "object"
        if kind == "object":
            return self._object(schema, common, deep, through)
        if kind == "list":
            items = schema.get("items")
            if not isinstance(items, Mapping) or "prefixItems" in schema:
                return Field(kind="json", why_json="A list of anything.", **common)
            item = self.field("", items, required=True, deep=deep + 1, through=through)
            return Field(kind="list", item=item, bounds=_bounds(schema), **common)
        if kind is None:
            return Field(kind="json", why_json="Anything may stand here.", **common)
        is_long = kind == "text" and schema.get("format") in ("textarea", "multiline", "markdown")
        return Field(kind=kind, bounds=_bounds(schema), is_long=is_long, **common)

    def _object(
        self, schema: Mapping[str, Any], common: dict[str, Any], deep: int, through: tuple[str, ...]
    ) -> Field:
        properties = schema.get("properties")
        if not isinstance(properties, Mapping) or not properties:
            if schema.get("additionalProperties") is False:
                return Field(kind="object", **common)
            return Field(kind="json", why_json="An object with any keys.", **common)
        if len(properties) > self._left:
            return Field(kind="json", why_json="It has too many parts for a form.", **common)
        names = schema.get("required")
        needed = {each for each in names if isinstance(each, str)} if _is_list(names) else set()
        made = tuple(
            self.field(str(key), value, required=key in needed, deep=deep + 1, through=through)
            for key, value in properties.items()
        )
        return Field(kind="object", fields=made, **common)

    def _followed(
        self, schema: Mapping[str, Any], through: tuple[str, ...]
    ) -> tuple[Mapping[str, Any], tuple[str, ...], str]:
        """Return what a reference stands for, and an only part of `allOf`."""
        for _ in range(_DEEPEST):
            parts = schema.get("allOf")
            if _is_list(parts) and len(parts) == 1 and isinstance(parts[0], Mapping):
                rest = {key: value for key, value in schema.items() if key != "allOf"}
                schema = {**parts[0], **rest}
                continue
            if "$ref" not in schema:
                return schema, through, "" if not parts else "It is put together from parts."
            name = str(schema["$ref"])
            if name in through:
                return {}, through, "It may hold others of its sort."
            found = self._at(name)
            if found is None:
                return {}, through, "The schema refers to something that is not in it."
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            schema, through = {**found, **rest}, (*through, name)
        return {}, through, "The schema goes in circles."

    def _at(self, name: str) -> Mapping[str, Any] | None:
        if not name.startswith("#/"):
            return None  # nothing is ever fetched
        found: Any = self._root
        for step in name[2:].split("/"):
            key = step.replace("~1", "/").replace("~0", "~")
            found = found.get(key) if isinstance(found, Mapping) else None
        return found if isinstance(found, Mapping) else None

    def _without_null(self, schema: Mapping[str, Any]) -> tuple[Mapping[str, Any], bool, str]:
        """Take null out of what a value may be; return the rest, and whether it was there."""
        kinds = schema.get("type")
        if _is_list(kinds):
            left = [kind for kind in kinds if kind != "null"]
            if len(left) == 1:
                return {**schema, "type": left[0]}, len(left) < len(kinds), ""
            return {}, len(left) < len(kinds), "It may be of several types."
        for word in ("anyOf", "oneOf"):
            ways = schema.get(word)
            if not _is_list(ways):
                continue
            others = [way for way in ways if not _is_null(way)]
            is_nullable = len(others) < len(ways)
            rest = {key: value for key, value in schema.items() if key != word}
            if len(others) == 1 and isinstance(others[0], Mapping):
                return {**others[0], **rest}, is_nullable, ""
            return {}, is_nullable, "It may be of several types."
        return schema, False, ""


def _choices(schema: Mapping[str, Any]) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    if _is_list(values) and 0 < len(values) <= _MOST_CHOICES:
        return list(values)
    return None


_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems")


def _bounds(schema: Mapping[str, Any]) -> dict[str, Any]:
    def is_number(value: Any) -> bool:
        return isinstance(value, int | float) and not isinstance(value, bool)

    return {word: schema[word] for word in (*_NUMBERS, *_COUNTS) if is_number(schema.get(word))}


def _is_null(way: Any) -> bool:
    return isinstance(way, Mapping) and way.get("type") == "null"


def _is_list(value: Any) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _words(value: Any) -> str:
    return one_line(visible_text(value))[:_LONGEST_WORDS] if isinstance(value, str) else ""
