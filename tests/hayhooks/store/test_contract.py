"""What a store of Hayhooks has to hold, of all three stores: queue, leases, ends."""

import pytest

pytest.importorskip("hayhooks", reason="a store of executions is nothing without hayhooks")

from hayhooks.durable.engine import (
    ExecutionLeaseLostError,
    ExecutionNotFoundError,
    ExecutionPayloadSizeError,
    ExecutionStatus,
    Fail,
    InvalidExecutionTransitionError,
    PayloadKind,
    ReleaseClaim,
    RequestCancellation,
    Resume,
    ScheduleRetry,
    Suspend,
)
from hayhooks.durable.store import ExecutionAdmissionError, ExecutionIdempotencyConflictError

from tests.hayhooks.store.conftest import Open
from tests.hayhooks.store.worlds import EXHAUSTED, LEASE_MS, World, control_of

LONG = 60_000


async def private(world: World, run_id: str = "one") -> dict[str, bytes]:
    stored = await world.store.read(run_id)
    assert stored is not None
    return {kind.value: data for kind, data in stored.payloads.items()}


async def test_what_is_submitted_is_queued_under_the_time_of_the_store(world: Open) -> None:
    async with world() as it:
        submitted = await it.submit()
        assert submitted.created
        stored = await it.store.read("one")
        assert stored is not None
        assert stored.control == submitted.control
        assert stored.control.status is ExecutionStatus.QUEUED
        assert stored.control.created_at_ms == stored.control.updated_at_ms > 0
        assert dict(stored.payloads) == {PayloadKind.INPUT: b'{"name":"one"}'}
        assert await it.store.read_control("one") == submitted.control


async def test_a_key_gives_its_first_execution_back_and_takes_no_other_work(world: Open) -> None:
    async with world() as it:
        first = await it.submit("one", key="k", work="w")
        again = await it.submit("two", key="k", work="w")
        assert not again.created
        assert again.control == first.control
        assert await it.store.read("two") is None
        with pytest.raises(ExecutionIdempotencyConflictError):
            await it.submit("three", key="k", work="other")
        with pytest.raises(ExecutionIdempotencyConflictError):
            await it.submit("one", key="another")


async def test_only_as_many_are_unfinished_as_may_be(world: Open) -> None:
    async with world(max_nonterminal_executions=2) as it:
        await it.submit("one")
        await it.submit("two")
        with pytest.raises(ExecutionAdmissionError):
            await it.submit("three")
        assert not (await it.submit("one")).created  # known work needs no place
        await it.complete(await it.claimed(lease_ms=LONG))
        assert (await it.submit("three")).created


async def test_too_much_is_refused_and_nothing_kept_of_it(world: Open) -> None:
    async with world(max_payload_bytes=20, max_progress_event_bytes=10) as it:
        with pytest.raises(ExecutionPayloadSizeError):
            await it.store.submit(control_of("big"), b"x" * 21)
        assert await it.store.read("big") is None
        await it.submit("one")
        held = await it.claimed(lease_ms=LONG)
        with pytest.raises(ExecutionPayloadSizeError):
            await it.checkpoint(held, b"x" * 21)
        with pytest.raises(ExecutionPayloadSizeError):
            await it.checkpoint(held, b"{}", b"x" * 11)
        assert await it.store.read_control("one") == held
        assert set(await private(it)) == {"input"}


async def test_another_deployments_work_is_refused(world: Open) -> None:
    async with world() as it:
        with pytest.raises(ValueError, match="deployment"):
            await it.store.submit(control_of("one", deployment="other"), b"{}")


async def test_a_worker_gets_work_of_its_revision_once(world: Open) -> None:
    async with world() as it:
        assert await it.claim() is None
        await it.submit("one")
        assert await it.claim(revision="r2") is None
        held = await it.claimed("w1")
        assert (held.status, held.lease_owner) == (ExecutionStatus.RUNNING, "w1")
        assert (held.fence, held.run_attempt, held.lease_recoveries) == (1, 1, 0)
        assert held.lease_expires_at_ms == held.updated_at_ms + LEASE_MS
        assert await it.claim("w2") is None


async def test_many_claims_give_each_execution_to_one_worker(world: Open) -> None:
    async with world() as it:
        names = {f"run-{number}" for number in range(12)}
        for name in sorted(names):
            await it.submit(name)
        claimed = [await it.claimed(f"w{number}", lease_ms=LONG) for number in range(12)]
        assert {held.run_id for held in claimed} == names
        assert await it.claim() is None


async def test_a_heartbeat_keeps_the_lease_and_changes_nothing_else(world: Open) -> None:
    async with world() as it:
        await it.submit()
        held = await it.claimed()
        renewed = (await it.heartbeat(held, LONG)).next_control
        assert renewed.lease_expires_at_ms > held.lease_expires_at_ms
        assert (renewed.version, renewed.fence) == (held.version, held.fence)
        await it.pass_ms(LEASE_MS + 1)
        assert await it.maintain() == 0
        await it.complete(held)


