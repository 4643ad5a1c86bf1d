"""Pictures of a capture: the input, the character laid over it, and the character alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigcast._pages.gallery import Picture, Row
from rigcast._pages.pictures import data_uri
from rigcast._pages.words import figure
from rigcast.plot._framing import aspect_of, moving_vertices
from rigcast.plot._studio import Studio, View, view_of
from rigcast.progress import Progress, ProgressCallback
from rigcast.render._camera import Camera
from rigcast.render._render import render
from rigcast.render._scene import Material
from rigcast.report._capture.captured import MARGIN, CapturedShot

Pixels = NDArray[np.uint8]

WIDTH = 420  # pixels
TURN = 15.0  # degrees around the character
AROUND = 1.25  # of what moves, around it
OVER = 0.6  # of the character over the picture
FOUND, SOLVED, HIDDEN = (255, 255, 255), (224, 82, 40), (90, 150, 230)  # colors of points
CLAY = (0.55, 0.68, 0.8)  # albedo of the character over the picture: bluish, unlike skin
EXACT = 1e-3  # pixels: points that are exact, since they are where the others count from
DARK = 40  # gray behind points without a picture
FINEST, COARSEST = 0.2, 8.0  # enlargement of the image


class CapturePainter:
    """Draws one page's pictures; all show the same part of the image, at the same size."""

    def __init__(self, shot: CapturedShot, progress: ProgressCallback) -> None:
        self.shot, self.progress, self.drawn = shot, progress, 0
        self.moving = moving_vertices(shot.rig)
        self.aspect = aspect_of(shot.rig.rest_vertices[self.moving], shot.rig.up_axis)
        if shot.is_flat:
            self.corner, self.side, self.zoom = self._window()
            self.aspect = float(self.side[0] / self.side[1])  # all pictures of a row are as high

    def rows(self) -> list[Row]:
        """A row of pictures for each of the shot's marked frames."""
        shot, size = self.shot, (WIDTH, round(WIDTH / self.aspect))
        with Studio(shot.rig.faces, len(shot.rig.rest_vertices), width=size[0], height=size[1]) as studio:
            return [self._row(name, frame, studio) for name, frame in shot.marked().items()]

    def _row(self, name: str, frame: int, studio: Studio) -> Row:
        shot = self.shot
        self.drawn += 1
        self.progress(Progress("drawing", self.drawn, 0, f"frame {frame}"))
        pictures = []
        if shot.is_flat:
            title = "points" if shot.pictures is None else "input"
            pictures.append(Picture([data_uri(self._input(frame))], title))
            left = float(shot.errors[frame, 0])
            note = "the points count from here" if left < EXACT else f"{figure(left)} pixels on average"
            note = "no face was found" if shot.found.lost[frame] else note
            pictures.append(Picture([data_uri(self._overlay(frame))], "character over it", note))
        posed = shot.posed(frame)
        near = view_of(posed[self.moving], shot.rig.up_axis, turn=TURN, aspect=self.aspect)
        view = View(near.toward, near.up, near.center, AROUND * near.extent)
        pictures.append(Picture([data_uri(studio.picture(posed, view))], "character"))
        return Row(name.capitalize(), f"frame {frame:,}, {frame / shot.found.fps:.2f} s", pictures)

    def _window(self) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
        """Upper left corner and size of the part of the image that holds the face, and its enlargement."""
        used = self.shot.found.places.used
        points = self.shot.tracks.points[:, used][self.shot.tracks.certainty[:, used] > 0.0]
        low, high = np.percentile(points, 0.5, axis=0), np.percentile(points, 99.5, axis=0)
        margin = MARGIN * float((high - low).max())
        low, high = np.floor(low - margin), np.ceil(high + margin)
        if self.shot.pictures is not None or self.shot.tracks.size is not None:
            low, high = np.maximum(low, 0.0), np.minimum(high, self.shot.size)
        zoom = float(np.clip(WIDTH / (high[0] - low[0]), FINEST, COARSEST))
        return low, high - low, zoom

    def _input(self, frame: int) -> Pixels:
        """The part of the picture, with the points that were found."""
        return self._with_points(self._cropped(frame), frame, solved=False)

    def _overlay(self, frame: int) -> Pixels:
        """The same under the character, with where it has the points."""
        shot, below = self.shot, self._cropped(frame)
        height, width = below.shape[:2]
        camera = Camera(
            width,
            height,
            focal=shot.found.focal * self.zoom,
            rotation=np.eye(3),
            center=(np.array(shot.found.center) - self.corner) * self.zoom,
        )
        pose = shot.pose[frame]
        world = (shot.posed(frame) @ pose[:, :3].T + pose[:, 3]).astype(np.float32)
        drawn = render(world, shot.rig.faces, camera, material=Material(CLAY))
        share = OVER * drawn.coverage[0][:, :, None]
        mixed = (1.0 - share) * below + share * drawn.color[0]
        return self._with_points(np.asarray(mixed.round(), np.uint8), frame, solved=True)

    def _cropped(self, frame: int) -> Pixels:
        """The part of the image, enlarged; gray where there is no picture."""
        width, height = (max(8, round(float(self.zoom * side))) for side in self.side)
        result = np.full((height, width, 3), DARK, np.uint8)
        if self.shot.pictures is None:
            return result
        picture = self.shot.pictures[frame]
        at = [
            start + (np.arange(count) + 0.5) / self.zoom
            for start, count in zip(self.corner, (width, height), strict=True)
        ]
        middles = zip(at, self.shot.found.center, self.shot.turned, strict=True)
        x, y = (np.floor(2.0 * middle - own if turned else own).astype(int) for own, middle, turned in middles)
        inside = ((y >= 0) & (y < picture.shape[0]))[:, None] & ((x >= 0) & (x < picture.shape[1]))[None]
        part = picture[np.clip(y, 0, picture.shape[0] - 1)][:, np.clip(x, 0, picture.shape[1] - 1)]
        result[inside] = part[inside]
        return result

    def _along(self, axis: int, count: int) -> NDArray[np.int64]:
        """Columns or rows of the picture that so many pixels of the page show."""
        at = self.corner[axis] + (np.arange(count) + 0.5) / self.zoom
        middle = float(self.shot.found.center[axis])
        return np.asarray(np.floor(2.0 * middle - at if self.shot.turned[axis] else at), np.int64)

    def _with_points(self, pixels: Pixels, frame: int, solved: bool) -> Pixels:
        """Dots at the points that were found, and at where the character has them."""
        used = self.shot.found.places.used
        at = (self.shot.tracks.points[frame, used] - self.corner) * self.zoom
        certain = self.shot.tracks.certainty[frame, used] > 0.0
        there = np.isfinite(at).all(axis=1)
        if solved and not self.shot.found.lost[frame]:
            _dots(pixels, (self.shot.projected(frame) - self.corner) * self.zoom, SOLVED)
        _dots(pixels, at[there & certain], FOUND)
        _dots(pixels, at[there & ~certain], HIDDEN)
        return pixels


def _dots(pixels: Pixels, places: NDArray[np.float64], color: tuple[int, int, int]) -> None:
    """Squares of three pixels in a dark one of five."""
    height, width = pixels.shape[:2]
    corners = np.floor(places).astype(int)
    for reach, tone in ((2, (20, 20, 20)), (1, color)):
        for x, y in corners:
            if reach <= x < width - reach and reach <= y < height - reach:
                pixels[y - reach : y + reach + 1, x - reach : x + reach + 1] = tone
