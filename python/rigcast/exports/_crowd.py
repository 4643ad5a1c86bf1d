"""A crowd of one character, written for other programs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigcast import _core
from rigcast._core import BlendshapeRig
from rigcast._formats.registry import MADE_CROWD, written_endings
from rigcast._formats.usd.write_crowd import CrowdClip, CrowdPlaces, write_usd_crowd
from rigcast._hashing import padded_faces
from rigcast._rigs.motions.moving_mesh import MovingMesh
from rigcast._rigs.surface import surface_of
from rigcast._validate import FPS, MOST_FRAMES, Arguments, bad_argument, check_threads
from rigcast.exports._fallback import Fallback, fallback_of
from rigcast.exports._miss import MissSum
from rigcast.exports._playback import Playback
from rigcast.exports._skinned import EXACT, FRAMES_AT_ONCE, facts_of

FUNCTION = "write_crowd"
ENDINGS = written_endings(MADE_CROWD)
MEGA = 1e6


@dataclass(frozen=True)
class _Played:
    """A clip, repeated until its last phase has all its frames."""

    name: str
    playback: Playback
    phases: list[int]
    given: int


def write_crowd(
    path: str | os.PathLike[str],
    model: _core.Deformer,
    clips: Mapping[str, ArrayLike],
    *,
    positions: ArrayLike,
    fps: float = FPS,
    turns: ArrayLike | None = None,
    prototypes: ArrayLike | None = None,
    phases: int = 4,
    frames: int | None = None,
    max_error: float | None = None,
    as_vertices: bool = False,
    seed: int = 0,
    threads: int = 0,
) -> list[str]:
    """Write many instances of a character as a ``PointInstancer`` of USD.

    ``.usd``, ``.usda``, ``.usdc``. The prototypes are the character in each clip at each phase: phase p of a clip of T
    frames begins at its frame p T / ``phases``, and a clip that ends before the last phase has played is repeated.
    Samples are stored once per clip; a prototype is a reference with a layer offset. Prototypes hold joints and linear
    skinning, or blend shapes, where the model has any: small files, and a skinning per prototype and frame for whoever
    shows them. Else they hold the model's own vertices. The file appears complete or not at all.

    Parameters
    ----------
    path : path-like
    model : Deformer
    clips : mapping of str to array_like, shape (T, C)
        Poses of the model; of a blendshape rig: weights. Those of a synthesizer: ``synth.poses(player.step(frames))``.
    positions : array_like, shape (N, 3)
        Of the instances, in the model's unit and axes.
    fps : float
        Frames per second.
    turns : array_like, shape (N,), optional
        Degrees about the up axis. Default: 0.
    prototypes : array_like of int, shape (N,), optional
        Of each instance, counted clip by clip, phase by phase. Default: drawn at random.
    phases : int
        Per clip.
    frames : int, optional
        Length of the crowd's motion. Default: that of the longest clip.
    max_error : float, optional
        The largest distance of a vertex from the model's, in the model's unit, that joints may have: beyond, vertices
        are written. Default: joints, whatever they miss.
    as_vertices : bool
        Write vertices in any case.
    seed : int
        Of the prototypes that are drawn.
    threads : int
        Number of threads; 0 means all processors that this process may use.

    Returns
    -------
    list of str
        Notes: what prototypes hold and how far they are from the model, sizes, and where a clip repeats.

    Raises
    ------
    ValueError
        If the ending is unknown, or an argument is not as it must be.
    MissingExtra
        Without ``usd-core``.

    Examples
    --------
    >>> face = rc.faces.example()
    >>> t = np.linspace(0.0, 12.0, 24)[:, None]
    >>> talk = 0.3 + 0.3 * np.sin(t * np.linspace(0.5, 2.0, face.num_shapes))
    >>> places = np.stack([0.4 * np.arange(10.0), np.zeros(10), np.zeros(10)], axis=1)
    >>> notes = rc.exports.write_crowd("heads.usdc", face, {"talk": talk}, positions=places, fps=24)
    >>> notes[0]
    'heads.usdc: 10 instances of 4 prototypes, 1 clip in 4 phases, 24 frames'
    """
    file = Path(path) if isinstance(path, (str, os.PathLike)) else None
    if file is None or file.suffix.lower() not in ENDINGS:
        got = repr(path if file is None else str(path))
        raise bad_argument(FUNCTION, "path", got, f"a file that ends in {', '.join(ENDINGS)}", file)
    if not isinstance(model, _core.Deformer):
        raise bad_argument(FUNCTION, "model", f"a {type(model).__name__}", "a model (rigcast.load opens one)")
    check_threads(FUNCTION, threads)
    check = Arguments(FUNCTION)
    rate, several = check.rate("fps", fps), check.whole("phases", phases, least=1, most=MOST_FRAMES)
    limit = None if max_error is None else check.number("max_error", max_error, above=0.0)
    played, length = _clips(model, clips, several, frames, threads)
    count = len(played) * several
    places = _places(positions, turns, prototypes, count, check.whole("seed", seed))
    fallback = fallback_of(model)
    shown, miss = ([], None) if as_vertices else _shown(model, fallback, played, rate)
    misses = miss is not None and limit is not None and miss.worst > limit
    if not shown or misses:
        shown = [_as_points(model, clip, rate) for clip in played]
    lines = [_counts(len(places.positions), len(played), several, length)]
    lines += _held(model, fallback, shown, miss, misses)
    words = "; ".join(lines)
    write_usd_crowd(file, shown, fallback.inbetweens, places, length, words)
    lines += [_sizes(file, model, played), *(line for clip in played for line in _repeats(clip))]
    return [f"{file.name}: {line}" for line in lines]


def _clips(
    model: _core.Deformer, clips: Mapping[str, ArrayLike], phases: int, frames: int | None, threads: int
) -> tuple[list[_Played], int]:
    """Clips repeated as far as their phases need, and the length of the crowd's motion."""
    if not isinstance(clips, Mapping) or not clips:
        raise bad_argument(FUNCTION, "clips", f"a {type(clips).__name__}" if clips else "empty", "poses by name")
    check = Arguments(FUNCTION, C=len(model.control_names))
    rows = {}
    for name, given in clips.items():
        rows[str(name)] = np.asarray(check.numbers(f"clips[{name!r}]", given, "T+ C", dtype=np.float32))
        check.sizes.pop("T", None)  # each clip has its own length
    longest = max(map(len, rows.values()))
    length = longest if frames is None else check.whole("frames", frames, least=1, most=MOST_FRAMES)
    found = []
    for name, poses in rows.items():
        starts = [phase * len(poses) // phases for phase in range(phases)]
        whole = poses[np.arange(starts[-1] + length) % len(poses)]
        found.append(_Played(name, Playback(model, whole, threads=threads), starts, len(poses)))
    return found, length


def _places(positions: ArrayLike, turns: ArrayLike | None, prototypes: ArrayLike | None, count: int, seed: int) -> Any:
    check = Arguments(FUNCTION)
    stand = np.asarray(check.numbers("positions", positions, "N+ 3"), np.float64)
    angles = np.zeros(len(stand)) if turns is None else np.asarray(check.numbers("turns", turns, "N"), np.float64)
    if prototypes is None:
        chosen = np.random.default_rng(seed).integers(0, count, len(stand))
    else:
        chosen = np.asarray(check.integers("prototypes", prototypes, "N", below=count), np.int64)
    return CrowdPlaces(stand, angles, chosen)


def _shown(
    model: _core.Deformer, fallback: Fallback, played: list[_Played], fps: float
) -> tuple[list[CrowdClip], MissSum | None]:
    """Clips as joints and shapes, and what they miss; none if the model has neither."""
    if not fallback.moves:
        return [], None
    found, miss = [], MissSum()
    for clip in played:
        motion = fallback.played(model, clip.playback.poses, fps)
        boxes = []
        for frames in _chunks(len(clip.playback)):
            truth = clip.playback[frames]
            linear = truth if isinstance(model, BlendshapeRig) else motion.shown(frames)  # shapes are keyed, and exact
            miss.add(truth, linear)
            boxes.append(np.stack([linear.min(axis=1), linear.max(axis=1)], axis=1))
        found.append(CrowdClip(clip.name, motion, np.concatenate(boxes).astype(np.float64), clip.phases))
    return found, miss


def _as_points(model: _core.Deformer, clip: _Played, fps: float) -> CrowdClip:
    facts = facts_of(model)
    about = (fps, facts.meters_per_unit, facts.up_axis, facts.name, facts.licence)
    mesh = MovingMesh(clip.playback, padded_faces(model.faces), *about, surface=surface_of(model))
    boxes = [np.stack([part.min(axis=1), part.max(axis=1)], axis=1) for part in mesh.chunks()]
    return CrowdClip(clip.name, mesh, np.concatenate(boxes).astype(np.float64), clip.phases)


def _chunks(count: int) -> Iterator[slice]:
    return (slice(start, min(start + FRAMES_AT_ONCE, count)) for start in range(0, count, FRAMES_AT_ONCE))


def _counts(instances: int, clips: int, phases: int, frames: int) -> str:
    made = f"{clips} clip{'s' * (clips > 1)} in {phases} phase{'s' * (phases > 1)}"
    return f"{instances:,} instances of {clips * phases} prototypes, {made}, {frames} frames"


def _held(
    model: _core.Deformer, fallback: Fallback, shown: list[CrowdClip], miss: MissSum | None, misses: bool
) -> list[str]:
    """Content of prototypes, and how far that is from the model."""
    millimeters = 1e3 * float(model.meters_per_unit)
    far = (
        ""
        if miss is None
        else f"{millimeters * miss.mean:.3g} mm on average, {millimeters * miss.worst:.3g} mm at most"
    )
    if isinstance(shown[0].motion, MovingMesh):
        why = f", as {fallback.words.partition(';')[0]} would miss it by {far}" if misses else ""
        return [f"prototypes hold the model's own vertices{why}"]
    size = float(np.linalg.norm(np.ptp(np.asarray(model.rest_vertices), axis=0)))
    exact = miss is not None and miss.worst <= EXACT * size
    return [f"prototypes hold {fallback.words}; in these clips " + ("exactly the model" if exact else f"{far} off it")]


def _sizes(file: Path, model: _core.Deformer, played: list[_Played]) -> str:
    frames = sum(len(clip.playback) for clip in played)
    points = 12 * frames * len(model.rest_vertices)
    return f"{file.stat().st_size / MEGA:.3g} MB; the points of {frames} stored frames are {points / MEGA:.3g} MB"


def _repeats(clip: _Played) -> list[str]:
    """A line on a clip that begins again, with the jump there and between other frames."""
    if len(clip.playback) <= clip.given or clip.given < 2:
        return []
    ends = clip.playback.model.evaluate(clip.playback.poses[[clip.given - 1, 0, 1]])
    jump, step = (float(np.linalg.norm(ends[i] - ends[j], axis=1).max()) for i, j in ((0, 1), (1, 2)))
    jumps = f"a vertex jumps by {jump:.3g} there, by {step:.3g} between its first frames"
    return [f"{clip.name} repeats after {clip.given} frames: {jumps}"]
