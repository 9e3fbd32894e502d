"""Has every open run looked at by the rules that a person wants."""

from PySide6.QtCore import QObject

from inspector.gui.settings import Settings, SettingsStore
from inspector.gui.workspace.open_run import OpenRun
from inspector.gui.workspace.workspace import Workspace


class FindingsController(QObject):
    """Carries the choice of rules from the settings to the runs, and from a run back."""

    def __init__(
        self, workspace: Workspace, settings: SettingsStore, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._settings = settings
        workspace.added.connect(self._on_added)
        settings.changed.connect(self._on_settings_changed)

    def _on_added(self, open_run: OpenRun) -> None:
        open_run.findings.switch_off(self._settings.current.rules_off)
        open_run.findings.switch_wanted.connect(self._on_switch_wanted)

    def _on_settings_changed(self, chosen: Settings) -> None:
        for open_run in self._workspace.open_runs:
            open_run.findings.switch_off(chosen.rules_off)

    def _on_switch_wanted(self, rule: str, on: bool) -> None:
        others = tuple(one for one in self._settings.current.rules_off if one != rule)
        self._settings.update(rules_off=others if on else (*others, rule))
