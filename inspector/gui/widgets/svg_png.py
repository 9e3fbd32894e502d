"""Turns an SVG of ours into a PNG, with or without a window."""

from __future__ import annotations

import os

from PySide6.QtCore import QByteArray, QSize
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtSvg import QSvgRenderer

from inspector.errors import InspectorError
from inspector.gui.widgets.drawn_picture import image_of, png_of


def png_of_svg(svg: bytes) -> bytes:
    """Return the picture at twice its size. Needs no display.

    Raises:
        InspectorError: It is no SVG.

    """
    application = QGuiApplication.instance()
    if application is None:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        application = QGuiApplication(["run-inspector"])
    renderer = QSvgRenderer(QByteArray(svg))
    size = renderer.defaultSize()
    if not renderer.isValid() or size.isEmpty():
        raise InspectorError("The picture cannot be drawn.")
    return png_of(image_of(renderer.render, QSize(size), QColor("#FFFFFF")))
