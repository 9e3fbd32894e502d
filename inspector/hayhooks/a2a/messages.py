"""What a message says, as the value that a durable agent takes: its input, or an answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from a2a.types import Message, Part, Role
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Value
from pydantic import BaseModel, ValidationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PROMPTS = ("prompt", "query", "question", "message", "text", "input", "task", "content")
"""Fields that a plain text is meant for, in this order."""
_YES = frozenset({"yes", "y", "true", "ok", "approve", "approved", "approve it", "go ahead"})
_NO = frozenset({"no", "n", "false", "deny", "denied", "reject", "rejected", "decline"})
_MOST_PROBLEMS = 8
_LONGEST_PROBLEM = 300
_MOST_KEPT = 64_000
"""A message whose JSON is longer is kept without its parts: the input has what it said."""


class RefusedMessageError(ValueError):
    """A message does not say what the agent needs; says in words what it lacks."""

    def __init__(self, sentence: str, problems: Iterable[str], schema: Mapping[str, Any]) -> None:
        self.problems = [each[:_LONGEST_PROBLEM] for each in problems][:_MOST_PROBLEMS]
        listed = "; ".join(self.problems)
        super().__init__(f"{sentence} {listed}." if listed else sentence)
        self.schema = schema


def input_of(message: Message, model: type[BaseModel]) -> Any:
    """Return what a message that begins a task says, as input that `model` accepts.

    A data part is the input; so is a text that is a JSON object. A plain text goes into the field
    that is there for it: the only one that has to be given, `messages`, or one of `PROMPTS`.

    Raises:
        RefusedMessageError: The model accepts nothing of it.

    """
    schema = model.model_json_schema()
    said, text = _said(message)
    candidates = [*said]
    if not said and text is not None:
        decoded = _decoded(text)
        candidates = [decoded] if isinstance(decoded, dict) else []
        candidates += _with_text(text, schema)
    if not candidates:
        raise RefusedMessageError(
            "The agent takes a JSON object, as a data part or as text, with these fields:",
            [", ".join(schema.get("properties", {})) or "none"],
            schema,
        )
    problems: list[str] = []
    for each in candidates:
        try:
            model.model_validate(each)
        except ValidationError as error:
            problems = problems or problems_of(error)
            continue
        return each
    raise RefusedMessageError("The agent does not take this message:", problems, schema)


def answer_of(
    message: Message, schema: Mapping[str, Any] | None, model: type[BaseModel] | None
) -> Any:
    """Return what a message that answers a task says, as the value that resumes it.

    Args:
        message: What the client sent.
        schema: What the task said that it expects.
        model: What the agent accepts of any answer.

    Raises:
        RefusedMessageError: It is no answer to what was asked.

    """
    expected = schema or (model.model_json_schema() if model is not None else {})
    said, text = _said(message)
    candidates = [*said]
    if not said and text is not None:
        decoded = _decoded(text)
        candidates = [] if decoded is _NOT_JSON else [decoded]
        candidates += [text, *_as_answer(text, expected)]
    problems: list[str] = []
    for each in candidates or [None]:
        found = _problems(each, schema, model)
        if not found:
            return each
        problems = problems or found
    raise RefusedMessageError("This does not answer what the task asks for:", problems, expected)


def _problems(
    value: Any, schema: Mapping[str, Any] | None, model: type[BaseModel] | None
) -> list[str]:
    if schema:
        found = _against_schema(value, schema)
        if found:
            return found
    if model is not None:
        try:
            model.model_validate(value)
        except ValidationError as error:
            return problems_of(error)
    return []


def _against_schema(value: Any, schema: Mapping[str, Any]) -> list[str]:
    try:
        from jsonschema import Draft202012Validator, SchemaError
    except ImportError:  # Haystack brings it; without, the agent's own model has to do
        return []
    try:
        Draft202012Validator.check_schema(schema)
        errors = list(Draft202012Validator(schema).iter_errors(value))
    except SchemaError:
        return []  # what the agent wrote there is no schema: nobody could answer it
    except Exception as error:  # noqa: BLE001 - such as a reference that leads nowhere
        return [f"the expected schema cannot be applied ({type(error).__name__})"]
    return [f"{'.'.join(map(str, each.absolute_path)) or 'it'}: {each.message}" for each in errors]


def problems_of(error: ValidationError) -> list[str]:
    """Return what is wrong with a value, a sentence a field, without the value itself."""
    return [
        f"{'.'.join(map(str, each['loc'])) or 'it'}: {each['msg']}"
        for each in error.errors(include_url=False, include_context=False, include_input=False)
    ]


def _said(message: Message) -> tuple[list[Any], str | None]:
    """Return the data parts of a message, and its texts as one; None where it has none."""
    data = [plain(MessageToDict(part.data)) for part in message.parts if part.HasField("data")]
    texts = [part.text for part in message.parts if part.HasField("text")]
    return data, "\n".join(texts) if texts else None


_NOT_JSON = object()


def _decoded(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return _NOT_JSON


def _no_constant(word: str) -> Any:
    raise ValueError(word)


def _with_text(text: str, schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the inputs that a plain text may stand for."""
    fields = schema.get("properties")
    if not isinstance(fields, dict):
        return []
    required = [name for name in schema.get("required", ()) if name in fields]
    names = required if len(required) == 1 else []
    names += [name for name in PROMPTS if name in fields and name not in names]
    texts = [name for name, field in fields.items() if field.get("type") == "string"]
    names += texts if len(texts) == 1 and not required else []
    found: list[dict[str, Any]] = [
        {name: text} for name in names if fields[name].get("type") != "array"
    ]
    if "messages" in fields:
        found += [
            {"messages": [{"role": "user", "content": text}]},
            {"messages": [text]},
        ]
    return found


