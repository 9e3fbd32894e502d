"""What a person chose, and what the window remembers by itself."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

MOST_RECENT_FILES = 12
MOST_SEARCHES = 30
MOST_REPLAYS = 50
_MOST_WITH_BREAKPOINTS = 60  # runs


class ThemeChoice(StrEnum):
    """Which colours a person wants."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class Settings(NamedTuple):
    """Every choice there is, with the value it has until the user chooses."""

    theme: ThemeChoice = ThemeChoice.SYSTEM
    text_scale: float = 1.0
    reduce_motion: bool = False
    reuse_window: bool = True
    restore_tabs: bool = True
    rules_off: tuple[str, ...] = ()  # names of rules that find nothing


SMALLEST_TEXT, LARGEST_TEXT = 0.75, 2.0


def settings_from(stored: Mapping[str, Any]) -> Settings:
    """Return the choices in `stored`, and the default for each that is missing or odd.

    A settings file may have been edited by hand or written by a newer version:
    one value that makes no sense must not lose the others, or stop the start.
    """
    chosen: dict[str, Any] = {}
    for name in Settings._fields:
        value = stored.get(name)
        if name == "theme":
            if value in set(ThemeChoice):
                chosen["theme"] = ThemeChoice(value)
        elif name == "text_scale":
            if isinstance(value, int | float) and SMALLEST_TEXT <= value <= LARGEST_TEXT:
                chosen["text_scale"] = float(value)
        elif name == "rules_off":
            if isinstance(value, list) and all(isinstance(rule, str) for rule in value):
                chosen["rules_off"] = tuple(value)
        elif isinstance(value, bool):
            chosen[name] = value
    return Settings(**chosen)


class SettingsStore(QObject):
    """Keeps the choices and tells who listens when one changes."""

    changed = Signal(object)  # Settings

    def __init__(self, disk: QSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._disk = disk
        self._current = settings_from(_mapping(disk.value("settings")))

    @property
    def current(self) -> Settings:
        return self._current

    def update(self, **choices: Any) -> None:
        """Choose; what is already chosen is no change."""
        chosen = self._current._replace(**choices)
        if chosen == self._current:
            return
        self._current = chosen
        import json

        self._disk.setValue("settings", json.dumps(chosen._asdict()))
        self.changed.emit(chosen)


class Memory(QObject):
    """What the window remembers without being told: recent files, sizes, layouts."""

    recent_changed = Signal()

    def __init__(self, disk: QSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._disk = disk

    @property
    def recent_files(self) -> tuple[Path, ...]:
        """The files opened last, the newest first; some may be gone by now."""
        stored = _list(self._disk.value("recent_files"))
        return tuple(Path(path) for path in stored if isinstance(path, str))[:MOST_RECENT_FILES]

    def remember_file(self, path: Path) -> None:
        """Put a file at the head of the recent ones."""
        others = [one for one in self.recent_files if one != path]
        self._keep_recent([path, *others][:MOST_RECENT_FILES])

    def forget_file(self, path: Path) -> None:
        """Take one file off the recent ones."""
        self._keep_recent([one for one in self.recent_files if one != path])

    def forget_files(self) -> None:
        """Forget every recent file, and which of them were open."""
        self._keep_recent([])
        self.keep_tabs([])

    @property
    def tabs(self) -> list[Any]:
        """What was open when the window was closed, as it was stored."""
        return _list(self._disk.value("tabs"))

    def keep_tabs(self, tabs: list[dict[str, Any]]) -> None:
        """Remember what is open."""
        import json

        self._disk.setValue("tabs", json.dumps(tabs))

    def breakpoints(self, name: str) -> Any:
        """Return the breakpoints of a run as they were stored, by the name of the run."""
        return _mapping(self._disk.value("breakpoints")).get(name)

    def keep_breakpoints(self, name: str, told: list[dict[str, Any]]) -> None:
        """Remember the breakpoints of a run; of the runs longest ago they are forgotten."""
        import json

        others = {
            key: value
            for key, value in _mapping(self._disk.value("breakpoints")).items()
            if key != name
        }
        kept = [*others.items(), *([(name, told)] if told else [])]
        self._disk.setValue("breakpoints", json.dumps(dict(kept[-_MOST_WITH_BREAKPOINTS:])))

    @property
    def searches(self) -> tuple[str, ...]:
        """What was searched for last, the newest first."""
        stored = _list(self._disk.value("searches"))
        return tuple(line for line in stored if isinstance(line, str))[:MOST_SEARCHES]

    def remember_search(self, line: str) -> None:
        """Put a line at the head of those that were searched for."""
        import json

        others = [one for one in self.searches if one != line]
        self._disk.setValue("searches", json.dumps([line, *others][:MOST_SEARCHES]))

    def replay(self, pipeline: str) -> Mapping[str, str]:
        """How a pipeline was replayed the last time; empty when it never was."""
        kept = _mapping(self._disk.value("replays")).get(pipeline)
        found = kept.items() if isinstance(kept, dict) else ()
        return {name: value for name, value in found if isinstance(value, str)}

    def remember_replay(self, pipeline: str, kept: Mapping[str, str]) -> None:
        """Keep how a pipeline was replayed; the oldest is forgotten when there are many."""
        import json

        others = {
            name: value
            for name, value in _mapping(self._disk.value("replays")).items()
            if name != pipeline
        }
        newest = dict([*others.items(), (pipeline, dict(kept))][-MOST_REPLAYS:])
        self._disk.setValue("replays", json.dumps(newest))

    def bytes(self, key: str) -> QByteArray:
        """Return what Qt wants to have kept, such as a window's geometry."""
        stored = self._disk.value(key)
        return stored if isinstance(stored, QByteArray) else QByteArray()

    def keep_bytes(self, key: str, state: QByteArray) -> None:
        self._disk.setValue(key, state)

    @property
    def prices(self) -> tuple[Path | None, bool, str]:
        """Whose prices were chosen last: a list, whether it alone, and of which day."""
        stored = _mapping(self._disk.value("prices"))
        path, as_of = stored.get("path"), stored.get("as_of")
        return (
            Path(path) if isinstance(path, str) and path and "\0" not in path else None,
            stored.get("only") is True,
            "today" if as_of == "today" else "run",
        )

    def remember_prices(self, path: Path | None, only: bool, as_of: str) -> None:
        """Remember whose prices were chosen."""
        import json

        kept = {"path": "" if path is None else str(path), "only": only, "as_of": as_of}
        self._disk.setValue("prices", json.dumps(kept))

    @property
    def github(self) -> str:
        """The address of the GitHub that was asked last; empty for github.com."""
        return str(self._disk.value("github") or "")[:1_000]

    def remember_github(self, address: str) -> None:
        self._disk.setValue("github", address.strip())

    @property
    def last_folder(self) -> str:
        return str(self._disk.value("last_folder") or "")

    def remember_folder(self, folder: Path) -> None:
        self._disk.setValue("last_folder", str(folder))

    def _keep_recent(self, paths: list[Path]) -> None:
        if tuple(paths) == self.recent_files:
            return
        import json

        self._disk.setValue("recent_files", json.dumps([str(path) for path in paths]))
        self.recent_changed.emit()


def _parsed(stored: Any) -> Any:
    if not stored:
        return None
    import json

    try:
        return json.loads(stored) if isinstance(stored, str) else None
    except ValueError:
        return None


def _mapping(stored: Any) -> Mapping[str, Any]:
    parsed = _parsed(stored)
    return parsed if isinstance(parsed, dict) else {}


def _list(stored: Any) -> list[Any]:
    parsed = _parsed(stored)
    return parsed if isinstance(parsed, list) else []
