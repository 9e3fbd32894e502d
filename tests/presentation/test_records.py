from inspector.presentation.records import MOST_ROWS, records_of
from tests.helpers.span_runs import document, message


def rows(records, order=None):
    return [
        tuple(records.words(row, column) for column in range(len(records.columns)))
        for row in (order if order is not None else range(len(records)))
    ]


BEDS = [
    {"bed": "tomatoes", "moisture": 31, "note": None},
    {"bed": "Peppers", "moisture": 28.5, "note": None},
    {"bed": "basil", "moisture": 4, "note": None, "wake": True},
]


def test_items_with_the_same_fields_are_a_table():
    table = records_of(BEDS)
    assert table.columns == ("bed", "moisture", "wake")
    assert rows(table) == [("tomatoes", "31", ""), ("Peppers", "28.5", ""), ("basil", "4", "true")]


def test_a_field_that_is_empty_everywhere_has_no_column():
    assert "note" not in records_of(BEDS).columns


def test_figures_are_sorted_as_figures():
    table = records_of(BEDS)
    assert table.order(1, downwards=False) == [2, 1, 0]
    assert table.order(1, downwards=True) == [0, 1, 2]


def test_texts_are_sorted_whatever_their_case():
    assert records_of(BEDS).order(0, downwards=False) == [2, 1, 0]


def test_gaps_stand_last_both_ways():
    table = records_of([{"a": 1, "b": None}, {"a": 2, "b": 5}, {"a": 3}, {"a": 4, "b": 1}])
    assert table.order(1, downwards=False) == [3, 1, 0, 2]
    assert table.order(1, downwards=True) == [1, 3, 0, 2]


def test_rows_that_are_equal_keep_the_order_of_the_list_both_ways():
    table = records_of([{"a": "x", "n": number} for number in range(5)])
    assert table.order(0, downwards=False) == [0, 1, 2, 3, 4]
    assert table.order(0, downwards=True) == [0, 1, 2, 3, 4]


def test_figures_come_before_texts_and_nan_is_a_text():
    table = records_of([{"a": "z"}, {"a": 10}, {"a": float("nan")}, {"a": 2}])
    assert table.order(0, downwards=False) == [3, 1, 2, 0]


def test_messages_and_documents_are_tables_too():
    said = records_of([message("user", "Who?"), message("assistant", "Jean.")])
    assert rows(said)[0][:1] == ("user",)
    assert "Who?" in rows(said)[0]
    found = records_of([document(1, "One.", 0.5), document(2, "Two.", 0.25)])
    assert {"id", "content", "score"} <= set(found.columns)


def test_what_is_not_alike_is_no_table():
    for value in (
        [],
        [BEDS[0]],
        [1, 2, 3],
        ["a", "b"],
        [[1], [2]],
        [{"a": 1}, 2],
        [{"a": 1}, {"b": 2}],
        [{"a": 1}, message("user", "x")],
        [{}, {}],
        {"a": 1},
        None,
    ):
        assert records_of(value) is None


def test_a_long_list_shows_its_first_rows_and_knows_how_many_there_are():
    table = records_of([{"n": number} for number in range(MOST_ROWS + 10)])
    assert len(table) == MOST_ROWS
    assert table.total == MOST_ROWS + 10


def test_huge_numbers_do_not_break_sorting():
    table = records_of([{"n": 10**400}, {"n": 1}, {"n": -(10**200)}])
    assert sorted(table.order(0, downwards=False)) == [0, 1, 2]


def test_a_field_that_holds_an_empty_collection_everywhere_has_no_column():
    assert records_of([{"a": 0, "meta": {}}, {"a": "", "meta": []}]).columns == ("a",)
