"""Small values read in one go say what they say when they are put together piece by piece."""

import msgspec
import pytest

from inspector.diff.glance import Glance, LargeError
from inspector.runfile.load import load_run
from tests.benchmarks.made_runs import agent_file
from tests.runfile.files import run_file, span

ONE, OTHER, ITSELF, GONE = ("a" * 32, "b" * 32, "c" * 32, "d" * 32)
VALUES = {ONE: ["x", {"$ref": OTHER}], OTHER: {"said": 'a "$" and {"$ref": no reference}'},
          ITSELF: [{"$ref": ITSELF}]}  # fmt: skip


def test_what_an_agent_s_tools_and_llms_said_is_the_same_in_one_go() -> None:
    run = load_run(agent_file(12, seed=1))
    glance = Glance(run)
    seen = 0
    for each in run.spans:
        raw = bytes(glance.facts(each.row).outputs)
        if raw and each.kind != "agent":
            assert glance.at_once(raw) == run.resolve(msgspec.json.decode(raw))
            seen += 1
    assert seen == 24


def test_references_in_references_are_followed_in_one_go() -> None:
    run = load_run(run_file([span(1)], values=VALUES))
    assert Glance(run).at_once(b'{"a":{"$ref":"%b"}}' % ONE.encode()) == {
        "a": ["x", {"said": 'a "$" and {"$ref": no reference}'}]
    }


@pytest.mark.parametrize(
    "text",
    [
        b'{"$ref":"%b"}' % GONE.encode(),
        b'{"$ref":"%b"}' % ITSELF.encode(),
        b'{"$":"list","after":null,"items":[]}',
        b'{"a":1,"a":2}',
        b'{"a": 1}',
        b'["\\u0024ref"]',
        b"[NaN]",
        b"[" * 160 + b"]" * 160,
    ],
)
def test_what_is_not_as_it_is_written_by_us_takes_more_care(text: bytes) -> None:
    run = load_run(run_file([span(1)], values=VALUES))
    with pytest.raises(LargeError):
        Glance(run).at_once(text)
