import gzip
import json
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QUrl
from pytestqt.qtbot import QtBot

from inspector.gui.controllers.open_controller import OpenController, Source, paths_in
from inspector.gui.controllers.reader import SLOW_MS
from inspector.gui.messages import Messages
from inspector.gui.settings import Memory
from inspector.gui.tasks.runner import TaskRunner
from inspector.gui.workspace.workspace import Workspace
from inspector.runfile.model import PipelineRun
from tests.gui.conftest import write_run
from tests.helpers.drawn_runs import run_from_outline
from tests.importers.test_inspect import HEADER, archive, model_event, sample


@pytest.fixture
def workspace() -> Workspace:
    return Workspace()


@pytest.fixture
def messages() -> Messages:
    return Messages()


@pytest.fixture
def controller(
    workspace: Workspace, tasks: TaskRunner, messages: Messages, memory: Memory
) -> OpenController:
    return OpenController(workspace, tasks, messages, memory)


def mime(*, text: str = "", paths: tuple[Path, ...] = ()) -> QMimeData:
    made = QMimeData()
    if text:
        made.setText(text)
    if paths:
        made.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return made


def test_opening_a_file_adds_its_run(
    controller: OpenController, workspace: Workspace, run_file: Path, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(workspace.added):
        controller.open([run_file])
    (opened,) = workspace.open_runs
    assert opened.run.name == "pipeline"
    assert opened.path == run_file
    assert workspace.current is opened


def test_of_a_log_with_thousands_of_runs_the_first_are_opened_and_the_others_counted(
    controller: OpenController,
    workspace: Workspace,
    messages: Messages,
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    members = {f"samples/{n}_epoch_1.json": sample(model_event()) for n in range(2_000)}
    path = tmp_path / "quay.eval"
    path.write_bytes(archive({"header.json": HEADER, **members}))
    with qtbot.waitSignal(messages.error_shown) as caught:
        controller.open([path])
    assert len(workspace.open_runs) == 20
    assert "holds 2,000 runs; the first 20 are shown" in caught.args[0]


def test_a_missing_file_is_said_not_raised(
    controller: OpenController, workspace: Workspace, tmp_path: Path, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(controller.failed) as caught:
        controller.open([tmp_path / "gone.run.json"])
    assert caught.args is not None
    assert "gone.run.json" in caught.args[1]
    assert workspace.open_runs == ()


@pytest.mark.parametrize("content", [b"", b"not json", b"{}", b'{"format":"other"}', b"\xff\xfe"])
def test_a_file_that_is_no_run_is_said_not_raised(
    controller: OpenController, workspace: Workspace, tmp_path: Path, content: bytes, qtbot: QtBot
) -> None:
    path = tmp_path / "odd.run.json"
    path.write_bytes(content)
    with qtbot.waitSignal(controller.failed) as caught:
        controller.open([path])
    assert caught.args is not None
    assert caught.args[1]
    assert workspace.open_runs == ()


def test_a_folder_is_said_not_raised(
    controller: OpenController, tmp_path: Path, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(controller.failed):
        controller.open([tmp_path])


def test_a_file_that_is_open_comes_to_the_front_instead(
    controller: OpenController, workspace: Workspace, run_file: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    other = tmp_path / "other.run.json"
    other.write_bytes(run_file.read_bytes())
    for path in (run_file, other):
        with qtbot.waitSignal(workspace.added):
            controller.open([path])
    controller.open([run_file])
    assert len(workspace.open_runs) == 2
    assert workspace.current is workspace.find(run_file)


@pytest.mark.parametrize("at", ["s6", "agent#1/agent/step0/llm"])
def test_a_span_to_go_to_is_named_by_id_or_path(
    controller: OpenController,
    workspace: Workspace,
    run_file: Path,
    looping_run: PipelineRun,
    at: str,
    qtbot: QtBot,
) -> None:
    named = looping_run.span("s6")
    with qtbot.waitSignal(workspace.added) as caught:
        controller.open([run_file], at=at if at == "s6" else named.path)
    assert caught.args[0].selection.span_id == "s6"


def test_a_span_that_is_not_there_is_said(
    controller: OpenController, messages: Messages, run_file: Path, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(messages.error_shown) as caught:
        controller.open([run_file], at="s99")
    assert caught.args is not None
    assert "s99" in caught.args[0]


def test_a_run_that_failed_opens_where_it_failed(
    controller: OpenController, workspace: Workspace, tmp_path: Path, qtbot: QtBot
) -> None:
    run = run_from_outline("pipeline 0-9 failed\n  a 0-2\n  b 2-8 failed", status="failed")
    path = write_run(run, tmp_path / "failed.run.json")
    with qtbot.waitSignal(workspace.added) as caught:
        controller.open([path])
    opened = caught.args[0]
    assert opened.run.span(opened.selection.span_id).name == "b"


def test_an_opened_file_is_remembered(
    controller: OpenController, workspace: Workspace, memory: Memory, run_file: Path, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(workspace.added):
        controller.open([run_file])
    assert memory.recent_files == (run_file,)


def test_a_quick_opening_is_not_announced(
    controller: OpenController, workspace: Workspace, run_file: Path, qtbot: QtBot
) -> None:
    with qtbot.assertNotEmitted(controller.slowed), qtbot.waitSignal(workspace.added):
        controller.open([run_file])


def test_a_slow_opening_is_announced_and_can_be_cancelled(
    controller: OpenController, workspace: Workspace, tasks: TaskRunner, qtbot: QtBot
) -> None:
    from threading import Event

    go = Event()

    def read() -> bytes:
        go.wait(10)
        return b"{}"

    source = Source("slow", read=read)
    with qtbot.waitSignal(controller.slowed) as caught:
        controller.open_source(source)
    assert caught.args == [source]
    with (
        qtbot.assertNotEmitted(controller.failed),
        qtbot.waitSignal(controller.settled),
    ):
        controller.cancel(source)
    go.set()
    qtbot.waitUntil(lambda: not tasks.busy)
    assert workspace.open_runs == ()


def test_what_is_read_when_the_window_closes_is_not_announced_to_it(
    controller: OpenController, tasks: TaskRunner, qtbot: QtBot
) -> None:
    controller.open_source(Source("slow", read=lambda: b"{}"))
    tasks.close()
    with qtbot.assertNotEmitted(controller.slowed, wait=2 * SLOW_MS):
        pass


def test_dropped_files_are_opened(
    controller: OpenController, workspace: Workspace, run_file: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    other = tmp_path / "zipped.run.json.gz"
    other.write_bytes(gzip.compress(run_file.read_bytes()))
    assert controller.open_mime(mime(paths=(run_file, other)))
    qtbot.waitUntil(lambda: len(workspace.open_runs) == 2)


def test_pasted_json_is_opened(
    controller: OpenController, workspace: Workspace, run_file: Path, qtbot: QtBot
) -> None:
    pretty = json.dumps(json.loads(run_file.read_text()), indent=2)
    with qtbot.waitSignal(workspace.added) as caught:
        controller.paste(mime(text=f"\n {pretty}"))
    assert caught.args[0].path is None
    assert caught.args[0].title == "pasted run"


def test_a_pasted_path_is_opened(
    controller: OpenController, workspace: Workspace, run_file: Path, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(workspace.added):
        controller.paste(mime(text=f'"{run_file}"\n'))


@pytest.mark.parametrize("text", ["", "hello", "/no/such/file", "https://example.org/run.json"])
def test_pasting_something_else_says_what_can_be_pasted(
    controller: OpenController, messages: Messages, text: str, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(messages.error_shown) as caught:
        controller.paste(mime(text=text))
    assert caught.args is not None
    assert "paste" in caught.args[1]


@pytest.mark.parametrize(
    "address", ["https://github.com/deepset-ai/haystack", "http://example.org/a.json"]
)
@pytest.mark.parametrize("way", ["paste", "drop"])
def test_what_lies_on_the_web_is_not_fetched_and_how_to_get_it_is_said(
    controller: OpenController, messages: Messages, address: str, way: str, qtbot: QtBot
) -> None:
    made = mime(text=address)
    if way == "drop":
        made.setUrls([QUrl(address)])
    with qtbot.waitSignal(messages.error_shown) as caught:
        getattr(controller, way)(made)
    assert caught.args == [
        "This is a web address, and the window fetches runs from GitHub only.",
        f"Save the run file that is there with your browser, then {way} that.",
    ]


@pytest.mark.parametrize("way", ["paste", "drop"])
def test_a_link_to_github_is_handed_to_who_asks_about_it(
    controller: OpenController, way: str, qtbot: QtBot
) -> None:
    address = "https://github.com/deepset-ai/haystack/issues/11109"
    with qtbot.waitSignal(controller.web_link_given) as caught:
        getattr(controller, way)(mime(text=f" {address}\n"))
    assert caught.args == [address]


def test_dropping_something_else_says_what_can_be_dropped(
    controller: OpenController, messages: Messages, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(messages.error_shown) as caught:
        controller.drop(mime(text="hello"))
    assert caught.args is not None
    assert caught.args[0] == "What was dropped is no run."


def test_a_file_url_in_text_is_a_path(run_file: Path) -> None:
    assert paths_in(mime(text=QUrl.fromLocalFile(str(run_file)).toString())) == [run_file]


def test_web_addresses_are_never_paths() -> None:
    made = QMimeData()
    made.setUrls([QUrl("https://example.org/a.run.json")])
    assert paths_in(made) == []


def test_reading_again_keeps_the_selected_span(
    controller: OpenController, workspace: Workspace, run_file: Path, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(workspace.added) as caught:
        controller.open([run_file], at="s6")
    with qtbot.waitSignal(workspace.added) as again:
        controller.reload(caught.args[0])
    assert again.args[0].selection.span_id == "s6"
    assert workspace.open_runs == (again.args[0],)


def test_a_recent_file_that_is_gone_is_forgotten(
    controller: OpenController, memory: Memory, tmp_path: Path, qtbot: QtBot
) -> None:
    memory.remember_file(tmp_path / "gone.run.json")
    with qtbot.waitSignal(controller.failed):
        controller.open([tmp_path / "gone.run.json"])
    assert memory.recent_files == ()
