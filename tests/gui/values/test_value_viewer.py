"""Pictures, bytes, tables and Markdown, by mouse and keys."""

from base64 import b64encode
from zlib import crc32

import pytest
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QToolButton, QTreeView

from inspector.gui.models.records_model import RecordsModel
from inspector.gui.widgets.code_edit import CodeEdit
from inspector.gui.widgets.markdown_page import MarkdownPage
from inspector.gui.widgets.picture_view import PictureView
from inspector.gui.widgets.records_view import RecordsView
from inspector.gui.widgets.text_viewer import TextViewer
from inspector.gui.widgets.value_view import ValueView
from inspector.presentation.records import records_of
from inspector.presentation.span_detail import Tab
from inspector.presentation.values import ValueNode
from tests.helpers.span_runs import message, run_with

LEFT = Qt.MouseButton.LeftButton


def png(width, height):
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("#336699"))
    kept = QByteArray()
    buffer = QBuffer(kept)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    assert image.save(buffer, "PNG")
    return bytes(kept.data())


def picture(data, mime="image/png"):
    held = {"$": "bytes", "base64": b64encode(data).decode()}
    return {"$": "image", "data": held, "mime_type": mime, "meta": {}}


@pytest.fixture
def show(tasks, shown, quiet):
    """Return a function that shows one value and returns the view."""

    def make(value, path="outputs.it"):
        view = ValueView(tasks, "Output")
        shown(view, 700, 600)
        view.show_nodes([ValueNode("it", value, path)])
        quiet()
        return view

    return make


def seen(view, kind, words=""):
    return next(
        each for each in view.findChildren(kind)
        if each.isVisible() and words in each.accessibleName()
    )  # fmt: skip


def hidden(view, kind):
    return not any(each.isVisible() for each in view.findChildren(kind))


# Pictures


def test_a_picture_is_drawn_from_its_bytes(show):
    view = show(picture(png(64, 32)))
    canvas = seen(view, PictureView)
    assert (canvas.image.width(), canvas.image.height()) == (64, 32)
    drawn = canvas.grab().toImage()
    middle = canvas._canvas.geometry().center()
    assert QColor(drawn.pixel(middle)).name() == "#336699"
    assert "64 × 32" in canvas._canvas.accessibleName()


def test_a_picture_larger_than_the_pane_fits_into_it_and_can_be_seen_one_to_one(show, qtbot):
    view = show(picture(png(1_500, 900)))
    canvas = seen(view, PictureView)._canvas
    assert canvas.viewport().rect().contains(canvas.place().toRect())
    qtbot.mouseClick(seen(view, QToolButton, "One to one"), LEFT)
    assert canvas.place().size().toSize() == canvas.image.size()
    assert canvas.horizontalScrollBar().maximum() > 0


def test_the_bytes_of_a_picture_can_be_seen_and_then_the_picture_again(show, qtbot):
    view = show(picture(png(8, 8)))
    qtbot.mouseClick(seen(view, QToolButton, "Show the bytes"), LEFT)
    assert seen(view, CodeEdit).toPlainText().startswith("00000000  89 50 4e 47")
    qtbot.mouseClick(seen(view, QToolButton, "Show the picture"), LEFT)
    assert seen(view, PictureView)


def test_a_picture_can_be_copied(show, qtbot):
    view = show(picture(png(10, 12)))
    qtbot.mouseClick(seen(view, QToolButton, "Copy the picture"), LEFT)
    assert QGuiApplication.clipboard().image().height() == 12


def test_a_picture_that_claims_to_be_enormous_is_not_decoded(show):
    data = bytearray(png(8, 8))
    data[16:24] = (60_000).to_bytes(4, "big") + (60_000).to_bytes(4, "big")
    data[29:33] = crc32(data[12:29]).to_bytes(4, "big")
    view = show(picture(bytes(data)))
    shown = seen(view, PictureView)
    assert shown.image is None
    assert "too large to draw" in shown._empty.accessibleName()


def test_a_broken_picture_says_so(show):
    view = show(picture(png(64, 64)[:60]))
    assert "not a whole picture" in seen(view, PictureView)._empty.accessibleName()


def test_svg_is_shown_as_text(show):
    view = show(picture(b"<svg><image href='file:///etc/hostname'/></svg>", "image/svg+xml"))
    assert hidden(view, PictureView)
    assert seen(view, CodeEdit).toPlainText().startswith("<svg>")


def test_a_picture_in_a_conversation_leads_to_where_it_is_drawn(pane_of, qtbot):
    said = message("user", "What is this?", picture(png(20, 20)))
    run = run_with(
        {"name": "rag"},
        {"kind": "llm", "name": "llm", "path": "llm#1", "inputs": {"messages": [said]}},
    )
    pane = pane_of(run, "s2")
    pane.show_tab(Tab.MESSAGES)
    pane.settle()
    qtbot.mouseClick(seen(pane, QToolButton, "Show the picture"), LEFT)
    pane.settle()
    assert pane.open_run.selection.field == "inputs.messages[0].content[1]"
    assert pane.current_tab is Tab.INPUT
    assert seen(pane, PictureView).image.width() == 20


# Bytes


def test_bytes_are_a_hex_dump(show):
    view = show({"$": "bytes", "base64": b64encode(b"hello").decode()})
    assert seen(view, CodeEdit).toPlainText() == f"00000000  68 65 6c 6c 6f{' ' * 36}hello"


def test_bytes_that_were_left_out_say_how_many_there_were(show):
    view = show({"$": "bytes", "size": 2_048, "digest": "aa11"})
    tree = seen(view, QTreeView)
    assert "left out" in tree.model().index(0, 1).data()


