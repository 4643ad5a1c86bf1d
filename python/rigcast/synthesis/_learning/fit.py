"""Learning to move as labelled clips do.

Order: clips are made ready (rates, limits, coordinates), each label's size is chosen by frames that are held out, its
space is fitted, and bridges join the labels. All labels share coordinates, so that distances between them are of one
mesh. What is fitted is rounded to float32 before it is judged: a file holds what was judged.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import Deformer
from rigcast._hashing import topology_hash
from rigcast._resume.parts import PartsFolder as KeptParts
from rigcast._validate import Arguments, bad_argument
from rigcast.progress import Progress, ProgressCallback, ProgressOption, as_callback
from rigcast.sources import Action, Retargeted, Rig
from rigcast.synthesis._bridges import default_threshold, find_bridges
from rigcast.synthesis._clips.clips import Clip, rate_of
from rigcast.synthesis._clips.prepare import Prepared, prepared
from rigcast.synthesis._learning.choose import UNMEASURED, USUAL, Trials, chosen_settings, least_components
from rigcast.synthesis._learning.embedding import LatentSettings, components_for, fit_space
from rigcast.synthesis._learning.kept import Kept, kept_in
from rigcast.synthesis._learning.recipe import DEFAULT, FitSettings
from rigcast.synthesis._parts import Bridge, SynthesisParts
from rigcast.synthesis._space import Space
from rigcast.synthesis._synthesizer import Synthesizer

MOST_DIMENSIONS = 16


def fit(
    clips: Mapping[str, Iterable[Clip | Retargeted | Action | ArrayLike]],
    fps: float | None = None,
    *,
    limits: ArrayLike | None = None,
    rig: Rig | Deformer | None = None,
    dimensions: int | None = None,
    components: float | None = None,
    threshold: float | None = None,
    settings: FitSettings | None = None,
    iterations: int = 200,
    held_out: bool = True,
    names: Iterable[str] | None = None,
    seed: int = 0,
    threads: int = 0,
    folder: str | os.PathLike[str] | KeptParts | None = None,
    progress: ProgressOption = None,
) -> Synthesizer:
    """Learn a latent space per label, and where they meet (Bailey 2020, chapter 5).

    Controls are scaled by what they do to the mesh, reduced to principal components, and embedded by a Gaussian process
    latent variable model with priors on dynamics and connectivity. Rotations of joints are rotation vectors from their
    mean. A control without variance, or without effect, stays at its mean. Labels are bridged where meshes match.

    Parameters
    ----------
    clips : mapping from label to list of clips
        Each a :class:`Clip`, what :func:`rigcast.sources.retarget` or a rig's ``action`` returns, or an array (T, N):
        channels of a rig with joints, weights of a face.
    fps : float, optional
        Of all that is played; clips of other rates are resampled. Arrays have this rate. Default: the one rate that
        clips state; 30 if none states any.
    limits : (N, 2) array, optional
        Lowest and highest value of each control. Default: the rig's, else those of the clips. Clips are clipped.
    rig : Rig, Deformer or BlendshapeRig, optional
        Says what controls do to the mesh. Without one, all controls count alike, and distances are of controls.
    dimensions : int, optional
        Of latent spaces.
    components : int or float, optional
        Principal components, or the share of the scaled variance, below 1, that those of each label hold at least: .85
        in the source. Default of both: what rebuilds held-out frames best, per label, of at least
        as many components as show the frames within half of the clips' median step.
    threshold : float, optional
        Distance of the meshes in millimeters (root mean square) up to which poses of two labels match. Default: what
        clips, where they move, exceed three quarters of the time in the 12 frames of a transition.
    settings : FitSettings, optional
        Choices in which the source and our defaults differ: one scaling per label, say.
    iterations : int
        At most, per latent space.
    held_out : bool
        Measure each label: fit without every fifth block of 12 frames first.
    names : sequence of N str, optional
        Of controls. Default: the rig's.
    seed : int
    threads : int
        Number of threads; 0 means all processors that this process may use. Results do not depend on it.
    folder : path-like, optional
        Keeps each fitted space, each trial of its size, and each pair of labels that was matched: the same call goes
        on after an interruption, to the same bytes. Made if it is missing; remove it when the result is saved.
    progress : callable or bool, optional

    Returns
    -------
    Synthesizer

    Raises
    ------
    ValueError
        If clips state several rates and ``fps`` is not given, controls of clips, limits, names and rig differ in
        number, a label has no frames, no control moves, or
        ``folder`` holds other files or is written by another run.
    KeyboardInterrupt
        After Ctrl-C; with ``folder``, the message says what is kept.

    Examples
    --------
    >>> import numpy as np
    >>> face = rc.faces.example()
    >>> t = np.linspace(0.0, 12.0, 96)[:, None]
    >>> smile, frown = (0.3 + 0.3 * np.sin(t * np.linspace(0.5, speed, face.num_shapes)) for speed in (2.0, 3.0))
    >>> synth = rc.synthesis.fit({"smile": [smile], "frown": [frown]}, rig=face, dimensions=3, components=6)
    >>> synth.route("smile", "frown")
    ['smile', 'frown']
    """
    check = Arguments("fit")
    rate = rate_of("fit", clips) if fps is None else check.rate("fps", fps)
    given = (
        None if dimensions is None else check.whole("dimensions", dimensions, least=1, most=MOST_DIMENSIONS),
        _components(check, components),
    )
    recipe = DEFAULT if settings is None else settings
    if not isinstance(recipe, FitSettings):
        raise bad_argument("fit", "settings", f"a {type(recipe).__name__}", "FitSettings")
    fitted = LatentSettings(
        iterations=check.whole("iterations", iterations, least=1),
        seed=check.whole("seed", seed, most=2**31 - 1),
        threads=check.threads(threads),
        minimizer=recipe.minimizer,
    )
    reach = None if threshold is None else check.number("threshold", threshold, above=0.0)
    report = as_callback(progress)
    ready = prepared(clips, rate, limits, rig, names, recipe.scaling)
    with kept_in(folder, ready) as kept:
        spaces = {label: _space(ready, label, given, fitted, held_out, kept, report) for label in ready.frames}
        if reach is None:
            reach = default_threshold(spaces, ready.around, ready.effects, ready.millimeters)
        bridges = find_bridges(spaces, ready.around, ready.effects, ready.mesh, reach, recipe.matching, kept, report)
    return Synthesizer(_parts(ready, spaces, bridges, reach, _metadata(ready, rig, fitted.seed, recipe)), rig)


def _space(
    ready: Prepared,
    label: str,
    wanted: tuple[int | None, float | None],
    settings: LatentSettings,
    held_out: bool,
    kept: Kept,
    progress: ProgressCallback,
) -> Space:
    """The latent space of a label, of the size that serves its held-out frames."""

    def report(step: Progress) -> None:
        progress(replace(step, stage=f"fitting {label}"))

    coordinates, scale = ready.around.of(ready.frames[label]), ready.scales[label]
    given = wanted[0], _count(wanted[1], coordinates, scale)
    figures = None
    if held_out:
        trials = Trials(ready, label, settings, kept, progress)
        chosen = chosen_settings(trials, coordinates, scale, given, settings, least_components(ready, label))
        figures = trials.figures(chosen)
    else:
        count = given[1] or max(components_for(coordinates, scale, UNMEASURED), least_components(ready, label))
        chosen = replace(settings, dimensions=given[0] or min(USUAL, count), components=count)
    frames, segments = ready.frames[label], ready.segments[label]
    return fit_space(
        label, frames, segments, ready.around, scale, ready.effects, chosen, report, figures, recall=kept.latent
    )


def _components(check: Arguments, components: float | None) -> float | None:
    """A number of components, a share of the variance below 1, or neither."""
    if components is None:
        return None
    if isinstance(components, (float, np.floating)) and 0.0 < components < 1.0:
        return float(components)
    return check.whole("components", components, least=1)


def _count(components: float | None, coordinates: NDArray[np.float64], scale: NDArray[np.float64]) -> int | None:
    """The number of a label's components, if it is given as a number or as a share."""
    if components is None or components >= 1:
        return None if components is None else int(components)
    return components_for(coordinates, scale, components)


