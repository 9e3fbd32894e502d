"""Whatever the host's objects do, capture neither raises nor disturbs them."""

import collections
import enum
import io
import itertools
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np
import pytest
from pydantic import BaseModel, SecretStr

from inspector.recording.capture import Capture
from tests.writing.writing import read_back, recorded, round_trip


class Refuses:
    """Raises from everything that can be overridden."""

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise ValueError("no")

    __repr__ = __str__ = __eq__ = __hash__ = __getattr__ = __len__ = __iter__ = _refuse  # type: ignore[assignment]
    __bool__ = __contains__ = __getitem__ = __dir__ = __format__ = __reduce_ex__ = _refuse  # type: ignore[assignment]
    __sizeof__ = __copy__ = __deepcopy__ = __int__ = __float__ = __index__ = _refuse


class RefusesAttributes:
    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)


class LiesAboutItsClass:
    @property
    def __class__(self) -> type:  # type: ignore[override]
        return dict


class Exits:
    def __repr__(self) -> str:
        raise SystemExit(3)


class Interrupts:
    def __repr__(self) -> str:
        raise KeyboardInterrupt


class Chatters:
    def __repr__(self) -> str:
        return "x" * 10_000_000


class GivesNoString:
    def __repr__(self) -> str:
        return None  # type: ignore[return-value]


class Meta(type):
    def __hash__(cls) -> int:
        raise TypeError("no hash")

    def __eq__(cls, other: object) -> bool:
        raise TypeError("no equality")

    @property
    def __mro__(cls) -> Any:  # type: ignore[override]
        raise TypeError("no order")

    def __getattribute__(cls, name: str) -> Any:
        raise TypeError(name)


class OfAnOddMeta(metaclass=Meta):
    pass


class Text(str):
    __slots__ = ()

    def __getitem__(self, _: Any) -> Any:
        raise ValueError

    def __len__(self) -> int:
        return 10**9

    def __str__(self) -> str:
        return "something else"


class Mapping(dict[str, Any]):
    def items(self) -> Any:
        raise ValueError

    def __iter__(self) -> Any:
        raise ValueError

    def __len__(self) -> int:
        raise ValueError


class Items(list[Any]):
    def __iter__(self) -> Any:
        raise ValueError


@dataclass
class Point:
    x: int
    y: Any = field(default_factory=list)


class SlottedPoint(NamedTuple):
    x: int
    y: str


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class Settings(BaseModel):
    model_config = {"extra": "allow"}
    name: str
    key: SecretStr
    at: Any = None


class ToDict:
    calls = 0

    def to_dict(self) -> dict[str, Any]:
        type(self).calls += 1
        return {"type": "x", "init_parameters": {"depth": 2, "self": self}}

    @classmethod
    def from_dict(cls, _: Any) -> "ToDict":
        return cls()


class ToDictRaises(ToDict):
    def to_dict(self) -> dict[str, Any]:
        raise SystemExit(1)


class OnlyToDict:
    def to_dict(self) -> dict[str, Any]:
        raise AssertionError("half of the pair is no promise that calling it is harmless")


