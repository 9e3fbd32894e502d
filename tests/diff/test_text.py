"""Two texts side by side: nothing of either is lost, and the marks read well."""

import random
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inspector.diff.model import TextDiff
from inspector.diff.text import text_diff

PIECES = [
    "a", "b", "the ", "pump", " ", "\n", "\r\n", "\r", ". ", "3.14", "don't", "é", "e\u0301",
    "\ud83d", "\ude00", "😀", "👨‍👩‍👧", "🇩🇪", "हिन्दी", "今日は", "\u0301", "\u200d", "\u2028", "",
    "A sentence that stands here again and again. ", '{"key": [1, 2]}', "x" * 500, "\x00",
]  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(PIECES), max_size=60).map("".join),
    st.text(st.characters(exclude_categories=()), max_size=20),
)


def marked(left: str, right: str) -> str:
    diff = text_diff(left, right)
    signs = {"same": "{}", "left": "[-{}-]", "right": "{{+{}+}}"}
    return "".join(signs[part.kind].format(part.text) for part in diff.parts)


def turned(diff: TextDiff) -> list[tuple[str, str]]:
    """Return the parts with sides changed, the order of two that stand together aside."""
    names = {"same": "same", "left": "right", "right": "left"}
    return grouped([(names[part.kind], part.text) for part in diff.parts])


def grouped(parts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    found: list[list[tuple[str, str]]] = []
    for part in parts:
        if part[0] == "same" or not found or found[-1][0][0] == "same":
            found.append([])
        found[-1].append(part)
    return [part for group in found for part in sorted(group)]


@given(TEXTS, TEXTS)
@example("\na", "x" * 1_000 + "\na")
def test_both_sides_are_rebuilt_to_the_character(left, right):
    diff = text_diff(left, right)
    assert (diff.left, diff.right) == (left, right)
    assert all(part.text for part in diff.parts)
    kinds = [part.kind for part in diff.parts]
    # At most one part of a kind between two that both have, the left one first.
    assert all(pair in ALLOWED for pair in pairwise(kinds))


ALLOWED = {
    ("same", "left"), ("same", "right"), ("left", "right"), ("left", "same"), ("right", "same"),
}  # fmt: skip


@given(TEXTS)
def test_a_text_is_the_same_as_itself(text):
    diff = text_diff(text, text)
    assert diff.same
    assert diff.left == diff.right == text
    assert text_diff(text, text + "!").same is False


@given(TEXTS, TEXTS)
def test_the_other_way_round_the_marks_are_the_same_ones(left, right):
    one, other = text_diff(left, right), text_diff(right, left)
    assert turned(one) == grouped([(part.kind, part.text) for part in other.parts])
    assert one.note == other.note


@given(
    st.lists(st.sampled_from(["e\u0301", "😀", "क्षि", "👨‍👩‍👧", "word", "\r\n", " "]), max_size=30),
    st.lists(st.sampled_from(["e\u0301", "😀", "क्षि", "👨‍👩‍👧", "word", "\r\n", " "]), max_size=30),
)
def test_no_mark_begins_inside_a_character(one, other):
    for part in text_diff("".join(one), "".join(other)).parts:
        assert unicodedata.category(part.text[0])[0] != "M"
        assert part.text[0] != "\u200d"
        assert not part.text.endswith("\u200d")
        if part.text.endswith("\r"):
            pytest.fail("a line break was cut in two")


@given(st.randoms(use_true_random=False), st.integers(1, 8))
def test_what_was_not_edited_stays_unmarked(rng, edits):
    lines = [f"Line {number} says {rng.random()} about bed {number}.\n" for number in range(60)]
    changed = list(lines)
    for place in rng.sample(range(60), edits):
        changed[place] = changed[place].replace("says", "does not say")
    diff = text_diff("".join(lines), "".join(changed))
    assert [part.text for part in diff.parts if part.kind == "left"] == ["says"] * edits
    assert [part.text for part in diff.parts if part.kind == "right"] == ["does not say"] * edits


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("The quick fox.", "The slow fox.", "The [-quick-]{+slow+} fox."),
        # The one equal space or small word between changed ones is no island.
        ("buy red apples now", "buy green pears now", "buy [-red apples-]{+green pears+} now"),
        ("take the big lamp", "use the old torch", "[-take the big lamp-]{+use the old torch+}"),
        # Words stay whole, numbers and contractions among them.
        ("It costs 3.14 now", "It costs 3.15 now", "It costs [-3.14-]{+3.15+} now"),
        ("We don't stop", "We won't stop", "We [-don't-]{+won't+} stop"),
        # A sentence that came is marked as one, and not from its second word to the next's first.
        ("The cat. The dog.", "The cat. The bird. The dog.", "The cat. {+The bird. +}The dog."),
        ("a\nb\nc\n", "a\nc\n", "a\n[-b\n-]c\n"),
        ("one\r\ntwo", "one\ntwo", "one[-\r\n-]{+\n+}two"),
        ("caf\u0065\u0301", "cafe", "[-caf\u0065\u0301-]{+cafe+}"),
        ("今日は雨です", "明日は雨です", "[-今-]{+明+}日は雨です"),
        ("", "new", "{+new+}"),
        ("", "", ""),
    ],
)  # fmt: skip
def test_marks_read_as_a_person_would_have_made_them(left, right, expected):
    assert marked(left, right) == expected


