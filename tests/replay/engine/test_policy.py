"""What is done with each thing, and who says so."""

import importlib
import pkgutil
from decimal import Decimal
from typing import Any

import haystack
import pytest
from haystack import component
from haystack.components.builders import PromptBuilder
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.core.component import component as registry_holder
from haystack.dataclasses import ChatMessage

from inspector.replay.api import ReplayDriftError, replay_run
from inspector.replay.classes import CLASSES, MODULES, Treatment
from inspector.replay.mode import ReplayError
from inspector.replay.policy import Policy
from tests.helpers import agents
from tests.helpers.openai_server import KEY_VARIABLE
from tests.helpers.tools import look_up
from tests.replay.engine.conftest import Offline


def import_everything_of_haystack() -> None:
    for package in ("haystack.components", "haystack.core"):
        root = importlib.import_module(package)
        for found in pkgutil.walk_packages(root.__path__, f"{package}."):
            importlib.import_module(found.name)


@pytest.mark.filterwarnings("ignore")
def test_the_table_knows_every_component_that_haystack_ships() -> None:
    import_everything_of_haystack()
    shipped = {
        f"{cls.__module__}.{cls.__name__}"
        for cls in registry_holder.registry.values()
        if cls.__module__.startswith("haystack.")
    }
    assert len(shipped) > 80, haystack.__name__
    assert shipped - set(CLASSES) == set(), "say in classes.py what a replay does with these"


def test_every_entry_of_the_tables_says_why() -> None:
    for ruling in (*CLASSES.values(), *MODULES.values()):
        assert len(ruling.reason) > 10


@component
class Unknown:
    @component.output_types(text=str)
    def run(self, text: str) -> dict[str, str]:
        return {"text": text}


@component
class SaysNo(Unknown):
    haystack_side_effecting = False


@component
class SaysYes(Unknown):
    __haystack_side_effecting__ = True


def treatment(instance: Any, kind: str = "component", treat: Any = None, path: str = "x#1") -> str:
    return Policy(treat).of(instance, kind, path, "x").treatment


def test_the_order_of_authority() -> None:
    builder = PromptBuilder("hello")
    assert treatment(builder) == "execute"
    assert treatment(Unknown()) == "unknown"
    assert treatment(SaysNo()) == "execute"
    assert treatment(SaysYes()) == "answer"
    assert treatment(SaysYes(), treat={SaysYes: "execute"}) == "execute"
    assert treatment(builder, treat={"x": Treatment.ANSWER}) == "answer"
    assert treatment(builder, treat={"PromptBuilder": "answer"}) == "answer"
    assert treatment(builder, treat={"deep/*": "answer"}, path="deep/x#1") == "answer"
    assert treatment(builder, treat={"deep/*": "answer"}) == "execute"
    assert treatment(look_up, "tool") == "answer"
    assert treatment(Unknown(), "llm") == "answer"


def test_integrations_are_told_by_their_module() -> None:
    def of(type_name: str) -> str:
        return Policy().of_recorded("component", "", type_name, "x#1", "x").treatment

    base = "haystack_integrations.components"
    assert of(f"{base}.generators.acme.chat.AcmeChatGenerator") == "answer"
    assert of(f"{base}.retrievers.acme.AcmeRetriever") == "verify"
    assert of(f"{base}.writers.acme.AcmeWriter") == "never_live"
    assert of(f"{base}.connectors.acme.AcmeConnector") == "never_live"
    assert of("somebody.elses.Component") == "unknown"


def test_a_treatment_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ReplayError, match="nonsense"):
        Policy({"x": "nonsense"})


def test_a_subclass_of_a_pure_component_is_not_known_to_be_pure() -> None:
    class Mine(PromptBuilder):
        pass

    assert treatment(Mine("hello")) == "unknown"
    assert treatment(OpenAIChatGenerator.__new__(OpenAIChatGenerator)) == "answer"


def test_a_budget_in_money_is_a_limit(offline: Offline, monkeypatch: pytest.MonkeyPatch) -> None:
    case = agents.three_tools(offline.server)
    _result, run = offline.record(case)
    other = {"messages": [ChatMessage.from_user("Look after another bed.")], "author": "Ada"}
    monkeypatch.setenv(KEY_VARIABLE, offline.server.key)
    options = {"mode": "drift_ok", "allow_live": True}
    with pytest.raises(ReplayDriftError, match="US dollars is spent"):
        replay_run(case.target, run, other, live_budget_usd=Decimal("0.000001"), **options)
    assert offline.server.count() == offline.asked + 1
    with pytest.raises(ReplayDriftError, match="US dollars is spent"):
        replay_run(case.target, run, other, live_budget_usd=Decimal(0), **options)
    assert offline.server.count() == offline.asked + 1