@pytest.mark.parametrize(
    ("make", "part"),
    [
        (Refuses, {"$": "opaque", "repr": "<its repr raised ValueError>"}),
        (RefusesAttributes, {"$": "opaque"}),
        (LiesAboutItsClass, {"$": "opaque"}),
        (Exits, {"$": "opaque", "repr": "<its repr raised SystemExit>"}),
        (GivesNoString, {"$": "opaque", "repr": "<its repr raised TypeError>"}),
        (lambda: OfAnOddMeta(), {"$": "opaque"}),  # noqa: PLW0108 - pytest asks classes for names
        (lambda: Text("ab"), {"$": "object", "fields": {"value": "ab"}}),
        (lambda: Mapping(a=1), {"$": "dict", "items": [["a", 1]]}),
        (lambda: Items([1, 2]), {"$": "object", "fields": {"items": [1, 2]}}),
        (lambda: Point(1, [2]), {"$": "object", "fields": {"x": 1, "y": [2]}}),
        (lambda: SlottedPoint(1, "b"), {"$": "object", "fields": {"x": 1, "y": "b"}}),
        (lambda: Colour.RED, {"$": "enum", "name": "RED", "value": "red"}),
        (lambda: Level.HIGH, {"$": "enum", "name": "HIGH", "value": 3}),
        (lambda: PurePosixPath("/a/b"), {"$": "path", "value": "/a/b"}),
        (lambda: Path("c"), {"$": "path", "value": "c"}),
        (lambda: collections.deque([1, 2]), {"$": "object", "type": "collections.deque"}),
        (lambda: collections.OrderedDict(b=1), {"$": "dict", "type": "collections.OrderedDict"}),
        (lambda: collections.Counter("aab"), {"$": "dict", "items": [["a", 2], ["b", 1]]}),
        (lambda: collections.defaultdict(list, {"a": [1]}), {"$": "dict", "items": [["a", [1]]]}),
        (threading.Lock, {"$": "opaque", "type": "_thread.lock"}),
        (lambda: io.StringIO("kept"), {"$": "opaque", "type": "_io.StringIO"}),
        (lambda: sys, {"$": "opaque", "type": "module"}),
        (lambda: NotImplemented, {"$": "opaque", "repr": "NotImplemented"}),
        (lambda: ..., {"$": "opaque", "repr": "Ellipsis"}),
        (object, {"$": "opaque", "repr": "<object object>"}),
        (ToDictRaises, {"$": "opaque", "why": "its to_dict raised SystemExit"}),
        (OnlyToDict, {"$": "opaque"}),
        (lambda: ValueError("bad"), {"$": "exception", "type": "ValueError", "message": "bad"}),
        (lambda: np.float32(0.5), {"$": "array", "dtype": "float32", "shape": [], "value": 0.5}),
        (lambda: np.float64("nan"), {"dtype": "float64", "value": {"$": "float", "value": "nan"}}),
        (lambda: np.int64(7), {"dtype": "int64", "value": 7}),
        (lambda: np.bool_(True), {"dtype": "bool", "value": True}),
        (lambda: np.array([1, 2], ">i2"), {"dtype": "int16", "shape": [2], "base64": "AQACAA=="}),
        (lambda: np.array(["é"]), {"dtype": "U1", "shape": [1]}),
        (lambda: np.array([1, "a", None], object), {"$": "object", "type": "numpy.ndarray"}),
        (lambda: bytearray(b"ab"), {"$": "object", "type": "bytearray"}),
        (lambda: memoryview(b"ab"), {"$": "object", "type": "memoryview"}),
    ],
)  # fmt: skip
def test_a_hostile_or_odd_object_is_told_as_far_as_it_can_be(make, part):
    value = make()
    tree = read_back(value)
    assert {key: tree.get(key) for key in part} == part
    inside = read_back([{"nested": (value,)}])[0]["nested"]["items"][0]
    assert {key: inside.get(key) for key in part} == part


def test_a_repr_is_bounded_and_has_no_address():
    assert len(read_back(Chatters())["repr"]) <= 501
    assert "0x" not in read_back(iter(()))["repr"]

    class Plain:
        pass

    assert "0x" not in read_back(Plain())["repr"]


def test_a_keyboard_interrupt_is_the_users_and_goes_through():
    with pytest.raises(KeyboardInterrupt):
        Capture().at_once({"a": Interrupts()})


def test_a_pydantic_model_is_read_without_showing_its_secrets():
    tree = read_back(Settings(name="n", key=SecretStr("hidden"), at=PurePosixPath("x"), more=1))
    assert tree["fields"]["name"] == "n"
    assert tree["fields"]["at"] == {"$": "path", "value": "x"}
    assert tree["fields"]["more"] == 1
    assert "hidden" not in str(tree)


def test_what_serialises_itself_is_asked_once_and_may_hold_itself():
    ToDict.calls = 0
    tree = read_back(ToDict())
    assert ToDict.calls == 1
    assert tree["fields"]["init_parameters"]["depth"] == 2
    assert tree["fields"]["init_parameters"]["self"]["why"] == "it contains itself"


def test_an_object_whose_class_cannot_be_asked_keeps_what_is_beside_it():
    tree = read_back({"before": 1, "odd": OfAnOddMeta(), "after": [2]})
    assert (tree["before"], tree["after"]) == (1, [2])


def test_iterators_and_streams_are_not_consumed():
    counter = itertools.count()
    generator = (number for number in (1, 2))
    stream = io.BytesIO(b"abc")

    async def agen() -> Any:
        yield 1

    mapped = map(str, [1, 2])
    tree = read_back([counter, generator, stream, agen(), mapped, zip([1], [2], strict=True)])
    assert all(item["$"] == "opaque" for item in tree)
    assert (next(counter), next(generator), stream.read(), next(mapped)) == (0, 1, b"abc", "1")


