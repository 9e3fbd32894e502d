"""A run as Markdown: for a pull request, or pasted into an issue as it is.

What happened, in the order in which a maintainer asks: how it ended, what was asked and answered,
what went wrong, what was decided, with which versions, and how to open the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.diff.answer import answer_of
from inspector.diff.said import question_text
from inspector.export.kinds import Made, Options
from inspector.findings import check
from inspector.presentation.copies import environment_lines, finding_line
from inspector.presentation.decided import decided
from inspector.presentation.markdown_text import block, code, plain
from inspector.presentation.outline import outline_lines
from inspector.presentation.verdict import verdict
from inspector.presentation.words import elided, started_words

if TYPE_CHECKING:
    from inspector.runfile.model import PipelineRun

_LONGEST_NAME = 200
_LONGEST_SAID = 4_000
_LONGEST_CELL = 160
_LONGEST_FACT = 80
_MOST_DECISIONS = 40
_MOST_FINDINGS = 10
_MOST_LINES = 200
_FITS = 60_000  # characters: sites refuse more than 65,536 in one comment


def make(run: PipelineRun, options: Options) -> Made:
    """Return the text of a run."""
    text = markdown(run, options)
    return Made({f"{options.name}.md": text.encode()})


def markdown(run: PipelineRun, options: Options) -> str:
    """Return the Markdown of a run; what the run says can do nothing in it."""
    judged = verdict(run)
    lines = [f"### {code(elided(judged.name, _LONGEST_NAME))} {plain(judged.ending)}".strip(), ""]
    if judged.facts:
        lines += [" · ".join(plain(elided(fact.text, _LONGEST_FACT)) for fact in judged.facts), ""]
    for title, body in (
        ("Asked", _said(question_text(run.inputs))),
        ("Answered", _said(answer_of(run) or "")),
        ("Error", _error(run)),
        ("Findings", _findings(run)),
        ("Decisions", _decisions(run)),
    ):
        if body:
            lines += [f"**{title}**", "", *body, ""]
    if environment := environment_lines(run):
        lines += [*environment, ""]
    lines += _file(run, options)
    tail = _tree(run)
    if sum(map(len, (*lines, *tail))) < _FITS:
        lines += tail
    return "\n".join(lines).rstrip("\n") + "\n"


def _said(text: str) -> list[str]:
    return block(text, _LONGEST_SAID) if text.strip() else []


def _error(run: PipelineRun) -> list[str]:
    error = run.error
    return [] if error is None else block(f"{error.type}: {error.message}", _LONGEST_SAID)


def _findings(run: PipelineRun) -> list[str]:
    found = check(run)
    lines = [finding_line(run, each) for each in found[:_MOST_FINDINGS]]
    if len(found) > _MOST_FINDINGS:
        lines.append(f"- and {len(found) - _MOST_FINDINGS} more")
    return lines


def _decisions(run: PipelineRun) -> list[str]:
    taken = decided(run)
    if not taken:
        return []
    rows = [
        f"| {_cell(path) or 'the run'} | {_cell(words)} |"
        for path, words in list(taken.items())[:_MOST_DECISIONS]
    ]
    lines = ["| Where | What |", "|---|---|", *rows]
    if len(taken) > _MOST_DECISIONS:
        lines += ["", f"and {len(taken) - _MOST_DECISIONS} more"]
    return lines


def _cell(words: str) -> str:
    return code(words, cell=True, longest=_LONGEST_CELL)


def _file(run: PipelineRun, options: Options) -> list[str]:
    source = options.original or run
    said = [f"Run {code(run.id)}" if run.id else ""]
    if run.started_at:
        said.append(plain(started_words(run.started_at)))
    if digest := source.parts.digest:
        said.append(f"file {code(digest)}")
    if "redacted" in run.header:
        said.append("this text is redacted")
    lines = [" · ".join(filter(None, said)), ""] if any(said) else []
    if options.file is not None:
        lines += [f"Open it with {code(f'run-inspector {options.file.name}')}.", ""]
    return lines


def _tree(run: PipelineRun) -> list[str]:
    shown: list[str] = []
    for line in outline_lines(run):
        if len(shown) == _MOST_LINES:
            shown.append("…")
            break
        shown.append(line)
    body = block("\n".join(shown), _FITS)
    return ["<details>", "<summary>All spans</summary>", "", *body, "", "</details>", ""]
