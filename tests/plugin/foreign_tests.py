"""The tests of the project that is not ours, as files that it holds."""

HEAD = """
import pytest
from notes import ask, build

pump = pytest.mark.recorded_run("pump.run.json")
gone = pytest.mark.recorded_run("gone.run.json")
"""

RECORDED = """
from conftest import KEY


@pump
def test_pump(replayed):
    result = replayed(build(), ask(), include_outputs_from={"retriever"})
    assert result["llm"]["replies"]
    assert result["retriever"]["documents"]


@pytest.mark.anyio
@pytest.mark.recorded_run("async.run.json")
async def test_async(replayed):
    assert (await replayed.play_async(build(), ask()))["llm"]["replies"]


@pytest.mark.recorded_run("broken.run.json")
def test_broken(recorded, replayed, monkeypatch):
    monkeypatch.setenv(KEY, "wrong")
    with pytest.raises(Exception, match="Incorrect API key"):
        replayed(build(), ask())
    assert recorded.error.type.endswith("PipelineRuntimeError")


@pytest.mark.recorded_run("unwanted.run.json")
def test_unwanted(replayed):
    replayed(build(), ask())
    assert replayed.result is None


@pytest.mark.recorded_run("inputs.run.json")
def test_without_inputs(replayed):
    replayed(build())
"""

CONFTEST = """
import pytest

KEY = "OPENAI_API_KEY"


@pytest.fixture
def anyio_backend():
    return "asyncio"
"""

OFFLINE = """
class TestPassing:
    @pump
    def test_looked_into(self, recorded, replayed):
        with pytest.raises(pytest.fail.Exception, match="Nothing was replayed yet"):
            replayed.report
        result = replayed(build())
        text = recorded.outputs["llm"]["replies"][0]["content"][0]["text"]
        assert text.startswith("Answering")
        assert result is replayed.result
        assert replayed.run.replay_of == recorded.id
        assert replayed.report.same
        assert (replayed.report.answered, replayed.report.live_calls) == (1, 0)

    @pump
    def test_twice(self, replayed):
        pipeline = build()
        assert replayed(pipeline) == replayed(pipeline)

    @pump
    @pytest.mark.anyio
    async def test_async_pump(self, replayed):
        assert (await replayed.play_async(build()))["llm"]["replies"]
        assert replayed.report.same

    @pump
    def test_empty_store(self, replayed):
        replayed(build(notes=()))


class TestFailing:
    @pump
    def test_longer(self, replayed):
        replayed(build("Answer at length."))

    @pump
    @pytest.mark.anyio
    async def test_async_longer(self, replayed):
        await replayed.play_async(build("Answer at length."))

    @pump
    def test_swallowed(self, replayed):
        try:
            replayed(build("Answer at length."))
        except BaseException:
            pass

    @pump
    def test_removed(self, replayed):
        pipeline = build()
        pipeline.remove_component("llm")
        replayed(pipeline)

    @pytest.mark.recorded_run("pump.run.json", mode="drift_ok")
    def test_unused(self, replayed):
        pipeline = build()
        pipeline.remove_component("llm")
        replayed(pipeline)

    @pytest.mark.recorded_run("pump.run.json", mode="drift_ok")
    def test_every_drift(self, replayed):
        amended = ("The pump is looked after by the early shift.", "Vents open.")
        replayed(build(notes=amended))

    @pytest.mark.recorded_run("pump.run.json", require_verified=True)
    def test_empty_store(self, replayed):
        replayed(build(notes=()))

    @pytest.mark.recorded_run("no.run.json")
    def test_no_recording(self, replayed):
        replayed(build())


class TestMissing:
    @gone
    def test_that_reads(self, recorded):
        assert recorded.status == "completed"

    @gone
    def test_that_does_not_even_read(self, recorded):
        pass

    @gone
    def test_that_replays(self, replayed):
        replayed(build())

    def test_without_a_marker(self, replayed):
        replayed(build())
"""

ELSEWHERE = """
@pytest.fixture
def inspector_recording(request):
    return request.config.rootpath / "pump.run.json"


def test_it(replayed):
    replayed(build())
"""