# Tables

BEDS = [{"bed": "tomatoes", "moisture": 31}, {"bed": "peppers", "moisture": 28}]


def cells(view):
    model = seen(view, RecordsView)._table.model()
    return [
        [model.index(row, column).data() for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def test_a_list_of_records_is_a_table(show):
    assert cells(show(BEDS)) == [["0", "tomatoes", "31"], ["1", "peppers", "28"]]


def test_a_press_on_a_header_sorts_up_then_down_then_not(show, qtbot, quiet):
    view = show(BEDS)
    header = seen(view, RecordsView)._table.header()
    place = QPoint(header.sectionViewportPosition(2) + 10, header.height() // 2)
    for expected in (["1", "0"], ["0", "1"], ["0", "1"]):
        qtbot.mouseClick(header.viewport(), LEFT, pos=place)
        quiet()
        assert [row[0] for row in cells(view)] == expected
    assert "in the order of the list" in seen(view, QToolButton, "Sort the table").accessibleName()


def test_the_table_can_be_sorted_without_a_mouse(show, qtbot, quiet):
    view = show(BEDS)
    records = seen(view, RecordsView)
    menu = records._order.menu()
    menu.aboutToShow.emit()
    next(a for a in menu.actions() if a.text() == "bed, up").trigger()
    quiet()
    assert [row[1] for row in cells(view)] == ["peppers", "tomatoes"]
    assert "sorted by bed, up" in records._order.accessibleName()


def test_enter_in_the_table_leads_to_the_item_in_the_tree(show, qtbot):
    view = show(BEDS)
    table = seen(view, RecordsView)._table
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Down)
    with qtbot.waitSignal(view.field_chosen) as chosen:
        qtbot.keyClick(table, Qt.Key.Key_Return)
    assert chosen.args == ["outputs.it[1]"]
    assert view.current_path == "outputs.it[1]"


def test_the_table_can_be_read_as_json_and_that_stays(show, qtbot):
    view = show(BEDS)
    qtbot.mouseClick(seen(view, QToolButton, "Show as JSON"), LEFT)
    assert seen(view, CodeEdit).toPlainText().startswith("[\n  {")
    view.show_field("outputs.it[0]")
    view.show_field("outputs.it")
    assert hidden(view, RecordsView)
    qtbot.mouseClick(seen(view, QToolButton, "Show as a table"), LEFT)
    assert seen(view, RecordsView)


def test_a_table_that_was_sorted_does_not_sort_the_next_one(show, qtbot, quiet):
    view = show(BEDS)
    seen(view, RecordsView).sort_by(1, Qt.SortOrder.AscendingOrder)
    view.show_nodes([ValueNode("it", BEDS[::-1], "outputs.other")])
    quiet()
    assert [row[0] for row in cells(view)] == ["0", "1"]


def test_the_model_of_a_table_is_sound(qtbot):
    model = RecordsModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show_records(records_of(BEDS))
    model.put_in_order([1, 0])
    model.show_records(None)
    assert tester.model() is model


# Markdown

MARKDOWN = (
    "# Beds\n\n- dry\n- wet\n\n<b>bold</b> [here](https://example.org/x) "
    "![shot](file:///etc/hostname)\n"
)


def test_markdown_is_laid_out_when_asked_and_stays_so_for_the_next_text(show, qtbot):
    view = show(MARKDOWN)
    assert hidden(view, MarkdownPage)
    qtbot.mouseClick(seen(view, QToolButton, "Lay out as Markdown"), LEFT)
    page = seen(view, MarkdownPage)
    assert page.toPlainText().startswith("Beds\ndry")
    view.show_nodes([ValueNode("it", "## More\n\n1. one\n2. two\n", "outputs.it")])
    assert seen(view, MarkdownPage).toPlainText().startswith("More")


def test_markdown_that_is_laid_out_is_inert(show, qtbot):
    view = show(MARKDOWN)
    qtbot.mouseClick(seen(view, QToolButton, "Lay out as Markdown"), LEFT)
    said = seen(view, MarkdownPage).toPlainText()
    assert "<b>bold</b>" in said
    assert "here (https://example.org/x)" in said
    assert "not fetched" in said
    flags = seen(view, MarkdownPage).textInteractionFlags()
    assert not flags & Qt.TextInteractionFlag.LinksAccessibleByMouse


def test_only_markdown_can_be_laid_out(show):
    view = show("plain words")
    assert not any(
        each.isVisible() for each in view.findChildren(QToolButton)
        if each.accessibleName().startswith("Lay out")
    )  # fmt: skip


def test_finding_shows_the_text_as_it_was_written(tasks, shown, quiet, qtbot):
    viewer = TextViewer(tasks)
    shown(viewer, 500, 400)
    viewer.show_text(MARKDOWN)
    qtbot.mouseClick(seen(viewer, QToolButton, "Lay out as Markdown"), LEFT)
    assert viewer.is_laid_out
    viewer.begin_find()
    assert not viewer.is_laid_out
    qtbot.keyClicks(viewer._find._field, "here")
    assert viewer._find._count.text() == "1 of 1"


def test_bytes_stand_in_rows_of_sixteen_and_are_not_numbered(show):
    view = show({"$": "bytes", "base64": b64encode(bytes(100)).decode()})
    edit = seen(view, CodeEdit)
    assert edit.lineWrapMode() is CodeEdit.LineWrapMode.NoWrap
    assert not edit.is_numbered
    view.show_nodes([ValueNode("it", "a text\nof two lines", "outputs.it")])
    assert edit.lineWrapMode() is CodeEdit.LineWrapMode.WidgetWidth
    assert edit.is_numbered