async def test_a_lease_that_ran_out_goes_to_the_next_and_the_old_worker_is_refused(
    world: Open,
) -> None:
    async with world() as it:
        await it.submit()
        lost = await it.claimed("w1")
        assert await it.maintain() == 0
        await it.pass_ms(LEASE_MS + 1)
        with pytest.raises(ExecutionLeaseLostError):
            await it.complete(lost)
        assert await it.maintain() == 1
        assert await it.maintain() == 0
        held = await it.claimed("w2", lease_ms=LONG)
        assert (held.fence, held.run_attempt, held.lease_recoveries) == (2, 2, 1)
        for refused in (it.complete(lost), it.heartbeat(lost), it.checkpoint(lost)):
            with pytest.raises(ExecutionLeaseLostError):
                await refused
        with pytest.raises(ExecutionLeaseLostError):
            await it.append(lost, b"1")
        assert (await it.complete(held)).next_control.status is ExecutionStatus.COMPLETED


async def test_nothing_is_taken_from_a_worker_whose_lease_is_about_to_end(world: Open) -> None:
    async with world(lease_commit_safety_ms=LONG) as it:
        await it.submit()
        held = await it.claimed(lease_ms=LONG + 20)
        await it.pass_ms(21)
        with pytest.raises(ExecutionLeaseLostError):
            await it.complete(held)
        with pytest.raises(ExecutionLeaseLostError):
            await it.append(held, b"1")
        assert await it.maintain() == 0  # it has it still
        with pytest.raises(ValueError, match="safety"):
            await it.claim(lease_ms=LONG)


async def test_another_worker_and_another_fence_are_refused(world: Open) -> None:
    async with world() as it:
        await it.submit()
        held = await it.claimed(lease_ms=LONG)
        for fence, worker in ((held.fence, "w2"), (held.fence + 1, "w1")):
            with pytest.raises(ExecutionLeaseLostError):
                await it.store.transition("one", ReleaseClaim(fence, worker))


async def test_work_that_loses_every_lease_fails_with_the_error_for_it(world: Open) -> None:
    async with world() as it:
        await it.submit()
        await it.claimed(attempts=1)
        await it.pass_ms(LEASE_MS + 1)
        assert await it.maintain(attempts=1) == 0
        stored = await it.store.read("one")
        assert stored is not None
        assert stored.control.status is ExecutionStatus.FAILED
        assert stored.payloads[PayloadKind.ERROR] == EXHAUSTED
        assert await it.claim() is None


async def test_work_that_is_handed_back_counts_no_lost_lease(world: Open) -> None:
    async with world() as it:
        await it.submit()
        held = await it.claimed(lease_ms=LONG)
        await it.store.transition("one", ReleaseClaim(held.fence, "w1"))
        again = await it.claimed("w2", lease_ms=LONG)
        assert (again.run_attempt, again.lease_recoveries) == (2, 0)


async def test_cancelling_ends_queued_work_at_once_and_running_work_when_it_ends(
    world: Open,
) -> None:
    async with world() as it:
        await it.submit("one")
        held = await it.claimed(lease_ms=LONG)
        await it.submit("two")
        asked = RequestCancellation(0, "no need")
        assert (await it.store.transition("two", asked)).next_control.terminal
        plan = await it.store.transition("one", asked)
        assert plan.next_control.status is ExecutionStatus.RUNNING
        assert plan.next_control.cancel_reason == "no need"
        assert (await it.complete(held)).next_control.status is ExecutionStatus.CANCELED
        assert "result" not in await private(it)
        before = await it.store.read_control("one")
        await it.store.transition("one", asked)  # too late, and no error
        assert await it.store.read_control("one") == before
        assert await it.claim() is None


async def test_a_checkpoint_is_replaced_and_progress_is_numbered_once(world: Open) -> None:
    async with world(max_progress_events=3) as it:
        await it.submit()
        held = await it.claimed(lease_ms=LONG)
        await it.checkpoint(held, b'{"at":1}', b"1", b"2", first_progress_sequence=1)
        await it.checkpoint(held, b'{"at":2}', b"2", b"3", b"4", first_progress_sequence=2)
        stored = await it.store.read("one")
        assert stored is not None
        assert stored.payloads[PayloadKind.CHECKPOINT] == b'{"at":2}'
        assert [(event.sequence, event.data) for event in stored.progress] == [
            (2, b"2"), (3, b"3"), (4, b"4"),
        ]  # fmt: skip
        with pytest.raises(InvalidExecutionTransitionError):
            await it.checkpoint(held, b"{}", b"7", first_progress_sequence=7)


