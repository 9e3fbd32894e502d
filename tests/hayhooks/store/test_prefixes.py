"""Under whatever keys of Redis an execution was put, reading finds it."""

import asyncio

import pytest

pytest.importorskip("hayhooks", reason="there are no durable executions without hayhooks")

from hayhooks.durable import StoreConfig
from hayhooks.durable.engine import initial_control

from inspector.errors import InspectorError
from inspector.hayhooks import embedded, example
from inspector.hayhooks.a2a.stores import PREFIX_VARIABLE, Stores
from inspector.hayhooks.client.model import HayhooksError
from inspector.hayhooks.stored import read_stored

OF_THE_EXAMPLE = example._SETTINGS[PREFIX_VARIABLE]


async def put(url: str, prefix: str | None, run_id: str) -> None:
    stores = Stores(url, redis_prefix=prefix)
    control = initial_control(
        run_id=run_id, idempotency_digest="0" * 64, idempotency_binding_digest="0" * 64,
        deployment="echo", definition_revision="1", owner_id=None, kind="pipeline", now_ms=0,
    )  # fmt: skip
    store = stores.of("echo", StoreConfig())
    await store.initialize()
    await store.submit(control, b'{"text": "here"}')
    await stores.close()


@pytest.mark.parametrize(
    ("prefix", "said"),
    [
        (None, None), (OF_THE_EXAMPLE, None), (embedded._REDIS_PREFIX, None),
        ("bills", "bills"),
    ],
)  # fmt: skip
def test_an_execution_is_found_in_redis(store_redis, monkeypatch, prefix, said):
    if said:
        monkeypatch.setenv(PREFIX_VARIABLE, said)
    run_id = f"under-{prefix}"
    asyncio.run(put(store_redis, prefix, run_id))
    assert read_stored(store_redis, "echo", run_id).input == {"text": "here"}


def test_under_other_keys_it_is_not_found_and_the_hint_says_how(store_redis, monkeypatch):
    asyncio.run(put(store_redis, "bills", "elsewhere"))
    with pytest.raises(HayhooksError, match="no execution elsewhere") as missing:
        read_stored(store_redis, "echo", "elsewhere")
    assert PREFIX_VARIABLE in missing.value.hint
    monkeypatch.setenv(PREFIX_VARIABLE, "with blanks")
    with pytest.raises(InspectorError, match=PREFIX_VARIABLE):
        read_stored(store_redis, "echo", "elsewhere")
