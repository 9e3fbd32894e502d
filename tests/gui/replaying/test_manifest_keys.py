"""Keys for what runs live: typed in the dialog, or of the keyring, and kept where they belong."""

from pathlib import Path

import pytest

from tests.gui.replaying.asking import Asked, asked
from tests.gui.replaying.conftest import DATA, Replaying
from tests.helpers.openai_script import say
from tests.replay.live.test_keys import BACKEND
from tests.replay.worker.conftest import EXAMPLES

__all__ = ["asked"]


def paper_ring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a file for a keyring, and no key in the environment."""
    (tmp_path / "paper_ring.py").write_text(BACKEND)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "paper_ring.Ring")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def test_a_key_that_is_typed_goes_to_the_worker_and_nowhere_else(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    asked.open(EXAMPLES / "agent-tools.run.json", live_at="assistant#1/step2/llm")
    asked.type("Python target", "greenhouse:build")
    assert "not set" in asked.said
    asked.type("Key OPENAI_API_KEY", "typed-by-hand-31337")
    assert "31337" not in asked.said
    requests: list[object] = []
    asked.dialog.replay_requested.disconnect()
    asked.dialog.replay_requested.connect(requests.append)
    dialog = asked.dialog
    asked.press("Re-run live")
    (request,) = requests
    assert dict(request.environment) == {"OPENAI_API_KEY": "typed-by-hand-31337"}
    for told in (repr(request), str(request.job.to_dict()), repr(dialog._keys._keys)):
        assert "31337" not in told
    asked.program.settings._disk.sync()
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert kept, "the settings are kept somewhere"
    assert not [path for path in kept if b"31337" in path.read_bytes()]
    assert "31337" not in caplog.text


def test_a_key_typed_here_pays_for_what_runs_live_from_here(
    replaying: Replaying, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    replaying.record("rag", DATA)
    server = replaying.project.server
    server.script = lambda request: say("At thirty degrees, since today.")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    before = server.count()
    asked.open(replaying.path, live_at="llm#1")
    asked.type("Python target", "garden:rag")
    asked.type("Project folder", str(replaying.project.folder))
    # A key that goes to this very machine goes to no stranger.
    assert asked.row("llm").ticked is True, asked.row("llm").warning
    asked.type("Key OPENAI_API_KEY", server.key)
    asked.press("Re-run live")
    replay = asked.replay()
    assert replay.failure is None
    assert server.count() == before + 1
    llm = next(span for span in replay.result().spans if span.path == "llm#1")
    assert llm.raw["source"] == "live"
    assert "At thirty degrees" in str(llm.outputs)
    assert server.key not in str(replay.result().header)
    assert replaying.is_untouched()


def test_the_keyring_is_asked_when_a_person_says_so(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper_ring(tmp_path, monkeypatch)
    (tmp_path / "ring.json").write_text('{"run-inspector/OPENAI_API_KEY": "of-the-ring"}')
    asked.open(EXAMPLES / "agent-tools.run.json", live_at="assistant#1/step2/llm")
    assert "not set" in asked.said
    asked.press("Look in the keyring")
    assert "from the keyring" in asked.said
    assert "of-the-ring" not in asked.said
    assert asked.dialog._keys.take() == {"OPENAI_API_KEY": "of-the-ring"}


def test_a_system_without_a_keyring_is_said(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    asked.open(EXAMPLES / "agent-tools.run.json", live_at="assistant#1/step2/llm")
    asked.press("Look in the keyring")
    assert "This system has no keyring." in asked.said


@pytest.mark.parametrize(
    ("backend", "told"),
    [
        ("paper_ring.Ring", "Kept in the keyring."),
        ("keyring.backends.fail.Keyring", "Not kept in the keyring. This system has no keyring."),
    ],
)
def test_a_key_is_kept_though_the_dialog_is_gone_and_it_is_told_how_that_went(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str, told: str
) -> None:
    paper_ring(tmp_path, monkeypatch)
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", backend)
    said: list[str] = []
    asked.program.replayer.said.connect(said.append)
    asked.open(EXAMPLES / "agent-tools.run.json", live_at="assistant#1/step2/llm")
    asked.type("Python target", "greenhouse:build")
    asked.type("Key OPENAI_API_KEY", "typed-by-hand-31337")
    asked.press("Keep what is typed in the keyring")
    asked.dialog.replay_requested.disconnect()
    asked.press("Re-run live")
    assert not asked.is_open
    asked.wait(lambda: told in said)
    ring = tmp_path / "ring.json"
    assert ring.exists() == (backend == "paper_ring.Ring")
    assert not ring.exists() or "typed-by-hand-31337" in ring.read_text()
    assert "31337" not in " ".join(said)
