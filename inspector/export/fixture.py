"""A run as a test: the recording cut to what its replay needs, and a test to read.

The test replays STRICT: it fails at the first call that gets something else than was recorded,
and says what differs. Then it holds the run to the decisions and to the answer.
"""

from __future__ import annotations

import keyword
import re
from typing import TYPE_CHECKING

from inspector.diff.answer import answer_of
from inspector.errors import InspectorError
from inspector.export.fixture_cut import cut_run
from inspector.export.kinds import Made, Options
from inspector.export.python_text import assigned, quoted
from inspector.presentation.decided import decided
from inspector.presentation.visible import one_line
from inspector.presentation.words import byte_words, elided
from inspector.runfile.kinds import RunStatus

if TYPE_CHECKING:
    from pathlib import Path

    from inspector.runfile.model import PipelineRun

_NO_NAME = re.compile(r"[^A-Za-z0-9]+")
_TARGET = re.compile(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*):([^\W\d]\w*)")
_YAML = (".yaml", ".yml")
_PLACE = "my_project.pipelines:build"
_LONGEST_NAME = 60
_LONGEST_ERROR = 2_000

_TEST = '''\
"""Replays a recorded run without a network, and holds it to what it decided and answered.

It fails when a prompt, a document, a route, a tool or a model call is not as recorded, and says
what differs. If the change is wanted: record anew, and export the fixture again.
"""

# The run: {about}

{imports}

{pipeline}
{facts}


@pytest.mark.recorded_run({file})  # beside this file; STRICT
def test_{name}(replayed):
{body}'''

_COMPLETED = """\
    replayed(pipeline())
    assert replayed.decisions == DECISIONS
    assert replayed.answer == ANSWER
"""
_FAILED = """\
    with pytest.raises(Exception, match=re.escape(ERROR)):
        replayed(pipeline())
    assert replayed.decisions == DECISIONS
"""


def make(run: PipelineRun, options: Options) -> Made:
    """Return the recording and the test.

    Raises:
        InspectorError: The run did not come to an end, or the target makes no sense.

    """
    if run.status not in (RunStatus.COMPLETED, RunStatus.FAILED):
        raise InspectorError(
            f"A test needs a run that came to its end, and this one is {run.status}.",
            hint="Export a run that has completed or failed.",
        )
    short, data = cut_run(run)
    name = _function_name(options.name)
    test = test_text(short, f"{options.name}.run.json", name, options.target)
    notes = [f"The recording is cut to {byte_words(len(data))}{_was(options.file)}."]
    if options.target is None:
        notes.append(f"Say in test_{name}.py where your pipeline is made, or with --pipeline.")
    redacted = run.header.get("redacted")
    if isinstance(redacted, dict) and redacted.get("terms"):
        notes.append(
            "Texts of your own were taken out. A replay has to know them, too: set them as terms"
            " in the pyproject.toml of the tests."
        )
    return Made({f"test_{name}.py": test.encode(), f"{options.name}.run.json": data}, tuple(notes))


def _was(file: Path | None) -> str:
    return f" from {byte_words(file.stat().st_size)}" if file is not None and file.is_file() else ""


def test_text(run: PipelineRun, file: str, name: str, target: str | None) -> str:
    """Return the test of a run. What the run says stands in it as literals only."""
    failed = run.status is RunStatus.FAILED
    imports, pipeline = _pipeline(target)
    facts = [assigned("DECISIONS", decided(run))]
    if failed:
        message = run.error.message if run.error is not None else ""
        facts.append(assigned("ERROR", message[:_LONGEST_ERROR]))
    else:
        facts.append(assigned("ANSWER", answer_of(run)))
    return _TEST.format(
        about=elided(one_line(f"{run.name} {run.id}"), 80),
        imports=("import re\n\n" if failed else "") + imports,
        pipeline=pipeline,
        facts="\n".join(facts),
        file=quoted(file),
        name=name,
        body=_FAILED if failed else _COMPLETED,
    )


test_text.__test__ = False  # type: ignore[attr-defined]  # pytest takes it for a test by its name


def _pipeline(target: str | None) -> tuple[str, str]:
    """Return the imports of a test, and what makes its pipeline."""
    said = target or _PLACE
    if said.endswith(_YAML):
        imports = "from pathlib import Path\n\nimport pytest\nfrom haystack import Pipeline\n"
        place = f"Path(__file__).parent / {quoted(said)}"
        text = f'    text = ({place}).read_text(encoding="utf-8")'
        return imports, f"def pipeline():\n{text}\n    return Pipeline.loads(text)\n\n"
    found = _TARGET.fullmatch(said)
    if found is None or any(map(keyword.iskeyword, re.split(r"[.:]", said))):
        raise InspectorError(
            f"{one_line(said)!r} names no pipeline.", hint="Write --pipeline package.module:build."
        )
    module, attribute = found.groups()
    name = attribute if attribute == "build" else f"{attribute} as build"
    why = "" if target else "  # where your pipeline or agent is made"
    return (
        f"import pytest\n\nfrom {module} import {name}{why}\n",
        'def pipeline():\n    return build if hasattr(build, "run") else build()\n\n',
    )


def _function_name(words: str) -> str:
    name = _NO_NAME.sub("_", words).strip("_").lower()[:_LONGEST_NAME]
    return name or "run"