def test_a_rewritten_sentence_is_no_confetti():
    left = "It was the best of times, it was the worst of times, it was the age of wisdom."
    right = "In a hole in the ground there lived a hobbit, and it was not a nasty, wet hole at all."
    assert len(text_diff(left, right).parts) <= 8


WORDS = ["".join(random.Random(seed).choices("etaoinshr", k=seed % 9 + 2)) for seed in range(2000)]


def prose(size: int, seed: int, end: str = ". ") -> list[str]:
    rng = random.Random(seed)
    found = []
    while size > 0:
        found.append(" ".join(rng.choices(WORDS, k=rng.randint(6, 18))) + end)
        size -= len(found[-1])
    return found


BIG = {
    "one line of sentences": ("".join(prose(2_000_000, 1)), 0),
    "one line of words": (" ".join(prose(2_000_000, 2, "")), 1),
    "one word": ("q" * 2_000_000, 2),
    "equal lines": ("and again\n" * 100_000, 3),
    "different lines": ("".join(f"{number:x}\n" for number in range(300_000)), 4),
    "one line of JSON": ("[" + ",".join(f'{{"id": {n}}}' for n in range(150_000)) + "]", 5),
    "marks without a letter": ("\u0301" * 500_000, 6),
}  # fmt: skip


# The limit is for what grows with the square of the size: minutes, where these take a second.
@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", BIG)
def test_a_large_text_of_any_shape_is_compared(name):
    text, seed = BIG[name]
    rng = random.Random(seed)
    edited = text
    for _ in range(5):
        place = rng.randrange(len(edited))
        edited = f"{edited[:place]} inserted {edited[place + rng.randrange(20) :]}"
    diff = text_diff(text, edited)
    assert diff.left == text
    assert diff.right == edited
    kept = sum(len(part.text) for part in diff.parts if part.kind == "same")
    assert kept >= 0.95 * len(text)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("words", [["a", "b"], ["a"], WORDS])
@pytest.mark.parametrize("between", ["\n", " ", ""])
def test_large_texts_without_anything_in_common_end_too(words, between):
    one = between.join(random.Random(1).choices(words, k=300_000))
    other = between.join(random.Random(2).choices(words, k=280_000))
    diff = text_diff(one, other)
    assert diff.left == one
    assert diff.right == other


def test_what_is_given_up_for_speed_is_said():
    one, other = "".join(prose(400_000, 1)), "".join(prose(400_000, 2))
    assert "by sentences" in (text_diff(one, other).note or "")
    assert text_diff(one, one + "More.").note is None


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_word_marks_are_found_again_in_a_large_block(seed):
    rng = random.Random(seed)
    words = rng.choices(WORDS, k=6_000)
    changed = [word if rng.random() > 0.02 else "CHANGED" for word in words]
    # No line and no sentence is left whole.
    diff = text_diff(" ".join(words), " ".join(changed))
    assert diff.left == " ".join(words)
    kept = sum(len(part.text) for part in diff.parts if part.kind == "same")
    assert kept > 0.9 * len(diff.left)
