"""What stands in logs and trajectories of agents, as read off the files by hand."""

from __future__ import annotations

from tests.importers.table import TRACES, Expected

_STEPS = "sample_init system_message(state) use_tools(state) boom"
_OLD_SAID = (
    f"harbour({_STEPS} thinking(think(model) state store) generate(model state) includes(score))"
)
_OLD_TOOL = (
    f"harbour({_STEPS} thinking(think(model) state store) generate(model tide model state) "
    "includes(score))"
)
_OLD_FAILED = f"harbour({_STEPS}(error))"
_NEW_STEPS = "init(sample_init) solvers(system_message(state) use_tools(state) boom"
_NEW_SAID = (
    f"harbour({_NEW_STEPS} thinking(think(model) state store) generate(model state) store) "
    "scorers(includes(score)))"
)
_NEW_TOOL = (
    f"harbour({_NEW_STEPS} thinking(think(model) state store) generate(model tide model state) "
    "store) scorers(includes(score)))"
)
_NEW_FAILED = f"harbour({_NEW_STEPS}) logger error)"
_PILOT = "pilot(transfer_to_pilot(pilot(model tide model tide model tide model submit)))"
_RELAY = (
    f"relay(init(sample_init) solvers(react(react(model {_PILOT} model submit) state)) "
    "scorers(includes(score)))"
)
_LIMITED = (
    "relay(init(sample_init) solvers(react(react(model pilot(transfer_to_pilot(pilot(model tide "
    "sample_limit))) sample_limit))) scorers(includes(score)))"
)
_GAUGE = "the gauge is broken"
_NO_HARBOUR = ("generate#1/tool:tide[0]",)
_NO_HARBOUR_NEW = ("solvers#1/generate#1/tool:tide[0]",)


def _old(*durations: int) -> list[Expected]:
    """Return the samples of a log of an old version; each call of the model took 25 tokens."""
    one, two, three, four = durations
    return [
        Expected(_OLD_SAID, 17, 50, one * 1000, said="Paris"),
        Expected(_OLD_TOOL, 19, 75, two * 1000, said="low at noon in Brest"),
        Expected(_OLD_TOOL, 19, 75, three * 1000, _NO_HARBOUR, said="Atlantis"),
        Expected(_OLD_FAILED, 8, None, four * 1000, ("", "boom#1/error#1"), "failed"),
    ]


def _new(*durations: int) -> list[Expected]:
    one, two, three, four = durations
    return [
        Expected(_NEW_SAID, 21, 50, one * 1000, said="Paris"),
        Expected(_NEW_TOOL, 23, 75, two * 1000, said="low at noon in Brest"),
        Expected(_NEW_TOOL, 23, 75, three * 1000, _NO_HARBOUR_NEW, said="Atlantis"),
        Expected(_NEW_FAILED, 11, None, four * 1000, ("", "error#1"), "failed"),
    ]


def _as_in_json(runs: list[Expected]) -> list[Expected]:
    """Return them in the order in which the log has them: by their ids, as texts."""
    said, tool, failed, bad = runs
    return [tool, failed, bad, said]


AGENTS: dict[str, list[Expected]] = {
    # As their twins in JSON, which the library of OpenTelemetry made into these.
    "otlp_protobuf/haystack_rag.pb": TRACES["otlp_json/haystack_rag.msgtojson.json"],
    "otlp_protobuf/haystack_agent.pb": TRACES["otlp_json/haystack_agent.msgtojson.json"],
    "otlp_protobuf/haystack_both.delimited.pb": [
        *TRACES["otlp_json/haystack_rag.msgtojson.json"],
        *TRACES["otlp_json/haystack_agent.msgtojson.json"],
    ],
    "inspect/harbour_0.3.50.eval": [
        *_old(16351, 12455, 9230, 43776), *_old(6615, 8633, 8513, 8538),
    ],
    "inspect/harbour_0.3.50.json": _as_in_json(_old(57245, 42504, 32093, 78927)),
    "inspect/harbour_0.3.160.eval": [
        *_new(69071, 68148, 61411, 164113), *_new(40278, 38603, 124927, 146086),
    ],
    "inspect/harbour_0.3.285.eval": [
        *_new(547646, 155467, 297516, 95628), *_new(37873, 58592, 78522, 29824),
    ],
    "inspect/harbour_0.3.285.json": _as_in_json(_new(421598, 63132, 183963, 77543)),
    # Six calls with 20 tokens, 8 more from a cache, and 5 that were answered.
    "inspect/relay_0.3.285.eval": [
        Expected(_RELAY, 24, 198, 1_052_350_000, said="low low low"),
        Expected(_RELAY, 24, 198, 1_059_164_000, said="low low low"),
    ],
    "inspect/relay_chunked_0.3.285.eval": [
        Expected(_RELAY, 24, 198, 1_052_350_000, said="low low low"),
        Expected(_RELAY, 24, 198, 1_059_164_000, said="low low low"),
    ],
    "inspect/relay_limit_0.3.285.eval": [
        Expected(_LIMITED, 17, 66, 626_151_000, said="Message limit exceeded"),
        Expected(_LIMITED, 17, 66, 626_549_000, said="Message limit exceeded"),
    ],
    # Three calls, each with a command in a shell; the second one fails.
    "swe_agent/mini_1.9.0.traj.json": [
        Expected("mini-swe-agent(model bash model bash model bash)", 7, None, None, said="low tide")
    ],
    "swe_agent/mini_2.4.6.traj.json": [
        Expected(
            "mini-swe-agent(deterministic bash deterministic bash deterministic bash)",
            7, None, 23_963_904, said="low tide",
        )
    ],
}  # fmt: skip
