"""How much of a labelled set is found, and how much of what is found is right."""

from collections import defaultdict

import orjson
import pytest

from inspector.redaction.records import Redactor
from inspector.redaction.scanner import Scanner
from inspector.redaction.settings import Redaction
from tests.helpers.rag_text import PARAGRAPHS, documents
from tests.helpers.secret_world import Case, credentials, personal, placed

CREDENTIALS_RECALL = 0.97
PERSONAL_RECALL = 0.95
PRECISION = 0.95


def survivors(cases: list[Case], places: int) -> tuple[int, list[tuple[str, str, str]]]:
    """Return how many were tried, and those that can still be read afterwards."""
    redactor = Redactor(Redaction(environment=False))
    tried, left = 0, []
    for number, case in enumerate(cases):
        for place in range(places):
            where = placed(case, number * places + place)
            assert case.secret in where.read(orjson.loads(orjson.dumps(where.tree)))
            cleaned = redactor.cleaned(orjson.dumps(where.tree))[0]
            tried += 1
            if case.secret in where.read(orjson.loads(cleaned)):
                left.append((case.kind, where.place, case.text[:60]))
    return tried, left


def test_the_set_is_large_and_of_many_kinds():
    cases = [*credentials(), *personal()]
    assert len(cases) >= 300
    assert len({case.kind for case in cases}) >= 100
    assert len({placed(cases[0], number).place for number in range(30)}) >= 12


@pytest.mark.parametrize("seed", [7, 20])
def test_credentials_are_found(seed):
    tried, left = survivors(credentials(seed), 4)
    assert 1 - len(left) / tried >= CREDENTIALS_RECALL, left


@pytest.mark.parametrize("seed", [7, 20])
def test_structured_personal_data_are_found(seed):
    tried, left = survivors(personal(seed), 4)
    assert 1 - len(left) / tried >= PERSONAL_RECALL, left


def test_each_kind_of_personal_data_is_found_in_plain_text():
    missed = defaultdict(list)
    scanner = Scanner()
    for case in personal():
        if not any(edit.rule == case.kind for edit in scanner.scan(case.text.encode())):
            missed[case.kind].append(case.text)
    assert sum(map(len, missed.values())) <= 0.05 * len(personal()), dict(missed)


def test_what_is_found_in_texts_of_retrievers_is_right():
    scanner = Scanner()
    right = wrong = missed = 0
    false: list[bytes] = []
    for text, cases in documents():
        data = text.encode()
        edits = scanner.scan(data)
        inside = []
        for case in cases:
            first = len(text[: text.index(case.text)].encode())
            last = first + len(case.text.encode())
            inside = [edit for edit in edits if edit.start < last and edit.end > first]
            missed += not inside
        right += len(inside)
        wrong += len(edits) - len(inside)
        false += [data[edit.start : edit.end] for edit in edits if edit not in inside]
    assert right / (right + wrong) >= PRECISION, false
    assert missed / (right + missed) <= 0.05


@pytest.mark.parametrize("paragraph", PARAGRAPHS, ids=range(len(PARAGRAPHS)))
def test_a_text_that_only_looks_like_it_is_left_alone(paragraph):
    data = paragraph.encode()
    assert [data[edit.start : edit.end] for edit in Scanner().scan(data)] == []
