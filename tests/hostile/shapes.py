"""Files that mean ill by their shape: bombs, circles, depths, and others' formats."""

from __future__ import annotations

import base64
import gzip
import io
import json
import pickle
import re
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from backports import zstd

from tests.hostile.places import Make, base, put
from tests.hostile.words import MARK, Bait

FOREIGN = Path(__file__).parents[1] / "data" / "foreign"
MIB = 2**20
DEEP = 100_000
BOMB = 40  # pieces of 8 MiB each, of which 8 kB are left


def changed(change: Callable[[dict[str, Any], Bait], None]) -> Make:
    """Return what makes a run that was changed."""

    def make(bait: Bait) -> bytes:
        tree = json.loads(json.dumps(base()))
        change(tree, bait)
        return json.dumps(tree).encode()

    return make


def held(values: dict[str, Any], shown: Any) -> Make:
    """Return what makes a run that shows a value, and keeps these."""

    def change(tree: dict[str, Any], _bait: Bait) -> None:
        tree["values"] = values
        put(tree, "spans/1/outputs/odd/held", shown)
        put(tree, "run/outputs/held", shown)
        put(tree, "spans/2/inputs/messages", shown)

    return changed(change)


def ref(at: int | str) -> dict[str, str]:
    return {"$ref": at if isinstance(at, str) else f"{at:032x}"}


def doubled(count: int, node: Callable[[int], Any]) -> Make:
    """Return a billion laughs: each value holds the one before twice."""
    values: dict[str, Any] = {f"{0:032x}": "ha" * 200}
    values |= {f"{at:032x}": node(at - 1) for at in range(1, count)}
    return held(values, ref(count - 1))


def raw(before: bytes, after: bytes, *, count: int = DEEP) -> Make:
    """Return a run that holds a value of very deep JSON."""

    def make(_bait: Bait) -> bytes:
        tree = base()
        put(tree, "spans/1/outputs/odd/held", "@@")
        put(tree, "run/snapshot/held", "@@")
        deep = before * count + b"1" + after * count
        return json.dumps(tree).encode().replace(b'"@@"', deep)

    return make


def packed(pack: Callable[[bytes], bytes], head: bytes, times: int) -> Make:
    """Return a small file of gigabytes: one packed piece of spaces, many times over."""

    def make(_bait: Bait) -> bytes:
        return pack(head) + pack(b" " * (8 * MIB)) * times

    return make


def image(data: Callable[[Bait], bytes], mime: str) -> Make:
    """Return a run with a picture in messages, documents and outputs."""

    def change(tree: dict[str, Any], bait: Bait) -> None:
        made = base64.b64encode(data(bait)).decode()
        for place in ("spans/2/inputs/messages/1/content/1", "spans/1/outputs/odd/picture"):
            picture = {"$": "image", "data": {"$": "bytes", "base64": made}, "mime_type": mime}
            put(tree, place, picture)
        blob = {"$": "byte_stream", "data": {"$": "bytes", "base64": made}, "mime_type": mime}
        put(tree, "spans/1/outputs/documents/0/blob", blob)

    return changed(change)


def png(width: int, height: int) -> bytes:
    """Return a picture that claims to be enormous."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    body = zlib.compress(b"\0" * MIB, 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def svg(bait: Bait) -> bytes:
    laughs = "".join(
        f'<!ENTITY l{at} "{f"&l{at - 1};" * 10}">' if at else '<!ENTITY l0 "ha">'
        for at in range(12)
    )
    return (
        f'<?xml version="1.0"?><!DOCTYPE svg [{laughs}<!ENTITY x SYSTEM "{bait.secret.as_uri()}">]>'
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'onload="{MARK}()"><script href="{bait.url}/x.js"/><image xlink:href="{bait.url}/x.png"/>'
        f'<image xlink:href="{bait.picture.as_uri()}"/><text>&l11;&x;</text></svg>'
    ).encode()


def foreign(name: str) -> Make:
    """Return another tool's file in which all prose and all names say something else."""

    def make(bait: Bait) -> bytes:
        text = (FOREIGN / name).read_text("utf-8")
        lines = text.splitlines() if name.endswith(".jsonl") else [text]
        said = [json.dumps(_saying(json.loads(line), bait.everything())) for line in lines if line]
        return "\n".join(said).encode()

    return make


_NAMES = {"name", "tool_name", "type", "content", "text", "message", "id", "model", "filename"}


