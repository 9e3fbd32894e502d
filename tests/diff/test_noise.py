"""What is expected to differ is greyed, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.diff.noise import NoiseRules
from inspector.errors import InspectorError
from inspector.runfile.fingerprint import fingerprint

UUIDS = "0931fa94-e379-4679-92ab-8d871eeffa56", "fd3edcbc-3ca8-4060-a207-4f4f2acb879a"


@pytest.mark.parametrize(
    ("leaf", "left", "right", "within", "rule"),
    [
        ("replies[0].meta.id", "chatcmpl-1a", "chatcmpl-2b", "chat_message", "id"),
        ("replies[0].meta.created", 1_700_000_000, 1_700_000_060, None, "time"),
        ("replies[0].meta.model", "gpt-4o", "gpt-4", "chat_message", None),
        ("meta.request_id", *UUIDS, None, "id"),
        ("system_fingerprint", "fp_1", "fp_2", None, "id"),
        ("replies[0].content[0].tool_call.id", "one", "two", "chat_message", "id"),
        ("stats.latency_ms", 12, 15.5, None, "duration"),
        ("usage.prompt_time", 0.1, 0.2, None, "duration"),
        ("opening_time", 8, 9, None, None),
        ("timestamp", "2026-01-02T03:04:05Z", "2026-01-03T03:04:05Z", None, "time"),
        ("timestamp", "morning", "noon", None, None),
        # A name is not enough: these ids name things that a person knows.
        ("customer_id", *UUIDS, None, None),
        ("id", "bed-7", "bed-8", None, None),
        # Nothing that a tool is given, and nothing that a document says, is noise.
        ("tool_call.arguments.id", *UUIDS, "chat_message", None),
        ("documents[0].meta.created_at", "2026-01-02", "2026-01-03", None, None),
        ("documents[0].id", "a" * 64, "b" * 64, None, "id"),
        ("documents[0].id", "a" * 64, "manual-7", None, None),
        ("score", 0.1 + 0.2, 0.3, None, "rounding"),
        ("score", 0.30001, 0.3, None, None),
        ("tools", None, None, None, "unset"),
        ("streaming_callback", {"$": "callable", "name": "a"}, None, None, "callback"),
        (
            "client",
            {"$": "opaque", "type": "C", "repr": "<C at 0x7f00aa>"},
            {"$": "opaque", "type": "C", "repr": "<C at 0x7f00bb>"},
            None,
            "address",
        ),
    ],
)
def test_a_leaf_is_noise_by_its_name_and_by_what_it_is(leaf, left, right, within, rule):
    assert NoiseRules().reason(leaf, left, right, within=within) == rule
    assert NoiseRules().reason(leaf, right, left, within=within) == rule
    assert NoiseRules(defaults=False).reason(leaf, left, right, within=within) is None


@pytest.mark.parametrize(
    ("path", "leaf", "fits"),
    [
        ("meta.latency", "replies[0].meta.latency", True),
        ("meta", "replies[0].meta.latency", True),
        ("latency", "replies[0].meta.latency_ms", False),
        ("lat*", "replies[0].meta.latency_ms", True),
        ("replies[*].meta", "replies[12].meta.x", True),
        ("replies[1].meta", "replies[12].meta.x", False),
        ("replies.**.x", "replies[12].meta.x", True),
        ("replies.**.y", "replies[12].meta.x", False),
        ("meta.x.**", "meta.x", True),
        ('meta["a b"]', 'meta["a b"].c', True),
        ("llm.outputs.x", "x", True),
        ("llm#2.outputs.x", "x", False),
        ("retriever.outputs.x", "x", False),
    ],
)
def test_a_path_of_the_user_fits_wherever_it_stands(path, leaf, fits):
    rules = NoiseRules([path], defaults=False).under("agent#1/llm#1.outputs")
    assert rules.reason(leaf, 1, 2) == (path if fits else None)


@pytest.mark.parametrize("path", ["", "**", "..", "**.**"])
def test_a_path_that_names_nothing_is_refused(path):
    with pytest.raises(InspectorError, match="does not name"):
        NoiseRules([path])


def test_a_pattern_full_of_stars_ends():
    rules = NoiseRules([".".join(["**", "a"] * 40 + ["z"])])
    assert rules.reason(".".join("a" * 400), 1, 2) is None


def test_what_differs_by_noise_only_is_equal_when_stripped():
    def reply(number: int, text: str):
        return {
            "replies": [
                {"$": "chat_message", "role": "assistant", "content": [{"text": text}],
                 "meta": {"id": f"chatcmpl-{number}", "model": "m", "eval_duration": number}},
                {"$ref": f"ref{number}"},
            ],
            "state": {"mine": {"n": number}},
        }  # fmt: skip

    values = {"ref1": {"run_id": UUIDS[0], "x": 1}, "ref2": {"run_id": UUIDS[1], "x": 1}}
    rules = NoiseRules(["state.mine"])
    one, other, third = (
        rules.strip(reply(*each), lookup=values.__getitem__)
        for each in ((1, "Hi"), (2, "Hi"), (2, "Ho"))
    )
    assert one == other != third
    assert fingerprint(one) == fingerprint(other) != fingerprint(third)


TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["a", "b", "id", "created", "meta", "arguments"]), inner)
    ),
    max_leaves=20,
)


@given(TREES)
def test_stripping_twice_is_stripping_once(tree):
    rules = NoiseRules(["b.a"])
    once = rules.strip(tree)
    assert rules.strip(once) == once
    assert NoiseRules(defaults=False).strip(tree) is tree


def test_a_value_that_refers_to_itself_is_stripped():
    tree = {"a": {"$ref": "x"}}
    assert NoiseRules().strip(tree, lookup={"x": tree}.__getitem__) == {"a": {"a": {"$ref": "x"}}}
