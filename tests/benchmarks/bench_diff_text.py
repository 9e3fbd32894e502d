"""What it takes to compare two texts, and two values of many megabytes."""

import copy
import gc
import random
import time
from collections.abc import Callable
from difflib import SequenceMatcher
from typing import Any

from inspector.diff.text import text_diff
from inspector.diff.values import value_changes
from tests.benchmarks.report import Row, limit, row, seconds

WORDS = [
    "".join(random.Random(seed).choices("etaoinshrdlu", k=seed % 9 + 2)) for seed in range(3000)
]
EDITS = 200


def measure(quick: bool) -> list[Row]:
    """Return the figures of prompts of 2 MB and of values of 10 MB, with 200 edits each."""
    rounds = 3 if quick else 10
    found = []
    for name, ends in (("lines", "\n"), ("one line of sentences", " ")):
        sentences = prose(2_000_000, ends)
        one, other = "".join(sentences), "".join(edited(sentences, EDITS))
        took = fastest(lambda one=one, other=other: text_diff(one, other), rounds)
        found.append(limit(f"two prompts of 2 MB, {name}", took * 1000, 200, "ms"))
    unlike = "".join(prose(2_000_000, "\n", seed=7)), "".join(prose(2_000_000, "\n", seed=8))
    took = fastest(lambda: text_diff(*unlike), rounds)
    found.append(limit("two prompts of 2 MB with nothing in common", took * 1000, 200, "ms"))
    found.append(_beside_difflib(rounds))
    left, right = trees()
    took = fastest(lambda: value_changes(left, right), rounds)
    found.append(limit("two values of 10 MB with 200 edits", took * 1000, 500, "ms"))
    changes, _ = value_changes(left, right, most=10 * EDITS)
    found.append(limit("what is told of those 200 edits", len(changes), EDITS, "changes"))
    return found


def _beside_difflib(rounds: int) -> Row:
    """Compare 20 kB by words with both: difflib would need minutes for more."""
    sentences = prose(20_000, " ")
    one, other = "".join(sentences), "".join(edited(sentences, 20))
    ours = fastest(lambda: text_diff(one, other), rounds)
    theirs = fastest(
        lambda: SequenceMatcher(
            None, one.split(" "), other.split(" "), autojunk=False
        ).get_opcodes(),
        1,
    )
    return row("two prompts of 20 kB", seconds(ours), ours / theirs, 1 / 2, of="difflib")


def prose(size: int, ends: str, seed: int = 1) -> list[str]:
    """Return sentences of so many characters together."""
    rng = random.Random(seed)
    found = []
    while size > 0:
        found.append(" ".join(rng.choices(WORDS, k=rng.randint(6, 20))) + "." + ends)
        size -= len(found[-1])
    return found


def edited(sentences: list[str], edits: int) -> list[str]:
    """Return the sentences with so many words changed, and sentences more and less."""
    rng = random.Random(2)
    found = list(sentences)
    for number in range(edits):
        place = rng.randrange(len(found))
        if number % 4 == 0:
            found.insert(place, "This sentence was not there before. ")
        elif number % 4 == 1:
            del found[place]
        else:
            found[place] = found[place].replace(" ", " changed ", 1)
    return found


def trees() -> tuple[Any, Any]:
    """Return two lists of documents with embeddings and messages, 10 MB as JSON each."""
    rng = random.Random(3)
    text = "".join(prose(4_000_000, " "))
    left = [
        {
            "$": "document", "id": f"d{number}", "content": text[number * 1_500 :][:1_500],
            "meta": {"page": number, "tags": [f"t{number % 7}", "manual"]}, "score": rng.random(),
            "embedding": [rng.random() for _ in range(128)],
        }
        for number in range(2_500)
    ]  # fmt: skip
    right = copy.deepcopy(left)
    for number, place in enumerate(rng.sample(range(len(right)), EDITS)):
        document = right[place]
        if number % 2:
            document["content"] = document["content"].replace(" ", " changed ", 1)
        else:
            document["meta"]["page"] = -1
    return {"documents": left}, {"documents": right}


def fastest(act: Callable[[], Any], rounds: int) -> float:
    """Return the seconds of one core, which other programs on the machine do not change much."""
    best = float("inf")
    for _ in range(rounds):
        gc.collect()
        began = time.process_time()
        act()
        best = min(best, time.process_time() - began)
    return best
