"""Cassettes: requests and answers over HTTP as VCR recorded them, in YAML or JSON.

Those of vcrpy, of Ruby's VCR, and of tests of Pydantic-AI, which keep bodies read already.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from inspector.errors import RunFileError
from inspector.importers.chat_log import is_cut
from inspector.importers.exchanges import Exchange, run_of
from inspector.importers.texts import pieces, tree_of
from inspector.importers.wire_body import Body, body_of
from inspector.importers.yaml_events import items_under
from inspector.runfile.leaf import LeafError
from inspector.runfile.shallow import items_of, members_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.head import Head
    from inspector.importers.imported import Context, ImportedRun

_KEYS = frozenset({"interactions", "http_interactions"})
_IN_YAML = re.compile(rb"^(?:http_)?interactions:[ \t]*(?:\[\])?[ \t]*\r?$", re.MULTILINE)
_REQUEST = re.compile(rb"^[ -]*(?:request|response):", re.MULTILINE)


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    if head.text[:1] == b"{":
        found = next((key for key in _KEYS if key in head.keys), None)
        if found is None:
            return 0
        inner = head.inner_keys(found)
        return 85 if inner & {"request", "response"} or not inner else 0
    if head.text[:1] == b"[" or not _IN_YAML.search(head.data):
        return 0
    return 85 if _REQUEST.search(head.data) or head.size < len(head.data) + 64 else 0


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield one run, with a span for each request.

    Raises:
        RunFileError: Nothing in it can be read.

    """
    start = context.source.read_at(0, min(4096, context.source.size)).lstrip(b"\xef\xbb\xbf \r\n\t")
    found: list[Exchange] = []
    for item, whole in _in_json(context) if start[:1] == b"{" else _in_yaml(context):
        exchange = _exchange(item, context) if isinstance(item, dict) else None
        if exchange is None:
            context.losses.skip("interaction that cannot be read", "it has no request")
            continue
        if not whole:
            exchange.cut = True
            context.losses.skip("rest of an interaction that is cut off")
        found.append(exchange)
    if not found and context.losses.skipped:
        raise RunFileError(
            f"Nothing can be read of {context.name}: a cassette that is cut off or damaged.",
            hint="Copy or download it again, or record it anew.",
        )
    if not found:
        return
    yield run_of(
        found,
        context,
        "cassette",
        why_untimed="a cassette holds no times but the dates that servers put into their answers",
    )


def _in_yaml(context: Context) -> Iterator[tuple[Any, bool]]:
    yield from items_under(context.source, _KEYS, context.losses, context.at)


def _in_json(context: Context) -> Iterator[tuple[Any, bool]]:
    for piece in pieces(context.source, context.name, context.losses, context.at):
        try:
            tree = tree_of(piece.text, context.losses, piece.where)
        except LeafError as error:
            context.losses.problem(f"It is cut off or damaged JSON ({error}).", piece.where)
            for item in _whole_items(piece.text):
                yield item, True
            context.losses.skip("part that is cut off or damaged")
            continue
        for key in _KEYS:
            items = tree.get(key) if isinstance(tree, dict) else None
            for item in items if isinstance(items, list) else []:
                yield item, True


def _whole_items(text: bytes) -> Iterator[Any]:
    """Yield the interactions that stand whole in a cassette of JSON that is cut off."""
    from inspector.importers.losses import Losses
    from inspector.runfile.problems import Problems

    members, _ = members_of(text)
    starts = [member.start for member in members if member.key in _KEYS]
    if not starts:
        found = re.search(rb'"(?:http_)?interactions"\s*:\s*\[', text)
        starts = [found.end() - 1] if found else []
    for start in starts:
        for begin, end in items_of(text, start, len(text))[0]:
            try:
                yield tree_of(text[begin:end], Losses(Problems()))
            except LeafError:
                continue


def _exchange(item: dict[str, Any], context: Context) -> Exchange | None:
    asked, answered = item.get("request"), item.get("response")
    if not isinstance(asked, dict):
        return None
    request = body_of(asked.get("body"), asked.get("parsed_body"))
    made = Exchange(request.tree, url=str(asked.get("uri", asked.get("url")) or ""))
    method = str(asked.get("method") or "").upper()
    parts = urlsplit(made.url) if _is_address(made.url) else None
    place = f"{parts.netloc}{parts.path}" if parts else made.url
    made.label = f"{method} {place}".strip()
    made.tags = {"method": method, "url": made.url, "request_headers": asked.get("headers")}
    _note_trouble("request", request, made, context)
    if isinstance(answered, dict):
        _take_answer(made, answered, context)
    if item.get("recorded_at"):
        made.tags["recorded_at"] = str(item["recorded_at"])
    made.tags = {key: value for key, value in made.tags.items() if value not in (None, "", {})}
    return made


def _take_answer(made: Exchange, answered: dict[str, Any], context: Context) -> None:
    body = body_of(answered.get("body", answered.get("content")), answered.get("parsed_body"))
    made.answer = body.tree
    status = answered.get("status", answered.get("status_code"))
    code = status.get("code") if isinstance(status, dict) else status
    made.status = code if isinstance(code, int) else None
    if made.answer is None and made.status is not None:
        made.answered = True
        made.lacking["outputs"] = "the answer has no body"
    made.tags["status"] = made.status
    made.tags["response_headers"] = answered.get("headers")
    if body.stream is not None:
        made.tags["events"] = body.stream.pieces
        made.cut = is_cut(body.tree) and not body.stream.ended
    _note_trouble("answer", body, made, context)


def _note_trouble(which: str, body: Body, made: Exchange, context: Context) -> None:
    if body.trouble:
        context.losses.problem(f"Of the {which} {made.label}: {body.trouble}.")


def _is_address(text: str) -> bool:
    try:
        return bool(urlsplit(text).netloc)
    except ValueError:
        return False
