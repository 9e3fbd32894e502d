"""Opens runs, wherever they come from."""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QMimeData, QObject, QUrl, Signal

from inspector.errors import InspectorError, RunFileError, SealedFileError
from inspector.gui.controllers.reader import Reader, Report
from inspector.gui.controllers.reader import Source as Named
from inspector.gui.messages import Messages
from inspector.gui.settings import Memory
from inspector.gui.tasks.runner import Cancelled, TaskRunner
from inspector.gui.workspace.open_run import OpenRun, Stamp, stamp_of
from inspector.gui.workspace.workspace import Workspace
from inspector.presentation.links import is_link, parsed_link

if TYPE_CHECKING:
    from inspector.runfile.follow import RunFollower
    from inspector.runfile.model import PipelineRun

_JOURNAL_SUFFIX = ".jsonl"
_LARGEST_PASTE = 64 * 2**20
_LARGEST_SEALED = 2**30
_MOST_TABS = 20


class Source(NamedTuple):
    """Where a run comes from: a file, or bytes that were handed to us."""

    title: str
    path: Path | None = None
    read: Callable[[], bytes] | None = None
    at: str | None = None  # the span to go to, by id or path
    field: str | None = None  # what to show of it, such as `outputs.replies[0]`


class _Found(NamedTuple):
    """What reading brought: the runs of a file, and how to keep up with one that is recorded."""

    runs: "Sequence[PipelineRun]"
    follower: "RunFollower | None" = None
    stamp: Stamp | None = None
    total: int = 1


