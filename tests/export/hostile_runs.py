"""Runs in which every text that a stranger can write says something hostile."""

import json
from typing import Any

from inspector.assets import asset
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun

HOSTILE = (
    "<script>alert(1)</script>\"' onload='alert(2)' x=\"><img src=x onerror=alert(3)>"
    "<svg/onload=alert(4)><!-- --><!-- <script></script></style></title></textarea></main>"
    "]]><![CDATA[ <?php ?> &lt;b&gt; &#x3c;i&#x3e; javascript:alert(5) "
    "url(https://evil.example/) @import 'x'; ![p](https://evil.example/p.png) "
    "[l](https://evil.example) "
    "@somebody #12 ``` ~~~ | | \n```\n# head\n<details>\n\u202egnp.exe\u202c \u2066x\u2069 \u200f "
    '\x00\x1b[2J\x07\x7f\x9b \u2028\u2029 \\u003c ${alert(6)} {{7*7}} """ \'\'\' \\"""'
)
HIDDEN = "\x00\x1b\x07\x7f\x9b\u202e\u202c\u2066\u2069\u200f\u2028\u2029"
# The same places to break at, nearly the same length, and nothing to act on.
HARMLESS = "".join(sign if sign in " \n./]_=" else "x" for sign in HOSTILE)

# What says which span is which, or what a reader of the format goes by.
_OURS = {
    "id", "parent", "kind", "status", "path", "$", "$ref", "role", "started_at", "currency",
    "format", "version", "operation", "grade", "standing", "ref", "type", "mode", "digest",
    "record_digests", "price", "amount", "what",
}  # fmt: skip


def with_texts(tree: Any, words: str, key: str = "") -> Any:
    """Return a tree whose texts, but for what the format itself says, are these words."""
    if isinstance(tree, dict):
        return {
            name: with_texts(value, words, name) for name, value in tree.items()
        }  # fmt: skip
    if isinstance(tree, list):
        return [with_texts(value, words, key) for value in tree]
    if isinstance(tree, str) and key not in _OURS:
        return words
    return tree


def hostile_bytes(words: str = HOSTILE, example: str = "agent-tools") -> bytes:
    """Return a run file that says these words wherever it can say any."""
    tree = json.loads(asset(f"examples/{example}.run.json").read_text("utf-8"))
    for part in ("run", "spans", "values"):
        tree[part] = with_texts(tree[part], words)
    tree["run"]["environment"]["packages"] = {words: words, "haystack-ai": words}
    for name in ("topology", "definition"):
        components = tree["run"].get(name, {}).get("components", {})
        components[words] = {"type": words, "init_parameters": {words: words}}
    tree["run"]["inputs"] = {words: {words: words}}
    tree["spans"][0]["inputs"] = {words: words}
    tree["spans"][0]["name"] = words
    return json.dumps(tree).encode()


def hostile_run(words: str = HOSTILE, example: str = "agent-tools") -> PipelineRun:
    return load_run(hostile_bytes(words, example))
