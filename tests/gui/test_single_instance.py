import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.gui.single_instance import Doorbell, hand_over, may_be_running, server_name

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="local sockets are files on the other systems only"
)


@pytest.fixture
def name() -> Iterator[str]:
    # Not tmp_path: the path of a socket may only be so long.
    with tempfile.TemporaryDirectory() as folder:
        yield server_name(Path(folder))


@pytest.fixture
def bell(name: str, qapp: QApplication) -> Iterator[Doorbell]:
    made = Doorbell(name)
    assert made.listen()
    yield made
    made.close()


LAUNCH = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from inspector.gui.single_instance import hand_over
app = QCoreApplication([])
sys.exit(not hand_over(sys.argv[1], [Path(path) for path in sys.argv[3:]], sys.argv[2] or None))
"""


def launch(name: str, at: str, *paths: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", LAUNCH, name, at, *map(str, paths)])


def test_a_second_launch_hands_over_its_files(
    bell: Doorbell, name: str, tmp_path: Path, qtbot: QtBot
) -> None:
    files = (tmp_path / "a.run.json", tmp_path / "b.run.json")
    with qtbot.waitSignal(bell.rung, timeout=20_000) as caught:
        second = launch(name, "s14", *files)
    assert caught.args == [list(files), "s14", None, False]
    assert second.wait(20) == 0


def test_a_second_launch_hands_over_the_field_too(
    bell: Doorbell, name: str, tmp_path: Path, qtbot: QtBot
) -> None:
    script = LAUNCH.replace("or None)", "or None, 'outputs.replies[0]')")
    file = tmp_path / "a.run.json"
    with qtbot.waitSignal(bell.rung, timeout=20_000) as caught:
        second = subprocess.Popen([sys.executable, "-c", script, name, "s14", str(file)])
    assert caught.args == [[file], "s14", "outputs.replies[0]", False]
    assert second.wait(20) == 0


def test_a_second_launch_asks_to_compare(
    bell: Doorbell, name: str, tmp_path: Path, qtbot: QtBot
) -> None:
    script = LAUNCH.replace("or None)", "or None, compare=True)")
    files = (tmp_path / "a.run.json", tmp_path / "b.run.json")
    with qtbot.waitSignal(bell.rung, timeout=20_000) as caught:
        second = subprocess.Popen([sys.executable, "-c", script, name, "", *map(str, files)])
    assert caught.args == [list(files), None, None, True]
    assert second.wait(20) == 0


def test_a_relative_path_means_the_folder_of_the_second_launch(
    bell: Doorbell, name: str, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(bell.rung, timeout=20_000) as caught:
        second = launch(name, "", Path("here.run.json"))
    assert caught.args == [[Path.cwd() / "here.run.json"], None, None, False]
    assert second.wait(20) == 0


def test_without_a_window_nobody_takes_the_files(name: str, qapp: QApplication) -> None:
    assert not may_be_running(name)
    assert not hand_over(name, [Path("a")], None)


def test_a_socket_that_a_dead_window_left_is_taken_over(name: str, qapp: QApplication) -> None:
    Path(name).touch()
    assert may_be_running(name)
    assert not hand_over(name, [Path("a")], None)
    bell = Doorbell(name)
    assert bell.listen()
    bell.close()


def test_only_the_person_who_runs_the_window_can_reach_it(bell: Doorbell, name: str) -> None:
    mode = stat.S_IMODE(Path(name).stat().st_mode)
    assert mode & (stat.S_IRWXG | stat.S_IRWXO) == 0


def test_nonsense_on_the_socket_opens_nothing(bell: Doorbell, name: str, qtbot: QtBot) -> None:
    from PySide6.QtNetwork import QLocalSocket

    for nonsense in (b"hello\n", b'{"paths": 3}\n', b'{"paths": [1, null]}\n', b"[]\n"):
        socket = QLocalSocket()
        with qtbot.assertNotEmitted(bell.rung):
            socket.connectToServer(name)
            socket.write(nonsense)
            qtbot.waitUntil(
                lambda socket=socket: (
                    socket.state() is QLocalSocket.LocalSocketState.UnconnectedState
                    or bool(socket.bytesAvailable())
                )
            )


def test_a_place_with_too_long_a_path_is_not_listened_at() -> None:
    assert server_name(Path("/") / ("x" * 200)) == ""
    assert not may_be_running("")
