"""The bundled runs, for tests of exports."""

from inspector.assets import asset
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun

EXAMPLES = ["agent-tools", "crash", "rag-answer", "untaken-branch", "validator-loop"]


def example(name: str) -> PipelineRun:
    """Return a bundled run."""
    return load_run(asset(f"examples/{name}.run.json").read_bytes())