def _saying(tree: Any, words: str, key: str = "") -> Any:
    if isinstance(tree, dict):
        return {name: _saying(value, words, name) for name, value in tree.items()}
    if isinstance(tree, list):
        return [_saying(value, words, key) for value in tree]
    if not isinstance(tree, str):
        return tree
    if tree[:1] in ("{", "["):  # JSON in JSON, as traces have it
        try:
            return json.dumps(_saying(json.loads(tree), words))
        except ValueError:
            return words
    return words if " " in tree or (key in _NAMES and "haystack." not in tree) else tree


def cassette(bait: Bait) -> bytes:
    """Return a cassette that makes objects and reads files, were it loaded as YAML can be."""
    text = (FOREIGN / "vcr_cassette/haystack_chat_filtered.yaml").read_text("utf-8")
    evil = (
        f"evil: !!python/object/apply:os.system ['touch {bait.secret}']\n"
        f"more: !!python/module:{bait.module}\n"
    )
    return (text.replace("GET", "!!python/name:os.system ''") + evil).encode()


def aliases(_bait: Bait) -> bytes:
    """Return a cassette of a billion laughs."""
    text = (FOREIGN / "vcr_cassette/haystack_chat_filtered.yaml").read_text("utf-8")
    laughs = ["x0: &x0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]"]
    laughs += [f"x{at}: &x{at} [{', '.join([f'*x{at - 1}'] * 9)}]" for at in range(1, 12)]
    inside = re.sub(r"(?m)^(\s+)body:.*$", r"\1body: *x11", text, count=1)
    return ("\n".join(laughs) + "\n" + inside).encode()


def zipped(files: Callable[[Bait], dict[str, bytes]]) -> Make:
    def make(bait: Bait) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
            for name, data in files(bait).items():
                made.writestr(name, data)
        return out.getvalue()

    return make


def _tar(bait: Bait) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as made:
        link = tarfile.TarInfo("run.run.json")
        link.type, link.linkname = tarfile.SYMTYPE, str(bait.secret)
        made.addfile(link)
        made.addfile(tarfile.TarInfo("../../../../tmp/evil.run.json"))
    return out.getvalue()


class _Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return (eval, (f"__import__('{MARK}_module')",))


def _journal(bait: Bait) -> bytes:
    tree = base()
    put(tree, "spans/0/name", bait.everything())
    lines: list[Any] = [
        {"record": "run", "format": "haystack-run", "version": 1, "run": tree["run"]}
    ]
    lines += [{"record": "start", "span": span} for span in tree["spans"]]
    lines += [{"record": "chunk", "id": "s5", "at_ns": at, "chunk": bait.everything()}
              for at in range(50)]  # fmt: skip
    lines += [{"record": bait.everything(), "id": bait.everything()}, {"record": "finish"}]
    return "\n".join(json.dumps(line) for line in lines).encode()


def _spread(tree: dict[str, Any], bait: Bait) -> None:
    """Refer to files wherever something is referred to."""
    for at, where in enumerate((str(bait.secret), bait.secret.as_uri(), "../bait/" + MARK + ".txt",
                                "/etc/passwd", bait.url, "\\\\host\\share", "C:\\x", "~/.netrc")):  # fmt: skip
        put(tree, f"spans/1/outputs/odd/ref{at}", {"$ref": where})
        put(tree, f"run/inputs/ref{at}", {"$": "list", "after": {"$ref": where}, "items": []})
        put(tree, f"spans/1/outputs/documents/0/meta/file_path{at}", where)
        tree["values"][where] = {"$": "path", "value": where}


def _circle(tree: dict[str, Any], _bait: Bait) -> None:
    tree["spans"][0]["parent"], tree["spans"][3]["parent"] = "s4", "s4"


def _numbers(tree: dict[str, Any], _bait: Bait) -> None:
    for at, span in enumerate(tree["spans"]):
        span["start_ns"], span["end_ns"] = (-(2**62), 2**63 - 1, 10**30, 2**62, 0, -1)[at], 10**18
        span["visit"], span["step"] = 2**62, -(2**62)
    tree["run"] |= {"duration_ns": 10**40, "utc_offset_s": 10**18, "started_at": "9999-99-99T99:99"}
    tree["spans"][4]["usage"] |= {"input_tokens": 10**300, "output_tokens": -5}
    tree["run"]["cost_estimate"]["llms"][0]["multiplications"][0] |= {
        "count": 10**300, "price": "9e999999999", "per": 0, "amount": "-9e999999999",
    }  # fmt: skip
    tree["run"]["cost_estimate"]["llms"][0]["amount"] = "9e999999999"
    odd = tree["spans"][1]["outputs"]["odd"]
    odd["int"] = {"$": "int", "hex": "f" * 100_000}
    odd["decimal"] = {"$": "decimal", "value": "9e999999999"}
    odd["when"] = {"$": "timedelta", "value": "9" * 400}
    odd["array"] = {"$": "array", "dtype": "float64", "shape": [2**40, 2**40], "base64": "AAAA"}


