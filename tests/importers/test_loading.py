"""What is not needed to open a file is not loaded."""

import json
import subprocess
import sys

from inspector.assets import asset
from tests.importers.files import FOREIGN

SCRIPT = """
import json, sys
from inspector import load_run
loaded = []
for path in sys.argv[1:]:
    load_run(path)
    loaded.append(sorted(name for name in sys.modules if name.startswith("inspector.importers.")))
print(json.dumps(loaded))
"""


def test_a_run_of_ours_needs_no_importer_and_a_trace_only_its_own():
    own = str(asset("examples/rag-answer.run.json"))
    trace = str(FOREIGN / "otlp_json" / "haystack_rag.otlp.jsonl")
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, own, trace], capture_output=True, text=True, check=True
    )
    first, second = json.loads(ran.stdout)
    assert first == ["inspector.importers.opening"]
    assert "inspector.importers.otlp" in second
    assert not {f"inspector.importers.{name}" for name in ("vcr", "codex", "jaeger")} & set(second)
