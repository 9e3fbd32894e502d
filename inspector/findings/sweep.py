"""One pass over all bytes of a run, for the rules that look for something in any place of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from inspector.errors import RunFileError
from inspector.redaction.linear import finder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from inspector.runfile.model import PipelineRun

# What may be a secret. Whatever this passes over is no secret that starts or is called as most
# are; `run-inspector redact` looks at every text with every rule.
_MAY_BE = finder(
    rb"(?i:passw|passphrase|secret|api[_ -]?key|access[_ -]?key|private[_ -]?key|authorization"
    rb"|bearer |cookie|credential|[a-z_]token[\"'\\ ]{0,4}[:=]|\"token[\\]?\""
    rb"|hooks\.slack\.com|discord(?:app)?\.com/api/webhooks)"
    rb"|://[^\s/\"@:]{0,100}:[^\s/\"@]{1,200}@|-----BEGIN"
    rb"|\b(?:sk[-_]|pk-lf-|gh[pousr]_|github_pat_|gl(?:pat|dt|rt)-|A[KS]IA[A-Z0-9]{16}|AIza|xox[a-z]-"
    rb"|xapp-|ya29\.|GOCSPX-|hf_|gsk_|r8_|pplx-|xai-|nvapi-|tvly-|pcsk_|lsv2_|npm_|pypi-|SG\."
    rb"|dapi|rk_live|whsec_|eyJ[A-Za-z0-9_-]{8,}\.|hv[sbr]\.|dop_v1_|sbp_|glsa_|ATATT3|NRAK-)"
)
_NEEDLES = {tag: b'"$":"%s"' % tag.encode() for tag in ("opaque", "truncated")}
_REF = re.compile(rb'"\$ref":"([^"\\]{1,200})"')
_BLOCK = 2**18
HEADER = -1
"""Stands among rows for the header of the run."""

Texts = list[tuple[int | str, bytes]]


@dataclass(slots=True)
class Sweep:
    """What was met on the way."""

    suspects: list[int | str] = field(default_factory=list)
    """The rows, the digests of values and `HEADER`, in which a secret may stand."""
    tagged: dict[str, set[bytes]] = field(default_factory=lambda: {tag: set() for tag in _NEEDLES})
    """The digests of the values that hold something of a tag, at any depth."""


def sweep(run: PipelineRun, stop: Callable[[], None]) -> Sweep:
    """Search all records and values, many of them in one go."""
    met = Sweep()
    try:
        for block in _blocks(run.record_texts()):
            stop()
            met.suspects += _hits(block, _joined(block))
        for block in _blocks(run.values.items()):
            stop()
            joined = _joined(block)
            met.suspects += _hits(block, joined)
            for tag, marked in met.tagged.items():
                if _NEEDLES[tag] in joined or (marked and b'"$ref"' in joined):
                    _mark(block, _NEEDLES[tag], marked)
    except RunFileError:
        pass  # the file changed: the run says so among its problems
    if any(_MAY_BE(header_json(run))):
        met.suspects.append(HEADER)  # the last: what spans hold, too, is told of there
    return met


def header_json(run: PipelineRun) -> bytes:
    """Return what the run's header says; nothing where that cannot be written."""
    try:
        return msgspec.json.encode(dict(run.header))
    except (TypeError, ValueError, RecursionError):
        return b""


def refers(text: bytes, marked: set[bytes]) -> bool:
    """Say whether a text refers to one of these values."""
    return any(ref in marked for ref in _REF.findall(text))


def _blocks(texts: Iterable[tuple[int | str, bytes]]) -> Iterator[Texts]:
    block: Texts = []
    size = 0
    for each in texts:
        block.append(each)
        size += len(each[1])
        if size >= _BLOCK:
            yield block
            block, size = [], 0
    if block:
        yield block


def _joined(block: Texts) -> bytes:
    return b"\n".join([text for _, text in block])


def _hits(block: Texts, joined: bytes) -> list[int | str]:
    """Return those of some texts in which there may be a secret."""
    found: list[int | str] = []
    ends: list[int] = []
    at, told = 0, -1
    for hit in _MAY_BE(joined):
        if not ends:
            place = 0
            for _, text in block:
                place += len(text) + 1
                ends.append(place)
        while ends[at] <= hit.start():
            at += 1
        if at != told:
            told = at
            found.append(block[at][0])
    return found


def _mark(block: Texts, needle: bytes, marked: set[bytes]) -> None:
    for name, text in block:  # values refer to earlier ones only
        if needle in text or (marked and b'"$ref"' in text and refers(text, marked)):
            marked.add(str(name).encode())
