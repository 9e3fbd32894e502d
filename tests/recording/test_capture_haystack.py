"""Haystack's own classes are told by the tags of FORMAT.md, with everything in them."""

import base64
from dataclasses import dataclass
from typing import Any

import pytest
from haystack import Document, Pipeline, component
from haystack.components.agents.state import State
from haystack.dataclasses import (
    ByteStream,
    ChatMessage,
    ComponentInfo,
    ExtractedAnswer,
    FileContent,
    GeneratedAnswer,
    ImageContent,
    ReasoningContent,
    SparseEmbedding,
    StreamingChunk,
    TextContent,
    ToolCall,
)
from haystack.dataclasses.streaming_chunk import ToolCallDelta
from haystack.tools import Tool, Toolset
from haystack.utils import Secret

from inspector.recording.capture import Capture
from tests.writing.writing import read_back, recorded

PIXEL = base64.b64encode(
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"
).decode()
PDF = base64.b64encode(b"%PDF-1.4 nothing in it").decode()


def look_up(topic: str) -> str:
    return topic


def a_tool() -> Tool:
    schema = {"type": "object", "properties": {"topic": {"type": "string"}}}
    return Tool(name="look_up", description="Look up.", parameters=schema, function=look_up)


def test_a_document_has_all_of_its_fields():
    document = Document(
        id="d1", content="When to water.", meta={"page": 3, "tags": ["a", ("b",)]}, score=0.5,
        sparse_embedding=SparseEmbedding([1, 5], [0.5, 0.25]),
        blob=ByteStream(b"raw", mime_type="text/plain", meta={"k": 1}),
    )  # fmt: skip
    assert read_back(document) == {
        "$": "document",
        "id": "d1",
        "content": "When to water.",
        "meta": {"page": 3, "tags": ["a", {"$": "tuple", "items": ["b"]}]},
        "score": 0.5,
        "sparse_embedding": {"$": "sparse_embedding", "indices": [1, 5], "values": [0.5, 0.25]},
        "blob": {
            "$": "byte_stream", "mime_type": "text/plain", "meta": {"k": 1},
            "data": {"$": "bytes", "base64": "cmF3"},
        },
    }  # fmt: skip


def test_none_is_left_out_and_empty_is_told():
    assert read_back(Document(id="d", content=None)) == {"$": "document", "id": "d", "meta": {}}
    assert read_back(Document(id="d", content=""))["content"] == ""


def test_an_embedding_is_a_digest_unless_it_is_asked_for():
    document = Document(id="d", content="x", embedding=[0.1] * 384)
    told = read_back(document)["embedding"]
    assert (told["$"], told["shape"], told["of"]) == ("array", [384], "list")
    assert "base64" not in told
    assert len(told["digest"]) == 32
    kept = recorded({"value": document}, capture=Capture(keep_embeddings=True))
    packed = kept.spans[0].inputs["value"]["embedding"]["base64"]
    assert len(base64.b64decode(packed)) == 384 * 8


def test_the_output_of_an_embedder_is_a_digest_too():
    run = recorded({"embedding": [0.25] * 100, "scores": [0.25] * 20})
    assert set(run.spans[0].inputs["embedding"]) == {"$", "dtype", "shape", "of", "digest"}
    assert run.spans[0].inputs["scores"] == [0.25] * 20


def test_other_embeddings_have_other_digests():
    run = recorded(*(Document(id="d", content="x", embedding=[n, 1.0] * 20) for n in (0.1, 0.2)))
    first, second = (span.inputs["embedding"]["digest"] for span in run.spans)
    assert first != second