def _wrong(tree: dict[str, Any], _bait: Bait) -> None:
    for key in tree["run"]:
        tree["run"][key] = [[{"$": ["x"]}], None, 1e308]
    for number, span in enumerate(tree["spans"]):
        for at, key in enumerate(list(span)[7:]):
            span[key] = ([], {}, 0, "x", None, [{"$ref": 3}], {"$": {}})[(at + number) % 7]


def _many(tree: dict[str, Any], bait: Bait) -> None:
    tree["spans"] += [
        {"id": f"x{at}", "parent": f"x{at - 1}" if at else "s1", "kind": "component",
         "operation": "o", "name": bait.rich() if at % 50 == 0 else "n", "path": f"n#{at}",
         "start_ns": at, "end_ns": 90_000 - at, "status": "ok"}
        for at in range(2_000)
    ]  # fmt: skip


def _long(tree: dict[str, Any], bait: Bait) -> None:
    for place in ("run/name", "spans/1/name", "spans/5/error/message", "spans/5/outputs"):
        put(tree, place, bait.everything() * 300)
    put(tree, "spans/2/inputs/messages/1/content/0/text", "<b>" * 100_000 + "\u202e" * 50_000)


def _keys(tree: dict[str, Any], bait: Bait) -> None:
    put(tree, "spans/1/outputs/odd/many", {f"{bait.rich()[:40]}{at}": at for at in range(20_000)})


def _wiring(tree: dict[str, Any], bait: Bait) -> None:
    """Name what is to be imported, and a pipeline that holds itself to the bottom."""
    node: dict[str, Any] = {"type": f"{bait.module}.Component", "init_parameters": {}}
    for _ in range(400):
        node = {"type": "haystack.core.super_component.SuperComponent", "init_parameters": {"p": node},
                "topology": {"components": {"in": node}, "connections": []}}  # fmt: skip
        if len(json.dumps(node)) > 200_000:
            break
    tree["run"]["definition"]["components"]["evil"] = node
    tree["run"]["topology"]["components"]["evil"] = node
    tree["spans"][1]["type"] = f"{bait.module}.Component"
    tree["spans"][1]["outputs"]["odd"]["object"]["type"] = f"{bait.module}.Component"
    tree["spans"][1]["outputs"]["odd"]["exception"]["type"] = f"{bait.module}.Component"


def _regexes(tree: dict[str, Any], _bait: Bait) -> None:
    """Have rules and texts on which a matcher that goes back never ends."""
    tree["run"]["redacted"]["rules"] = {"slow": "(a+)+$", "wrong": "("}
    put(tree, "spans/5/outputs", "a" * 50_000 + "!" + "\t " * 50_000 + "@" * 20_000 + "1" * 50_000)
    put(tree, "spans/1/outputs/documents/0/content", ("{{" * 20_000) + "[" * 20_000 + "`" * 20_000)


def _twice(_bait: Bait) -> bytes:
    text = json.dumps(base())
    return (text[:-1] + ', "spans": [], "spans": 3, "run": {}, "run": 1, "version": 1}').encode()


