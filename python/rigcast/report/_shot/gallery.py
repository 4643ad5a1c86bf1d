"""Pictures of a solved shot: the target, what was found, and how far they are apart."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._pages.gallery import Gallery, Picture, Row
from rigcast._pages.pictures import data_uri
from rigcast._pages.words import millimeters
from rigcast.plot._colors import heat, nice_top
from rigcast.plot._framing import aspect_of, moving_vertices
from rigcast.plot._studio import Studio, View, view_of
from rigcast.progress import Progress, ProgressCallback
from rigcast.report._shot.solved import SolvedShot

LEFT, RIGHT = 25.0, -25.0  # degrees around the character
WIDTH = 420  # pixels
MARGIN = 1.25  # of what moves, around it
LEAST_SCALE = 1e-4  # of the size of what moves: nobody sees smaller errors, so no scale ends below


def shot_gallery(shot: SolvedShot, progress: ProgressCallback) -> Gallery:
    """Draw the pictures of a solved shot."""
    moving = moving_vertices(shot.rig)
    aspect = aspect_of(shot.rig.rest_vertices[moving], shot.rig.up_axis)
    size = WIDTH, round(WIDTH / aspect)
    with Studio(shot.rig.faces, len(shot.rig.rest_vertices), width=size[0], height=size[1]) as studio:
        painter = _ShotPainter(shot, studio, moving, aspect, progress)
        return Gallery(painter.overview(), painter.frames(), None)


def marked_frames(shot: SolvedShot) -> dict[str, int]:
    """The frames that pictures show, by name."""
    order = shot.order()
    return {"best": int(order[0]), "median": int(order[len(order) // 2]), "worst": int(order[-1])}


class _ShotPainter:
    """Draws one page's pictures; the frames' heat maps share one scale."""

    def __init__(
        self, shot: SolvedShot, studio: Studio, moving: NDArray[np.bool_], aspect: float, progress: ProgressCallback
    ) -> None:
        self.shot, self.studio, self.moving, self.aspect, self.progress = shot, studio, moving, aspect, progress
        self.drawn = 0
        size = np.linalg.norm(np.ptp(shot.rig.rest_vertices[moving], axis=0))
        self.least = LEAST_SCALE * float(size) * shot.millimeters
        median = marked_frames(shot)["median"]
        self.top = nice_top(max(float(shot.largest[median]), float(shot.p95.max()), self.least))

    def overview(self) -> Row:
        """The mean distance of every vertex, on the neutral, from both sides."""
        rest = self.shot.rig.rest_vertices
        mean = np.nan_to_num(self.shot.mean)
        top = nice_top(max(float(np.percentile(mean[self.moving], 98)), self.least))
        colors = heat(mean / top)
        uris = [self._draw(rest, self._view(rest, turn), colors) for turn in (LEFT, RIGHT)]
        return Row("", "", [Picture(uris, "mean over the shot", f"largest {millimeters(float(mean.max()))} mm")], top)

    def frames(self) -> list[Row]:
        """Best, median and worst."""
        return [self._frame(f"{name.capitalize()} frame", frame) for name, frame in marked_frames(self.shot).items()]

    def _frame(self, title: str, frame: int) -> Row:
        shot = self.shot
        posed, apart = shot.posed(frame), shot.distances(frame)
        view = self._view(posed, LEFT)
        pictures = [Picture([self._draw(shot.targets[frame], view)], "target")] if shot.is_whole else []
        pictures.append(Picture([self._draw(posed, view)], "solved"))
        note = f"RMSE {millimeters(float(shot.rmse[frame]))}, largest {millimeters(float(shot.largest[frame]))} mm"
        colors = heat(apart / self.top)
        pictures.append(Picture([self._draw(posed, view, colors)], "difference", note))
        other = self._draw(posed, self._view(posed, RIGHT), colors)
        pictures.append(Picture([other], "difference, from the other side"))
        return Row(title, f"frame {frame:,}, {frame / shot.fps:.2f} s", pictures, self.top)

    def _view(self, vertices: NDArray[Any], turn: float) -> View:
        near = view_of(vertices[self.moving], self.shot.rig.up_axis, turn=turn, aspect=self.aspect)
        return View(near.toward, near.up, near.center, MARGIN * near.extent)

    def _draw(self, vertices: NDArray[Any], view: View, colors: NDArray[np.uint8] | None = None) -> str:
        self.drawn += 1
        self.progress(Progress("drawing", self.drawn, 0, f"picture {self.drawn}"))
        return data_uri(self.studio.cutout(vertices, view, colors))
