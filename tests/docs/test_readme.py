"""The README and the guide are true: their Python runs, and they name all that there is."""

import re
from pathlib import Path

import pytest

from inspector.cli.hayhooks import COMMANDS as HAYHOOKS
from inspector.cli.main import COMMANDS
from inspector.export.kinds import KINDS
from inspector.findings import RULES

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = {
    path.name: path.read_text(encoding="utf-8")
    for path in (ROOT / "resources" / "guide").glob("*.md")
}
ALL = "\n".join([README, *(GUIDE[name] for name in sorted(GUIDE))])


def python_blocks() -> list[str]:
    """Return the README's blocks, then those of the guide, which know what it has set up."""
    return re.findall(r"```python\n(.*?)```", ALL, flags=re.DOTALL)


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
        assert re.search(rf"hayhooks {command}\b|`{command}`", ALL)


def test_every_finding_rule_is_in_the_readme_with_what_it_finds():
    for rule in RULES:
        assert f"| `{rule.name}` | {rule.says} |" in README


def test_every_export_is_in_the_guide():
    for kind in KINDS:
        assert f"| `{kind}` |" in GUIDE["sharing.md"]


def test_every_page_that_is_linked_is_there_and_every_page_is_linked():
    pages = {
        "README.md": README,
        **{f"resources/guide/{name}": text for name, text in GUIDE.items()},
    }
    for page, text in pages.items():
        for link in re.findall(r"(?<!!)\[[^\]]+\]\((?!https?:)([^)#]+)", text):
            assert (ROOT / page).parent.joinpath(link).exists(), f"{page}: {link}"
    assert {f"resources/guide/{name}" for name in GUIDE} <= set(re.findall(r"\]\(([^)#]+)", README))


def test_the_picture_of_the_readme_is_there():
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README)
    assert pictures
    for picture in pictures:
        assert (ROOT / picture).is_file()


def test_the_make_targets_of_the_readme_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^    make (\w+)", README, flags=re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE)
