"""Transferred shapes corrected by expressions of the target: example-based facial rigging."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import inverse
from rigcast._core import BlendshapeRig, DeformationTransfer
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument, bad_file, check_threads, missing_file
from rigcast.errors import UndeterminedShapesWarning
from rigcast.progress import Progress, ProgressOption, as_callback
from rigcast.sources._weights import read_weights
from rigcast.transfer._contacts import Contacts, contact_pairs
from rigcast.transfer._packing import ExpressionPlan
from rigcast.transfer._positions import check_positions
from rigcast.transfer._resting import Fixed, held_vertices, holds_each
from rigcast.transfer._scans import scan_notes, warn_of_scans

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

#: The weight of transferred shapes relative to examples. The published last value, 0.1, leaves much of what even exact
#: scans say unused; 0.02 comes nearer to sculpted truths with exact scans and with noise of 0.1 mm, and as near with
#: ten scans of 0.3 mm noise, independent at every vertex (benchmarks/papers/packing/examples.py).
BETA = 0.02
#: How much they count while weights are estimated, in the first and in the last iteration (Li et al. 2010, section 4).
SCHEDULE = (0.5, 0.1)
#: The same for weights: published as 1000 and 100, in units of an unstated length; here relative to the shapes.
GAMMA = (1.0, 0.1)
ITERATIONS = 10


@one_line
@dataclass(frozen=True)
class ExampleFit:
    """The result of :func:`fit_example_weights`: shapes corrected by scans, and the weights of the scans.

    Attributes
    ----------
    shapes : (K, V, 3) float32
        Positions.
    weights : (J, K) float64
        Of the examples: as given, or as estimated.
    resolution : (K,) float64
        How much the examples tell about each shape, relative to a scan of it alone: 0 nothing, 1 as much. Examples that
        show a shape faintly, or only together with others that move the same place, tell little.
    undetermined : list of int
        Shapes with a resolution below 0.25: they are nearly as transferred.
    rms : (J,) float64
        Distance of each example from the mixture of shapes that it is to be, root mean square over the vertices.
    notes : list of str
        Sentences about examples that are no expressions of the target with the weights as given: in another unit,
        mirrored, moved, or in another order. Each is a warning, too.
    """

    shapes: Float32
    weights: Float64
    resolution: Float64
    undetermined: list[int]
    rms: Float64
    notes: list[str]


def example_based(
    source_neutral: ArrayLike,
    source_shapes: ArrayLike,
    target_neutral: ArrayLike,
    faces: ArrayLike,
    examples: ArrayLike,
    example_weights: ArrayLike,
    *,
    fixed: Fixed = "rest",
    contacts: Contacts = "auto",
    beta: float = BETA,
    threads: int = 0,
) -> Float32:
    """Transfer shapes, corrected by scans of the target whose weights are known (Li et al. 2010).

    Every triangle's sides minimize ``sum_j |M_j - M_0 - sum_k a_jk X_k|^2 + beta sum_k w_k |X_k - X*_k|^2`` with
    ``w_k = ((1 + r_k) / (0.1 + r_k))^2``: the examples' sides M_j, the transferred X*_k, and r_k, how much the source's
    shape changes the triangle, relative to its size and in units of the shapes' typical change (published in units of
    length). A J x J system per triangle by Woodbury's identity, then one global solve. If weights are
    only roughly known, :func:`fit_example_weights` finds them, too.

    Parameters
    ----------
    source_neutral, source_shapes, target_neutral, faces, fixed, contacts
        As in :func:`deformation_transfer`, without ``"each"``. What is fixed stays whatever the examples show there.
        Contacts are met by shapes that the examples leave undetermined; the others meet where the examples do.
    examples : array_like, shape (J, V, 3)
        Expressions of the target, positions.
    example_weights : array_like, shape (J, K)
        Of the shapes in the examples, in [0, 1].
    beta : float
        The weight of the transferred shapes relative to the examples, above 0: a small one for clean scans, a larger
        one for noisy scans. Published: 0.1 for known weights.
    threads : int
        Number of threads; 0 means all processors that this process may use.

    Returns
    -------
    (K, V, 3) float32
        Positions. A shape that no example uses is as transferred. A warning
        :class:`rigcast.errors.UndeterminedShapesWarning` names these, and those about which the examples tell less
        than a quarter of what a scan of each alone would. A :class:`rigcast.errors.ScansWarning` says if examples are
        in another unit than the neutral, mirrored, turned or moved as a whole, or in another order than their weights.

    Raises
    ------
    ValueError
        On sizes that differ, values that are not finite, indices out of range, and weights outside [0, 1].

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> shapes = rc.transfer.positions_from_rig(rig)[:2]
    >>> scans = rig.rest_vertices + 1.1 * (shapes - rig.rest_vertices)
    >>> made = rc.transfer.example_based(rig.rest_vertices, shapes, rig.rest_vertices, rig.faces, scans, np.eye(2))
    >>> made.shape
    (2, 2536, 3)
    """
    if holds_each(fixed):
        raise bad_argument("example_based", "fixed", "'each'", '"rest", vertices or None')
    check_threads("example_based", threads)
    check_positions("example_based", source_neutral, source_shapes, "source_shapes")
    check_positions("example_based", target_neutral, examples, "examples")
    held = held_vertices("example_based", fixed, source_neutral, source_shapes)
    pairs = contact_pairs("example_based", contacts, source_neutral, source_shapes, faces, threads)
    solver = DeformationTransfer(source_neutral, target_neutral, faces, held, contacts=pairs)
    weights = _checked(example_weights)
    shapes = solver.transfer_with_examples(source_shapes, examples, weights, beta, threads=threads)
    warn_of_scans("example_based", _notes(solver, source_shapes, examples, weights, threads))
    _warn(_undetermined(solver.resolution(source_shapes, weights, beta, threads=threads)))
    return shapes


def fit_example_weights(
    solver: DeformationTransfer,
    source_shapes: ArrayLike,
    target_neutral: ArrayLike,
    *,
    examples: ArrayLike,
    example_weights: ArrayLike,
    beta: float = BETA,
    iterations: int = ITERATIONS,
    threads: int = 0,
    progress: ProgressOption = None,
) -> ExampleFit:
    """As :func:`example_based`, for scans whose weights are only roughly known: finds these, too.

    Li et al. 2010, section 4. Alternates between shapes for given weights and weights for given shapes, both held near
    what came before: beta falls from 0.5 to 0.1 as published and gamma by the published ratio (1000 to 100),
    geometrically; the weights that are found then give the shapes with ``beta``, which is 0.1 as published and less by
    default. Weights minimize ``|x_j - x_0 - sum_k a_jk (v_k - x_0)|^2 + gamma m sum_k (a_jk - a*_jk)^2`` in [0, 1], a*
    as given and m the mean of ``|v_k - x_0|^2``, so that the result does not depend on the unit (the published gamma
    does).

    Parameters
    ----------
    solver : DeformationTransfer
        Its factorization serves every iteration.
    source_shapes, target_neutral, examples
        As in :func:`example_based`; the neutral is the solver's.
    example_weights : array_like, shape (J, K)
        First guesses, in [0, 1].
    beta : float
        As in :func:`example_based`, for the last solve.
    iterations : int
        0 takes the weights as they are.
    threads : int
        Number of threads; 0 means all processors that this process may use.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    ExampleFit

    Raises
    ------
    ValueError
        As ``example_based`` does, and if the target is not the solver's.
    """
    check = Arguments("fit_example_weights")
    check.threads(threads)
    show = as_callback(progress)
    weights = guess = _checked(example_weights)
    neutral = _checked_target(solver, target_neutral)
    check_positions("fit_example_weights", neutral, examples, "examples")
    poses = check.numbers("examples", examples, "J V 3", dtype=np.float32, finite=False)
    iterations = check.whole("iterations", iterations)
    betas, gammas = (np.geomspace(*ends, max(iterations, 1)) for ends in (SCHEDULE, GAMMA))
    for i in range(iterations):
        shapes = solver.transfer_with_examples(source_shapes, poses, weights, betas[i], threads=threads)
        weights = _estimate(neutral, shapes, poses, guess, gammas[i], threads)
        show(Progress("fitting weights of examples", i + 1, iterations))
    shapes = solver.transfer_with_examples(source_shapes, poses, weights, beta, threads=threads)
    notes = _notes(solver, source_shapes, poses, guess, threads)
    warn_of_scans("fit_example_weights", notes)
    resolution = solver.resolution(source_shapes, weights, beta, threads=threads)
    undetermined = _undetermined(resolution)
    _warn(undetermined)
    mixed = neutral + np.tensordot(weights, shapes.astype(np.float64) - neutral, 1)
    rms = np.sqrt(np.square(mixed - poses).sum(axis=2).mean(axis=1))
    return ExampleFit(shapes, weights, resolution, undetermined, rms, notes)


def _notes(
    solver: DeformationTransfer, source_shapes: ArrayLike, examples: ArrayLike, weights: Float64, threads: int
) -> list[str]:
    """Notes on checked examples and their weights as given."""
    transferred = solver.transfer(source_shapes, threads=threads)
    return scan_notes(solver.target_neutral, np.asarray(examples, np.float32), transferred, weights)


def _checked_target(solver: DeformationTransfer, target_neutral: ArrayLike) -> Float32:
    own = solver.target_neutral
    check = Arguments("fit_example_weights", V=len(own))
    neutral: Float32 = check.numbers("target_neutral", target_neutral, "V 3", dtype=np.float32)
    if not np.array_equal(neutral, own):
        far = float(np.abs(neutral - own).max())
        raise bad_argument("fit_example_weights", "target_neutral", f"up to {far:.3g} off", "the solver's")
    return neutral


def _estimate(neutral: Float32, shapes: Float32, poses: Float32, guess: Float64, gamma: float, threads: int) -> Float64:
    deltas = shapes - neutral
    strength = gamma * float(np.square(deltas, dtype=np.float64).sum() / len(deltas))
    if not len(poses) or strength == 0.0:
        return guess
    rig = BlendshapeRig(neutral, deltas)
    priors = (guess, np.full(guess.shape, strength))
    solution = inverse.solve(rig, poses, method="descent", alpha=0.0, priors=priors, threads=threads)
    return np.asarray(solution.weights, np.float64)


def _checked(example_weights: ArrayLike) -> Float64:
    weights = np.array(Arguments("example_based").numbers("example_weights", example_weights, "J K", finite=False))
    outside = np.argwhere(~((weights >= 0.0) & (weights <= 1.0)))
    if len(outside):
        j, k = outside[0]
        raise bad_argument("example_based", "example_weights", f"{weights[j, k]} at ({j}, {k})", "in [0, 1]")
    return weights


def _undetermined(resolution: Float64) -> list[int]:
    return [int(k) for k in np.flatnonzero(resolution < DeformationTransfer.determined)]


def _warn(undetermined: list[int]) -> None:
    if undetermined:
        few = ", ".join(map(str, undetermined[:8])) + (", ..." if len(undetermined) > 8 else "")
        text = (
            f"examples leave {len(undetermined)} of the shapes undetermined ({few}): none shows them, or only faintly "
            "or together with others in the same place; they stay near what deformation transfer made"
        )
        warnings.warn(text, UndeterminedShapesWarning, stacklevel=3)


def load_example_weights(path: str | os.PathLike[str], rig: BlendshapeRig, count: int) -> Float64:
    """Read the weights of examples, the argument ``example_weights`` of :func:`example_based`.

    Parameters
    ----------
    path : path-like
        ``.npy`` (J, K); what :func:`rigcast.sources.load_blendshape_weights` reads; or a saved
        :class:`ExpressionPlan` (``.json``), whose first expressions are taken.
    rig : BlendshapeRig
    count : int
        J, the number of examples.

    Returns
    -------
    (J, K) float64

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is none of these, of another rig, or of another number of examples.
    """
    file = Path(path)
    if not file.is_file():
        raise missing_file("load_example_weights", "path", file)
    is_plan = file.suffix.lower() == ".json"
    weights = _planned(ExpressionPlan.load(file), rig, file)[:count] if is_plan else read_weights(file, rig)
    if weights.shape != (count, rig.num_shapes):
        needed = f"{count} examples of {rig.num_shapes} shapes need ({count}, {rig.num_shapes})"
        raise bad_file(file, f"weights of shape {weights.shape}; {needed}", function="load_example_weights")
    return weights


def _planned(plan: ExpressionPlan, rig: BlendshapeRig, path: Path) -> Float64:
    index = {name: k for k, name in enumerate(rig.shape_names)}
    unknown = [name for name in plan.names if name not in index]
    if unknown:
        problem = f"a plan for another rig; {unknown[0]!r} is no shape of this one"
        raise bad_file(path, problem, function="load_example_weights")
    weights = np.zeros((len(plan.expressions), rig.num_shapes))
    weights[:, [index[name] for name in plan.names]] = plan.weights()
    return weights
