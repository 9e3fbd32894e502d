from inspector.presentation.fuzzy import fuzzy
from inspector.presentation.palette import PaletteEntry, PaletteRow, ranked


def texts(rows: list[PaletteRow]) -> list[str]:
    return [row.entry.text for row in rows]


def entries(*names: str, **more: str) -> list[PaletteEntry]:
    return [PaletteEntry(name, name, "Go", **more) for name in names]


def test_letters_must_come_in_their_order() -> None:
    assert fuzzy("ntc", "Next tool call") is not None
    assert fuzzy("tnc", "Next tool call") is None
    assert fuzzy("nexttx", "Next tool") is None


def test_the_places_are_those_of_the_first_letters_of_words() -> None:
    found = fuzzy("ntc", "Next tool call")
    assert found is not None
    assert found.places == (0, 5, 10)


def test_letters_in_a_row_beat_letters_here_and_there() -> None:
    assert texts(ranked(entries("Pile a net", "Next plane"), "plane"))[0] == "Next plane"


def test_words_may_come_in_any_order() -> None:
    found = fuzzy("call next", "Next tool call")
    assert found is not None
    assert found.places == (0, 1, 2, 3, 10, 11, 12, 13)


def test_letters_whose_lower_case_is_longer_keep_their_places() -> None:
    found = fuzzy("run", "İİ run")
    assert found is not None
    assert found.places == (3, 4, 5)


def test_of_two_that_fit_alike_the_shorter_comes_first() -> None:
    assert texts(ranked(entries("Next tool call", "Next"), "next")) == ["Next", "Next tool call"]


def test_what_cannot_be_done_gives_way_to_what_can() -> None:
    can, cannot = entries("Next visit")[0], entries("Next tool", why_not="needs an open run")[0]
    assert texts(ranked([cannot, can], "next")) == ["Next visit", "Next tool"]


def test_an_entry_is_found_by_its_group_too() -> None:
    assert texts(ranked([PaletteEntry("a", "rag.run.json", "Recent")], "recent rag")) == [
        "rag.run.json"
    ]


def test_what_was_used_last_stands_first_where_nothing_is_typed() -> None:
    rows = ranked(entries("Open", "Close", "Quit"), "", used=["Quit", "Close"])
    assert texts(rows) == ["Quit", "Close", "Open"]


def test_nothing_that_does_not_fit_is_listed() -> None:
    assert ranked(entries("Open", "Close"), "zz") == []
