"""Calls commands the two ways there are: in this process, and as a program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from inspector.cli.main import main

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "tests" / "data" / "runs" / "sample-1.run.json"


class Answer(NamedTuple):
    """What a command said, and its exit code."""

    code: int
    out: str
    err: str


def called(capsys, *arguments) -> Answer:
    """Run a command in this process."""
    code = main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    return Answer(code, plain(said.out), plain(said.err))


def program(*arguments, sent=b"", cwd=None, env=None) -> Answer:
    """Run a command as people do."""
    ran = subprocess.run(
        [sys.executable, "-m", "inspector.cli.main", *map(str, arguments)],
        input=sent,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
        timeout=100,
        check=False,
    )
    return Answer(ran.returncode, plain(ran.stdout.decode()), plain(ran.stderr.decode()))


def plain(text: str) -> str:
    """Return text with ordinary spaces before units."""
    return text.replace("\u202f", " ")
