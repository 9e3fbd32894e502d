"""The rules of the house that import-linter cannot say."""

import ast
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "inspector"
LONGEST = 400
MODULES = sorted(PACKAGE.rglob("*.py"))
# What starts a thread or a process. Locks are anybody's.
STARTERS = {
    "Process",
    "QProcess",
    "QThread",
    "QThreadPool",
    "Thread",
    "Timer",
    "_thread",
    "concurrent",
    "multiprocessing",
    "start_new_thread",
    "subprocess",
}

ALL_EXPORTS = """
from importlib import import_module
from inspector.export.kinds import KINDS
for kind in KINDS.values():
    import_module(kind.module)
"""
MAY_START = (
    "diff/extract.py",  # a matcher that takes too long can only be ended from outside
    "gui/tasks/",
    "hayhooks/embedded",  # an event loop of its own, for those who have none
    "hayhooks/fork_worker.py",
    "hayhooks/store/lanes.py",  # SQLite is waited for on a thread, never on an event loop
    "hayhooks/client/line.py",  # reads a stream while who watches it does something else
    "runfile/delivery.py",
    "runfile/writer_thread.py",
    "replay/handover.py",
    "replay/host.py",
    "replay/keyring_asking.py",  # a keyring may wait for a person for ever
    "replay/preview.py",
    "replay/telling.py",
    "replay/trial_worker.py",
    "replay/threads.py",  # starts none: it gives those that others start their context
    "replay/wires.py",  # starts none: it stops what others start during a replay
    "replay/worker.py",
    "trust/unsealing.py",  # its library holds the interpreter while it computes
    "recording/wrappers/origins.py",  # starts none: it finds out whose thread one is
)


def relative(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def name(path: Path) -> str:
    return relative(path)


def names_imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
            names |= {alias.name for alias in node.names}
            names |= set((node.module or "").split("."))
    return names


def names_used_of_threading(path: Path) -> set[str]:
    return {
        node.attr
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "threading"
    }


def modules_after(statement: str) -> set[str]:
    tell = "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    script = f"{statement}\nimport sys, json\n{tell}"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(ran.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    ("statement", "unwanted"),
    [
        ("import inspector", {"PySide6", "haystack", "orjson", "msgspec", "deepdiff", "keyring"}),
        ("from inspector import Budget, PipelineRecorder", {"PySide6", "genai_prices", "pydantic"}),
        (
            "import inspector.cost.estimating, inspector.cost.price_list",
            {"PySide6", "haystack", "genai_prices", "numpy"},
        ),
        ("from inspector import load_run", {"PySide6", "haystack", "deepdiff", "keyring", "numpy"}),
        (
            "import inspector.importers.registry, inspector.importers.dialects",
            {"PySide6", "haystack", "deepdiff", "numpy", "opentelemetry"},
        ),
        ("import inspector.recording.capture", {"PySide6", "haystack", "deepdiff", "numpy"}),
        ("import inspector.cli.main", {"PySide6", "haystack", "deepdiff", "keyring"}),
        ("import inspector.runfile.drift", {"PySide6", "haystack", "numpy", "orjson", "msgspec"}),
        (
            "import inspector.pytest_plugin",
            {"PySide6", "haystack", "orjson", "msgspec", "deepdiff", "keyring"},
        ),
        ("import inspector.diff.values", {"PySide6", "haystack", "deepdiff", "rapidfuzz", "numpy"}),
        ("import inspector.presentation.outline", {"PySide6", "haystack", "numpy"}),
        (
            "import inspector.hayhooks.client.client, inspector.hayhooks.client.index",
            {"PySide6", "haystack", "hayhooks", "pydantic", "redis", "keyring"},
        ),
        ("import inspector.replay.redacted, inspector.redaction.project", {"re2", "haystack"}),
        (
            "import inspector.presentation.redaction_preview",
            {"PySide6", "haystack", "numpy", "presidio_analyzer", "deepdiff"},
        ),
        (
            "import inspector.hayhooks.store, inspector.hayhooks.example",
            {"PySide6", "haystack", "hayhooks", "pydantic", "loguru", "redis", "fastapi"},
        ),
        (
            ALL_EXPORTS,
            {"PySide6", "haystack", "numpy", "pydantic"},
        ),
        (
            "import inspector.hayhooks.recorder.stitch, inspector.hayhooks.recorder.repeats",
            {"PySide6", "haystack", "hayhooks", "pydantic", "numpy"},
        ),
        (
            "import inspector.replay.host, inspector.presentation.live_replay",
            {"PySide6", "haystack", "numpy"},
        ),
    ],
)
def test_an_import_stays_light(statement: str, unwanted: set[str]) -> None:
    assert not modules_after(statement) & unwanted


@pytest.mark.skipif(
    importlib.util.find_spec("PySide6") is None, reason="there is no window in this environment"
)
def test_the_window_starts_without_what_it_does_not_show_yet() -> None:
    unwanted = {"haystack", "deepdiff", "keyring", "httpx", "genai_prices"}
    assert not modules_after("import inspector.gui.app") & unwanted


@pytest.mark.skipif(
    importlib.util.find_spec("PySide6") is None, reason="there is no window in this environment"
)
def test_the_window_drives_replays_without_haystack() -> None:
    driver = "inspector.gui.controllers.replay_driver, inspector.gui.tasks.replay_thread"
    assert "haystack" not in modules_after(f"import {driver}, inspector.gui.panes.replay_window")


@pytest.mark.skipif(
    importlib.util.find_spec("PySide6") is None, reason="there is no window in this environment"
)
def test_the_window_watches_hayhooks_without_it() -> None:
    asks = "inspector.gui.controllers.hayhooks_controller"
    shows = "inspector.gui.panes.hayhooks_window, inspector.gui.panes.hayhooks_execution_window"
    unwanted = {"haystack", "hayhooks", "redis", "pydantic", "keyring"}
    assert not modules_after(f"import {asks}, {shows}") & unwanted


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_no_file_outgrows_a_sitting(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_threads_start_only_where_the_house_says(path: Path) -> None:
    if not relative(path).startswith(MAY_START):
        assert not (names_imported(path) | names_used_of_threading(path)) & STARTERS


@pytest.mark.parametrize(
    ("library", "module"),
    [("re2", "redaction/linear.py"), ("presidio_analyzer", "redaction/names.py")],
)
def test_one_module_of_redactions_knows_each_library(library: str, module: str) -> None:
    assert [relative(path) for path in MODULES if library in names_imported(path)] == [module]


WIDGET_ROOMS = (
    "gui/panes/",
    "gui/dialogs/",
    "gui/widgets/",
    "gui/main_window",
    "gui/app",
    "gui/theme",
)


@pytest.mark.parametrize("path", [p for p in MODULES if relative(p).startswith("gui/")], ids=name)
def test_only_what_is_seen_uses_widgets(path: Path) -> None:
    if not relative(path).startswith(WIDGET_ROOMS):
        assert "QtWidgets" not in names_imported(path)


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_nothing_pumps_events_or_blocks_in_a_dialog(path: Path) -> None:
    called = {
        node.func.attr
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    assert "processEvents" not in called


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_no_module_is_a_drawer_without_a_label(path: Path) -> None:
    assert path.stem not in {"utils", "helpers", "common", "manager", "misc"}
