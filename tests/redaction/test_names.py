"""Names of persons and places, found by the real presidio where that is installed."""

import subprocess
import sys
from base64 import b64decode

import pytest

from inspector.errors import RedactionError
from inspector.redaction import names
from inspector.redaction.run import redact_run
from inspector.redaction.settings import Redaction
from tests.redaction.runs import made_run, span

ASKED = Redaction(names=True, environment=False)
TEXT = "\udc80 Ask Ada Quillfeather in Nordwyk, café: a@b.example. Ada  Quillfeather agreed."

# What reaches for the network or for another program, told to the parent.
WATCHED = """
import sys
def watch(event, args):
    if event in ("socket.getaddrinfo", "socket.connect", "subprocess.Popen", "os.system"):
        print("reached for", event, args)
sys.addaudithook(watch)
from inspector.errors import RedactionError
from inspector.redaction.names import name_finder
try:
    print([edit[:3] for edit in name_finder()(b"Ada Quillfeather lives in Nordwyk")])
except RedactionError as error:
    print(error, error.hint)
"""


@pytest.fixture
def model(tmp_path, monkeypatch):
    """A language model that knows two names, installed as models are, and only for this test."""
    pytest.importorskip("presidio_analyzer", reason="presidio is not installed here")
    spacy = pytest.importorskip("spacy", reason="presidio has no spaCy here")
    blank = spacy.blank("en")
    ruler = blank.add_pipe("entity_ruler")
    ruler.add_patterns(
        [
            {"label": "PERSON", "pattern": [{"LOWER": "ada"}, {"IS_SPACE": True, "OP": "?"},
                                            {"LOWER": "quillfeather"}]},
            {"label": "GPE", "pattern": "Nordwyk"},
        ]
    )  # fmt: skip
    package = tmp_path / "en_a_lg"
    package.mkdir()
    blank.to_disk(package / "data")
    (package / "__init__.py").write_text(
        "from pathlib import Path\n\n\ndef load(**options):\n    import spacy\n\n"
        "    return spacy.load(Path(__file__).parent / 'data', **options)\n"
    )
    told = tmp_path / "en_a_lg-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: en_a_lg\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text("[spacy_models]\nen_a_lg = en_a_lg\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    names._analyzer.cache_clear()
    yield tmp_path
    names._analyzer.cache_clear()
    sys.modules.pop("en_a_lg", None)


def test_names_are_replaced_where_presidio_finds_them(model):
    copy, report = redact_run(made_run(span(1, inputs={"q": TEXT})), ASKED)
    text = b64decode(copy.spans[0].inputs["q"]["utf16"]).decode("utf-16-le", "surrogatepass")
    assert text == "\udc80 Ask <name:1> in <address:1>, café: <email:1>. <name:1> agreed."
    assert report.names == "names checked with presidio"


def test_a_name_is_found_in_each_piece_of_a_long_text(model):
    line = "é" * 70_000 + " Ada Quillfeather.\n"
    copy, _ = redact_run(made_run(span(1, inputs={"q": line * 2})), ASKED)
    assert copy.spans[0].inputs["q"] == ("é" * 70_000 + " <name:1>.\n") * 2


def test_nothing_is_fetched_and_nothing_started_to_look_for_names(model):
    found = _watched(model)
    assert found == "[(0, 16, 'name'), (26, 33, 'address')]"


def test_without_a_model_none_is_fetched_and_that_is_said():
    pytest.importorskip("presidio_analyzer", reason="presidio is not installed here")
    if not names.why_not():
        pytest.skip("a language model is installed here")
    assert _watched() == (
        "Names cannot be looked for: presidio has no English language model here, and none is "
        "fetched. Install one, such as en_core_web_lg, or leave names out; the report then says so."
    )


def test_without_presidio_that_is_said_and_the_report_says_that_names_were_not_checked():
    if names.why_not() == "presidio is not installed":
        with pytest.raises(RedactionError, match="presidio is not installed") as refused:
            redact_run(made_run(span(1)), ASKED)
        assert refused.value.hint.startswith("Install presidio-analyzer, or leave names out")
    _, report = redact_run(made_run(span(1)), Redaction(environment=False))
    assert report.names == "names not checked"


def _watched(*folders):
    paths = ":".join(map(str, folders))
    program = f"import sys; sys.path[:0] = {paths.split(':') if paths else []!r}\n{WATCHED}"
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120
    )
    return ran.stdout.strip() or ran.stderr