def test_a_message_has_all_kinds_of_parts():
    call = ToolCall("look_up", {"topic": "bed"}, id="c1", extra={"index": 0})
    assistant = ChatMessage.from_assistant(
        "Let me see.", meta={"usage": {"prompt_tokens": 3}}, tool_calls=[call], name="gardener",
        reasoning=ReasoningContent("It may be dry.", extra={"id": "r"}),
    )  # fmt: skip
    assert read_back(assistant) == {
        "$": "chat_message",
        "role": "assistant",
        "name": "gardener",
        "meta": {"usage": {"prompt_tokens": 3}},
        "content": [
            {"reasoning": {"text": "It may be dry.", "extra": {"id": "r"}}},
            {"text": "Let me see."},
            {
                "tool_call": {
                    "id": "c1", "name": "look_up", "arguments": {"topic": "bed"},
                    "extra": {"index": 0},
                }
            },
        ],
    }  # fmt: skip
    tool = ChatMessage.from_tool("dry", origin=call, error=True)
    assert read_back(tool)["content"] == [
        {
            "tool_result": {
                "call": {
                    "id": "c1", "name": "look_up", "arguments": {"topic": "bed"},
                    "extra": {"index": 0},
                },
                "result": "dry",
                "error": True,
            }
        }
    ]  # fmt: skip


def test_images_and_files_are_kept_as_bytes():
    image = ImageContent(PIXEL, "image/png", detail="low", meta={"n": 1}, validation=False)
    file = FileContent(PDF, "application/pdf", filename="a.pdf", extra={"k": 2})
    user = ChatMessage.from_user(content_parts=[TextContent("Look."), image, file])
    assert read_back(user)["content"] == [
        {"text": "Look."},
        {
            "$": "image", "data": {"$": "bytes", "base64": PIXEL}, "mime_type": "image/png",
            "detail": "low", "meta": {"n": 1},
        },
        {
            "$": "file", "data": {"$": "bytes", "base64": PDF}, "mime_type": "application/pdf",
            "filename": "a.pdf", "extra": {"k": 2},
        },
    ]  # fmt: skip


def test_a_tool_result_may_hold_images():
    image = ImageContent(PIXEL, "image/png", validation=False)
    call = ToolCall("draw", {}, id="c")
    message = ChatMessage.from_tool([TextContent("Here."), image], origin=call)
    result = read_back(message)["content"][0]["tool_result"]["result"]
    assert [part.get("$", "text") for part in result] == ["text", "image"]


def test_base64_that_is_none_stays_a_text():
    image = ImageContent("not base64!", "image/png", validation=False)
    assert read_back(image)["data"] == "not base64!"


def test_answers_name_their_kind():
    document = Document(id="d", content="x")
    generated = GeneratedAnswer("At dawn.", "When?", [document], {"all_messages": []})
    assert read_back(generated) == {
        "$": "answer", "type": "generated", "data": "At dawn.", "query": "When?",
        "documents": [{"$": "document", "id": "d", "content": "x", "meta": {}}],
        "meta": {"all_messages": []},
    }  # fmt: skip
    extracted = ExtractedAnswer("When?", 0.5, "dawn", document, "at dawn", meta={})
    told = read_back(extracted)
    assert (told["type"], told["score"], told["context"]) == ("extracted", 0.5, "at dawn")
    assert told["document"]["id"] == "d"


def test_a_chunk_tells_what_is_set():
    chunk = StreamingChunk(
        "wa", meta={"model": "m"}, component_info=ComponentInfo("pkg.Llm", "llm"), index=0,
        start=True, finish_reason="stop",
    )  # fmt: skip
    assert read_back(chunk) == {
        "$": "streaming_chunk", "content": "wa", "meta": {"model": "m"}, "index": 0,
        "finish_reason": "stop", "start": True, "component": {"name": "llm", "type": "pkg.Llm"},
    }  # fmt: skip
    call = ToolCallDelta(0, tool_name="look_up", arguments='{"to', id="c1")
    assert read_back(StreamingChunk("", index=0, tool_calls=[call]))["tool_calls"] == [
        {"index": 0, "name": "look_up", "arguments": '{"to', "id": "c1"}
    ]
    thought = StreamingChunk("", index=0, reasoning=ReasoningContent("hm"))
    assert read_back(thought)["reasoning"] == {"text": "hm", "extra": {}}
    origin = ChatMessage.from_tool("ok", origin=ToolCall("f", {})).tool_call_result
    result = read_back(StreamingChunk("", index=0, tool_call_result=origin))["tool_call_result"]
    assert (result["result"], result["call"]["name"]) == ("ok", "f")


