"""Debug bundles of haystack-diagnostics: what one query of a retrieval pipeline came to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.importers import trees
from inspector.importers.building import RunBuilder, run_id
from inspector.importers.foreign import from_iso, iso
from inspector.importers.imported import ImportedRun, import_note
from inspector.importers.reading import Reading, note_retrieval
from inspector.importers.reprs import revived
from inspector.importers.texts import pieces, tree_of
from inspector.importers.untimed import Untimed
from inspector.runfile.leaf import LeafError
from inspector.runfile.roles import role_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.head import Head
    from inspector.importers.imported import Context

_PARTS = frozenset({"retrieval", "failure_type", "corpus_checks", "generation", "diagnostics"})
_UNTIMED = "a bundle holds no times but that of its making"
_CUT = "a bundle keeps the first 200 characters of each document"
_LOST = (
    ("times and durations", _UNTIMED),
    ("tokens", "a bundle does not keep what the generator reports"),
    ("whole documents", _CUT),
    ("other components", "a bundle keeps retriever, ranker and generator only"),
)


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    if "bundle_id" not in head.keys:
        return 0
    return 90 if head.keys & _PARTS or head.keys >= {"query", "error"} else 0


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield a run for each bundle in the file."""
    for what, why in _LOST:
        context.losses.lose(what, why)
    for piece in pieces(context.source, context.name, context.losses, context.at):
        try:
            tree = tree_of(piece.text, context.losses, piece.where)
        except LeafError as error:
            context.losses.skip("bundle that cannot be read", f"{piece.where} {error}")
            continue
        for each in tree if isinstance(tree, list) else [tree]:
            if isinstance(each, dict) and "bundle_id" in each:
                yield _run(each, context)
            else:
                context.losses.skip("document that is no bundle", piece.where)


def _run(tree: dict[str, Any], context: Context) -> ImportedRun:
    builder = RunBuilder(context.intake)
    spans = Untimed(builder, _UNTIMED)
    pipeline = _object(tree.get("pipeline"))
    components = _object(pipeline.get("components"))
    failed = trees.error("PipelineError", tree["error"]) if tree.get("error") else None
    inputs = {"query": tree.get("query")}
    generation = _object(tree.get("generation"))
    answer = revived(trees.converted(generation.get("answer")))
    outputs = {"replies": [answer]} if answer is not None else None
    name = str(_object(pipeline.get("metadata")).get("name") or "pipeline")
    root = spans.add(
        "pipeline", name, operation="haystack.pipeline.run", role="pipeline", inputs=inputs,
        outputs=outputs, error=failed, status="failed" if failed else "ok",
    )  # fmt: skip
    maker = _Components(spans, root, components)
    maker.add_retrievers(tree)
    maker.add_generator(generation, answer)
    created = tree.get("created_at")
    written = from_iso(created) if isinstance(created, str) else None
    header: dict[str, Any] = {
        "id": run_id(str(tree["bundle_id"]), written),
        "kind": "pipeline",
        "name": name,
        "status": "failed" if failed else "completed",
        "inputs": inputs,
        "outputs": builder.value(outputs),
        "error": failed,
        "not_recorded": context.losses.not_recorded,
        "topology": _topology(components, pipeline.get("connections")),
        "environment": {"packages": {"haystack-ai": str(pipeline.get("haystack_version"))}},
        "definition": {"components": components} if components else None,
    }
    if written:
        header["started_at"] = iso(written)
    note = import_note(
        context,
        tool="haystack-diagnostics",
        bundle_id=tree["bundle_id"],
        failure_type=tree.get("failure_type"),
        diagnostics=trees.converted(tree.get("diagnostics")),
        corpus_checks=trees.converted(tree.get("corpus_checks")),
    )
    kept = {key: value for key, value in header.items() if value is not None}
    return ImportedRun({**kept, "extensions": {"import": note}}, builder)


class _Components:
    """Adds the spans of the components that a bundle tells of."""

    def __init__(self, spans: Untimed, root: str, components: dict[str, Any]) -> None:
        self._spans = spans
        self._root = root
        self._components = components

    def _add(self, name: str, role: str, **fields: Any) -> None:
        type_ = str(_object(self._components.get(name)).get("type") or "")
        self._spans.add(
            "component", name, parent=self._root, operation="haystack.component.run", role=role,
            type=type_ or None, **fields,
        )  # fmt: skip

    def add_retrievers(self, tree: dict[str, Any]) -> None:
        """Add the retriever and, where there was one, the ranker behind it."""
        inputs = {"query": tree.get("query")}
        retrieval, ranking = _object(tree.get("retrieval")), _object(tree.get("reranker"))
        if "raw_top_k" in retrieval:
            name = str(
                retrieval.get("retriever_component") or self._named("retrieval") or "retriever"
            )
            outputs = {"documents": _documents(retrieval["raw_top_k"])}
            reading = Reading("component", "", name)
            reading.inputs, reading.outputs = inputs, outputs
            note_retrieval(reading)
            self._add(
                name, "retrieval", inputs=inputs, outputs=outputs, retrieval=reading.retrieval,
                not_recorded={"documents": _CUT},
            )  # fmt: skip
        if isinstance(ranking.get("reranked_top_k"), list):
            name = str(ranking.get("component") or "reranker")
            outputs = {"documents": _documents(ranking["reranked_top_k"])}
            self._add(
                name, "ranking", inputs=inputs, outputs=outputs, not_recorded={"documents": _CUT}
            )

    def add_generator(self, generation: dict[str, Any], answer: Any) -> None:
        """Add the generator, where anything is known of it."""
        prompt = revived(trees.converted(generation.get("prompt_snapshot")))
        if generation.get("component") is None and answer is None and prompt is None:
            return
        name = str(generation.get("component") or self._named("llm") or "generator")
        socket = "messages" if isinstance(prompt, list) else "prompt"
        self._add(
            name, "llm", inputs={socket: prompt} if prompt is not None else None,
            outputs={"replies": [answer]} if answer is not None else None,
            not_recorded={"usage": "a bundle does not keep what the generator reports"},
        )  # fmt: skip

    def _named(self, role: str) -> str | None:
        for name, said in self._components.items():
            if role_of(str(_object(said).get("type"))) == role:
                return name
        return None


def _documents(items: Any) -> list[Any]:
    found = []
    for item in items if isinstance(items, list) else []:
        if isinstance(item, dict):
            fields = {
                "id": item.get("id"),
                "content": item.get("content_preview", item.get("content")),
            }
            found.append(
                trees.document({**fields, "score": item.get("score"), "meta": item.get("meta")})
            )
    return found


def _topology(components: dict[str, Any], connections: Any) -> dict[str, Any] | None:
    if not components:
        return None
    described = {}
    for name, said in components.items():
        type_ = str(_object(said).get("type") or "")
        described[name] = {"type": type_, "role": role_of(type_)}
    pairs = [
        {"sender": str(each["sender"]), "receiver": str(each["receiver"])}
        for each in (connections if isinstance(connections, list) else [])
        if isinstance(each, dict) and "sender" in each and "receiver" in each
    ]
    return {"components": described, "connections": pairs}


def _object(tree: Any) -> dict[str, Any]:
    return tree if isinstance(tree, dict) else {}
