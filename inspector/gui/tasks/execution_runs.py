"""Executions as runs, and forks of them: what workers do for the window."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.hayhooks.as_run import fetched
from inspector.hayhooks.recorder.layout import folder_name
from inspector.hayhooks.recorder.options import FOLDER_VARIABLE

if TYPE_CHECKING:
    from inspector.hayhooks.client.client import HayhooksClient
    from inspector.hayhooks.client.index import ExecutionIndex
    from inspector.hayhooks.client.model import Execution

STORE_VARIABLE = "RUN_INSPECTOR_HAYHOOKS_STORE"


@dataclass(frozen=True, slots=True)
class ForkRequest:
    """What a person wants of a fork.

    Args:
        store: Where the checkpoint is.
        target: What runs it.
        python: Its interpreter; empty for that of the target's project.
        directory: Where it is looked for; empty for the working directory.
        answer: JSON that it is resumed with; empty for none.

    """

    store: str
    target: str
    python: str = ""
    directory: str = ""
    answer: str = ""


def has_hayhooks() -> bool:
    """Whether stores can be read and executions be run here."""
    return find_spec("hayhooks") is not None


def recorded_folder(execution: str) -> Path | None:
    """Return where our recorder kept an execution, if that is a folder of this machine."""
    place = os.environ.get(FOLDER_VARIABLE)
    folder = Path(place).expanduser() / folder_name(execution) if place else None
    return folder if folder is not None and folder.is_dir() else None


def document_of(
    client: "HayhooksClient",
    index: "ExecutionIndex",
    execution: "Execution",
    store: str | None,
    cancelled: Callable[[], bool],
) -> bytes:
    """Return what is known of an execution; without its store where that does not answer.

    Raises:
        InspectorError: It was stopped.

    """
    from inspector.errors import InspectorError

    try:
        return fetched(client, index, execution, place=store, cancelled=cancelled)[0]
    except InspectorError:
        if store is None or cancelled():
            raise
        return fetched(client, index, execution, cancelled=cancelled)[0]


def forked_to(
    place: Path,
    request: ForkRequest,
    deployment: str,
    execution: str,
    said: Callable[[str], None],
    cancelled: Callable[[], bool],
) -> str:
    """Fork an execution and save the run; return the status that it ended with.

    Raises:
        InspectorError: It cannot be done, or was stopped.

    """
    from inspector.hayhooks.fork import NO_ANSWER, fork
    from inspector.hayhooks.stored import read_stored
    from inspector.replay.interpreter import interpreter_for

    directory = Path(request.directory).expanduser() if request.directory else None
    answer: Any = _json(request.answer) if request.answer.strip() else NO_ANSWER
    said("Reading the checkpoint…")
    stored = read_stored(request.store, deployment, execution)
    said("Starting a process for the target…")
    forked = fork(
        stored,
        request.target,
        answer=answer,
        python=request.python or interpreter_for(request.target, directory),
        directory=directory,
        said=said,
        cancelled=cancelled,
    )
    forked.run.save(place)
    return forked.status


def _json(text: str) -> Any:
    import json

    from inspector.errors import InspectorError

    try:
        return json.loads(text)
    except ValueError as error:
        raise InspectorError(f"The answer is no JSON: {error}.") from error
