"""Draws a whole graph into a picture that can be kept or sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize

from inspector.gui.widgets.drawn_picture import image_of, png_of, svg_of
from inspector.gui.widgets.graph_painter import GraphPainter
from inspector.gui.widgets.graph_view import GraphView

if TYPE_CHECKING:
    from PySide6.QtGui import QImage, QPainter

    from inspector.gui.widgets.graph_look import Look
    from inspector.gui.widgets.graph_scene import GraphScene

_MARGIN_PX = 16


def picture(scene: GraphScene, look: Look) -> QImage:
    """Return the whole graph, at twice the size of the screen where that is possible."""
    size = _size(scene)
    return image_of(lambda painter: _draw(painter, scene, look, size), size, look.tokens.window)


def png(scene: GraphScene, look: Look) -> bytes:
    """Return the whole graph as a PNG file."""
    return png_of(picture(scene, look))


def svg(scene: GraphScene, look: Look, title: str) -> bytes:
    """Return the whole graph as an SVG file, which is sharp at any size."""
    size, ground = _size(scene), look.tokens.window
    return svg_of(lambda painter: _draw(painter, scene, look, size), size, ground, title)


def _size(scene: GraphScene) -> QSize:
    drawn = scene.arrangement
    return QSize(round(drawn.width) + 2 * _MARGIN_PX, round(drawn.height) + 2 * _MARGIN_PX)


def _draw(painter: QPainter, scene: GraphScene, look: Look, size: QSize) -> None:
    view = GraphView(1.0, _MARGIN_PX, _MARGIN_PX)
    GraphPainter(painter, scene, view, look, QRectF(0, 0, size.width(), size.height())).draw()
