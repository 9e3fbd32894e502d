"""`doctor` says what the machine has and lacks, without falling over any of it."""

import json

from tests.cli.commands import called, program


def test_everything_is_looked_at(capsys):
    answer = called(capsys, "doctor")
    for name in ("Python", "orjson", "Haystack", "Tracing", "Window", "Display", "Cache", "State"):
        assert name in answer.out


def test_json_for_programs(capsys):
    checks = {check["name"]: check for check in json.loads(called(capsys, "doctor", "--json").out)}
    assert checks["Python"]["state"] == "ok"
    assert checks["orjson"]["state"] == "ok"
    assert {check["state"] for check in checks.values()} <= {"ok", "absent", "missing"}


def test_a_home_that_cannot_be_written_is_found(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("no directory")
    blocked.chmod(0o444)
    places = {name: str(blocked / "x") for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME")}
    answer = program("doctor", "--json", env=places)
    checks = {check["name"]: check for check in json.loads(answer.out)}
    assert checks["Data"]["state"] == "ok"
    assert checks["Cache"]["state"] == "missing"
    assert answer.code == 1


def test_no_display_is_told_and_is_no_failure():
    bare = dict.fromkeys(("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"), "")
    checks = json.loads(program("doctor", "--json", env=bare).out)
    display = next(check for check in checks if check["name"] == "Display")
    assert display["state"] in {"ok", "absent"}
