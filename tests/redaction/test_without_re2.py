"""Where RE2 is not installed, the built-in rules find the same; patterns of users are refused."""

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

from inspector.redaction.scanner import Scanner
from inspector.redaction.settings import Redaction
from tests.helpers.rag_text import PARAGRAPHS
from tests.helpers.secret_world import credentials, personal

ROOT = Path(__file__).parents[2]
SCRIPT = """
import sys
sys.modules["re2"] = None
from inspector import Redaction
from inspector.errors import RedactionError
from tests.redaction.test_without_re2 import broken_over_lines, found_in_all
print(found_in_all())
try:
    Redaction(rules={"a": "x+"})
except RedactionError as error:
    print(error)
print(Redaction(terms=["Bluebird"]).scanner().scan(b"of BLUEBIRD")[0][:3])
print(broken_over_lines())
"""


def found_in_all() -> str:
    scanner = Scanner()
    texts = [*(case.text for case in (*credentials(), *personal())), *PARAGRAPHS]
    found = [scanner.scan(text.encode()) for text in texts]
    return sha256(repr(found).encode()).hexdigest()


def broken_over_lines() -> list[tuple[int, int, bytes]]:
    scanner = Redaction(terms=["Project  Blue-Bird"]).scanner()
    text = b"project\r\n  blue-bird, Project Blue-Bird; ProjectBlue-Bird, Project" + b" " * 9
    return [(edit.start, edit.end, edit.secret) for edit in scanner.scan(text + b"Blue-Bird")]


def test_a_term_is_found_where_a_line_ends_in_it_and_is_the_same_secret_there():
    one, other = broken_over_lines()
    assert (one[:2], other[:2]) == ((0, 20), (22, 39))
    assert one[2] == other[2] == b"project blue-bird"


def test_the_same_is_found_and_no_pattern_is_run_that_could_take_for_ever():
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True, text=True, cwd=ROOT, timeout=100, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    digest, refused, term, broken = ran.stdout.splitlines()
    assert digest == found_in_all()
    assert "needs google-re2" in refused
    assert term == "(3, 11, 'term')"
    assert broken == repr(broken_over_lines())
