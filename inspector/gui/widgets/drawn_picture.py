"""Turns what can be drawn into the files of pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSize, Qt
from PySide6.QtGui import QGuiApplication, QImage, QImageWriter, QPainter

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QColor

    Draw = Callable[[QPainter], object]

_SHARPNESS = 2.0
_LONGEST_SIDE_PX = 12_000  # beyond this most programs open no picture


def image_of(draw: Draw, size: QSize, ground: QColor) -> QImage:
    """Return a picture, at twice the size of the screen where that is possible."""
    sharp = min(_SHARPNESS, _LONGEST_SIDE_PX / max(size.width(), size.height()))
    image = QImage(size * sharp, QImage.Format.Format_RGB32)
    image.fill(ground)
    painter = QPainter(image)
    painter.scale(sharp, sharp)
    draw(painter)
    painter.end()
    return image


def png_of(image: QImage) -> bytes:
    """Return an image as a PNG file."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return bytes(buffer.data().data())


def svg_of(draw: Draw, size: QSize, ground: QColor, title: str) -> bytes:
    """Return a picture as an SVG file, which is sharp at any size."""
    from PySide6.QtSvg import QSvgGenerator

    kept = QByteArray()
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
    painter.fillRect(QRectF(0, 0, size.width(), size.height()), ground)
    draw(painter)
    painter.end()
    buffer.close()
    return bytes(kept.data())