def _as_answer(text: str, schema: Mapping[str, Any]) -> list[Any]:
    """Return the answers that a word of a person may stand for: yes and no, or the one field."""
    word = text.strip().strip(".!").lower()
    choice = True if word in _YES else False if word in _NO else None
    if schema.get("type") == "boolean":
        return [] if choice is None else [choice]
    fields = schema.get("properties")
    if not isinstance(fields, dict):
        return []
    required = [name for name in schema.get("required", ()) if name in fields] or list(fields)
    if len(required) != 1:
        return []
    kind = fields[required[0]].get("type")
    if kind == "boolean":
        return [] if choice is None else [{required[0]: choice}]
    return [{required[0]: text}] if kind == "string" else []


def plain(tree: Any) -> Any:
    """Return JSON of a protobuf value with whole numbers as integers: there, all are floats."""
    if isinstance(tree, float):
        return int(tree) if tree.is_integer() and abs(tree) < 2**53 else tree
    if isinstance(tree, dict):
        return {key: plain(item) for key, item in tree.items()}
    if isinstance(tree, list):
        return [plain(item) for item in tree]
    return tree


def kept(message: Message) -> dict[str, Any]:
    """Return a message as it is kept with the execution that it began or answered."""
    tree = {key: value for key, value in MessageToDict(message).items() if key not in _BOUND}
    if len(json.dumps(tree)) > _MOST_KEPT:
        return {"messageId": tree.get("messageId", ""), "role": tree.get("role", "ROLE_USER")}
    return tree


_BOUND = frozenset({"taskId", "contextId"})
"""What a kept message does not repeat: the execution it stands with says it."""


def told(tree: Mapping[str, Any], task_id: str, context_id: str) -> Message:
    """Return a message that was kept."""
    try:
        message: Message = ParseDict(dict(tree), Message(), ignore_unknown_fields=True)
    except Exception:  # noqa: BLE001 - whatever else writes to the store may have written anything
        message = Message(role=Role.ROLE_USER)
    message.task_id, message.context_id = task_id, context_id
    return message


def text_part(text: str) -> Part:
    """Return a text as a part of a message."""
    return Part(text=text)


def data_part(tree: Any) -> Part:
    """Return JSON as a part of a message."""
    return Part(data=ParseDict(tree, Value()), media_type="application/json")