def test_a_coroutine_is_neither_awaited_nor_lost():
    async def work() -> None: ...

    coroutine = work()
    assert read_back(coroutine)["type"] == "coroutine"
    coroutine.close()


@pytest.mark.parametrize("depth", [100, 1_000, 100_000])
def test_a_value_nested_very_deeply_is_cut_off_and_says_so(depth):
    lists: Any = "end"
    dicts: Any = "end"
    tuples: Any = "end"
    for _ in range(depth):
        lists, dicts, tuples = [lists], {"in": dicts}, (tuples,)
    run = recorded({"lists": lists}, {"dicts": dicts}, {"tuples": tuples})
    texts = b"".join(run.values.raw(digest) for digest in run.values.digests())
    texts += b"".join(run.record_text(row) for row in range(3))
    assert (b"nested more than" in texts) == (depth > 140 or b'"tuple"' in texts)
    assert run.spans[0].inputs["lists"] != "end"


def test_values_that_contain_themselves_end():
    items: list[Any] = [1]
    items.append(items)
    mapping: dict[str, Any] = {"a": 1}
    mapping["self"] = {"again": mapping}
    point = Point(1)
    point.y = [point]
    tree = read_back({"items": items, "mapping": mapping, "point": point})
    assert tree["items"][1]["why"] == "it contains itself"
    assert tree["mapping"]["self"]["again"]["why"] == "it contains itself"
    assert tree["point"]["fields"]["y"][0]["why"] == "it contains itself"


def test_a_dictionary_that_another_thread_changes_meanwhile_is_recorded():
    mapping: dict[Any, Any] = {str(number): [number] for number in range(200)}
    stop = threading.Event()

    def churn() -> None:
        number = 0
        while not stop.is_set():
            mapping[f"new{number % 50}"] = number
            mapping.pop(f"new{(number * 7) % 50}", None)
            number += 1

    thread = threading.Thread(target=churn)
    old = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    thread.start()
    try:
        capture = Capture()
        for _ in range(200):
            tree = capture.at_once({"mapping": mapping})["mapping"].tree
            assert tree["7"].tree == [7]
    finally:
        stop.set()
        thread.join()
        sys.setswitchinterval(old)


def test_a_hundred_megabytes_are_left_out_without_being_copied_on_the_hosts_thread():
    text = "x" * 100_000_000
    data = bytes(100_000_000)
    capture = Capture()
    started = time.thread_time()
    tree = capture.at_once({"text": text, "data": data, "array": np.zeros(12_500_000)})
    assert time.thread_time() - started < 0.05
    run = recorded({"value": [text, data]})
    first, second = run.spans[0].inputs["value"]
    assert (first["$"], first["type"], first["size"]) == ("truncated", "str", 100_000_000)
    assert len(first["digest"]) == 32
    assert first["head"] == "x" * 200
    assert (second["$"], second["type"], second["size"]) == ("truncated", "bytes", 100_000_000)
    assert run.not_recorded[0]["what"] == "values"
    assert tree["array"]["why"] == "too large to be copied"


def test_a_value_of_millions_of_parts_is_cut_off():
    tree = read_back({"rows": [[0]] * 3_000_000, "kept": 1})
    assert tree["rows"]["$"] == "truncated"
    assert tree["rows"]["size"] == 3_000_000
    assert tree["kept"] == 1


def test_near_the_end_of_the_stack_capture_gives_up_instead_of_the_host():
    capture = Capture()
    value = {"a": {"b": [{"c": (1, {2: [3]})}]}}

    def descend(levels: int) -> Any:
        return capture.at_once(value) if levels == 0 else descend(levels - 1)

    frame = sys._getframe()
    used = 0
    while frame is not None:
        used += 1
        frame = frame.f_back  # type: ignore[assignment]
    limit = sys.getrecursionlimit()
    results = []
    for left in range(30, 8, -1):
        results.append(descend(limit - used - left))
    assert all(isinstance(tree, dict) for tree in results)


def test_captured_values_can_be_used_from_many_threads_at_once():
    capture = Capture()
    shared = {"documents": ["long text " * 50] * 20, "n": 1}
    failures = []

    def work() -> None:
        try:
            for _ in range(300):
                capture.at_once(shared)
                capture.memo(shared)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_plain_tuple_stays_a_tuple_and_an_enum_key_keeps_its_class():
    assert round_trip((1, (2,))) == (1, (2,))
    tree = read_back({Colour.RED: 1})
    assert tree["items"][0][0]["name"] == "RED"
