"""Two files are compared whoever wrote them."""

from inspector import diff_runs, load_run
from tests.importers.files import FOREIGN

OTLP = FOREIGN / "otlp_json"


def test_two_files_of_any_format_are_compared():
    one, other = OTLP / "haystack_rag.otlp.jsonl", OTLP / "haystack_rag.msgtojson.json"
    assert diff_runs(one, str(other)).same
    assert not diff_runs(one, load_run(OTLP / "haystack_agent.otlp.jsonl")).same
