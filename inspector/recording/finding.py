"""Finding what a word names as something to run, and turning JSON into what it takes."""

from __future__ import annotations

import asyncio
import inspect
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from inspector.errors import InspectorError

_YAML = (".yaml", ".yml")
_FORMS = "TARGET is package.module:attribute or a pipeline YAML."


def found_target(words: str) -> Any:
    """Return the pipeline, agent or component that a word on the command line means.

    Raises:
        InspectorError: There is no such thing, or it cannot be run.

    """
    try:
        return _found(words)
    except (InspectorError, KeyboardInterrupt):
        raise
    except BaseException as error:  # code of the target runs, and may raise anything
        raise InspectorError(
            f"{words} cannot be looked at: {_said(error)}.", hint=_FORMS
        ) from error


def _found(words: str) -> Any:
    if words.lower().endswith(_YAML):
        return _from_yaml(Path(words))
    module_name, colon, attribute = words.partition(":")
    if not colon or not module_name or not attribute:
        raise InspectorError(f"{words} does not say what to run.", hint=_FORMS)
    found = _attribute(_module(module_name), module_name, attribute)
    if not _runs(found) and callable(found):
        found = _made(found, words)
    if not _runs(found):
        raise InspectorError(
            f"{words} cannot be run: its type is {type(found).__name__}.",
            hint="It has to be a Pipeline, an Agent, a component, or a function that returns one.",
        )
    return found


def fitted(target: Any, data: Any) -> Any:
    """Return data with its messages and documents as the objects that a target takes.

    A file can only say `{"role": "user", "content": "..."}`, where Haystack wants a
    `ChatMessage`. What a socket asks for by its type is made from such dictionaries.

    Raises:
        InspectorError: A dictionary does not describe what is asked for.

    """
    if not isinstance(data, dict):
        return _revived(list, data) if isinstance(data, list) else data
    if not callable(getattr(target, "inputs", None)):
        return {name: _revived(None, item) for name, item in data.items()}
    sockets = target.inputs(include_components_with_connected_inputs=True)
    return {
        name: (
            {
                key: _revived(sockets[name].get(key, {}).get("type"), item)
                for key, item in part.items()
            }
            if name in sockets and isinstance(part, dict)
            else part
        )
        for name, part in data.items()
    }


def _revived(wanted: Any, value: Any) -> Any:
    from haystack import Document
    from haystack.dataclasses import ChatMessage

    words = str(wanted)
    try:
        if _is_message(value) and (wanted is None or "ChatMessage" in words):
            return ChatMessage.from_dict(value)
        if isinstance(value, dict) and "Document" in words:
            return Document.from_dict(value)
    except Exception as error:
        name = "message" if _is_message(value) else "document"
        raise InspectorError(f"The data holds a {name} that Haystack refuses: {error}.") from error
    if isinstance(value, list):
        inner = None if wanted in (None, list) else wanted
        return [_revived(inner, item) for item in value]
    return value


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and {"role", "content"} <= value.keys()


def _runs(found: Any) -> bool:
    return callable(getattr(found, "run", None)) and not isinstance(found, type)


def _said(error: BaseException) -> str:
    """Say what code of the target did instead of what it was asked for."""
    if isinstance(error, SystemExit):
        return f"it ended the program, with {error.code!r}"
    return f"{type(error).__name__}: {error}"


def _module(name: str) -> Any:
    dotted = ".".join(part for part in Path(name.removesuffix(".py")).parts if part != "..")
    meant = f"Did you mean {dotted}? " if dotted != name else ""
    if not all(part.isidentifier() for part in name.split(".")):
        raise InspectorError(f"{name} is no name of a module.", hint=f"{meant}{_FORMS}")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)  # as for `python -m`: people name what lies beside them
    try:
        return import_module(name)
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) and error.name in {
            name,
            name.split(".", maxsplit=1)[0],
        }:
            hint = f"{meant}It is looked for in {here} and where Python finds packages."
            raise InspectorError(f"There is no module {name}.", hint=hint) from error
        raise InspectorError(f"{name} cannot be imported: {error}.") from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise InspectorError(
            f"{name} cannot be imported: {_said(error)}.",
            hint=f'Try python -c "import {name}" for the whole story.',
        ) from error


def _attribute(module: Any, module_name: str, attribute: str) -> Any:
    found = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise InspectorError(
                f"There is no {attribute} in {module_name}.",
                hint=f"It has: {', '.join(_candidates(module)) or 'nothing that can be run'}.",
            )
        found = getattr(found, part)
    return found


def _candidates(module: Any) -> list[str]:
    names = (name for name in vars(module) if not name.startswith("_"))
    found = ((name, getattr(module, name, None)) for name in names)
    return [name for name, each in found if _runs(each) and not inspect.ismodule(each)][:10]


def _made(function: Any, words: str) -> Any:
    try:
        made = function()
        return asyncio.run(made) if inspect.iscoroutine(made) else made
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise InspectorError(
            f"{words}() failed: {_said(error)}.",
            hint="It is called without arguments and has to return what is to be run.",
        ) from error


def _from_yaml(path: Path) -> Any:
    from haystack import Pipeline

    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InspectorError(f"Cannot read {path.name}: {reason}.", hint=_FORMS) from error
    from inspector.recording.yaml_bounds import MOST_VALUES, unfolded_size

    try:
        size = unfolded_size(text)
        if size is None or size > MOST_VALUES:
            raise InspectorError(
                f"{path.name} is no pipeline: its aliases stand for more than {MOST_VALUES:,} "
                "values."
            )
        return Pipeline.loads(text)
    except InspectorError:
        raise
    except Exception as error:
        raise InspectorError(
            f"{path.name} is no pipeline that Haystack can load: {error}.",
            hint="Components of other packages have to be installed here.",
        ) from error