_START = json.dumps(base()).encode()[:-1]
_RUN_FILE = ".run.json"
SHAPES: dict[str, tuple[str, Make]] = {
    "gzip bomb of spaces": (".run.json.gz", packed(gzip.compress, b"", BOMB)),
    "gzip bomb behind a run": (".run.json.gz", packed(gzip.compress, _START, BOMB)),
    "zstd bomb of spaces": (".run.json.zst", packed(zstd.compress, b"", BOMB)),
    "zstd bomb behind a run": (".run.json.zst", packed(zstd.compress, _START, BOMB)),
    "gzip bomb of another's lines": (
        ".otlp.jsonl.gz", packed(gzip.compress, b'{"resourceSpans":[]}\n', BOMB)
    ),
    "gzip in gzip in gzip": (
        ".run.json.gz", lambda _: gzip.compress(gzip.compress(gzip.compress(b" " * MIB)))
    ),
    "zip bomb": (".zip", zipped(lambda _: {f"{at}.run.json": b" " * (8 * MIB) for at in range(6)})),
    "zip with ways out": (
        ".zip", zipped(lambda bait: {f"../../{MARK}.run.json": _START + b"}",
                                     str(bait.secret): b"x", "/etc/cron.d/x": b"x"}),
    ),
    "zip as a run": (_RUN_FILE, zipped(lambda _: {"a.run.json": _START + b"}"})),
    "tar with links": (".tar.gz", _tar),
    "pickle": (_RUN_FILE, lambda _: pickle.dumps(_Evil())),
    "page served as a run": (_RUN_FILE, lambda bait: b"<!DOCTYPE html>" + bait.markup().encode()),
    "lists to the bottom": (_RUN_FILE, raw(b"[", b"]")),
    "objects to the bottom": (_RUN_FILE, raw(b'{"a":', b"}")),
    "tags to the bottom": (_RUN_FILE, raw(b'{"$":"tuple","items":[', b"]}", count=20_000)),
    "nothing but depth": (".json", lambda _: b"[" * 500_000),
    "a thousand laughs deep": (_RUN_FILE, raw(b"[", b"]", count=140)),
    "ref bomb": (_RUN_FILE, doubled(80, lambda at: [ref(at), ref(at)])),
    "ref bomb of keys": (_RUN_FILE, doubled(80, lambda at: {"a": ref(at), "b": ref(at)})),
    "ref bomb of lists": (
        _RUN_FILE, doubled(60, lambda at: {"$": "list", "after": ref(at), "items": [ref(at)]})
    ),
    "ref bomb of documents": (
        _RUN_FILE,
        doubled(60, lambda at: {"$": "document", "content": ref(at), "meta": {"m": ref(at)}}),
    ),
    "ref bomb of messages": (
        _RUN_FILE,
        doubled(60, lambda at: {"$": "chat_message", "role": "tool", "content": [
            {"text": ref(at)}, {"tool_result": {"result": ref(at), "call": ref(at)}}]}),
    ),
    "ref chain": (_RUN_FILE, held({f"{at:032x}": ref(at - 1) for at in range(20_000)}, ref(19_999))),
    "ref circle": (_RUN_FILE, held({"a": ref("b"), "b": [ref("a")], "c": ref("c")},
                                   [ref("a"), ref("c"), ref("nowhere")])),
    "list after itself": (_RUN_FILE, held(
        {"a": {"$": "list", "after": ref("a"), "items": [1]}}, ref("a"))),
    "refs that are files": (_RUN_FILE, changed(_spread)),
    "circle of parents": (_RUN_FILE, changed(_circle)),
    "numbers beyond": (_RUN_FILE, changed(_numbers)),
    "wrong types": (_RUN_FILE, changed(_wrong)),
    "a line of spans": (_RUN_FILE, changed(_many)),
    "texts without end": (_RUN_FILE, changed(_long)),
    "keys without end": (_RUN_FILE, changed(_keys)),
    "names of code": (_RUN_FILE, changed(_wiring)),
    "texts that stall matchers": (_RUN_FILE, changed(_regexes)),
    "everything twice": (_RUN_FILE, _twice),
    "journal": (".run.jsonl", _journal),
    "picture with laughs and scripts": (_RUN_FILE, image(svg, "image/svg+xml")),
    "picture that claims to be a PNG": (_RUN_FILE, image(svg, "image/png")),
    "picture of gigabytes": (_RUN_FILE, image(lambda _: png(60_000, 60_000), "image/png")),
    "page as a picture": (_RUN_FILE, image(lambda bait: bait.markup().encode(), "text/html")),
    "OTLP": (".otlp.jsonl", foreign("otlp_json/haystack_agent.otlp.jsonl")),
    "OpenInference": (".otlp.jsonl", foreign("otlp_json/openinference_rag.otlp.jsonl")),
    "snapshot": (".json", foreign("haystack_snapshot/hs3.4.1_agent_crash_tool.json")),
    "snapshot of others": (".json", foreign("haystack_snapshot/hs2.31.0_weird_values_bp_sink.json")),
    "Zipkin": (".json", foreign("zipkin_json/haystack_agent.zipkin.json")),
    "chat log": (".jsonl", foreign("openai_chat_log/openai_chat_pairs.jsonl")),
    "MLflow": (".json", foreign("mlflow_trace/mlflow_haystack_agent.trace.json")),
    "Pydantic-AI": (".json", foreign("pydantic_ai/pydantic_ai_all_messages.json")),
    "cassette that makes objects": (".yaml", cassette),
    "cassette of a billion laughs": (".yaml", aliases),
}  # fmt: skip