async def test_progress_that_is_discarded_is_gone(world: Open) -> None:
    async with world() as it:
        await it.submit()
        held = await it.claimed(lease_ms=LONG)
        await it.checkpoint(held, b"{}", b"1")
        await it.store.transition(
            "one", Fail(held.fence, "w1", 0, b'{"type":"x"}', discard_progress=True)
        )
        stored = await it.store.read("one")
        assert stored is not None
        assert stored.progress == ()
        assert stored.control.progress_sequence == 0


async def test_waiting_work_is_resumed_once_by_its_own_revision(world: Open) -> None:
    async with world() as it:
        await it.submit()
        held = await it.claimed(lease_ms=LONG)
        suspended = await it.store.transition(
            "one", Suspend(held.fence, "w1", 0, b'{"at":1}', b'{"kind":"approval"}')
        )
        assert suspended.next_control.status is ExecutionStatus.WAITING
        public = await it.store.read_public("one")
        assert public is not None
        assert dict(public.payloads) == {PayloadKind.WAIT: b'{"kind":"approval"}'}
        assert await it.claim() is None
        version = suspended.next_control.version
        for refused in (Resume(0, "r2", b"{}"), Resume(0, "r1", b"{}", version + 1)):
            with pytest.raises(InvalidExecutionTransitionError):
                await it.store.transition("one", refused)
        await it.store.transition("one", Resume(0, "r1", b'{"at":2}', version))
        assert await private(it) == {"input": b'{"name":"one"}', "checkpoint": b'{"at":2}'}
        with pytest.raises(InvalidExecutionTransitionError):
            await it.store.transition("one", Resume(0, "r1", b"{}"))
        assert (await it.claimed(lease_ms=LONG)).run_attempt == 2


async def test_a_retry_waits_its_time_and_the_last_one_fails(world: Open) -> None:
    async with world() as it:
        await it.submit()
        held = await it.claimed(lease_ms=LONG)
        retry = ScheduleRetry(held.fence, "w1", 0, 40, 1, b'"why"', exhausted_error=b'"enough"')
        plan = await it.store.transition("one", retry)
        assert plan.next_control.available_at_ms == plan.next_control.updated_at_ms + 40
        assert await it.claim() is None
        assert (await private(it))["error"] == b'"why"'
        await it.pass_ms(41)
        again = await it.claimed(lease_ms=LONG)
        assert again.available_at_ms is None
        last = ScheduleRetry(again.fence, "w1", 0, 40, 1, b'"why"', exhausted_error=b'"enough"')
        assert (await it.store.transition("one", last)).next_control.status == "failed"
        assert (await private(it))["error"] == b'"enough"'


async def test_a_result_takes_the_place_of_earlier_errors(world: Open) -> None:
    async with world() as it:
        await it.submit()
        held = await it.claimed(lease_ms=LONG)
        await it.store.transition("one", ScheduleRetry(held.fence, "w1", 0, 0, 2, b'"why"'))
        await it.complete(await it.claimed(lease_ms=LONG), b'{"n":1}')
        assert await private(it) == {"input": b'{"name":"one"}', "result": b'{"n":1}'}
        public = await it.store.read_public("one")
        assert public is not None
        assert dict(public.payloads) == {PayloadKind.RESULT: b'{"n":1}'}


async def test_what_ended_changes_no_more(world: Open) -> None:
    async with world() as it:
        done = await it.finished()
        with pytest.raises(ExecutionLeaseLostError):
            await it.store.transition("one", ReleaseClaim(done.fence, "w1"))
        assert await it.store.read_control("one") == done


async def test_nothing_is_known_of_what_was_never_submitted(world: Open) -> None:
    async with world() as it:
        assert await it.store.read("nobody") is None
        assert await it.store.read_public("nobody") is None
        assert await it.store.read_control("nobody") is None
        with pytest.raises(ExecutionNotFoundError):
            await it.store.transition("nobody", RequestCancellation(0))


async def test_counts_are_of_what_is_unfinished_due_and_held(world: Open) -> None:
    async with world() as it:
        await it.finished("done")
        await it.submit("held")
        await it.claimed(lease_ms=LONG)
        await it.submit("queued")
        await it.submit("old", revision="r0")
        assert await it.store.operational_counts(revision="r1") == {
            "nonterminal": 3, "revision_nonterminal": 2, "revision_runnable": 1, "lease_expiry": 1,
        }  # fmt: skip


async def test_what_is_over_is_kept_for_its_time_and_then_forgotten(world: Open) -> None:
    async with world(terminal_ttl_seconds=1, max_nonterminal_executions=1) as it:
        await it.finished("one", key="k", work="w")
        await it.submit("waits", key="other")
        await it.pass_ms(1_050)
        assert await it.store.read("one") is None
        assert await it.store.read_chunks("one", "0-0") == ()
        assert await it.maintain() == 0
        assert await it.store.read_control("waits") is not None  # unfinished work stays
        await it.complete(await it.claimed(lease_ms=LONG))
        assert (await it.submit("new", key="k", work="different")).created
