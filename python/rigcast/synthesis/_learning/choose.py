"""The number of dimensions and components of a label, chosen by frames that were held out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rigcast.progress import Progress, ProgressCallback, silent
from rigcast.synthesis._clips.prepare import Prepared
from rigcast.synthesis._figures import HeldOut
from rigcast.synthesis._learning.embedding import LatentSettings, components_for, components_that_show, fit_space
from rigcast.synthesis._learning.held_out import Judge, split
from rigcast.synthesis._learning.kept import Kept

Float64 = NDArray[np.float64]

SHARES = (
    0.85,
    0.95,
    0.99,
    0.999,
)  # of the variance, for which numbers of components are tried; the paper's is the first
UNMEASURED = 0.99  # of the variance, where no frames can be held out
HALF = 0.5  # of the median step: how closely components show the frames
USUAL = 3  # dimensions, the paper's: numbers of components are compared there
DIMENSIONS = (2, 3, 4, 6)  # compared at the best number of components
NEAR = 1.05  # times the least held-out error: the fewest dimensions that come so near are chosen
TRIALS = 60  # iterations of a latent space that is only compared with others


class Trials:
    """Latent spaces of one label without its held-out frames, judged by these.

    Parameters
    ----------
    ready : Prepared
    label : str
    settings : LatentSettings
    kept : Kept
    progress : callable
    """

    def __init__(
        self, ready: Prepared, label: str, settings: LatentSettings, kept: Kept, progress: ProgressCallback
    ) -> None:
        self._ready, self._label, self._settings, self._kept, self._progress = ready, label, settings, kept, progress
        self._parts = split(ready.segments[label])
        self._judge = (
            Judge(ready.mesh, ready.around, ready.scales[label], ready.effects, ready.frames[label], self._parts)
            if len(self._parts.held)
            else None
        )
        self._errors: dict[tuple[int, int], float] = {}

    @property
    def are_possible(self) -> bool:
        """Return True if the label's clips are long enough to hold frames out."""
        return self._judge is not None

    def error(self, dimensions: int, components: int) -> float:
        """Millimeters of a space that is fitted by few iterations."""
        key = dimensions, components
        if key not in self._errors:
            message = f"{dimensions} dimensions, {components} components"
            self._progress(Progress(f"choosing {self._label}", len(self._errors), 0, message))
            trial = replace(self._settings, dimensions=dimensions, components=components)
            self._errors[key] = self._measured(replace(trial, iterations=min(TRIALS, trial.iterations))).latent
        return self._errors[key]

    def figures(self, settings: LatentSettings) -> HeldOut | None:
        """The figures of what was chosen, fitted as the whole label is."""
        return self._measured(settings) if self.are_possible else None

    def _measured(self, settings: LatentSettings) -> HeldOut:
        decides = [self._label, replace(settings, threads=0)]
        return self._kept.held_out(decides, lambda: self._measure(settings))

    def _measure(self, settings: LatentSettings) -> HeldOut:
        assert self._judge is not None
        ready, parts = self._ready, self._parts
        kept = ready.frames[self._label][parts.kept]
        scale = ready.scales[self._label]
        space = fit_space(self._label, kept, parts.segments, ready.around, scale, ready.effects, settings, silent)
        return self._judge.measured(space)


def least_components(ready: Prepared, label: str) -> int:
    """As many components as show the label's frames within half of its median step.

    A step is the distance of the meshes of successive frames. With fewer, idling could not come as close to the clips
    as the clips' frames are to each other.
    """
    coordinates = ready.around.of(ready.frames[label])
    features = coordinates @ ready.effects
    steps = [np.linalg.norm(np.diff(features[s.begin : s.end], axis=0), axis=1) for s in ready.segments[label]]
    moved = np.concatenate([*steps, np.zeros(0)])
    if not len(moved) or np.median(moved) <= 0.0:
        return 1
    return components_that_show(coordinates, ready.scales[label], ready.effects, HALF * float(np.median(moved)))


def chosen_settings(
    trials: Trials,
    coordinates: Float64,
    weights: Float64,
    given: tuple[int | None, int | None],
    usual: LatentSettings,
    least: int = 1,
) -> LatentSettings:
    """Dimensions and components, those that are not given by the held-out frames.

    Components are compared at the paper's three dimensions, then dimensions at the best components. Unless they are
    given, there are at least ``least``.
    """
    dimensions, components = given
    width = USUAL if dimensions is None else dimensions
    counts = [components] if components else [max(components_for(coordinates, weights, s), least) for s in SHARES]
    if not trials.are_possible:
        count = components or max(components_for(coordinates, weights, UNMEASURED), least)
        return replace(usual, dimensions=width if dimensions else min(width, count), components=count)
    count = counts[0] if len(set(counts)) == 1 else min(dict.fromkeys(counts), key=lambda c: trials.error(width, c))
    if dimensions is None:
        tried = [width for width in DIMENSIONS if width <= count] or [count]
        errors = {width: trials.error(width, count) for width in tried}
        width = next(width for width, error in errors.items() if error <= NEAR * min(errors.values()))
    return replace(usual, dimensions=width, components=count)
