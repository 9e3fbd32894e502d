"""A changed store is a finding of its own, and what nobody looked at is said."""

from pathlib import Path
from typing import Any

import pytest
from haystack import Document, Pipeline
from haystack.components.converters import TextFileToDocument
from haystack.components.writers import DocumentWriter
from haystack.dataclasses import ByteStream
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.document_stores.types import DuplicatePolicy

from inspector import record_run
from inspector.replay.api import ReplayDriftError, Replayer, replay_run
from tests.helpers import pipelines
from tests.helpers.pipelines import Case
from tests.replay.engine.conftest import Offline


def store_of(case: Case) -> InMemoryDocumentStore:
    store = case.target.get_component("retriever").document_store
    assert isinstance(store, InMemoryDocumentStore)
    return store


def rewrite(store: InMemoryDocumentStore, *documents: Document) -> None:
    store.write_documents(list(documents), policy=DuplicatePolicy.OVERWRITE)


def amend(store: InMemoryDocumentStore) -> None:
    document = store.filter_documents()[1]
    rewrite(store, Document(id=document.id, content=f"{document.content} And at dusk."))


def relabel(store: InMemoryDocumentStore) -> None:
    document = store.filter_documents()[1]
    rewrite(store, Document(id=document.id, content=document.content, meta={"page": 99}))


def add(store: InMemoryDocumentStore) -> None:
    rewrite(store, Document(id="new", content="When does the controller water? At dawn."))


def remove(store: InMemoryDocumentStore) -> None:
    store.delete_documents([store.filter_documents()[1].id])


@pytest.mark.parametrize(
    ("change", "severity"),
    [(amend, "content"), (relabel, "meta"), (add, "added"), (remove, "removed")],
)
def test_a_changed_store_is_retrieval_drift(change: Any, severity: str, offline: Offline) -> None:
    case = pipelines.rag(offline.server)
    _result, run = offline.record(case)
    change(store_of(case))
    with pytest.raises(ReplayDriftError) as caught:
        replay_run(case.target, run)
    offline.assert_nothing_was_live()
    (drift,) = caught.value.report.drifts
    assert (drift.kind, drift.path) == ("retrieval", "retriever#1")
    assert drift.details is not None
    assert severity in drift.details


def test_a_changed_question_is_input_drift_and_no_retrieval_drift(offline: Offline) -> None:
    case = pipelines.rag(offline.server)
    _result, run = offline.record(case)
    other = {name: {"query": "another question"} for name in case.data}
    with pytest.raises(ReplayDriftError) as caught:
        replay_run(case.target, run, other)
    (drift,) = caught.value.report.drifts
    assert (drift.kind, drift.path, drift.leaf) == ("input", "retriever#1", "query")
    assert drift.live == "another question"


def test_an_unchanged_store_is_verified(offline: Offline) -> None:
    case = pipelines.rag(offline.server)
    _result, run = offline.record(case)
    replayer = offline.replayer(case, run)
    replayer.play()
    assert replayer.report.verified == 1
    assert replayer.report.not_verified == ()
    sources = {span.path: span.raw.get("source") for span in replayer.run.spans}
    assert sources["retriever#1"] == "verified"


def test_an_empty_store_is_served_from_the_recording_and_said(offline: Offline) -> None:
    case = pipelines.rag(offline.server)
    result, run = offline.record(case)
    store = store_of(case)
    store.delete_documents([document.id for document in store.filter_documents()])
    replayer = offline.replayer(case, run)
    assert replayer.play() == result
    assert replayer.report.same
    assert replayer.report.not_verified == ("retriever#1",)
    (note,) = replayer.report.drifts
    assert (note.kind, note.grade) == ("retrieval not verified", "note")
    assert "empty" in note.message


class RemoteStore(InMemoryDocumentStore):
    """Stands for a store in another process: nothing is known of its class."""


def test_a_remote_store_is_looked_at_only_when_that_is_asked_for(offline: Offline) -> None:
    case = pipelines.rag(offline.server)
    retriever = case.target.get_component("retriever")
    remote = RemoteStore()
    remote.write_documents(store_of(case).filter_documents())
    retriever.document_store = remote
    result, run = offline.record(case)
    amend(remote)
    replayer = offline.replayer(case, run)
    assert replayer.play() == result
    assert replayer.report.not_verified == ("retriever#1",)
    with pytest.raises(ReplayDriftError) as caught:
        offline.replayer(case, run, verify_retrieval=True).play()
    assert [drift.kind for drift in caught.value.report.drifts] == ["retrieval"]


def converting() -> Pipeline:
    pipeline = Pipeline()
    pipeline.add_component("converter", TextFileToDocument())
    pipeline.add_component("writer", DocumentWriter(InMemoryDocumentStore()))
    pipeline.connect("converter.documents", "writer.documents")
    return pipeline


def test_files_are_read_again_and_compared(tmp_path: Path) -> None:
    file = tmp_path / "page.txt"
    file.write_text("one", encoding="utf-8")
    pipeline = converting()
    store = pipeline.get_component("writer").document_store
    result, run = record_run(pipeline, {"converter": {"sources": [str(file)]}})
    assert store.count_documents() == 1
    store.delete_documents([document.id for document in store.filter_documents()])

    replayer = Replayer(pipeline, run)
    assert replayer.play() == result
    assert replayer.report.drifts == ()
    assert replayer.report.verified == 1
    assert store.count_documents() == 0, "nothing is written by a replay"

    file.write_text("two", encoding="utf-8")
    with pytest.raises(ReplayDriftError) as caught:
        replay_run(pipeline, run)
    assert caught.value.report.drifts[0].path == "converter#1"
    assert caught.value.report.drifts[0].kind == "retrieval"

    file.unlink()
    replayer = Replayer(pipeline, run)
    assert replayer.play() == result
    assert replayer.report.not_verified == ("converter#1",)


def test_data_in_memory_is_converted_live() -> None:
    pipeline = converting()
    data = {"converter": {"sources": [ByteStream(data=b"one", mime_type="text/plain")]}}
    result, run = record_run(pipeline, data)
    replayer = Replayer(pipeline, run)
    assert replayer.play(data) == result
    assert replayer.play() == result
    assert replayer.report.drifts == ()
    assert replayer.report.executed == 1


def test_a_writer_is_never_run_live() -> None:
    pipeline = converting()
    data = {"converter": {"sources": [ByteStream(data=b"one", mime_type="text/plain")]}}
    _result, run = record_run(pipeline, data)
    store = pipeline.get_component("writer").document_store
    before = store.count_documents()
    other = {"converter": {"sources": [ByteStream(data=b"two", mime_type="text/plain")]}}
    with pytest.raises(ReplayDriftError, match="never run live"):
        replay_run(pipeline, run, other, mode="drift_ok", allow_live=True)
    assert store.count_documents() == before
