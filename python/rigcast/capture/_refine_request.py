"""Settings and arguments of ``refine``, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig, PictureTerms
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument
from rigcast.capture._samples import usual_region
from rigcast.capture._solution import Capture
from rigcast.capture._tracks import Tracks, checked_tracks

Float64 = NDArray[np.float64]


@one_line
@dataclass(frozen=True, kw_only=True)
class RefineSettings:
    """Terms of :func:`refine`, and how it solves.

    Parameters
    ----------
    samples : int
        Points on the surface whose colors are compared.
    photometric, landmarks : float
        Weights of the mean color loss and of the mean point loss; 0 points: colors alone.
    smoothing : float
        Of a weight that does not move, at 30 frames per second; in proportion to the rate at others.
    flow : float
        Motion of the picture, in pixels, that takes smoothing away to 1 / e; at least .3, below which flow is noise.
    sparsity : float
        L1.
    blur : (float, float)
        Standard deviations of the fine and the coarse picture, as shares of the face's radius in the picture.
    gamma : float
        Of the pictures' 8 bits.
    steps : (int, int)
        On the coarse and the fine picture, at most.
    tolerance : float
        A level ends when a step lowers the energy by a smaller share.
    passes : int
        1: each frame from the one before. More: the whole shot, with each frame between both of its neighbors, forward
        and backward in turn.
    fit_light : bool
        Fit 27 coefficients in each frame; else the light is that of the neutral.
    debias : bool
        Find the head without the sparsity, over the weights that are on.
    offsets : bool
        Count points from where they lay in the neutral. False: the rig is the actor's own, and points lie on it.
    seed : int
        Of the samples.
    """

    samples: int = 1000
    photometric: float = 1.0
    landmarks: float = 0.05
    smoothing: float = 0.3
    flow: float = 0.4
    sparsity: float = 0.01
    blur: tuple[float, float] = (0.016, 0.04)
    gamma: float = 2.2
    steps: tuple[int, int] = (4, 6)
    tolerance: float = 1e-3
    passes: int = 1
    fit_light: bool = True
    debias: bool = True
    offsets: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        check = Arguments("RefineSettings")
        check.whole("samples", self.samples, least=50, most=100_000)
        check.number("photometric", self.photometric, above=0.0)
        for name in ("landmarks", "smoothing", "sparsity", "tolerance"):
            check.number(name, getattr(self, name), least=0.0)
        check.number("flow", self.flow, least=0.3)
        check.number("gamma", self.gamma, above=0.0)
        fine, coarse = check.numbers("blur", self.blur, "2")
        if not 0.0 <= fine <= coarse <= 1.0:
            raise check.wrong("blur", f"({fine:g}, {coarse:g})", "the fine one first, both from 0 to 1")
        check.integers("steps", self.steps, "2", low=0, below=1000)
        check.whole("passes", self.passes, least=1, most=20)
        check.whole("seed", self.seed)


def picture_terms(settings: RefineSettings, face: float) -> PictureTerms:
    """The engine's terms, for a face with a radius of so many pixels."""
    terms = PictureTerms()
    terms.photometric, terms.sparsity, terms.gamma = settings.photometric, settings.sparsity, settings.gamma
    terms.fine, terms.coarse = (min(100.0, share * face) for share in settings.blur)
    terms.coarse_steps, terms.fine_steps = settings.steps
    terms.tolerance, terms.fit_light, terms.debias = settings.tolerance, settings.fit_light, settings.debias
    return terms


@dataclass(frozen=True)
class RefineRequest:
    """Arguments of ``refine``, checked."""

    rig: BlendshapeRig
    found: Capture
    pictures: Sequence[NDArray[np.uint8]]
    tracks: Tracks
    whitening: Float64  # (T, P, 3)
    region: Float64
    fixed: Float64
    prior_target: Float64
    prior_strength: Float64
    settings: RefineSettings


def checked_refinement(
    rig: BlendshapeRig,
    found: Capture,
    pictures: Any,
    points: Any,
    covariance: Any,
    region: Any,
    fixed: Any,
    priors: Any,
    settings: RefineSettings,
) -> RefineRequest:
    """Check the arguments against each other.

    Raises
    ------
    ValueError
    """
    frames, shapes, count = len(found.weights), rig.num_shapes, len(found.places.vertices)
    check = Arguments("refine", T=frames, K=shapes, P=count, V=rig.num_vertices)
    if found.weights.shape[1] != shapes:
        raise check.wrong("found", f"with {found.weights.shape[1]} weights", f"the {shapes} of the rig")
    if len(pictures) != frames:
        raise check.wrong("pictures", f"{len(pictures)} of them", f"{frames}, one per frame of the capture")
    if not len(found.neutral):
        raise check.wrong("found", "without a neutral frame", "solved with a frame of the shot as its neutral")
    heavy = usual_region(rig) if region is None else check.numbers("region", region, "V")
    if heavy.min(initial=0.0) < 0.0:
        raise check.wrong("region", f"{heavy.min():g} for one vertex", "at least 0")
    pins = np.full((frames, shapes), np.nan)
    if fixed is not None:
        pins = np.broadcast_to(check.numbers("fixed", fixed, "K", "T K", missing=True), pins.shape)
    if ((pins < rig.bounds[:, 0]) | (pins > rig.bounds[:, 1])).any():
        raise check.wrong("fixed", "outside the bounds of the rig somewhere", "inside them")
    given = (0.0, 0.0) if priors is None else priors
    target, pull = (np.broadcast_to(check.numbers("priors", v, "", "K", "T K"), pins.shape) for v in given)
    return RefineRequest(
        rig,
        found,
        pictures,
        _tracks(points, found, check),
        whitening(check, covariance, (frames, count), found.noise),
        np.asarray(heavy),
        pins,
        target,
        pull,
        settings,
    )


def _tracks(points: Any, found: Capture, check: Arguments) -> Tracks:
    """The points of the solve; none: certainties of 0."""
    shape = found.residual.shape
    if points is None:
        return Tracks(np.zeros((*shape, 2)), np.zeros(shape), found.fps)
    tracks = points if isinstance(points, Tracks) else checked_tracks("refine", points, None, found.fps, None)
    if tracks.points.shape != (*shape, 2):
        raise check.wrong("points", str(tracks.points.shape), f"{(*shape, 2)}, in pixels, as of the capture")
    return tracks


def whitening(check: Arguments, covariance: Any, shape: tuple[int, int], noise: float) -> Float64:
    """(T, P, 3) upper triangles W with W^T W = noise^2 C^-1 of covariances C; the identity where there are none."""
    result = np.zeros((*shape, 3))
    result[..., 0] = result[..., 2] = 1.0
    if covariance is None:
        return result
    given = check.numbers("covariance", covariance, "P 2 2", "T P 2 2")
    determinant = given[..., 0, 0] * given[..., 1, 1] - given[..., 0, 1] ** 2
    if not (np.isclose(given[..., 0, 1], given[..., 1, 0]) & (given[..., 0, 0] > 0) & (determinant > 0)).all():
        raise bad_argument("refine", "covariance", "not positive definite for a point", "symmetric, positive definite")
    lower = np.linalg.cholesky(noise**2 * np.linalg.inv(given))
    result[..., 0], result[..., 1], result[..., 2] = lower[..., 0, 0], lower[..., 1, 0], lower[..., 1, 1]
    return result
