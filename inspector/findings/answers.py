"""What an answer says of itself: that it is none, or that something went wrong."""

from __future__ import annotations

import re

_LONGEST = 500  # a longer text says something, whatever it begins with

_NO_ANSWER = re.compile(
    r"\b(?:i|we) (?:do not|don['’]t|cannot|can['’]t|could not|couldn['’]t|am unable to|"
    r"was unable to|have no|was not able to) (?:\w+ )?(?:know|find|answer|determine|tell|say|see|"
    r"information|access|idea)"
    r"|\bno (?:relevant |such |further )?(?:information|answer|mention|data) "
    r"(?:is |was |about |on |in |found|available|can)"
    r"|\b(?:is|are|was|were) not (?:\w+ )?(?:mentioned|contained|provided|specified|stated|"
    r"included|available|found|given|described) (?:in|by)"
    r"|\b(?:do|does|did) not (?:contain|mention|provide|say|include|specify|answer|state|give)"
    r"|\b(?:documents?|context|pages?|manual|sources?) (?:do|does)n['’]t"
    r"|\b(?:unable|impossible) to (?:answer|find|determine|say|tell)"
    r"|\b(?:insufficient|not enough) (?:information|context|data)\b"
    r"|\b(?:weiß|weiss) (?:ich |es )*nicht|\bkeine (?:informationen|angaben|antwort)\b"
    r"|\bje ne (?:sais|trouve) pas|\baucune information|\bno (?:lo )?sé\b|\bno (?:encuentro|hay "
    r"información)",
    re.IGNORECASE,
)
_ADMITS = re.compile(
    r"\b(?:error|fail\w*|could ?n[o'’]t|could not|can ?not|can['’]t|unable|unavailable|sorry|"
    r"unfortunately|problem|did not work|didn['’]t work|does not (?:work|answer|respond)|broken|"
    r"not (?:available|found|possible|reach\w*)|timed? ?out|went wrong|without success|give up|"
    r"fehler\w*|leider|erreur|désolé|lo siento|malheureusement|no pude)\b",
    re.IGNORECASE,
)


def is_no_answer(text: str | None) -> bool:
    """Say whether a model says that it does not know. Judged by its words, so never for sure."""
    return bool(text) and len(text or "") <= _LONGEST and _NO_ANSWER.search(text or "") is not None


def admits_trouble(text: str) -> bool:
    """Say whether an answer owns up to something that did not work."""
    return _ADMITS.search(text) is not None
