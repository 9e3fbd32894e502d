"""What a person asks for when a run is to be replayed."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.gui.workspace.open_comparison import ComparedRun

if TYPE_CHECKING:
    from inspector.replay.limits import Limits
    from inspector.replay.protocol import Job

_NOTHING: Mapping[str, str] = {}


class ReplayRequest(NamedTuple):
    """A recording, and how it is to be replayed.

    `job` says what the worker does; its `output` is chosen when it starts, and its
    `breakpoints` are those of `breakpoints` and its own. `environment` holds what only this
    replay is given, such as keys: it is never shown, logged or kept, and a worker under
    `limits` gets none of it.
    """

    recording: ComparedRun
    job: "Job"
    python: Path | None = None  # the interpreter; None finds that of the target's project
    # Where the target is looked for; None is where the window was started. Never beside the
    # file: whoever sent it may have put code there.
    directory: Path | None = None
    limits: "Limits | None" = None  # for what a stranger has written
    environment: Mapping[str, str] = _NOTHING
    title: str = ""  # of the tab; "" makes one from the recording's
    changes: tuple[str, ...] = ()  # what is otherwise than recorded, in words; for titles
    breakpoints: tuple[Mapping[str, Any], ...] = ()  # each as `replay.gate.Breakpoint` takes it

    @property
    def shown_title(self) -> str:
        """What the tab is called."""
        return self.title or f"Replay of {self.recording.title}"

    def __repr__(self) -> str:
        """Say what is asked for, without the environment: it may hold keys."""
        return f"ReplayRequest({self.shown_title!r}, changes={self.changes!r})"
