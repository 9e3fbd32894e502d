"""What the rules find is in no byte of any export, wherever it stood and however it was cut."""

import base64
import json
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.export.kinds import KINDS, Options, export_run
from inspector.redaction.settings import Redaction
from inspector.runfile.model import PipelineRun
from tests.redaction.runs import made_run, span

RULES = Redaction(environment=False)
# Made here, so that no tool takes them for somebody's.
TOKEN = "ghp_" + "q7Wz9" * 7 + "x"
SECRETS = (TOKEN, "ada.lovelace@example.com", "+1 202 555 0143")


def message(role: str, text: str) -> dict[str, object]:
    return {"$": "chat_message", "role": role, "content": [{"text": text}], "meta": {}}


def chunk(text: str) -> dict[str, object]:
    return {"$": "streaming_chunk", "content": text, "meta": {}}


def run_with(secret: str, cut: int) -> PipelineRun:
    """Return a run that has a secret in each place that an export shows, and cut in a stream."""
    said = f"Ask {secret} about it."
    at = 4 + cut
    document = {"$": "document", "id": "d1", "content": said, "meta": {"who": said}, "score": 1.0}
    error = {"type": "builtins.ValueError", "message": said, "traceback": f"Traceback\n  {said}\n"}
    llm = {
        "kind": "component", "role": "llm", "name": "llm", "path": "llm#1",
        "inputs": {"messages": [message("system", said), message("user", said)]},
        "outputs": {"replies": [message("assistant", said)]},
        "chunks": [[1, chunk(said[:at])], [2, chunk(said[at:])]],
        "llm": {"name": "m", "provider": "p"}, "senders": {"messages": ["find"]},
    }  # fmt: skip
    find = {
        "kind": "component", "role": "retrieval", "name": "find", "path": "find#1",
        "inputs": {"query": said}, "outputs": {"documents": [document]},
        "retrieval": {"query": said, "documents": [{"id": "d1", "rank": 1}]},
    }  # fmt: skip
    inside = {"deep": json.dumps({"in": json.dumps({"json": said})}), said: said,
              "b64": base64.b64encode(said.encode() * 3).decode(), "url": quote(said)}  # fmt: skip
    tool = {"kind": "tool", "name": "call", "path": "find#1/tool:call[0]", "status": "failed",
            "inputs": inside, "arguments": inside, "error": error}  # fmt: skip
    answer = {"llm": {"replies": [message("assistant", said)]}}
    components = {name: {"type": f"x.{name}", "role": name} for name in ("find", "llm")}
    return made_run(
        span(1, inputs={"find": {"query": said}}, outputs=answer),
        span(2, **find), span(3, **llm), span(4, **tool),
        header={
            "status": "failed", "error": error, "inputs": {"find": {"query": said}},
            "outputs": answer,
            "topology": {"components": components,
                         "connections": [{"sender": "find.documents", "receiver": "llm.messages"}]},
            "definition": {"components": {"llm": {"init_parameters": {"who": said}}}},
            "environment": {"python": said, "packages": {"haystack-ai": said}},
        },
    )  # fmt: skip


def forms(secret: str) -> list[bytes]:
    """Return how a secret can stand in a file."""
    spelled = [secret, quote(secret), json.dumps(secret)[1:-1], secret.replace("@", "&#64;")]
    spelled.append(secret.replace("@", "@\u2060"))
    found = [each.encode() for each in spelled]
    whole = f"Ask {secret} about it.".encode()
    return [*found, base64.b64encode(whole * 3), base64.b64encode(whole)[:40]]


@pytest.mark.parametrize("kind", [*KINDS])
@settings(max_examples=25, deadline=None, derandomize=True)
@given(secret=st.sampled_from(SECRETS), cut=st.integers(0, 40))
def test_no_export_holds_a_secret_in_any_form(kind: str, secret: str, cut: int) -> None:
    run = run_with(secret, min(cut, len(secret)))
    made = export_run(run, kind, redact=RULES, options=Options(at="llm"))
    for data in made.files.values():
        assert not [form for form in forms(secret) if form in data]
    assert not [form for form in forms(secret) if form in "\n".join(made.notes).encode()]
    # The test can fail: left alone, it is there.
    if not KINDS[kind].always_redacted:
        whole = export_run(run, kind, redact=None, options=Options(at="llm"))
        assert any(form in whole.main for form in forms(secret))


def test_a_secret_cut_at_any_place_of_a_stream_is_in_no_export() -> None:
    for cut in range(len(TOKEN) + 1):
        made = export_run(run_with(TOKEN, cut), "fixture", redact=RULES)
        assert not [data for data in made.files.values() if TOKEN.encode() in data]
