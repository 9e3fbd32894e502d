"""What a stranger's file would do is told without doing any of it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inspector import load_run
from inspector.replay.manifest import Manifest, manifest_of
from inspector.replay.manifest_parts import Fate, ManifestPart
from tests.replay.hostile import files
from tests.replay.hostile.files import hostile


def told(path: Path, **more: Any) -> Manifest:
    return manifest_of(load_run(path), **more)


def part(manifest: Manifest, name: str) -> ManifestPart:
    return next(each for each in manifest.parts if each.name == name)


def test_a_command_of_a_tool_server_is_listed_and_not_started(tmp_path: Path) -> None:
    witness = tmp_path / "started"
    manifest = told(hostile(tmp_path, files.tool_server(witness), "agent-tools"))
    assert not witness.exists()
    command = f"/usr/bin/touch {witness}"
    assert part(manifest, "read_sensor").commands == (command,)
    # Whoever has no entry of his own comes from the toolset.
    assert part(manifest, "search_manual").commands == (command,)
    assert {command for each in manifest.classes for command in each.commands} == {command}
    assert "os.system" in {each.name for each in manifest.classes if each.what == "function"}


def test_a_variable_that_would_be_sent_elsewhere_is_named_with_the_host(tmp_path: Path) -> None:
    change = files.exfiltration("https://collector.example:8443/v1", "DB_PASSWORD")
    llm = part(told(hostile(tmp_path, change)), "llm")
    assert llm.contacts == ("collector.example:8443",)
    assert llm.leaks == (("DB_PASSWORD", "collector.example:8443"),)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://api.openai.com@collector.example/v1", "collector.example"),
        ("HTTPS://COLLECTOR.example/v1", "collector.example"),
        ("http://api.openai.com.collector.example", "api.openai.com.collector.example"),
        ("https://[::ffff:1.2.3.4]/v1", "[::ffff:1.2.3.4]"),
        ("https://collector.example:not-a-port/", "https://collector.example:not-a-port/"),
    ],
)
def test_no_spelling_of_an_address_hides_its_host(tmp_path: Path, url: str, host: str) -> None:
    llm = part(told(hostile(tmp_path, files.exfiltration(url, "SECRET"))), "llm")
    assert llm.contacts == (host,)
    assert llm.leaks == (("SECRET", host),)


def test_the_usual_address_is_no_leak(tmp_path: Path) -> None:
    change = files.exfiltration("https://api.openai.com/v1", "OPENAI_API_KEY")
    assert part(told(hostile(tmp_path, change)), "llm").leaks == ()


def test_an_agent_that_runs_by_itself_hides_neither_its_hosts_nor_its_commands(
    tmp_path: Path,
) -> None:
    witness = tmp_path / "started"
    manifest = told(hostile(tmp_path, files.by_itself(witness), "agent-tools"))
    llm = part(manifest, "llm")
    assert llm.contacts == ("collector.example",)
    assert llm.leaks == (("DB_PASSWORD", "collector.example"),)
    tools = [each for each in manifest.parts if each.kind == "tool"]
    assert {command for each in tools for command in each.commands} == {f"/usr/bin/touch {witness}"}
    # Each part stands there once, whether it was told of by the calls or by the set-up.
    assert len({each.name for each in manifest.parts}) == len(manifest.parts)
    assert all(each.calls for each in tools)


def test_an_alias_bomb_is_a_sentence_and_is_not_unfolded(tmp_path: Path) -> None:
    # 2^40 values: whoever unfolded them would not come to an end.
    manifest = told(hostile(tmp_path, files.alias_bomb(40)))
    assert any("The definition in the file" in each for each in manifest.problems)
    assert part(manifest, "llm").fate is Fate.ANSWERED


def test_nothing_that_a_file_names_is_imported(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text("open('imported', 'w').close()\nclass Thing: ...\n")
    path = hostile(tmp_path, files.names_a_module("planted"))
    script = f"""
