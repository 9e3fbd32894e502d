"""Draws Qt's own parts flat: hairlines and grounds of the theme instead of bevels and gradients.

A style instead of a style sheet: it draws from the tokens of the moment, so a
change of scheme needs nothing, and delegates and painters stay as they are.
"""

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPalette, QPen
from PySide6.QtWidgets import (
    QProxyStyle,
    QStyle,
    QStyleHintReturn,
    QStyleOption,
    QStyleOptionComplex,
    QStyleOptionHeader,
    QStyleOptionMenuItem,
    QStyleOptionProgressBar,
    QStyleOptionSlider,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.theme_radio import draw_radio

_CONTROL = QStyle.ControlElement
_PRIMITIVE = QStyle.PrimitiveElement
_METRIC = QStyle.PixelMetric
_STATE = QStyle.StateFlag
_RADIUS = 4
_SCROLL_BAR_PX = 11
_SHORTEST_HANDLE_PX = 28
_RULE_PX = 2

_MENU_TEXT = int(
    Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextShowMnemonic | Qt.TextFlag.TextSingleLine
)

_METRICS = {
    # Wide enough to catch with a mouse; only its middle is drawn.
    _METRIC.PM_DockWidgetSeparatorExtent: 5,
    _METRIC.PM_MenuBarVMargin: 4,
    _METRIC.PM_MenuBarHMargin: 4,
    _METRIC.PM_MenuBarPanelWidth: 0,
    _METRIC.PM_ScrollBarExtent: _SCROLL_BAR_PX,
    _METRIC.PM_ScrollBarSliderMin: _SHORTEST_HANDLE_PX,
    _METRIC.PM_ToolBarItemSpacing: 2,
    _METRIC.PM_ToolBarItemMargin: 3,
    _METRIC.PM_ToolBarFrameWidth: 0,
    _METRIC.PM_ToolBarSeparatorExtent: 9,
    _METRIC.PM_TabBarTabVSpace: 12,
    _METRIC.PM_TabBarTabHSpace: 24,
    _METRIC.PM_TabBarTabShiftVertical: 0,
    _METRIC.PM_TabBarBaseOverlap: 0,
    _METRIC.PM_TabCloseIndicatorWidth: 16,
    _METRIC.PM_TabCloseIndicatorHeight: 16,
    _METRIC.PM_ScrollView_ScrollBarSpacing: 0,
}


class QuietStyle(QProxyStyle):
    """Fusion, but for what it would draw with a bevel."""

    def __init__(self) -> None:
        super().__init__("Fusion")
        self._primitives = {
            _PRIMITIVE.PE_IndicatorDockWidgetResizeHandle: _draw_dock_separator,
            _PRIMITIVE.PE_FrameTabBarBase: _draw_tab_base,
            _PRIMITIVE.PE_IndicatorTabClose: _draw_tab_close,
            _PRIMITIVE.PE_PanelButtonCommand: _draw_button,
            _PRIMITIVE.PE_PanelButtonTool: _draw_tool_button,
            _PRIMITIVE.PE_FrameFocusRect: _draw_focus,
            _PRIMITIVE.PE_FrameLineEdit: _draw_field_edge,
            _PRIMITIVE.PE_IndicatorCheckBox: _draw_check_box,
            _PRIMITIVE.PE_IndicatorRadioButton: draw_radio,
            _PRIMITIVE.PE_FrameDefaultButton: _draw_nothing,
            _PRIMITIVE.PE_IndicatorToolBarSeparator: _draw_separator,
            _PRIMITIVE.PE_PanelStatusBar: _draw_nothing,
            _PRIMITIVE.PE_IndicatorHeaderArrow: _draw_nothing,
        }
        self._controls = {
            _CONTROL.CE_ToolBar: _draw_toolbar,
            _CONTROL.CE_MenuBarEmptyArea: _draw_window,
            _CONTROL.CE_TabBarTabShape: _draw_tab,
            _CONTROL.CE_HeaderSection: _draw_header,
            _CONTROL.CE_HeaderEmptyArea: _draw_header,
            _CONTROL.CE_ProgressBarGroove: _draw_groove,
            _CONTROL.CE_ProgressBarContents: _draw_progress,
        }

    def styleHint(
        self,
        hint: QStyle.StyleHint,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
        data: QStyleHintReturn | None = None,
    ) -> int:
        # Docks, menus and the like move by themselves unless a person wants none of that.
        if hint is QStyle.StyleHint.SH_Widget_Animation_Duration and theme.is_still():
            return 0
        return super().styleHint(hint, option, widget, data)

    def drawPrimitive(
        self,
        element: QStyle.PrimitiveElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        draw = self._primitives.get(element)
        if draw is None:
            super().drawPrimitive(element, option, painter, widget)
        else:
            draw(option, painter)

    def drawControl(
        self,
        element: QStyle.ControlElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        draw = self._controls.get(element)
        if draw is not None:
            draw(option, painter)
            return
        if element is _CONTROL.CE_MenuBarItem and isinstance(option, QStyleOptionMenuItem):
            _draw_menu_ground(option, painter)
            self.drawItemText(
                painter,
                option.rect,
                _MENU_TEXT,
                option.palette,
                bool(option.state & _STATE.State_Enabled),
                option.text,
                QPalette.ColorRole.WindowText,
            )
            return
        if element is _CONTROL.CE_TabBarTabLabel and not option.state & _STATE.State_Selected:
            option.palette.setColor(QPalette.ColorRole.WindowText, theme.current().secondary)
        elif element is _CONTROL.CE_HeaderLabel and isinstance(option, QStyleOptionHeader):
            option.palette.setColor(QPalette.ColorRole.ButtonText, theme.current().secondary)
            painter.setFont(theme.font(-1))
            option.rect = option.rect.adjusted(theme.GRID_PX, 0, -theme.GRID_PX, 0)
        super().drawControl(element, option, painter, widget)

    def drawComplexControl(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        if control is QStyle.ComplexControl.CC_ScrollBar and isinstance(option, QStyleOptionSlider):
            slider = self.subControlRect(
                control, option, QStyle.SubControl.SC_ScrollBarSlider, widget
            )
            _draw_scroll_bar(option, slider, painter)
            return
        super().drawComplexControl(control, option, painter, widget)

    def subControlRect(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        part: QStyle.SubControl,
        widget: QWidget | None = None,
    ) -> QRect:
        if control is QStyle.ComplexControl.CC_ScrollBar and isinstance(option, QStyleOptionSlider):
            return _scroll_bar_part(option, part)
        # (The stubs do not know that there may be no widget.)
        return super().subControlRect(control, option, part, widget)  # type: ignore[arg-type]  # Qt takes None

    def pixelMetric(
        self,
        metric: QStyle.PixelMetric,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
    ) -> int:
        known = _METRICS.get(metric)
        return super().pixelMetric(metric, option, widget) if known is None else known


def _draw_nothing(_option: QStyleOption, _painter: QPainter) -> None:
    """Leave out a frame that says nothing."""


def _draw_menu_ground(option: QStyleOptionMenuItem, painter: QPainter) -> None:
    tokens = theme.current()
    painter.fillRect(option.rect, tokens.window)
    if option.state & _STATE.State_Selected:
        ground = tokens.border if option.state & _STATE.State_Sunken else tokens.hover
        _draw_rounded(painter, option.rect.adjusted(1, 1, -1, -1), ground, None)


def _draw_window(option: QStyleOption, painter: QPainter) -> None:
    painter.fillRect(option.rect, theme.current().window)


def _draw_toolbar(option: QStyleOption, painter: QPainter) -> None:
    tokens = theme.current()
    painter.fillRect(option.rect, tokens.window)
    bottom = option.rect.bottom()
    painter.fillRect(option.rect.left(), bottom, option.rect.width(), 1, tokens.border)


def _draw_separator(option: QStyleOption, painter: QPainter) -> None:
    box = option.rect
    if option.state & _STATE.State_Horizontal:
        line = QRect(box.center().x(), box.top() + 5, 1, box.height() - 10)
    else:
        line = QRect(box.left() + 5, box.center().y(), box.width() - 10, 1)
    painter.fillRect(line, theme.current().border)


def _draw_dock_separator(option: QStyleOption, painter: QPainter) -> None:
    tokens = theme.current()
    line = QRect(option.rect)
    if line.width() < line.height():
        line.setLeft(line.center().x())
        line.setWidth(1)
    else:
        line.setTop(line.center().y())
        line.setHeight(1)
    painter.fillRect(option.rect, tokens.window)
    moved = option.state & _STATE.State_MouseOver
    painter.fillRect(line, tokens.accent if moved else tokens.border)


def _draw_tab(option: QStyleOption, painter: QPainter) -> None:
    tokens = theme.current()
    box = option.rect
    if option.state & _STATE.State_Selected:
        painter.fillRect(box, tokens.panel)
        painter.fillRect(box.left(), box.top(), box.width(), _RULE_PX, tokens.accent)
        painter.fillRect(box.left(), box.top(), 1, box.height(), tokens.border)
        painter.fillRect(box.right(), box.top(), 1, box.height(), tokens.border)
    else:
        if option.state & _STATE.State_MouseOver:
            painter.fillRect(box, tokens.hover)
        painter.fillRect(box.left(), box.bottom(), box.width(), 1, tokens.border)
    if option.state & _STATE.State_HasFocus and option.state & _STATE.State_Selected:
        _draw_ring(painter, box.adjusted(3, 4, -3, -2))


def _draw_tab_base(option: QStyleOption, painter: QPainter) -> None:
    box = option.rect
    painter.fillRect(box.left(), box.bottom(), box.width(), 1, theme.current().border)


def _draw_tab_close(option: QStyleOption, painter: QPainter) -> None:
    tokens = theme.current()
    if option.state & _STATE.State_MouseOver:
        _draw_rounded(painter, option.rect, tokens.border, None)
    icon = theme.pixmap("close", "secondary", 12)
    corner = option.rect.center() - QPoint(5, 5)
    painter.drawPixmap(corner, icon)


def _draw_button(option: QStyleOption, painter: QPainter) -> None:
    tokens = theme.current()
    # The one button that matters most is given the accent as its palette's button colour.
    ground = option.palette.color(QPalette.ColorRole.Button)
    primary = ground == tokens.accent
    if option.state & _STATE.State_Sunken:
        ground = ground.darker(112)
    elif option.state & _STATE.State_MouseOver and option.state & _STATE.State_Enabled:
        ground = ground.lighter(112) if primary else tokens.hover
    edge = None if primary else tokens.outline
    _draw_rounded(painter, option.rect, ground, edge)


def _draw_tool_button(option: QStyleOption, painter: QPainter) -> None:
    tokens = theme.current()
    state = option.state
    if state & _STATE.State_On:
        _draw_rounded(painter, option.rect, tokens.selection, tokens.accent)
    elif state & _STATE.State_Sunken:
        _draw_rounded(painter, option.rect, tokens.border, None)
    elif state & _STATE.State_MouseOver and state & _STATE.State_Enabled:
        _draw_rounded(painter, option.rect, tokens.hover, tokens.border)
    elif not state & _STATE.State_AutoRaise:
        _draw_rounded(painter, option.rect, tokens.raised, tokens.border)


def _draw_focus(option: QStyleOption, painter: QPainter) -> None:
    _draw_ring(painter, option.rect)


def _draw_field_edge(option: QStyleOption, painter: QPainter) -> None:
    # Fusion draws it darker than the window, which on a dark one nobody sees.
    tokens = theme.current()
    has_focus = option.state & _STATE.State_HasFocus
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(tokens.accent if has_focus else tokens.outline, 2 if has_focus else 1))
    inset = 1 if has_focus else 0.5
    box = QRectF(option.rect).adjusted(inset, inset, -inset, -inset)
    painter.drawRoundedRect(box, 3, 3)
    painter.restore()


def _draw_check_box(option: QStyleOption, painter: QPainter) -> None:
    tokens = theme.current()
    box = option.rect
    if not option.state & _STATE.State_On:
        _draw_rounded(painter, box, tokens.panel, tokens.outline, radius=3)
        return
    _draw_rounded(painter, box, tokens.accent, None, radius=3)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(tokens.on_accent, 1.75))
    left, top, size = box.left(), box.top(), box.width()
    marks = ((0.24, 0.52), (0.43, 0.71), (0.78, 0.3))
    points = [QPointF(left + x * size, top + y * size) for x, y in marks]
    painter.drawPolyline(points)
    painter.restore()


def _draw_header(option: QStyleOption, painter: QPainter) -> None:
    tokens = theme.current()
    painter.fillRect(option.rect, tokens.panel)
    box = option.rect
    painter.fillRect(box.left(), box.bottom(), box.width(), 1, tokens.border)


def _draw_groove(option: QStyleOption, painter: QPainter) -> None:
    _draw_rounded(painter, option.rect, theme.current().border, None, radius=3)


def _draw_progress(option: QStyleOption, painter: QPainter) -> None:
    if not isinstance(option, QStyleOptionProgressBar):
        return
    whole = max(1, option.maximum - option.minimum)
    share = (option.progress - option.minimum) / whole
    box = QRect(option.rect)
    box.setWidth(round(box.width() * min(1.0, max(0.0, share))))
    if box.width() > 1:
        _draw_rounded(painter, box, theme.current().accent, None, radius=3)


def _draw_scroll_bar(option: QStyleOptionSlider, slider: QRect, painter: QPainter) -> None:
    tokens = theme.current()
    painter.fillRect(option.rect, tokens.panel)
    if option.maximum <= option.minimum:
        return
    held = option.state & _STATE.State_Sunken
    over = option.state & _STATE.State_MouseOver
    ink = QColor(tokens.outline)
    ink.setAlpha(255 if held else 210 if over else 130)
    upright = option.orientation is Qt.Orientation.Vertical
    box = slider.adjusted(2, 1, -2, -1) if upright else slider.adjusted(1, 2, -1, -2)
    _draw_rounded(painter, box, ink, None, radius=min(box.width(), box.height()) / 2)


def _scroll_bar_part(option: QStyleOptionSlider, part: QStyle.SubControl) -> QRect:
    """Return where a part of a scroll bar is: a handle in a groove, and no arrows."""
    whole = option.rect
    upright = option.orientation is Qt.Orientation.Vertical
    length = whole.height() if upright else whole.width()
    steps = option.maximum - option.minimum
    handle = length
    if steps > 0:
        share = option.pageStep / (steps + option.pageStep)
        handle = min(length, max(_SHORTEST_HANDLE_PX, int(length * share)))
    start = QStyle.sliderPositionFromValue(
        option.minimum, option.maximum, option.sliderPosition, length - handle, option.upsideDown
    )
    spans = {
        QStyle.SubControl.SC_ScrollBarGroove: (0, length),
        QStyle.SubControl.SC_ScrollBarSlider: (start, handle),
        QStyle.SubControl.SC_ScrollBarSubPage: (0, start),
        QStyle.SubControl.SC_ScrollBarAddPage: (start + handle, length - start - handle),
    }
    first, extent = spans.get(part, (0, 0))
    if upright:
        return QRect(whole.left(), whole.top() + first, whole.width(), extent)
    return QRect(whole.left() + first, whole.top(), extent, whole.height())


def _draw_ring(painter: QPainter, box: QRect) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.current().accent, 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(QRectF(box).adjusted(0.75, 0.75, -0.75, -0.75), 3, 3)
    painter.restore()


def _draw_rounded(
    painter: QPainter, box: QRect, ground: QColor, edge: QColor | None, *, radius: float = _RADIUS
) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen if edge is None else QPen(edge, 1))
    painter.setBrush(ground)
    inset = 0.0 if edge is None else 0.5
    painter.drawRoundedRect(QRectF(box).adjusted(inset, inset, -inset, -inset), radius, radius)
    painter.restore()
