"""The README is true: its Python runs, and it names every command there is."""

import re
from pathlib import Path

import pytest

from inspector.cli.hayhooks import COMMANDS as HAYHOOKS
from inspector.cli.main import COMMANDS
from inspector.export.kinds import KINDS
from inspector.findings import RULES

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def python_blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


def test_the_python_of_the_readme_runs(tmp_path, monkeypatch):
    pytest.importorskip("haystack", reason="the README records a real pipeline")
    from haystack import Document, Pipeline
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    import inspector

    store = InMemoryDocumentStore()
    store.write_documents([Document(content="The pump is looked after by the night shift.")])
    pipeline = Pipeline()
    pipeline.add_component("retriever", InMemoryBM25Retriever(store))
    data = {"retriever": {"query": "Who maintains the pump?"}}
    monkeypatch.chdir(tmp_path)
    known = {"pipeline": pipeline, "data": data}
    blocks = python_blocks()
    try:
        for block in blocks:
            exec(compile(block, "README.md", "exec"), known)
    finally:
        inspector.disable()
        known["recorder"].stop()
    assert len(blocks) >= 3
    assert (tmp_path / "pump.run.json").is_file()
    assert len(list((tmp_path / "runs").glob("*.run.json"))) == 1
    assert known["run"].spans


def test_every_command_is_in_the_readme():
    for command in COMMANDS:
        assert f"run-inspector {command}" in README


def test_every_command_for_durable_executions_is_in_the_readme():
    for command in HAYHOOKS:
        assert re.search(rf"hayhooks {command}\b|`{command}`", README)


def test_every_finding_rule_is_in_the_readme_with_what_it_finds():
    for rule in RULES:
        assert f"| `{rule.name}` | {rule.says} |" in README


def test_every_export_is_in_the_readme():
    for kind in KINDS:
        assert f"| `{kind}` |" in README


def test_the_picture_of_the_readme_is_there():
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README)
    assert pictures
    for picture in pictures:
        assert (ROOT / picture).is_file()


def test_the_make_targets_of_the_readme_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^    make (\w+)", README, flags=re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE)
