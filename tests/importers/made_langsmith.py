"""Runs of LangSmith, made by hand."""

from __future__ import annotations

import json

IDS = [f"0000000{n}-0000-4000-8000-000000000000" for n in range(4)]


def row(number, parent, kind, name, *, at, **fields):
    """Return a run; `at` are the seconds when it began and ended."""
    start, end = at
    return {"id": IDS[number], "trace_id": IDS[0], "run_type": kind, "name": name,
            "parent_run_id": None if parent is None else IDS[parent],
            "start_time": f"2026-01-01T00:00:{start:02}.000000",
            "end_time": f"2026-01-01T00:00:{end:02}.000000",
            "inputs": {"question": "tide?"}, "outputs": {}, "error": None, **fields}  # fmt: skip


def rows():
    """Return a chain with a call of a model, a tool that fails, and a retriever."""
    usage = {"input_tokens": 4, "output_tokens": 3, "total_tokens": 7}
    error = "Traceback (most recent call last):\n  File x\nValueError: no gauge"
    return [
        row(0, None, "chain", "harbour", at=(0, 9), outputs={"answer": "low"}),
        row(1, 0, "llm", "ask", at=(1, 3), outputs={"usage_metadata": usage},
            extra={"metadata": {"ls_model_name": "m", "ls_provider": "openai"}}),
        row(2, 0, "tool", "gauge", at=(3, 4), error=error),
        row(3, 0, "retriever", "search", at=(4, 5)),
    ]  # fmt: skip


def langsmith_rows(shape="list"):
    """Return the bytes of these runs in one of the shapes that people have."""
    made = rows()
    if shape == "lines":
        return "\n".join(map(json.dumps, made)).encode()
    if shape == "dotted":
        for number, each in enumerate(made):
            own = f"20260101T00000{number}000000Z{each['id']}"
            above = f"20260101T000000000000Z{IDS[0]}."
            each["dotted_order"] = own if number == 0 else above + own
            del each["parent_run_id"], each["trace_id"]
    if shape == "ingested":
        late = ("end_time", "outputs", "error")
        post = [{k: v for k, v in each.items() if k not in late} for each in made]
        patch = [{"id": each["id"], **{k: each[k] for k in late}} for each in made]
        return json.dumps({"post": post, "patch": patch}).encode()
    if shape == "nested":
        return json.dumps({**made[0], "child_runs": made[1:]}).encode()
    return json.dumps(made).encode()
