"""The pictures of a report: the character, colored by error, at poses worth a look."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._pages.gallery import Gallery, Picture, Row
from rigcast._pages.pictures import data_uri
from rigcast._pages.words import millimeters
from rigcast.plot._colors import distinct, heat, nice_top
from rigcast.plot._studio import Studio, View, close_view, view_of
from rigcast.progress import Progress, ProgressCallback
from rigcast.report._body.assess import Assessment
from rigcast.report._body.contenders import MODEL, PAPER, Contender, reference
from rigcast.report._body.measure import Accuracy, set_weights
from rigcast.report._body.places import worst_place

FRONT, BEHIND = 25.0, 205.0  # degrees around the character
PLAYED = 6  # frames of the animation side by side
MOST_SHOWN = 4  # models side by side


def gallery(numbers: Assessment, progress: ProgressCallback) -> Gallery:
    """Draw the pictures of an assessment."""
    model = numbers.subject.model
    with Studio(model.faces, len(model.rest_vertices)) as studio:
        painter = Painter(numbers, studio, progress)
        return Gallery(painter.overview(), painter.poses(), painter.sets())


class Painter:
    """Draws one report's pictures, all heat maps of poses on one scale."""

    def __init__(self, numbers: Assessment, studio: Studio, progress: ProgressCallback) -> None:
        self.numbers = numbers
        self.studio = studio
        self.progress = progress
        self.drawn = 0
        self.up = numbers.subject.model.up_axis
        paper = next((entry for entry in numbers.contenders if entry.role == PAPER), None)
        models = [entry for entry in numbers.contenders[1:] if entry.role == MODEL]
        compared = [entry for entry in (paper, reference(numbers.contenders), *models) if entry is not None]
        self.shown: list[Contender] = [numbers.subject, *dict.fromkeys(compared)][:MOST_SHOWN]
        self.top = nice_top(float(np.percentile(numbers.accuracy[0][0].distances, 99.8)))

    def overview(self) -> Row:
        """The mean error of every vertex, on the character at rest, one picture per model."""
        rest = self.numbers.subject.model.rest_vertices
        means = [self._accuracy(entry).distances.mean(axis=0) for entry in self.shown]
        top = nice_top(float(np.percentile(means[-1], 90)))
        pictures = []
        for entry, mean in zip(self.shown, means, strict=True):
            uris = self._around(rest, heat(mean / top))
            pictures.append(Picture(uris, entry.label, f"mean {millimeters(float(mean.mean()))} mm", entry.color))
        return Row("", "", pictures, top)

    def poses(self) -> list[Row]:
        """Best, median and worst random pose, the largest error from near, and frames of the animation."""
        order = np.argsort(self._accuracy(self.numbers.subject).distances.mean(axis=1), kind="stable")
        chosen = [("Best pose", order[0]), ("Median pose", order[len(order) // 2]), ("Worst pose", order[-1])]
        rows = [self._pose(0, title, int(pose)) for title, pose in chosen] + [self._close(0)]
        if len(self.numbers.truths) > 1:
            frames = np.argsort(self._accuracy(self.numbers.subject, 1).distances.mean(axis=1), kind="stable")
            median, worst = int(frames[len(frames) // 2]), int(frames[-1])
            rows.append(self._played())
            rows += [self._pose(1, "Animation, median frame", median), self._pose(1, "Animation, worst frame", worst)]
        return rows

    def sets(self) -> Row | None:
        """The vertex sets of the models that have them; a vertex that belongs to several mixes their colors."""
        pictures = []
        rest = self.numbers.subject.model.rest_vertices
        for entry in self.shown:
            weights = set_weights(entry.model)
            if weights is None:
                continue
            colors = np.asarray(weights @ distinct(weights.shape[1]).astype(np.float32)).round().astype(np.uint8)
            uris = self._around(rest, colors)
            pictures.append(Picture(uris, entry.label, f"{weights.shape[1]} sets", entry.color))
        return Row("", "", pictures) if pictures else None

    def _pose(self, which: int, title: str, pose: int) -> Row:
        truth = self.numbers.truths[which]
        exact = truth.vertices[pose]
        view = view_of(exact, self.up)
        pictures = self._three(which, pose, view)
        back = view_of(exact, self.up, turn=BEHIND)
        behind = self._difference(self.numbers.subject, which, pose, back, "difference, from behind")
        pictures.append(replace(behind, note=""))
        compared = reference(self.numbers.contenders)
        if compared is not None:
            pictures.append(self._difference(compared, which, pose, view, compared.label))
        text = f"{'frame' if which else 'row'} {int(truth.rows[pose]):,} of the {truth.title}"
        return Row(title, text, pictures, self.top)

    def _played(self) -> Row:
        """Frames of the animation at even distances, as the subject plays them."""
        truth, subject = self.numbers.truths[1], self.numbers.subject
        shown = np.unique(np.linspace(0, len(truth.poses) - 1, PLAYED).round().astype(int)).tolist()
        view = view_of(truth.vertices[shown].reshape(-1, 3), self.up)
        pictures = [self._difference(subject, 1, n, view, f"frame {int(truth.rows[n]):,}") for n in shown]
        return Row("The animation, frame by frame", f"{subject.label}, in the colors of its error", pictures, self.top)

    def _close(self, which: int) -> Row:
        truth = self.numbers.truths[which]
        distances = self._accuracy(self.numbers.subject, which).distances
        pose, vertex = (int(index) for index in np.unravel_index(int(distances.argmax()), distances.shape))
        exact = truth.vertices[pose]
        normal = _core.vertex_normals(exact, self.numbers.subject.model.faces)[vertex]
        view = close_view(exact, vertex, normal, up_axis=self.up)
        pictures = self._three(which, pose, view)
        for entry in self.shown[1:]:
            pictures.append(self._difference(entry, which, pose, view, entry.label))
        error, row = millimeters(float(distances.max())), int(truth.rows[pose])
        place = worst_place(self.numbers.subject.model, vertex)
        text = f"row {row:,} of the {truth.title}: vertex {vertex:,}{place}, in the middle, {error} mm off"
        return Row("Largest error of all, close", text, pictures, self.top)

    def _three(self, which: int, pose: int, view: View) -> list[Picture]:
        truth = self.numbers.truths[which]
        guess = self.numbers.subject.model.evaluate(truth.poses[pose])
        return [
            Picture([self._draw(truth.vertices[pose], view)], "the rig"),
            Picture([self._draw(guess, view)], self.numbers.subject.label),
            self._difference(self.numbers.subject, which, pose, view, "difference"),
        ]

    def _difference(self, entry: Contender, which: int, pose: int, view: View, title: str) -> Picture:
        truth = self.numbers.truths[which]
        distance = self._accuracy(entry, which).distances[pose]
        note = f"mean {millimeters(float(distance.mean()))}, max {millimeters(float(distance.max()))} mm"
        return Picture([self._draw(truth.vertices[pose], view, heat(distance / self.top))], title, note)

    def _around(self, vertices: NDArray[Any], colors: NDArray[np.uint8]) -> list[str]:
        """From the front and from behind."""
        return [self._draw(vertices, view_of(vertices, self.up, turn=turn), colors) for turn in (FRONT, BEHIND)]

    def _draw(self, vertices: NDArray[Any], view: View, colors: NDArray[np.uint8] | None = None) -> str:
        self.drawn += 1
        self.progress(Progress("drawing", self.drawn, 0, f"picture {self.drawn}"))
        return data_uri(self.studio.cutout(vertices, view, colors))

    def _accuracy(self, entry: Contender, which: int = 0) -> Accuracy:
        return self.numbers.accuracy[which][self.numbers.contenders.index(entry)]
