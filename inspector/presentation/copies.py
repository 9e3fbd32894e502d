"""What can be taken out of a run as text: for an issue, for a prompt, for a test."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from inspector.presentation.markdown_text import block, code, plain
from inspector.presentation.outline import span_label
from inspector.presentation.span_detail import span_detail
from inspector.presentation.transcript import transcript_text
from inspector.presentation.value_paths import ABSENT, value_at
from inspector.presentation.value_text import json_pieces
from inspector.presentation.visible import one_line
from inspector.presentation.words import elided
from inspector.runfile.kinds import SpanKind
from inspector.runfile.value import is_message, to_python

if TYPE_CHECKING:
    from inspector.findings import Finding
    from inspector.presentation.verdict import Verdict
    from inspector.runfile.model import PipelineRun, Span

_MOST_FINDINGS = 10
_LONGEST_NAME = 200
_LONGEST_ERROR = 2_000
_LONGEST_SENTENCE = 400
_NO_NAME = re.compile(r"\W+")


def issue_summary(
    run: PipelineRun, judged: Verdict, findings: Sequence[Finding], at: str | None = None
) -> str:
    """Return what a run did as Markdown, for an issue.

    What the file says can do nothing there: it names nobody, links nowhere, fetches nothing.
    Folders of this machine are left out.

    Args:
        run: The run.
        judged: How it ended.
        findings: What the rules found in it, the worst first.
        at: The id of the span that the issue is about.

    """
    lines = [f"### {code(elided(judged.name, _LONGEST_NAME))} {plain(judged.ending)}", ""]
    if judged.facts:
        lines += [" · ".join(plain(fact.text) for fact in judged.facts), ""]
    if at is not None and run.table.row_of(at) is not None:
        lines += [*_span_lines(run, run.span(at)), ""]
    if findings:
        lines.append("**Findings**")
        lines.append("")
        lines += [finding_line(run, each) for each in findings[:_MOST_FINDINGS]]
        if len(findings) > _MOST_FINDINGS:
            lines.append(f"- and {len(findings) - _MOST_FINDINGS} more")
        lines.append("")
    if run.error is not None:
        said = f"{run.error.type}: {run.error.message}"
        lines += ["**Error**", "", *block(said), ""]
    lines += environment_lines(run)
    return "\n".join(lines).rstrip("\n") + "\n"


def prompt_of(run: PipelineRun, span: Span) -> str:
    """Return what an LLM was sent, turn by turn; nothing where a span sent nothing."""
    messages = span_detail(run, span, None).messages
    turns = tuple(turn for turn in messages.turns if not turn.is_reply)
    return transcript_text(replace(messages, turns=turns)) if turns else ""


def tool_calls_of(span: Span) -> str:
    """Return the call a tool answered, or those an LLM asked for, as JSON; nothing for others."""
    if span.kind is SpanKind.TOOL:
        return _call_json(span.name, to_python(span.arguments))
    outputs = span.outputs
    replies = outputs.get("replies") if isinstance(outputs, Mapping) else None
    calls = [
        part["tool_call"]
        for reply in (replies if isinstance(replies, list) else ())
        if is_message(reply) and isinstance(reply.get("content"), list)
        for part in reply["content"]
        if isinstance(part, Mapping) and isinstance(part.get("tool_call"), Mapping)
    ]
    return "\n".join(
        _call_json(str(call.get("name")), to_python(call.get("arguments"))) for call in calls
    )


def value_json(run: PipelineRun, span: Span, field: str | None) -> tuple[str, str]:
    """Return a value of a span as JSON, and its path; two empty texts where it has none.

    Without a field that leads somewhere it is what the span gave, else what it was given.
    """
    for path in (field, "outputs", "inputs", "arguments"):
        if path and (value := value_at(run, span, path)) is not ABSENT:
            return "".join(json_pieces(value)), path
    return "", ""


def replay_test(run: PipelineRun, file_name: str) -> str:
    """Return a test in Python that replays the run; the code of the pipeline is the reader's."""
    name = _NO_NAME.sub("_", one_line(run.name).lower()).strip("_")[:60] or "the_run"
    given = _given(run.inputs)
    return f"""import pytest

from my_project.pipelines import build  # where the pipeline or the agent is made


@pytest.mark.recorded_run({_python(file_name)})  # from the directory of this file
def test_{name}_does_what_it_did(replayed):
    data = {given}
    result = replayed(build(), data)
    assert result
"""


def _given(inputs: Any) -> str:
    """Return what the run was given as Python, where it is plain enough to be written."""
    plain = to_python(inputs)
    if isinstance(plain, Mapping) and (text := _literal(plain)) is not None:
        return text
    return "{}  # what the run was given"


def _literal(value: Any) -> str | None:
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=True)
    except (TypeError, ValueError, RecursionError):
        return None
    return repr(json.loads(text)) if '"$' not in text and len(text) <= _LONGEST_ERROR else None


def _python(text: str) -> str:
    return json.dumps(text, ensure_ascii=True)


def _call_json(name: str, arguments: Any) -> str:
    pieces = json_pieces({"name": name, "arguments": arguments})
    return "".join(pieces)


def _span_lines(run: PipelineRun, span: Span) -> list[str]:
    lines = [f"At {code(span.path)} ({code(span.id)})"]
    if span.error is not None:
        said = f"{span.error.type}: {span.error.message}"
        lines += ["", *block(said)]
    else:
        lines[0] += f": {plain(span_label(run, span.row))}, {span.status}"
    return lines


def finding_line(run: PipelineRun, finding: Finding) -> str:
    """Return a finding as an item of a list."""
    from inspector.presentation.finding_list import severity_word

    where = ""
    if finding.spans and run.table.row_of(finding.spans[0]) is not None:
        where = f" ({code(run.span(finding.spans[0]).path)})"
    said = plain(elided(one_line(finding.sentence), _LONGEST_SENTENCE))
    return f"- {severity_word(finding.severity)}: {said}{where}"


def environment_lines(run: PipelineRun) -> list[str]:
    """Return a table of the versions that were in use; no lines where none is known."""
    known = run.environment or {}
    packages = known.get("packages")
    packages = packages if isinstance(packages, Mapping) else {}
    rows = [("Haystack", packages.get("haystack-ai"))]
    rows += [("Python", known.get("python")), ("Platform", known.get("platform"))]
    rows += [
        (str(name), version)
        for name, version in sorted(packages.items())
        if name != "haystack-ai" and str(name).startswith(("haystack-", "openai", "anthropic"))
    ]
    rows.append(("Recorded with", known.get("recorder")))
    said = [(name, version) for name, version in rows if isinstance(version, str) and version]
    if not said:
        return []
    return [
        "| Environment | |",
        "|---|---|",
        *(f"| {plain(name)} | {code(version, cell=True)} |" for name, version in said),
    ]
