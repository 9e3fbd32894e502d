"""What a program sees of a run: names that it may save under, and what errors offer."""

import pytest

from inspector.errors import RunFileError
from inspector.runfile.load import load_run
from inspector.runfile.span import read_error
from tests.runfile.files import run_file, span


@pytest.mark.parametrize("name", ["x.run.json.bz2", "x.json.ZIP", "x.run.json.xz"])
def test_a_compression_that_we_do_not_write_is_refused_by_its_name(tmp_path, name):
    run = load_run(run_file([span(1)]))
    with pytest.raises(RunFileError, match="are not compressed as") as caught:
        run.save(tmp_path / name)
    assert ".run.json.gz" in caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_an_error_offers_its_recorded_attributes():
    error = read_error({"type": "E", "message": "m", "attributes": {"status_code": 429}})
    assert error is not None
    assert error.attributes == {"status_code": 429}
    bare = read_error({"type": "E", "attributes": ["odd"]})
    assert bare is not None
    assert bare.attributes == {}
