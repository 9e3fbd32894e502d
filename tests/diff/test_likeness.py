"""An amended text is found again by its words; a text that came is not taken for one."""

from hypothesis import given
from hypothesis import strategies as st

from inspector.diff.likeness import successors

PAGE = "Watering the {} bed takes {} minutes at dawn."
TEXTS = st.lists(st.tuples(st.text("ab c", max_size=12), st.booleans()), max_size=5)


def pages(*told: tuple[str, int]) -> list[tuple[str, bool]]:
    return [(PAGE.format(*each), True) for each in told]


def test_an_amended_page_is_the_page_it_was():
    before = pages(("leek", 5), ("chard", 9))
    assert successors(before, pages(("chard", 9), ("leek", 70))) == {0: 1, 1: 0}


def test_a_page_that_came_is_not_the_page_that_went():
    before = pages(("leek", 5), ("chard", 9), ("fennel", 4))
    assert 2 not in successors(before, pages(("leek", 5), ("sorrel", 7), ("chard", 9)))


def test_texts_without_words_in_common_stay_strangers():
    assert successors([("one two three", True)], [("four five six", True)]) == {}


def test_very_many_texts_are_not_looked_at():
    many = [(f"text number {n}", True) for n in range(100)]
    assert successors(many, many) == {}


@given(TEXTS, TEXTS)
def test_likeness_mirrors_and_pairs_nobody_twice(before, after):
    found = successors(before, after)
    assert successors(after, before) == {there: here for here, there in found.items()}
    assert len(set(found.values())) == len(found)
    assert all(before[here][1] and after[there][1] for here, there in found.items())
