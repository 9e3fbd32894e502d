"""A session of Codex, made by hand."""

from __future__ import annotations

import json


def entry(second, kind, payload):
    """Return a line as newer versions write it."""
    return {"timestamp": f"2026-01-01T00:00:{second:02}.000Z", "type": kind, "payload": payload}


def item(second, kind, **fields):
    """Return an item of the conversation."""
    return entry(second, "response_item", {"type": kind, **fields})


def spoken(second, role, said):
    """Return a message."""
    kind = "output_text" if role == "assistant" else "input_text"
    return item(second, "message", role=role, content=[{"type": kind, "text": said}])


def counted(second, last, total):
    """Return the event that says what a call took."""
    names = ("input_tokens", "cached_input_tokens", "output_tokens", "total_tokens")
    info = {"last_token_usage": dict(zip(names, last, strict=True)),
            "total_token_usage": {"total_tokens": total}}  # fmt: skip
    return entry(second, "event_msg", {"type": "token_count", "info": info})


def session_lines():
    """Return the lines of a session with one tool and two calls."""
    return [
        entry(0, "session_meta", {"id": "0b1", "cli_version": "0.9", "cwd": "/a"}),
        entry(0, "turn_context", {"model": "gpt-x"}),
        spoken(1, "user", "what is there?"),
        entry(1, "event_msg", {"type": "user_message", "message": "what is there?"}),
        item(3, "reasoning", summary=[{"type": "summary_text", "text": "look"}]),
        item(3, "function_call", name="shell", arguments='{"command": ["ls"]}', call_id="c1"),
        entry(3, "event_msg", {"type": "token_count", "info": None}),
        counted(3, (10, 4, 5, 15), 15),
        item(5, "function_call_output", call_id="c1",
             output='{"output": "a.txt", "metadata": {"exit_code": 0}}'),
        counted(5, (10, 4, 5, 15), 15),
        spoken(8, "assistant", "a.txt"),
        entry(8, "event_msg", {"type": "agent_message", "message": "a.txt"}),
        counted(8, (20, 10, 2, 22), 37),
    ]  # fmt: skip


def codex_session(lines=None):
    """Return the bytes of a session."""
    return "\n".join(map(json.dumps, session_lines() if lines is None else lines)).encode()
