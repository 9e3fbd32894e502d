"""Look at what this program needs of the machine, and say what is missing."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from inspector.cli.exit_codes import FINE, FOUND
from inspector.cli.open_window import has_display
from inspector.cli.output import to_json, write_json, write_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

_OLDEST_PYTHON = (3, 11)
_OLDEST_HAYSTACK = (3, 1)
_NEEDED = ("orjson", "msgspec", "platformdirs")
_NAME = "run-inspector"
_WINDOW = 'pip install "haystack-run-inspector[gui]"'


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. `missing` is a matter for the exit code, `absent` is not."""

    name: str
    state: Literal["ok", "absent", "missing"]
    words: str
    hint: str = ""


_MARKS = {"ok": "✓", "absent": "–", "missing": "✕"}


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: Namespace) -> int:
    """Look at everything. 1: something that is needed is missing."""
    checks = list(_checks())
    if args.json:
        write_json([to_json([asdict(check) for check in checks], indent=2)])
    else:
        width = max(len(check.name) for check in checks)
        for check in checks:
            write_line(f"{_MARKS[check.state]} {check.name:{width}}  {check.words}")
            if check.hint:
                write_line(f"  {'':{width}}  {check.hint}")
    return FOUND if any(check.state == "missing" for check in checks) else FINE


def _checks() -> Iterator[Check]:
    yield _python()
    yield _installed("haystack-run-inspector", needed=False)
    for name in _NEEDED:
        yield _installed(name, needed=True)
    yield _zstd()
    yield _haystack()
    yield _extra("py-minisign", "sign", "run files cannot be signed, nor signatures checked")
    yield _extra("pyrage", "seal", "runs cannot be sealed, nor sealed ones opened")
    yield _extra("hayhooks", "hayhooks", "servers are asked; no execution is run here")
    yield _extra("a2a-sdk", "a2a", "agents are asked, but none is offered over A2A")
    yield _tracing()
    yield _window()
    yield _display()
    yield from _directories()


def _python() -> Check:
    words = sys.version.split()[0]
    if sys.version_info[:2] < _OLDEST_PYTHON:
        return Check("Python", "missing", f"{words} is too old", "3.11 or later is needed.")
    return Check("Python", "ok", f"{words}, {sys.executable}")


def _installed(name: str, *, needed: bool) -> Check:
    found = _version(name)
    if found is not None:
        return Check(name, "ok", found)
    if needed:
        return Check(name, "missing", "not installed", f"pip install {name}")
    return Check(name, "absent", "not installed: this is a checkout")


def _zstd() -> Check:
    for module in ("compression.zstd", "backports.zstd"):
        with suppress(ImportError):
            import_module(module)
            return Check("zstd", "ok", f"{module}: reads and writes *.run.json.zst")
    return Check("zstd", "missing", "not installed", "pip install backports.zstd")


def _extra(name: str, extra: str, lacks: str) -> Check:
    found = _version(name)
    if found is not None:
        return Check(name, "ok", found)
    hint = f"pip install 'haystack-run-inspector[{extra}]'"
    return Check(name, "absent", f"not installed: {lacks}", hint)


def _haystack() -> Check:
    found = _version("haystack-ai")
    if found is None:
        words = "not installed here: runs open, but cannot be recorded"
        return Check("Haystack", "absent", words, "pip install haystack-ai")
    if _numbers(found) < _OLDEST_HAYSTACK:
        return Check("Haystack", "missing", f"{found} is too old", "3.1 or later is needed.")
    return Check("Haystack", "ok", found)


def _tracing() -> Check:
    # Only what the environment says: loading Haystack to ask it would take a second.
    names = ("HAYSTACK_AUTO_TRACE_ENABLED", "HAYSTACK_CONTENT_TRACING_ENABLED")
    told = [f"{name}={os.environ[name]}" for name in names if name in os.environ]
    others = [name for name in ("opentelemetry-sdk", "ddtrace", "langfuse") if _version(name)]
    words = "a recording needs no setting"
    if told:
        words += f"; {', '.join(told)}"
    if others:
        words += f"; shared with {', '.join(others)}"
    return Check("Tracing", "ok", words)


def _window() -> Check:
    found = _version("PySide6-Essentials") or _version("PySide6")
    if find_spec("PySide6") is None:
        return Check("Window", "absent", "PySide6 is not installed", _WINDOW)
    try:
        # By name, because only the window's own code may depend on Qt.
        import_module("PySide6.QtWidgets")
    except ImportError as error:
        return Check("Window", "missing", f"PySide6 cannot be loaded: {error}", _libraries(error))
    lacking = [name for name in ("pygments", "numpy") if find_spec(name) is None]
    if lacking:
        return Check("Window", "missing", f"{' and '.join(lacking)} not installed", _WINDOW)
    return Check("Window", "ok", f"PySide6 {found or 'of unknown version'}")


def _libraries(error: ImportError) -> str:
    name = str(error).partition(":")[0]
    return f"On Debian and Ubuntu, look for the package of {name} with: apt-file search {name}"


def _display() -> Check:
    if not has_display():
        words = "none: no window can be shown, everything else works"
        return Check("Display", "absent", words)
    if sys.platform.startswith("linux") and (lacking := _plugin_lacks()):
        return Check(
            "Display", "missing", lacking, "Install the library with the system's packages."
        )
    names = ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "DISPLAY")
    told = next((f"{name}={os.environ[name]}" for name in names if os.environ.get(name)), "")
    return Check("Display", "ok", told or "the system's own")


def _plugin_lacks() -> str:
    """Return which library keeps Qt from reaching the display; Qt itself would abort over it."""
    if os.environ.get("QT_QPA_PLATFORM") or find_spec("PySide6") is None:
        return ""
    import ctypes

    with suppress(ImportError):
        import_module("PySide6.QtGui")
    spec = find_spec("PySide6")
    assert spec is not None
    for place in spec.submodule_search_locations or ():
        plugin = Path(place) / "Qt" / "plugins" / "platforms" / "libqxcb.so"
        if plugin.is_file() and not os.environ.get("WAYLAND_DISPLAY"):
            try:
                ctypes.CDLL(str(plugin))
            except OSError as error:
                return str(error)
    return ""


def _directories() -> Iterator[Check]:
    from platformdirs import user_cache_path, user_data_path, user_state_path

    places = {
        "Cache": user_cache_path(_NAME, appauthor=False),
        "State": user_state_path(_NAME, appauthor=False),
        "Data": user_data_path(_NAME, appauthor=False),
    }
    for name, path in places.items():
        existing = path
        while not existing.exists() and existing != existing.parent:
            existing = existing.parent
        if existing.is_dir() and os.access(existing, os.W_OK):
            yield Check(name, "ok", str(path))
        else:
            yield Check(name, "missing", f"{path} cannot be written", f"Look at {existing}.")


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _numbers(words: str) -> tuple[int, ...]:
    return tuple(int(part) for part in words.split(".")[:2] if part.isdigit())
