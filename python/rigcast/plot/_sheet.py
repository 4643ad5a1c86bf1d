"""Pictures in rows and columns, with titles and a color scale, as one picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rigcast._text import escaped
from rigcast.plot._colors import INK, QUIET, heat
from rigcast.plot._drawing import blank_figure, pixels_of
from rigcast.plot._image import Pixels

TITLE = 26  # pixels above a picture
SCALE = 112  # pixels next to the pictures
BAR = 12  # pixels across the color scale
LONGEST_BAR = 320  # pixels
TEXT = 13.0  # pixels, of titles; shrunk to the width of a picture
NARROW = 0.66  # of its height: the mean width of a letter


@dataclass(frozen=True)
class Scale:
    """A color scale from 0 to ``top``, in ``unit``."""

    top: float
    unit: str


def sheet(pictures: list[Pixels], columns: int, titles: Sequence[str] | None, scale: Scale | None) -> Pixels:
    """Compose pictures of one size; text is drawn by matplotlib, pictures keep their pixels."""
    titles = None if titles is None else [escaped(title) for title in titles]
    height, width, _ = pictures[0].shape
    columns = min(columns, len(pictures))
    rows = -(-len(pictures) // columns)
    above = TITLE if titles is not None else 0
    size = columns * width + (SCALE if scale is not None else 0), rows * (height + above)
    canvas = blank_figure(*size)
    for number in range(len(pictures)):
        row, column = divmod(number, columns)
        if titles is not None:
            letters = max(len(titles[number]), 1)
            pixels = min(TEXT, 0.96 * width / (NARROW * letters))
            x, y = (column + 0.5) * width, size[1] - row * (height + above) - 0.62 * TITLE
            where = {"ha": "center", "va": "center", "color": INK, "fontsize": 0.72 * pixels}
            canvas.text(x / size[0], y / size[1], titles[number], **where)
    if scale is not None:
        _add_scale(canvas, scale, size, columns * width)
    composed = pixels_of(canvas)
    for number, picture in enumerate(pictures):
        row, column = divmod(number, columns)
        top, left = row * (height + above) + above, column * width
        composed[top : top + height, left : left + width] = picture
    return composed


def _add_scale(canvas: object, scale: Scale, size: tuple[int, int], left: int) -> None:
    """A bar from pale (0, below) to dark, with ticks, in the middle of the right edge."""
    long = min(LONGEST_BAR, round(0.7 * size[1]))
    low = 0.5 * (size[1] - long)
    place = ((left + 8) / size[0], low / size[1], BAR / size[0], long / size[1])
    axis = canvas.add_axes(place)  # type: ignore[attr-defined]
    axis.imshow(heat(np.linspace(1.0, 0.0, 128))[:, None], aspect="auto", extent=(0.0, 1.0, 0.0, 1.0))
    labels = [f"{scale.top * at:.3g}" for at in (0.0, 0.25, 0.5, 0.75)] + [
        f"\N{GREATER-THAN OR EQUAL TO} {scale.top:.3g}"
    ]
    labels[-1] += f" {scale.unit}" if scale.unit else ""
    axis.yaxis.tick_right()
    axis.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0], labels, fontsize=0.72 * 12.0)
    axis.tick_params(length=2, colors=QUIET, labelcolor=INK)
    axis.set_xticks([])
    axis.grid(visible=False)
    for spine in axis.spines.values():
        spine.set_visible(False)
