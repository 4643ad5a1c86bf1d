"""Pictures of a transferred rig: both faces in the same expressions, errors, and lips and lids from near."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._pages import words
from rigcast._pages.gallery import Picture, Row
from rigcast._pages.pictures import data_uri
from rigcast._pages.words import figure, millimeters
from rigcast.plot._colors import heat, nice_top
from rigcast.plot._framing import aspect_of, moving_vertices
from rigcast.plot._studio import Studio, View, view_of
from rigcast.progress import Progress, ProgressCallback
from rigcast.report._transfer.fit import fit_row, marked_picture
from rigcast.report._transfer.framing import crossing_rows, fit_view, framed, reached
from rigcast.report._transfer.measured import MeasuredTransfer
from rigcast.transfer import positions_from_rig

FACING, LEFT, RIGHT = 8.0, 25.0, -25.0  # degrees around the character
WIDTH = 380  # pixels
SHOWN = 5  # expressions in addition to the neutral
NOTICED = 0.25  # of the most that a column moves
CLOSE = 1.5  # of the largest extent of the contacts
NEAR = 0.14  # of the largest extent of what moves: contacts in one picture
CLOSE_UPS = 2  # expressions shown from near
APART = 0.1  # of the largest extent of what moves: contacts at another height
STRETCH = float(np.log(2.0))  # end of the scale of distortion: twice or half as long, 100 %

Colors = NDArray[np.uint8] | None


@dataclass(frozen=True)
class TransferGallery:
    """All pictures of a page; ``faces`` are rows of the same expressions; no ``fit`` in one topology or ``overview``
    without truth.
    """

    fit: Row | None
    faces: list[Row]
    overview: Row | None
    shapes: list[Row]
    distortion: Row
    contacts: list[Row]
    crossings: list[Row]


def transfer_gallery(measured: MeasuredTransfer, chosen: list[int], progress: ProgressCallback) -> TransferGallery:
    """Draw the pictures of a transfer; both faces in the ``chosen`` expressions."""
    source, target = measured.source, measured.target
    moving = moving_vertices(target, NOTICED)
    aspect = max(aspect_of(rig.rest_vertices[moving_vertices(rig, NOTICED)], rig.up_axis) for rig in (source, target))
    size = WIDTH, round(WIDTH / aspect)
    with (
        Studio(source.faces, len(source.rest_vertices), width=size[0], height=size[1]) as first,
        Studio(target.faces, len(target.rest_vertices), width=size[0], height=size[1]) as second,
    ):
        painter = _TransferPainter(measured, first, second, size, moving, aspect, progress)
        return TransferGallery(
            painter.fit(),
            painter.faces(chosen),
            painter.overview(),
            painter.shapes(),
            painter.distortion(),
            painter.contacts(),
            crossing_rows(measured, painter.crossed),
        )


def vivid(measured: MeasuredTransfer, count: int = SHOWN) -> list[int]:
    """Linear shapes that together show most: each moves most of the vertices that those before it do not."""
    offsets = measured.source_shapes[: measured.target.num_shapes] - measured.source_neutral
    size = np.linalg.norm(offsets, axis=2)
    seen = np.zeros(size.shape[1])
    chosen: list[int] = []
    while len(chosen) < min(count, len(size)):
        gain = np.maximum(size - seen, 0.0).sum(axis=1)
        gain[chosen] = -1.0
        chosen.append(int(gain.argmax()))
        seen = np.maximum(seen, 2.0 * size[chosen[-1]])
    return sorted(chosen)


class _TransferPainter:
    """Draws one page's pictures; heat maps of one kind share a scale."""

    def __init__(
        self,
        measured: MeasuredTransfer,
        first: Studio,
        second: Studio,
        size: tuple[int, int],
        moving: NDArray[np.bool_],
        aspect: float,
        progress: ProgressCallback,
    ) -> None:
        self.measured, self.first, self.second = measured, first, second
        self.size, self.moving, self.aspect, self.progress = size, moving, aspect, progress
        self.reached = (
            reached(measured.source, positions_from_rig(measured.source)),
            reached(measured.target, measured.shapes),
        )
        self.source_moving = moving_vertices(measured.source, NOTICED)
        self.drawn = 0
        judged = measured.judged
        far = [np.percentile(measured.copy_distances(n)[self.moving], 99.5) for n in judged]
        near = [np.percentile(measured.distances(n)[self.moving], 99.5) for n in judged]
        self.top = nice_top(float(np.median(np.maximum(far, near)))) if len(judged) else 0.0

    def fit(self) -> Row | None:
        """Pictures of the match of the target; None in one topology."""

        def draw(side: int, colors: Colors, marks: NDArray[np.int64], edges: NDArray[np.int64]) -> str:
            rig, moving = ((self.measured.source, self.source_moving), (self.measured.target, self.moving))[side]
            view = framed(rig, moving, FACING, self.aspect)
            view = view if side else fit_view(rig, marks, view, FACING, self.aspect)
            studio, rest = (self.first, self.second)[side], rig.rest_vertices
            return marked_picture(studio, self.size, rest, view, colors, marks, edges, rig.faces)

        return fit_row(self.measured, draw)

    def faces(self, chosen: list[int]) -> list[Row]:
        """The neutral and chosen expressions: of the source, of the target, and true ones where they are known."""
        measured = self.measured
        rows = [
            Row("Source", "", [Picture([self._source(None)], "neutral")]),
            Row("Target, transferred", "", [Picture([self._target(measured.neutral)], "neutral")]),
        ]
        for n in chosen:
            rows[0].pictures.append(Picture([self._source(n)], measured.names[n]))
            rows[1].pictures.append(Picture([self._target(measured.shapes[n])], measured.names[n]))
        if np.isin(chosen, measured.judged).all():
            true = [Picture([self._target(self._true(n))], measured.names[n]) for n in chosen]
            rows.append(Row("Target, true", "", [Picture([self._target(measured.neutral)], "neutral"), *true]))
        return rows

    def overview(self) -> Row | None:
        """Mean error of every vertex over all judged expressions, compared with that of plain copies."""
        measured = self.measured
        if not len(measured.judged):
            return None
        means = [
            np.mean([distances(n) for n in measured.judged], axis=0)
            for distances in (measured.distances, measured.copy_distances)
        ]
        top = nice_top(float(max(np.percentile(mean[self.moving], 99) for mean in means)))
        pictures = []
        for mean, title in zip(means, ("transferred", "plain copy"), strict=True):
            uris = [self._target(measured.neutral, heat(mean / top), turn) for turn in (LEFT, RIGHT)]
            note = f"mean {millimeters(float(mean[self.moving].mean()))}, largest {millimeters(float(mean.max()))} mm"
            pictures.append(Picture(uris, title, note))
        return Row("", "", pictures, top)

    def shapes(self) -> list[Row]:
        """Worst, median and best shape by error; without truth the three most doubtful ones."""
        order = [int(n) for n in self.measured.order()]
        judged = [n for n in order if n in set(self.measured.judged.tolist())]
        if not judged:
            return [self._shape("Doubtful", n) for n in order[:3]]
        chosen = {"Worst": judged[0], "Median": judged[len(judged) // 2], "Best": judged[-1]}
        return [self._shape(word, n) for word, n in chosen.items()]

    def distortion(self) -> Row:
        """Pictures of the difference in stretch of faces, the worst over all expressions."""
        measured = self.measured
        worst = np.nan_to_num(measured.quality.distortion).max(axis=0)
        colors = heat(_on_vertices(worst, measured) / STRETCH)
        uris = [self._target(measured.neutral, colors, turn) for turn in (LEFT, RIGHT)]
        return Row("", "", [Picture(uris, "worst over all expressions")])

    def contacts(self) -> list[Row]:
        """Lips and lids from near, in the expressions where contacts change most; one per height of the face."""
        measured = self.measured
        if measured.contacts is None or measured.free_shapes is None or measured.free_crossings is None:
            return []
        pairs = np.unique(measured.contacts)
        up = "XYZ".index(measured.target.up_axis)
        apart = np.linalg.norm(measured.shapes[:, pairs] - measured.free_shapes[:, pairs], axis=2)
        size = np.ptp(measured.neutral[self.moving], axis=0).max()
        rows: list[Row] = []
        heights: list[float] = []
        for n in np.argsort(-apart.sum(axis=1)):
            middle = np.average(measured.neutral[pairs], axis=0, weights=apart[n]) if apart[n].any() else None
            if middle is None or len(rows) == CLOSE_UPS:
                break
            if all(abs(middle[up] - height) > APART * size for height in heights):
                heights.append(float(middle[up]))
                rows.append(self._close_up(int(n), pairs, apart[n]))
        return rows

    def _close_up(self, n: int, pairs: NDArray[np.int32], apart: NDArray[np.floating[Any]]) -> Row:
        """An expression of the source, of the target without contacts and with them, around what contacts change."""
        measured, doubt = self.measured, self.measured.quality
        free, free_crossings = measured.free_shapes, measured.free_crossings
        assert free is not None
        assert free_crossings is not None
        pictures = []
        size = np.ptp(measured.neutral[self.moving], axis=0).max()
        middle = pairs[int(apart.argmax())]
        near = pairs[np.linalg.norm(measured.neutral[pairs] - measured.neutral[middle], axis=1) < NEAR * size]
        for title, vertices, note in (
            ("source", measured.source_shapes[n], words.plural(int(measured.source_crossings[n]), "crossing")),
            ("without contacts", free[n], words.plural(int(free_crossings[n]), "new crossing")),
            ("target", measured.shapes[n], words.plural(int(doubt.new_crossings[n]), "new crossing")),
        ):
            view = view_of(vertices[near], measured.target.up_axis, turn=FACING, aspect=self.aspect)
            close = View(view.toward, view.up, view.center, CLOSE * view.extent)
            pictures.append(Picture([self._draw(self.second, vertices, close, None)], title, note))
        return Row(measured.names[n], "", pictures)

    def _shape(self, word: str, n: int) -> Row:
        measured, top = self.measured, self.top
        pictures = [
            Picture([self._source(n)], "source"),
            Picture([self._target(measured.shapes[n])], "transferred"),
        ]
        text = (
            f"{measured.quality.flipped[n].sum():,} flipped faces, {measured.quality.new_crossings[n]:,} new crossings"
        )
        if n in measured.judged:
            pictures.append(Picture([self._target(self._true(n))], "true"))
            for title, apart in (("difference", measured.distances(n)), ("plain copy", measured.copy_distances(n))):
                moving = measured.moving(n)
                mean = float(apart[moving].mean()) if moving.any() else 0.0
                note = f"mean {millimeters(mean)}, max {millimeters(float(apart.max()))} mm"
                pictures.append(Picture([self._target(measured.shapes[n], heat(apart / top))], title, note))
            return Row(f"{word}: {measured.names[n]}", text, pictures, top)
        stretch = np.nan_to_num(measured.quality.distortion[n])
        colors = heat(_on_vertices(stretch, measured) / STRETCH)
        note = f"99 of 100 faces by at most {figure(100.0 * float(np.expm1(np.percentile(stretch, 99))))} %"
        pictures.append(Picture([self._target(measured.shapes[n], colors)], "stretched otherwise", note))
        return Row(f"{word}: {measured.names[n]}", text, pictures)

    def _true(self, n: int) -> NDArray[np.float32]:
        return np.asarray(self.measured.neutral + self.measured.truth[n], np.float32)

    def _source(self, n: int | None) -> str:
        rig = self.measured.source
        vertices = rig.rest_vertices
        if n is not None:
            vertices = vertices + rig.column(n) if n < rig.num_shapes else _expression(rig, n)
        view = framed(rig, self.source_moving, FACING, self.aspect, self.reached[0])
        return self._draw(self.first, vertices, view, None)

    def _target(self, vertices: NDArray[Any], colors: Colors = None, turn: float = FACING) -> str:
        target = self.measured.target
        view = framed(target, self.moving, turn, self.aspect, self.reached[1])
        return self._draw(self.second, vertices, view, colors)

    def crossed(self, vertices: NDArray[Any], view: View, edges: NDArray[np.int64]) -> str:
        """The target's mesh in any shape, with edges that are seen through it."""
        self.drawn += 1
        self.progress(Progress("drawing", self.drawn, 0, f"picture {self.drawn}"))
        none, faces = np.zeros(0, np.int64), self.measured.target.faces
        return marked_picture(self.second, self.size, vertices, view, None, none, edges, faces, through=True)

    def _draw(self, studio: Studio, vertices: NDArray[Any], view: View, colors: Colors) -> str:
        self.drawn += 1
        self.progress(Progress("drawing", self.drawn, 0, f"picture {self.drawn}"))
        return data_uri(studio.cutout(vertices, view, colors))


def _expression(rig: Any, n: int) -> NDArray[np.float32]:
    return np.asarray(positions_from_rig(rig)[n], np.float32)


def _on_vertices(values: NDArray[np.float64], measured: MeasuredTransfer) -> NDArray[np.float64]:
    """(V,) the largest value of the faces (F,) around each vertex."""
    faces = np.asarray(measured.target.faces)
    result = np.zeros(len(measured.neutral))
    for corner in range(faces.shape[1]):
        inside = faces[:, corner] >= 0
        np.maximum.at(result, faces[inside, corner], values[inside])
    return result
