"""Documents: encoded once, however many copies of them Haystack makes."""

from __future__ import annotations

from marshal import dumps
from typing import TYPE_CHECKING, Any

from inspector.recording.encoding.fields import tagged
from inspector.recording.encoding.leaves import INLINE_CHARS, digest_floats, pack_floats
from inspector.recording.encoding.plain import INTERNED_DEPTHS, encode_dict
from inspector.runfile.interned import Deferred, Interned
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from inspector.recording.capture import Capture
    from inspector.recording.encoding.walk import Walk

_FIELDS = {
    "id": "id", "content": "content", "meta": "meta", "score": "score",
    "embedding": "embedding", "sparse_embedding": "sparse_embedding", "blob": "blob",
}  # fmt: skip


class KnownDocument:
    """What a document looked like when one with its id was last encoded."""

    __slots__ = ("content", "embedding", "meta", "node", "score", "text")

    def __init__(
        self, content: Any, score: Any, meta: bytes, embedding: Any, text: Any, node: Interned
    ) -> None:
        self.content = content
        self.score = score
        self.meta = meta
        self.embedding = embedding
        self.text = text
        self.node = node


def encode_document(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a document of Haystack's own class, or find it again.

    Haystack deep-copies documents from component to component. A copy holds the very
    same strings and numbers, so comparing identities shows that nothing changed; its
    meta is compared by the bytes that `marshal` makes of plain data, which tell leaves
    of equal value and different type apart, and are cheaper than encoding again.
    """
    fields = value.__dict__
    known = None
    try:
        name = fields["id"]
        content = fields["content"]
        score = fields["score"]
        embedding = fields["embedding"]
        if (
            len(fields) != 7
            or type(name) is not str
            or not (fields["blob"] is None and fields["sparse_embedding"] is None)
        ):
            return encode_any_document(c, value, depth, walk)
        known = c.documents.get(name)
        frozen = dumps(fields["meta"], 2)
    except (KeyError, ValueError):  # other fields than we know, or a meta that is not plain
        return encode_any_document(c, value, depth, walk)
    if (
        known is not None
        and known.content is content
        and known.score is score
        and known.meta == frozen
        and (embedding is None or _is_same(known.embedding, embedding))
        and (embedding is not None or known.embedding is None)
    ):
        return known.node
    tree: dict[str, Any] = {TAG: "document", "id": name}
    text: Any = None
    if type(content) is str:
        if len(content) <= INLINE_CHARS:
            text = content
        elif known is not None and known.content is content:
            text = known.text
        else:
            text = c.text(content)
        tree["content"] = text
    elif content is not None:
        tree["content"] = c.node(content, depth + 1, walk)
    meta = fields["meta"]
    tree["meta"] = (
        encode_dict(c, meta, depth + 3, walk)
        if type(meta) is dict
        else c.node(meta, depth + 3, walk)
    )
    if score is not None:
        tree["score"] = (
            score
            if type(score) is float and score - score == 0.0
            else c.node(score, depth + 1, walk)
        )
    if embedding is not None:
        embedding, tree["embedding"] = _vector(c, embedding, depth, walk)
    node = Interned(tree)
    c.documents.put(
        name, KnownDocument(content, score, frozen, embedding, text, node), 600 + len(frozen)
    )
    return node


def _vector(c: Capture, embedding: Any, depth: int, walk: Walk) -> tuple[Any, Any]:
    """Return what to compare a later embedding with, and the tree of this one."""
    if type(embedding) is not list or not embedding or set(map(type, embedding)) != {float}:
        return _Never, c.node(embedding, depth + 1, walk)
    floats = embedding[:]
    return floats, Deferred(pack_floats if c.keep_embeddings else digest_floats, floats)


class _Never:
    """Equal to no embedding."""


def _is_same(known: Any, embedding: Any) -> bool:
    # Copies of a list hold the very same floats, which makes this fast. It takes 1 for
    # 1.0 and 0.0 for -0.0, which no reader of an embedding would tell apart either.
    return type(embedding) is list and type(known) is list and known == embedding


def encode_any_document(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a document of a derived class, or with unusual contents."""
    return Interned(tagged(c, "document", value, _FIELDS, depth, walk))


def encode_documents(c: Capture, value: list[Any], depth: int, walk: Walk) -> Any:
    """Encode a list that begins with a document."""
    items = value[:]
    kind = type(items[0])
    nodes = [
        encode_document(c, item, depth + 1, walk)
        if type(item) is kind
        else c.node(item, depth + 1, walk)
        for item in items
    ]
    tree = c.same_list(nodes)
    if depth in INTERNED_DEPTHS:
        c.remember_list(value, items, tree)
    return tree
