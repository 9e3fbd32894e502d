"""What a fork does with an answer before anything runs, and how it tells that its process died."""

from pathlib import Path

import pytest

pytest.importorskip("hayhooks", reason="there are no durable executions without hayhooks")

from hayhooks.durable import DurableDeployment, MemoryExecutionStore
from pydantic import BaseModel

from inspector.errors import InspectorError
from inspector.hayhooks.fork import ForkWorker
from inspector.hayhooks.fork_target import with_answer
from inspector.replay.host import WorkerError
from inspector.replay.protocol import Job


class Approval(BaseModel):
    """What a person is asked for."""

    approved: bool
    note: str = "none"


def deployment(resume_model: type[BaseModel] | None) -> DurableDeployment:
    return DurableDeployment(
        "refund", "1", MemoryExecutionStore("refund"), Approval, lambda _context, _request: None,
        resume_model=resume_model,
    )  # fmt: skip


def test_an_answer_is_put_into_a_checkpoint_as_a_server_would() -> None:
    answered = with_answer(deployment(Approval), {"resume_input": {"approved": "yes"}, "kept": 1})
    assert answered == {"resume_input": {"approved": True, "note": "none"}, "kept": 1}


@pytest.mark.parametrize(
    ("answer", "words"),
    [({"approved": 7}, "approved: "), ({}, "approved: Field required"), ([1], "it: ")],
)
def test_an_answer_that_a_server_would_refuse_is_refused(answer: object, words: str) -> None:
    with pytest.raises(InspectorError, match="does not accept the answer") as refused:
        with_answer(deployment(Approval), {"resume_input": answer})
    assert refused.value.hint.startswith(words)


def test_without_a_model_for_answers_any_is_taken() -> None:
    assert with_answer(deployment(None), {"resume_input": 7}) == {"resume_input": 7}


def test_the_process_of_a_fork_that_dies_is_told_as_that(tmp_path: Path) -> None:
    job = Job(target="json:dumps", run=str(tmp_path), output=str(tmp_path))
    with ForkWorker(job, python="/bin/false") as worker, pytest.raises(WorkerError) as died:
        list(worker.events())
    words = "The worker of the fork ended with exit code 1 before the fork did."
    assert str(died.value).startswith(words)
