"""Where a recorder puts its files."""

import os

import pytest

pytest.importorskip("haystack", reason="records a real pipeline")

from haystack import Pipeline
from haystack.components.builders import PromptBuilder

from inspector import recording


def test_a_relative_directory_stays_where_it_was_named(tmp_path, monkeypatch):
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    pipeline = Pipeline()
    pipeline.add_component("prompt", PromptBuilder("{{ word }}"))
    monkeypatch.chdir(here)
    with recording(directory="runs"):
        os.chdir(there)
        pipeline.run({"prompt": {"word": "pump"}})
    assert len(list((here / "runs").glob("*.run.json"))) == 1
    assert list(there.iterdir()) == []
