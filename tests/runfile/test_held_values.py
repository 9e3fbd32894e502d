"""What was read of a run is let go of again: reading all of it does not keep all of it."""

import tracemalloc
from pathlib import Path

from inspector.runfile.load import load_run
from tests.benchmarks.bench_values import large_file
from tests.benchmarks.big_file import write_run


def test_reading_every_span_of_a_run_keeps_a_part_of_its_texts(tmp_path: Path) -> None:
    written = write_run(tmp_path / "texts.run.json", spans=600, value_bytes=50_000)
    run = load_run(tmp_path / "texts.run.json", use_cache=False)
    tracemalloc.start()
    try:
        for span in run.spans:
            assert span.outputs is None or "messages" in span.outputs
            assert span.inputs is None or "messages" in span.inputs
        held, _most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < written / 2


def test_a_value_larger_than_all_that_is_kept_is_read_once() -> None:
    run = load_run(large_file(), use_cache=False)
    assert run.spans[2].inputs is run.spans[2].inputs
    kept = run.spans[2].inputs
    assert run.spans[3].inputs is not None
    assert run.spans[2].inputs is not kept  # another one took its place
