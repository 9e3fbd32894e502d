import json
from typing import Any

from inspector.presentation.run_info import run_info
from inspector.presentation.shown import redaction_words
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun

HEADER: dict[str, Any] = {
    "id": "01JDQ6Z3V4N8W2X5Y7A9B1C3D5",
    "kind": "pipeline",
    "name": "support",
    "mode": "async",
    "status": "completed",
    "started_at": "2026-11-29T14:00:00Z",
    "utc_offset_s": 3600,
    "duration_ns": 4_200_000_000,
    "environment": {"python": "3.11.7", "packages": {"openai": "2.1.0", "haystack-ai": "3.4.1"}},
    "topology": {
        "components": {"llm": {"type": "pkg.Generator", "package": "pkg", "version": "1.0"}},
        "connections": [{"sender": "a.out", "receiver": "llm.prompt"}],
    },
    "not_recorded": [{"what": "embeddings", "why": "kept as digests"}],
}


def run_with(**fields: Any) -> PipelineRun:
    text = json.dumps({"format": "haystack-run", "version": 1, "run": HEADER | fields, "spans": []})
    return load_run(text.encode())


def told(run: PipelineRun) -> dict[str, dict[str, str]]:
    return {
        section.title: {entry.name: entry.text for entry in section.entries}
        for section in run_info(run)
    }


def test_when_with_what_and_what_is_missing() -> None:
    info = told(run_with())
    assert info["Run"]["Started"] == "2026-11-29 15:00:00 (UTC+01:00)"
    assert info["Run"]["Kind"] == "pipeline, async"
    assert info["Environment"]["Haystack"] == "3.4.1"
    assert info["Not recorded"] == {"embeddings": "kept as digests"}
    assert info["1\u202fcomponent"] == {"llm": "Generator"}
    assert info["1\u202fconnection"] == {"a.out": "→ llm.prompt"}
    assert info["Packages (2)"] == {"haystack-ai": "3.4.1", "openai": "2.1.0"}


def test_what_was_not_recorded_is_left_out_not_shown_as_empty() -> None:
    info = told(run_with(utc_offset_s=None, duration_ns=None, mode=None))
    assert "Duration" not in info["Run"]
    assert info["Run"]["Kind"] == "pipeline"


def test_wrong_types_in_the_header_lose_their_line_and_nothing_else() -> None:
    odd = run_with(
        environment=["x"], topology={"components": [1], "connections": {"a": 1}}, not_recorded=3
    )
    assert told(odd)["Run"]["Name"] == "support"


def test_text_from_the_file_stays_on_its_line() -> None:
    info = told(run_with(name="evil\nname\x1b[31m \u202eabc"))
    assert "\n" not in info["Run"]["Name"]
    assert "\x1b" not in info["Run"]["Name"]
    assert "\u202e" not in info["Run"]["Name"]


def test_what_was_taken_out_is_counted_with_its_rules() -> None:
    run = run_with(redaction=[{"rule": "email", "count": 12}, {"rule": "key"}])
    words, by = redaction_words(run)
    assert words.replace("\u202f", " ") == "Redacted: 13 values"
    assert "email, key" in by
    assert redaction_words(run_with()) == ("", "")