def test_a_secret_is_told_by_its_variable_and_never_by_its_value(monkeypatch):
    monkeypatch.setenv("GARDEN_KEY", "value-of-the-variable")
    token = Secret.from_token("value-of-the-token")
    assert read_back(Secret.from_env_var("GARDEN_KEY")) == {
        "$": "secret",
        "env_vars": ["GARDEN_KEY"],
    }
    assert read_back(token) == {"$": "secret", "env_vars": []}

    @dataclass
    class Config:
        key: Secret

    run = recorded({"value": [Config(token), {"key": token}]})
    text = b"".join(run.values.raw(digest) for digest in run.values.digests())
    assert b"value-of" not in text + run.record_text(0)


def test_tools_are_told_as_a_model_is_told():
    schema = {"type": "object", "properties": {"topic": {"type": "string"}}}
    told = {"$": "tool", "name": "look_up", "description": "Look up.", "parameters": schema}
    assert read_back(a_tool()) == told
    assert read_back([a_tool(), a_tool()]) == [told, told]
    assert read_back(Toolset([a_tool()])) == {
        "$": "object", "type": "haystack.tools.toolset.Toolset", "fields": {"tools": [told]},
    }  # fmt: skip


def test_state_tells_its_data_and_its_schema():
    state = State(
        {"notes": {"type": list[str]}, "count": {"type": int}},
        {"notes": ["dry"], "messages": [ChatMessage.from_user("hi")]},
    )
    told = read_back(state)
    assert told["data"]["notes"] == ["dry"]
    assert told["data"]["messages"][0]["content"] == [{"text": "hi"}]
    assert told["schema"]["count"]["type"] == "int"
    assert told["schema"]["notes"]["type"] == "list[str]"
    assert told["schema"]["notes"]["handler"]["name"].endswith("merge_lists")


def test_components_and_pipelines_are_told_by_their_class():
    @component
    class Waters:
        @component.output_types(value=int)
        def run(self, value: int) -> dict[str, int]:
            return {"value": value}

        def to_dict(self) -> dict[str, Any]:
            raise AssertionError("nobody asked it to serialise itself")

    assert read_back(Waters())["$"] == "component"
    assert read_back(Pipeline()) == {
        "$": "component",
        "type": "haystack.core.pipeline.pipeline.Pipeline",
    }


def test_a_class_derived_from_haystacks_keeps_its_name_and_its_own_fields():
    class Page(Document):
        pass

    page = Page(id="d", content="x")
    page.number = 7  # type: ignore[attr-defined]
    told = read_back(page)
    assert (told["$"], told["id"], told["extra_fields"]) == ("document", "d", {"number": 7})
    assert told["class"].endswith("Page")


@pytest.mark.parametrize("field", ["_novelty", "x"])
def test_fields_of_a_newer_haystack_are_kept(field):
    message = ChatMessage.from_user("hi")
    message.__dict__[field] = {"a": 1}
    assert read_back(message)["extra_fields"] == {field: {"a": 1}}


def test_parts_that_stand_alone_keep_their_class():
    told = read_back(ToolCall("look_up", {"topic": "bed"}, id="c"))
    assert told["type"] == "haystack.dataclasses.chat_message.ToolCall"
    assert told["fields"]["tool_call"]["arguments"] == {"topic": "bed"}


def test_long_texts_documents_and_messages_stand_in_the_file_once():
    text = "The bed was watered at dawn. " * 40
    document = Document(id="d", content=text, meta={"a": 1})
    message = ChatMessage.from_user(text)
    run = recorded(*({"documents": [document], "messages": [message], "t": text} for _ in range(9)))
    told = b"".join(run.values.raw(digest) for digest in run.values.digests())
    assert told.count(b"The bed was watered at dawn. The bed was") == 20


def test_the_contents_of_a_list_that_was_an_output_are_not_encoded_again_as_an_input():
    from inspector.runfile.interned import Interned

    capture = Capture()
    documents = [Document(id=str(number), content="x") for number in range(5)]
    out = capture.at_once({"documents": documents})["documents"]
    assert isinstance(out, Interned)
    assert capture.memo({"documents": documents})["documents"] is out
    documents.append(Document(id="6", content="y"))
    assert capture.memo({"documents": documents})["documents"] is not out
