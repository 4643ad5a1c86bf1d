"""The stage of a captured shot: frames with a key are corrected ones, to which the actor's shapes are fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._validate import bad_argument
from rigcast.capture._again import solve_again
from rigcast.capture._own_rig.personal import personalize
from rigcast.capture._refine import refine
from rigcast.capture._solution import Capture
from rigcast.capture._tracks import Tracks
from rigcast.viewer._figures._figure import State
from rigcast.viewer._figures._head import PlayedHead
from rigcast.viewer._figures._model import ModelFigure
from rigcast.viewer._handles import HandleSet
from rigcast.viewer._playing._timeline import Timeline
from rigcast.viewer._protocol import Refused
from rigcast.viewer._stage import Stage


@dataclass(frozen=True)
class KeyedShot:
    """A capture, the points that it was solved from, and the pictures if there are any."""

    rig: _core.BlendshapeRig
    found: Capture
    tracks: Tracks
    pictures: Sequence[NDArray[np.uint8]] | None = None

    def __post_init__(self) -> None:
        if self.tracks.points.shape[:2] != self.found.residual.shape:
            frames, points = self.found.residual.shape
            got = f"{self.tracks.points.shape[1]} in {len(self.tracks.points)} frames"
            raise bad_argument("view", "points", got, f"the {points} in {frames} frames that the capture was made of")

    def corrected(self, rows: NDArray[np.float64]) -> tuple[Capture, str]:
        """The shot solved on the actor's shapes, fitted to the rows (T, K) without NaN; and a sentence about it."""
        personal = personalize(self.rig, self.found, self.tracks, corrected=rows)
        again, _ = solve_again(personal.rig, self.found, self.tracks, fixed=rows, whole=True)
        known = ~self.found.lost
        before, after = (float(np.nanmean(found.residual[known])) for found in (self.found, again))
        if self.pictures is not None and len(again.neutral):
            again = refine(personal.rig, again, self.pictures, points=self.tracks, fixed=rows)
        count, (off, near) = len(personal.frames), personal.residual
        frames = "1 corrected frame" if count == 1 else f"{count} corrected frames"
        text = (
            f"the actor's shapes were fitted to {frames}: points there within {near:.2f} in place of {off:.2f} pixels; "
            f"in the whole shot {after:.2f}, before {before:.2f}"
        )
        return again, text


class CorrectingStage(Stage):
    """Plays a captured shot, and solves it again around the frames that have a key.

    Parameters
    ----------
    figure : ModelFigure
        Of the rig that the shot was captured on.
    beside, timeline, handles
        As of :class:`Stage`; the timeline has the capture's weights.
    shot : KeyedShot
    """

    figure: ModelFigure

    def __init__(
        self, figure: ModelFigure, beside: Any, timeline: Timeline, handles: Sequence[HandleSet], shot: KeyedShot
    ) -> None:
        self.shot = shot
        super().__init__(figure, beside, timeline, handles)

    def scene_facts(self) -> dict[str, Any]:
        """The facts of a plain view, and that frames can be corrected."""
        return {**super().scene_facts(), "corrects": True}

    def refit(self) -> None:
        """Fit the actor's shapes to the frames with a key, and play the shot that is solved on them."""
        frames = [frame for frame in sorted(self.timeline.keys) if frame < len(self.shot.found.weights)]
        if not frames:
            raise Refused("no frame has a key: correct some, 3 to 10, and keep each by Key")
        rows = np.full(self.shot.found.weights.shape, np.nan)
        for frame in frames:
            rows[frame] = self.figure.pose(State(self.within(self.timeline.row(frame))))
        rows = np.clip(rows, *self.shot.rig.bounds.T)
        again, self.notice = self.shot.corrected(rows)
        self.timeline.playing = False
        poses = again.weights.astype(np.float32)
        still = np.zeros(len(self.rest), np.float32)
        self.timeline.rows, self.timeline.poses = self.figure.rows(poses), poses
        self.timeline.keys = dict.fromkeys(frames, still)  # corrected frames stay marked, as they are
        if self.timeline.head is not None:
            self.timeline.head = PlayedHead(again.motion, len(poses))
        self.go_to_timeline()
