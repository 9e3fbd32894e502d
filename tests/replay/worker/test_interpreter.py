"""The Python of a target is the one of the project it belongs to."""

import sys
from pathlib import Path

from inspector.replay.interpreter import checked_interpreter, interpreter_for


def environment(folder: Path, name: str = ".venv") -> Path:
    python = folder / name / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("")
    (folder / name / "pyvenv.cfg").write_text("")
    return python


def test_the_environment_beside_a_module_is_found(tmp_path: Path) -> None:
    python = environment(tmp_path)
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "rag.py").write_text("")
    assert interpreter_for("app.rag:pipeline", tmp_path) == python


def test_the_environment_beside_a_yaml_is_found(tmp_path: Path) -> None:
    python = environment(tmp_path / "service", "venv")
    assert interpreter_for("service/rag.yaml", tmp_path) == python


def test_the_nearest_environment_counts(tmp_path: Path) -> None:
    environment(tmp_path)
    near = environment(tmp_path / "service")
    assert interpreter_for("rag:pipeline", tmp_path / "service") == near


def test_nothing_beyond_the_root_of_the_project_counts(tmp_path: Path) -> None:
    environment(tmp_path)
    project = tmp_path / "project"
    project.mkdir()
    (project / "pyproject.toml").write_text("")
    assert interpreter_for("rag:pipeline", project) == Path(sys.executable)


def test_a_folder_that_only_looks_like_an_environment_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (environment(tmp_path).parents[1] / "pyvenv.cfg").unlink()
    assert interpreter_for("rag:pipeline", tmp_path) == Path(sys.executable)


def test_a_person_may_name_an_environment_or_its_python(tmp_path: Path) -> None:
    python = environment(tmp_path)
    assert checked_interpreter(tmp_path / ".venv") == python
    assert checked_interpreter(python) == python
