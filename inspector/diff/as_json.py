"""A comparison as JSON and back: a stable form for programs, described by a schema."""

from __future__ import annotations

from typing import Any

import msgspec

from inspector.diff.model import COMPARISON_VERSION, Comparison
from inspector.errors import InspectorError

FORMAT = "run-comparison"


def to_dict(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as JSON; texts that are not valid Unicode become escapes."""
    found: dict[str, Any] = {
        "format": FORMAT, "version": COMPARISON_VERSION,
        "same": comparison.same, "equal": comparison.equal,
    }  # fmt: skip
    found.update(msgspec.to_builtins(comparison))
    return found


def from_dict(found: dict[str, Any]) -> Comparison:
    """Return the comparison that JSON describes.

    Raises:
        InspectorError: It describes none, or one of a later version.

    """
    if found.get("format") != FORMAT:
        raise InspectorError("This is not the comparison of two runs.")
    if found.get("version") != COMPARISON_VERSION:
        raise InspectorError(
            f"This comparison is of version {found.get('version')}; this program knows"
            f" version {COMPARISON_VERSION}."
        )
    try:
        return msgspec.convert(found, Comparison)
    except msgspec.ValidationError as error:
        raise InspectorError(f"This comparison cannot be read: {error}.") from None


def schema() -> dict[str, Any]:
    """Return the JSON schema of what `to_dict` gives."""
    made = msgspec.json.schema(Comparison)
    whole = made["$defs"]["Comparison"]
    whole["properties"] = {
        "format": {"const": FORMAT},
        "version": {"const": COMPARISON_VERSION},
        "same": {"type": "boolean"},
        "equal": {"type": "boolean"},
        **whole["properties"],
    }
    whole["required"] = ["format", "version", "same", "equal", *whole["required"]]
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The comparison of two recorded runs",
        **made,
    }
    # As a file has it: defaults that are tuples are lists there.
    return dict(msgspec.json.decode(msgspec.json.encode(whole)))