class OpenController(Reader):
    """Reads runs beside the window and adds them to the workspace.

    What takes a while is announced: see `Reader`.
    """

    web_link_given = Signal(str)  # to something on GitHub; it is not asked yet
    sealed_given = Signal(object)  # Source, which somebody has to be asked to open

    def __init__(
        self,
        workspace: Workspace,
        tasks: TaskRunner,
        messages: Messages,
        memory: Memory,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(tasks, messages, parent)
        self._workspace = workspace
        self._memory = memory

    @property
    def tasks(self) -> TaskRunner:
        """What reads beside the window."""
        return self._tasks

    def can_retry(self, source: Named) -> bool:
        """Say whether there is a file that may be whole the next time."""
        return isinstance(source, Source) and source.path is not None

    def retry(self, source: Named) -> None:
        """Open once more what could not be opened."""
        if isinstance(source, Source):
            self.open_source(source)

    def open(
        self, paths: Sequence[Path], *, at: str | None = None, field: str | None = None
    ) -> None:
        """Open files; `-` is what is piped into the program.

        `at` is a span of the first, and `field` one of its fields to show.
        """
        for place, path in enumerate(paths):
            where = (at, field) if place == 0 else (None, None)
            if str(path) == "-":
                self.open_source(Source("standard input", None, _standard_input, *where))
            else:
                whole = path.expanduser().absolute()
                self.open_source(Source(whole.name, whole, None, *where))

    def open_source(self, source: Source) -> None:
        """Open one run; a file that is open already comes to the front instead."""
        if source.path and (known := self._workspace.find(source.path)):
            self._workspace.make_current(known)
            self._go(known, source)
            return

        def read(cancelled: Cancelled, report: Report) -> _Found:
            # Imported here, on the worker: the window is painted meanwhile.
            from inspector.importers.opening import open_runs
            from inspector.runfile.load import follow_run, is_journal

            # Taken before the file is read: what is written to it meanwhile is a change.
            stamp = stamp_of(source.path) if source.path else None
            journal = source.path is not None and source.path.suffix == _JOURNAL_SUFFIX
            if source.path is not None and journal and is_journal(source.path):
                follower = follow_run(source.path)
                return _Found((follower.run,), follower, stamp)
            given = source.path or (source.read() if source.read else b"")
            opened = open_runs(given, most=_MOST_TABS, progress=report, cancelled=cancelled)
            return _Found(opened.runs, stamp=stamp, total=opened.total)

        self._begin(source, read, lambda found: self._show(found, source))

    def open_bytes(self, data: bytes, title: str) -> None:
        """Open a run that was handed over as its bytes."""
        self.open_source(Source(title, read=lambda: data))

    def open_plain(self, source: Source, data: bytes) -> None:
        """Open what was sealed; it is read in memory and nothing of it is kept on the disk."""

        def read(cancelled: Cancelled, report: Report) -> _Found:
            from inspector.runfile.bounds import Limits
            from inspector.runfile.load import load_run

            # What is packed inside is unpacked in memory, too, or not at all.
            within = Limits(unpacked_bytes=_LARGEST_SEALED, held_bytes=_LARGEST_SEALED)
            run = load_run(
                data, use_cache=False, progress=report, cancelled=cancelled, limits=within
            )
            return _Found((run,))

        def show(found: _Found) -> None:
            if source.path:
                self._memory.remember_file(source.path)
            # Without its path: the file there is not what is shown, and is not read instead.
            self._go(self._add(found.runs[0], found, None, source.title, sealed=True), source)

        self._begin(Source(source.title, read=lambda: b""), read, show)

    def open_mime(self, mime: QMimeData) -> bool:
        """Open what was dropped or pasted; say whether there was anything to open."""
        if paths := paths_in(mime):
            self.open(paths)
            return True
        text = mime.text().strip() if mime.hasText() else ""
        if not text:
            return False
        if is_link(text):
            self.open_link(text)
            return True
        if text.startswith(("{", "[")):
            if len(text) > _LARGEST_PASTE:
                self._messages.failed(
                    RunFileError(
                        "That is too much to paste.", hint="Save it as a file and open that."
                    )
                )
            else:
                self.open_bytes(text.encode("utf-8", "surrogatepass"), "pasted run")
            return True
        return False

    def open_link(self, text: str) -> None:
        """Open the place that a link leads to; it can only be in a file of this machine."""
        try:
            link = parsed_link(text)
        except InspectorError as error:
            self._messages.failed(error)
            return
        self.open([link.path], at=link.at, field=link.field)

    def paste(self, mime: QMimeData) -> None:
        """Open what the clipboard holds, or say what it would have to hold."""
        if not self.open_mime(mime) and not self._hand_on(mime):
            self._refuse(mime, "The clipboard holds no run.", "Copy", "paste")

    def drop(self, mime: QMimeData) -> None:
        """Open what was dropped on the window, or say what could be."""
        if not self.open_mime(mime) and not self._hand_on(mime):
            self._refuse(mime, "What was dropped is no run.", "Take", "drop")

    def _hand_on(self, mime: QMimeData) -> bool:
        """Say that a link to GitHub was given, if it is one; nobody has asked to fetch it yet."""
        text = mime.text().strip() if mime.hasText() else ""
        if not text.lower().startswith(("https:", "http:")):
            return False
        from inspector.sources.service import service_at

        for address in ("", self._memory.github):
            with suppress(InspectorError):
                service_at(address).link(text)
                self.web_link_given.emit(text)
                return True
        return False

    def _refuse(self, mime: QMimeData, message: str, take: str, give: str) -> None:
        hint = f"{take} a run file, its path, a link to it or its JSON text, then {give}."
        if _is_web_address(mime):
            message = "This is a web address, and the window fetches runs from GitHub only."
            hint = f"Save the run file that is there with your browser, then {give} that."
        self._messages.failed(InspectorError(message, hint=hint))

    def reload(self, open_run: OpenRun) -> None:
        """Read a file again, because it changed."""
        path = open_run.path
        if path is None:
            return
        at = open_run.selection.span_id
        for one in self._workspace.open_runs:
            if one is open_run or one.path == path:
                self._workspace.remove(one)
        self.open([path], at=at)

    def _show(self, found: _Found, source: Source) -> None:
        if source.path and (known := self._workspace.find(source.path)):
            # Asked for twice at the same time, such as by two links to it.
            self._workspace.make_current(known)
            self._go(known, source)
            return
        if source.path:
            self._memory.remember_file(source.path)
        several = len(found.runs) > 1
        opened = []
        for number, run in enumerate(found.runs[:_MOST_TABS], 1):
            title = f"{source.title} ({number})" if several else source.title
            opened.append(self._add(run, found, source.path, title))
        self._workspace.make_current(opened[0])
        self._go(opened[0], source)
        if found.total > _MOST_TABS:
            self._messages.failed(
                InspectorError(
                    f"{source.title} holds {found.total:,} runs; the first {_MOST_TABS} are shown.",
                    hint="`run-inspector convert FILE --all` makes a file of each.",
                )
            )

    def _add(
        self,
        run: "PipelineRun",
        found: _Found,
        path: Path | None,
        title: str,
        *,
        sealed: bool = False,
    ) -> OpenRun:
        from inspector.presentation.first_look import first_look

        open_run = OpenRun(run, path, title=title, follower=found.follower, stamp=found.stamp)
        open_run.is_sealed = sealed
        row = first_look(run)
        if row is not None:
            open_run.selection.select(run.table.id(row))
        self._workspace.add(open_run)
        return open_run

    def _go(self, open_run: OpenRun, source: Source) -> None:
        """Go where a link leads, or say that it leads nowhere."""
        if source.at is None and source.field is not None:
            open_run.selection.select_field(source.field)
        if source.at is not None and not go_to(open_run, source.at, source.field):
            self._messages.failed(
                InspectorError(
                    f"{source.title} has no span {source.at!r}.",
                    hint="A span is named by its id, such as s14, or by its path.",
                )
            )

    def _say(self, error: Exception, source: Named) -> None:
        path = source.path if isinstance(source, Source) else None
        if path is not None and not path.exists():
            self._memory.forget_file(path)
        is_here = isinstance(source, Source) and source.read is not _standard_input
        if isinstance(error, SealedFileError) and is_here:
            self.sealed_given.emit(source)
            return
        super()._say(error, source)


def go_to(open_run: OpenRun, at: str | None, field: str | None = None) -> bool:
    """Select the span that `at` names by id or by path; say whether there is one."""
    if at is None:
        return False
    run = open_run.run
    row = run.table.row_of(at)
    if row is None:
        named = run.at(at)
        row = named.row if named else None
    if row is None:
        return False
    open_run.selection.select(run.table.id(row), field)
    return True


def paths_in(mime: QMimeData) -> list[Path]:
    """Return the local files that something dropped or pasted names."""
    if mime.hasUrls():
        return [Path(url.toLocalFile()) for url in mime.urls() if url.isLocalFile()]
    text = mime.text().strip() if mime.hasText() else ""
    if not text or len(text) > 10_000 or text.startswith(("{", "[")):
        return []
    lines = [line.strip().strip("'\"") for line in text.splitlines() if line.strip()]
    paths = [_path_of(line) for line in lines]
    found = [path for path in paths if path is not None]
    return found if len(found) == len(lines) else []


def _is_web_address(mime: QMimeData) -> bool:
    text = mime.text().strip() if mime.hasText() else ""
    urls = [*(mime.urls() if mime.hasUrls() else ()), QUrl(text)]
    return any(url.scheme() in ("http", "https") for url in urls)


def _path_of(line: str) -> Path | None:
    if line.startswith("file:"):
        local = QUrl(line).toLocalFile()
        return Path(local) if local else None
    path = Path(line).expanduser()
    try:
        return path if path.is_absolute() and path.exists() else None
    except (OSError, ValueError):
        return None


def _standard_input() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise RunFileError(
            "Nothing is piped into the program.", hint="Use it like this: cat run.json | … -"
        )
    return sys.stdin.buffer.read()
