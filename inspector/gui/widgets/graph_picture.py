"""Draws a whole graph into a picture that can be kept or sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSize, Qt
from PySide6.QtGui import QGuiApplication, QImage, QImageWriter, QPainter

from inspector.gui.widgets.graph_painter import GraphPainter
from inspector.gui.widgets.graph_view import GraphView

if TYPE_CHECKING:
    from inspector.gui.widgets.graph_look import Look
    from inspector.gui.widgets.graph_scene import GraphScene

_MARGIN_PX = 16
_SHARPNESS = 2.0
_LONGEST_SIDE_PX = 12_000  # beyond this most programs open no picture


def picture(scene: GraphScene, look: Look) -> QImage:
    """Return the whole graph, at twice the size of the screen where that is possible."""
    size = _size(scene)
    sharp = min(_SHARPNESS, _LONGEST_SIDE_PX / max(size.width(), size.height()))
    image = QImage(size * sharp, QImage.Format.Format_RGB32)
    image.fill(look.tokens.window)
    painter = QPainter(image)
    painter.scale(sharp, sharp)
    _draw(painter, scene, look, size)
    painter.end()
    return image


def png(scene: GraphScene, look: Look) -> bytes:
    """Return the whole graph as a PNG file."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(picture(scene, look))
    return bytes(buffer.data().data())


def svg(scene: GraphScene, look: Look, title: str) -> bytes:
    """Return the whole graph as an SVG file, which is sharp at any size."""
    from PySide6.QtSvg import QSvgGenerator

    size, kept = _size(scene), QByteArray()
    buffer = QBuffer(kept)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
    generator.setTitle(title)
    # Or letters would be smaller than the room that was made for them.
    generator.setResolution(round(QGuiApplication.primaryScreen().logicalDotsPerInch()))
    painter = QPainter(generator)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.fillRect(QRectF(0, 0, size.width(), size.height()), look.tokens.window)
    _draw(painter, scene, look, size)
    painter.end()
    buffer.close()
    return bytes(kept.data())


def _size(scene: GraphScene) -> QSize:
    drawn = scene.arrangement
    return QSize(round(drawn.width) + 2 * _MARGIN_PX, round(drawn.height) + 2 * _MARGIN_PX)


def _draw(painter: QPainter, scene: GraphScene, look: Look, size: QSize) -> None:
    view = GraphView(1.0, _MARGIN_PX, _MARGIN_PX)
    GraphPainter(painter, scene, view, look, QRectF(0, 0, size.width(), size.height())).draw()
