"""Our recorder, in the shape in which peers are measured."""

import tempfile
from pathlib import Path
from typing import Any

from inspector import PipelineRecorder
from tests.benchmarks.peers import Peer


class Recorded(Peer):
    """Tracer and wrappers, a file a run."""

    wrappers = True

    def start(self, target: Any) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="run-bench-")
        self._recorder = PipelineRecorder(self._folder.name, wrappers=self.wrappers)
        self._recorder.start()

    def finish_run(self) -> None:
        self._recorder.wait()

    def stop(self) -> None:
        self._recorder.stop()
        self._folder.cleanup()

    def size_of_runs(self) -> int:
        """Return how many bytes the files of the runs so far take."""
        self._recorder.wait()
        return sum(path.stat().st_size for path in Path(self._folder.name).iterdir())


class TracerAlone(Recorded):
    """The tracer without wrappers, a file a run."""

    wrappers = False


class Idle(Peer):
    """Installed, with the wrappers in place, and nobody records."""

    def start(self, target: Any) -> None:
        from inspector.recording.attach import attach
        from inspector.recording.tracer import install

        install()
        self._attachment = attach(target)

    def stop(self) -> None:
        from inspector.recording.tracer import uninstall

        self._attachment.detach()
        uninstall()
