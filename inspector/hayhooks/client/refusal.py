"""What a server says when it does not do what was asked, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.hayhooks.client.model import ErrorKind, HayhooksError
from inspector.hayhooks.client.reading import parsed

if TYPE_CHECKING:
    from inspector.hayhooks.client.wire import Answer

_LONGEST = 300
_MOST_FIELDS = 50
_MOST_TOLD = 3
_LATEST_S = 86_400.0


def refusal(answer: Answer, name: str, what: str) -> HayhooksError:
    """Return the error for an answer that is no success.

    Args:
        answer: It.
        name: Of who answered.
        what: What was asked for, such as `execution 1f`.

    """
    status, detail = answer.status, _detail(answer)
    said = detail if isinstance(detail, str) else ""
    tell = f"It says: {said}" if said else ""
    if status == 401:
        return HayhooksError(
            f"{name} does not know who asks for {what}.",
            kind="unauthorized",
            status=status,
            hint=tell or "Is the operator's token right, or the header that names the owner?",
        )
    if status == 403:
        return HayhooksError(
            f"{name} lets nobody see {what}.",
            kind="forbidden",
            status=status,
            hint="It was started without an operator's token (HAYHOOKS_TRACING_TOKEN).",
        )
    if status == 404:
        return HayhooksError(
            f"{name} has no {what}.".replace("no the ", "no "), kind="not_found", status=status,
            hint="It may have been let go of after its time, or be another owner's."
            if what.startswith("execution")
            else "See what it runs: run-inspector hayhooks status.",
        )  # fmt: skip
    if status == 409:
        return HayhooksError(_conflict(name, what, said), kind="conflict", status=status, hint=tell)
    if status == 422:
        return _invalid(name, detail, said)
    if status == 413:
        return HayhooksError(f"That is too large for {name}.", kind="too_large", status=status)
    if status in {429, 503} and (later := _seconds(answer)) is not None:
        return HayhooksError(
            f"{name} takes nothing more at the moment.",
            kind="busy", status=status, hint=tell, retry_after_s=later,
        )  # fmt: skip
    if status >= 500:
        kind: ErrorKind = "degraded" if status == 503 else "odd"
        return HayhooksError(
            f"{name} answers, but its store does not."
            if status == 503
            else f"{name} is in trouble (status {status}).",
            kind=kind, status=status, hint=tell,
        )  # fmt: skip
    if 300 <= status < 400:
        return HayhooksError(
            f"{name} sends us on to another address, which is not followed.",
            kind="odd", status=status, hint="Give the address that answers itself.",
        )  # fmt: skip
    return HayhooksError(
        f"{name} refused with status {status}.", kind="odd", status=status, hint=tell
    )


def _conflict(name: str, what: str, said: str) -> str:
    if "dempoten" in said:
        return f"{name} knows this key for another input."
    if "revision" in said:
        return f"{name} runs another revision than {what} began with."
    return f"{name} cannot do that to {what} as it stands."


def _invalid(name: str, detail: Any, said: str) -> HayhooksError:
    fields = _fields(detail)
    if not fields:
        return HayhooksError(
            f"{name} does not accept that{f': {said}' if said else ''}.".replace("..", "."),
            kind="too_large" if "exceed" in said and "byte" in said else "invalid",
            status=422,
        )
    told = "; ".join(f"{path}: {why}" if path else why for path, why in fields[:_MOST_TOLD])
    more = f"; and {len(fields) - _MOST_TOLD} more" if len(fields) > _MOST_TOLD else ""
    return HayhooksError(
        f"{name} does not accept the input: {told}{more}.",
        kind="invalid", status=422, fields=fields,
    )  # fmt: skip


def _fields(detail: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(detail, list):
        return ()
    found = []
    for entry in detail[:_MOST_FIELDS]:
        if not isinstance(entry, dict) or not isinstance(entry.get("msg"), str):
            continue
        place = entry.get("loc")
        steps = [str(step)[:80] for step in (place if isinstance(place, list) else [])[:20]]
        path = ".".join(steps[1:] if steps[:1] == ["body"] else steps)
        found.append((path, entry["msg"][:_LONGEST]))
    return tuple(found)


def _detail(answer: Answer) -> Any:
    try:
        tree = parsed(answer.data)
    except HayhooksError:
        return ""
    detail = tree.get("detail") if isinstance(tree, dict) else ""
    return detail[:_LONGEST] if isinstance(detail, str) else detail


def _seconds(answer: Answer) -> float | None:
    said = answer.headers.get("retry-after", "")
    if not said.isascii() or not said.isdigit() or len(said) > 9:
        return None
    return min(float(said), _LATEST_S)