def _parts(
    ready: Prepared,
    spaces: dict[str, Space],
    bridges: dict[tuple[str, str], Bridge],
    threshold: float,
    metadata: dict[str, Any],
) -> SynthesisParts:
    return SynthesisParts(
        fps=ready.fps,
        control_names=ready.names,
        around=ready.around,
        weights=ready.weights,
        effects=ready.effects,
        dropped=ready.dropped,
        spaces=spaces,
        bridges=bridges,
        threshold=threshold,
        millimeters=ready.millimeters,
        has_joints=ready.mesh is not None and ready.mesh.has_joints,
        metadata=metadata,
    )


def _metadata(ready: Prepared, rig: Any, seed: int, recipe: FitSettings) -> dict[str, Any]:
    """The metadata of a file."""
    about: dict[str, Any] = {"notes": ready.notes, "seed": seed, "clipped": ready.clipped}
    if recipe != DEFAULT:
        about["settings"] = asdict(recipe)
    if rig is not None:
        metadata = getattr(rig, "metadata", {}) or {}
        about["rig"] = {
            "name": str(getattr(rig, "name", "") or metadata.get("name", "")),
            "topology": topology_hash(rig.faces, len(rig.rest_vertices)),
            "licence": str(getattr(rig, "licence", "") or metadata.get("licence", "")),
        }
    return about
