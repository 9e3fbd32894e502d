"""A stranger's files do nothing: in commands, in pages made of them, and in the window."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

pytest.importorskip("PySide6", reason="hostile files are opened in the window, too")

from PySide6.QtGui import QTextDocument

from inspector.assets import asset
from inspector.gui.panes.pane_table import PANES
from tests.export.pages import Page
from tests.hostile.places import base
from tests.hostile.table import HOSTILE, write_all
from tests.hostile.watching import ROOT, Server
from tests.hostile.words import MARK, Bait

# Two programs go through all files, each once, and each as two processes.
pytestmark = pytest.mark.timeout(400)

_DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
_GIB = 2**30
_LONGEST_S = 380
_FINE, _FOUND, _COULD_NOT = 0, 1, 2
# A window with all its panes takes its time: that for every fourth file and each kind of place,
# and for all others what is seen when a file is opened.
_THOROUGH = frozenset(range(0, len(HOSTILE), 4))
_SHOWN_AT_FIRST = 3
_PROCESSES = 2
_ACTIVE = {"script", "iframe", "object", "embed", "img", "link", "base", "form", "svg", "a",
           "video", "audio", "source", "template", "frame", "applet", "meta"}  # fmt: skip

_OF_A_CARD = {
    "svg",
    "title",
    "desc",
    "style",
    "g",
    "rect",
    "text",
    "tspan",
    "circle",
    "path",
    "line",
}


class Place:
    """A folder with the files and the bait, and a server that nobody should ask."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server = Server()
        self.bait = Bait(self.server.url, folder / "bait")
        self.bait.lay()
        for name in ("files", *map(str, range(_PROCESSES))):
            (folder / name).mkdir()
        self.paths = write_all(folder / "files", self.bait)
        self.friend = folder / "friend.run.json"
        self.friend.write_text(json.dumps(base()))

    @functools.cache  # noqa: B019 - a place lives as long as the tests of this file
    def answers(self, program: str) -> list[dict[str, Any]]:
        """Return what a program says of each file; it runs once, in parts side by side."""
        with ThreadPoolExecutor(_PROCESSES) as threads:
            parts = list(threads.map(functools.partial(self._part, program), range(_PROCESSES)))
        return [parts[at % _PROCESSES][at // _PROCESSES] for at in range(len(HOSTILE))]

    def _part(self, program: str, part: int) -> list[dict[str, Any]]:
        output = self.folder / str(part)
        asked = range(part, len(HOSTILE), _PROCESSES)
        job = {"files": [str(self.paths[at]) for at in asked], "friend": str(self.friend),
               "thorough": [str(self.paths[at]) for at in asked if at in _THOROUGH],
               "bait": [self.bait.url, str(self.bait.folder)], "output": str(output)}  # fmt: skip
        own = {name: str(output) for name in (
            "HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")}  # fmt: skip
        # The module is there to be imported by whoever takes a name for one.
        ran = subprocess.run(
            [sys.executable, "-m", f"tests.hostile.{program}"],
            input=json.dumps(job), text=True, capture_output=True, cwd=self.folder / "files",
            timeout=_LONGEST_S, check=False,
            env={**os.environ, **own, "PYTHONPATH": f"{ROOT}{os.pathsep}{self.bait.folder}",
                 "RUN_INSPECTOR_EXPORT_LOG": "off", "PYTHONDONTWRITEBYTECODE": "1",
                 "QT_QPA_PLATFORM": "offscreen"},
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr[-2000:]
        return [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with tempfile.TemporaryDirectory() as folder:
        made = Place(Path(folder).resolve())
        yield made
        made.server.close()


def acting(text: str) -> list[str]:
    """Return the characters that a terminal or a text layout obeys."""
    return sorted(
        {
            f"{ord(sign):X}" for sign in set(text)
            if sign not in "\n\t" and (
                unicodedata.category(sign) in ("Cc", "Cs")
                or unicodedata.bidirectional(sign) in _DIRECTIONS
            )
        }
    )  # fmt: skip


def found(answers: list[dict[str, Any]], problem: Any) -> dict[str, Any]:
    """Return what is wrong, by the title of a file."""
    told = {file.title: problem(answer) for file, answer in zip(HOSTILE, answers, strict=True)}
    return {title: wrong for title, wrong in told.items() if wrong}


def test_there_are_many_files_and_each_is_another() -> None:
    assert len({file.title for file in HOSTILE}) == len(HOSTILE) >= 60
    assert len({file.name for file in HOSTILE}) == len(HOSTILE)


@pytest.mark.parametrize("program", ["cli_program", "window_program"])
def test_nothing_but_the_file_is_read_fetched_started_or_imported(
    place: Place, program: str
) -> None:
    assert found(place.answers(program), lambda answer: answer["did"]) == {}
    assert place.server.visits == 0


@pytest.mark.parametrize("program", ["cli_program", "window_program"])
def test_no_file_takes_more_than_its_share_of_memory(place: Place, program: str) -> None:
    peaks = [answer["peak"] for answer in place.answers(program)]
    assert max(peaks) < 1.5 * _GIB


def test_commands_open_a_file_or_say_in_words_why_not(place: Place) -> None:
    def problem(answer: dict[str, Any]) -> list[str]:
        return [
            f"{title}: {code} {err[-300:]}" for title, (code, _out, err) in answer["said"].items()
            if code not in (_FINE, _FOUND, _COULD_NOT) or "Traceback (most" in err
            or (code == _COULD_NOT and not err.startswith("run-inspector"))
        ]  # fmt: skip

    assert found(place.answers("cli_program"), problem) == {}


def test_no_terminal_obeys_what_commands_print(place: Place) -> None:
    def problem(answer: dict[str, Any]) -> list[str]:
        return [f"{title}: {wrong}" for title, (_, out, err) in answer["said"].items()
                if (wrong := acting(out + err))]  # fmt: skip

    assert found(place.answers("cli_program"), problem) == {}


def test_most_files_say_what_they_hold_all_the_same(place: Place) -> None:
    shown = [answer["said"]["show"][0] == _FINE for answer in place.answers("cli_program")]
    assert shown.count(True) > len(HOSTILE) * 3 // 4
    (everything,) = [
        answer for file, answer in zip(HOSTILE, place.answers("cli_program"), strict=True)
        if file.title == "markup in all places"
    ]  # fmt: skip
    assert f"<script>{MARK}()</script>" in everything["said"]["show --values"][1]


def _exported(place: Place, kind: str, problem: Callable[[str], list[str]]) -> None:
    """Look at what all files were made into, in one form; of most there is one."""
    pages = [answer["pages"].get(kind) for answer in place.answers("cli_program")]
    assert len(list(filter(None, pages))) > len(HOSTILE) * 3 // 4
    wrong = {
        file.title: found for file, page in zip(HOSTILE, pages, strict=True) if page
        and (found := [*acting(text := Path(page).read_text("utf-8")), *problem(text)])
    }  # fmt: skip
    assert wrong == {}


def test_nothing_in_an_exported_page_is_active(place: Place) -> None:
    script = asset("export/run.js").read_text("utf-8")

    def problem(text: str) -> list[str]:
        page = Page(text)
        wrong = [f"{what[:80]}" for what in page.others]
        if text.count("<script") != 2 or f"<script>{script}</script>" not in text:
            wrong.append("a script that is not ours")
        for name, attributes in page.elements:
            if name in _ACTIVE - {"script", "meta"}:
                wrong.append(f"<{name}>")
            if name == "meta" and attributes.get("http-equiv", "").lower() == "refresh":
                wrong.append("goes elsewhere")
            wrong += _reaching(name, attributes)
        if MARK in page.style:
            wrong.append("the style is the stranger's")
        return wrong

    _exported(place, "html", problem)


def _reaching(name: str, attributes: dict[str, str]) -> list[str]:
    return [
        f"{name} {key}={value[:80]}" for key, value in attributes.items()
        if key.startswith("on") or key in ("src", "href", "srcset", "style", "action")
        or MARK in value
    ]  # fmt: skip


def test_nothing_in_an_exported_card_is_active(place: Place) -> None:
    def problem(text: str) -> list[str]:
        picture = ET.fromstring(text)
        names = {element.tag.rpartition("}")[2] for element in picture.iter()}
        wrong = [f"<{name}>" for name in names - _OF_A_CARD]
        for element in picture.iter():
            wrong += _reaching(element.tag, dict(element.attrib))
            style = (element.text or "") if element.tag.endswith("style") else ""
            wrong += [
                f"the style has {each}" for each in ("url(", "@import", MARK) if each in style
            ]
        return wrong

    _exported(place, "card", problem)


def test_nothing_in_exported_markdown_is_active(place: Place) -> None:
    def problem(text: str) -> list[str]:
        page = QTextDocument()
        page.setMarkdown(text, QTextDocument.MarkdownFeature.MarkdownDialectGitHub)
        wrong = []
        block = page.begin()
        while block.isValid():
            parts = block.begin()
            while not parts.atEnd():
                form = parts.fragment().charFormat()
                if form.isImageFormat() or form.isAnchor():
                    wrong.append(f"{form.anchorHref()[:80]} {parts.fragment().text()[:80]!r}")
                parts += 1
            block = block.next()
        return wrong

    _exported(place, "markdown", problem)


def test_the_window_opens_a_file_with_its_panes_or_says_why_not(place: Place) -> None:
    def problem(answer: dict[str, Any]) -> list[str]:
        wrong = list(answer["problems"])
        least = len(PANES) if answer["thorough"] else _SHOWN_AT_FIRST
        if answer["panes"] < least and not answer["errors"]:
            wrong.append(f"{answer['panes']} panes shown, and not refused")
        if not answer["whole"]:
            wrong.append("never quiet")
        return wrong

    assert found(place.answers("window_program"), problem) == {}


def test_the_window_takes_no_text_for_more_than_text(place: Place) -> None:
    assert found(place.answers("window_program"), lambda answer: answer["acts"]) == {}


def test_no_text_of_the_window_hides_or_turns_what_it_says(place: Place) -> None:
    def problem(answer: dict[str, Any]) -> list[str]:
        return [f"{wrong}: {text[:200]!r}" for text in answer["texts"] if (wrong := acting(text))]

    assert found(place.answers("window_program"), problem) == {}