import sys
from inspector.runfile.load import load_run
from inspector.replay.manifest import manifest_of
from inspector.replay.stub_plan import plan_stub
manifest = manifest_of(load_run({str(path)!r}))
assert "planted.Thing" in {{each.name for each in manifest.classes}}
plan_stub(load_run({str(path)!r}))
print(sorted(set(sys.modules) & {{"planted", "haystack", "jinja2", "openai", "mcp"}}))
"""
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{Path.cwd()}"}
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path,
        env=environment,
    )  # fmt: skip
    assert ran.stdout.strip() == "[]", "something was imported"
    assert not (tmp_path / "imported").exists()


def test_a_part_that_is_of_no_known_class_is_answered_and_never_run(tmp_path: Path) -> None:
    manifest = told(hostile(tmp_path, files.names_a_module("planted")))
    found = part(manifest, "answer_builder")
    assert found.fate is Fate.NOT_KNOWN
    assert not found.lives_unless_told


@pytest.mark.parametrize("junk", [None, 7, "text", [], {"components": 7}, {"components": {"a": 7}}])
def test_a_definition_that_is_none_is_no_crash(tmp_path: Path, junk: Any) -> None:
    def change(tree: dict[str, Any]) -> None:
        tree["run"]["definition"] = junk
        tree["run"]["topology"] = junk

    manifest = told(hostile(tmp_path, change))
    assert part(manifest, "llm").calls == 1


def test_ten_thousand_components_are_listed_up_to_a_limit(tmp_path: Path) -> None:
    def change(tree: dict[str, Any]) -> None:
        (root, *_rest) = tree["spans"]
        tree["spans"] = [root] + [
            {
                "id": f"s{number}", "parent": root["id"], "kind": "component",
                "operation": "haystack.component.run", "name": f"part {number}",
                "type": "evil.Part", "role": "other", "path": f"part {number}#1", "visit": 1,
                "start_ns": number, "end_ns": number + 1, "status": "ok",
            }
            for number in range(2, 10_103)
        ]  # fmt: skip

    manifest = told(hostile(tmp_path, change))
    assert any("8101 parts more are not listed" in each for each in manifest.problems)


def test_what_is_inside_of_itself_without_an_end_is_spelled_once(tmp_path: Path) -> None:
    # 10,000 agents, each inside of the one before it, with names that are no small ones.
    def change(tree: dict[str, Any]) -> None:
        (root, *_rest) = tree["spans"]
        tree["spans"] = [root] + [
            {
                "id": f"s{number}", "parent": f"s{number - 1}", "kind": "component",
                "operation": "haystack.component.run", "name": f"{number} " + "x" * 2_000,
                "type": "haystack.components.agents.agent.Agent", "role": "agent",
                "path": f"{number}#1", "visit": 1, "start_ns": number, "end_ns": 99_999,
                "status": "ok",
            }
            for number in range(2, 10_002)
        ]  # fmt: skip

    manifest = told(hostile(tmp_path, change))
    assert len(manifest.parts) == 2_000
    assert max(len(each.scope) + len(each.name) for each in manifest.parts) < 2_000


def test_many_parts_of_many_things_are_told_apart_in_one_go(tmp_path: Path) -> None:
    # 9,000 tools of one agent that is set up with 2,000 toolsets, one inside of the other.
    def change(tree: dict[str, Any]) -> None:
        parameters = files.parameters_of(tree, "assistant")
        parameters["tools"] = [
            {"type": "evil.Toolset", "data": {"command": f"run {number}"}}
            for number in range(2_000)
        ]
        agent = next(span for span in tree["spans"] if span["kind"] == "agent")
        tree["spans"] = [s for s in tree["spans"] if s["kind"] != "tool"] + [
            {
                "id": f"t{number}", "parent": agent["id"], "kind": "tool",
                "operation": "haystack.agent.step.tool", "name": f"tool {number}",
                "type": "evil.Tool", "role": "tool", "path": f"assistant#1/tool:{number}",
                "visit": 1, "start_ns": 10**12 + number, "end_ns": 10**12 + number + 1,
                "status": "ok",
            }
            for number in range(9_000)
        ]  # fmt: skip

    manifest = told(hostile(tmp_path, change, "agent-tools"))
    tools = [each for each in manifest.parts if each.kind == "tool" and each.calls]
    assert len(tools) > 1_900
    assert all(each.commands for each in tools)
