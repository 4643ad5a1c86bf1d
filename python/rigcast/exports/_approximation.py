"""A model's motion for engines: joints, at most four weights per vertex, and shapes for what linear skinning misses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from rigcast import _core
from rigcast._formats.gltf.builder import offset_bytes
from rigcast._formats.gltf.write_motion import fewest
from rigcast._rigs.motions.skinned_motion import SkinnedMotion
from rigcast._shown import one_line
from rigcast._validate import FPS, Arguments, bad_argument
from rigcast.exports._engine_bones import own_joints, rigid_bones
from rigcast.exports._miss import VertexMiss
from rigcast.exports._playback import Playback
from rigcast.exports._shape_counts import FittedFrames, JudgedShapes, ShapeCounts
from rigcast.progress import Progress, ProgressOption, as_callback

FUNCTION = "approximate"
USUAL, WIDE, MOST = 16, 64, 256  # shapes: by default, at most under ``within``, at most
ASKED = 8  # morphed attributes: what glTF 2.0 asks every viewer to play


@one_line
@dataclass(frozen=True)
class ShapeCount:
    """The miss of a number of shapes.

    Attributes
    ----------
    shapes : int
    miss : VertexMiss
    bytes : int
        Of the shapes and their keys in a ``.glb`` without seams.
    """

    shapes: int
    miss: VertexMiss
    bytes: int

    def figures(self) -> dict[str, float]:
        """The numbers by name."""
        return {"shapes": self.shapes, "bytes": self.bytes, **self.miss.figures()}


@one_line
@dataclass(frozen=True)
class Approximation:
    """Joints, weights and shapes that an engine plays, and their distances from the model.

    Attributes
    ----------
    motion : SkinnedMotion
        Joints, skin and shapes, with keys for the frames of all clips, one after another.
    miss : VertexMiss
        Over all frames of the clips, as the file shows them.
    linear : VertexMiss
        The same joints and weights without shapes.
    curve : tuple of ShapeCount
        All numbers of shapes that were tried, ascending.
    bones, fitted_to : str
        The kind of the joints, and the frames that weights and shapes were fitted to.
    held_out : bool
        True if weights and shapes were fitted to other frames; the amounts of the shapes are of the clips always.
    exact_bytes : int
        Of the vertices of all frames in float32, without any skinning.
    notes : tuple of str
    """

    motion: SkinnedMotion
    miss: VertexMiss
    linear: VertexMiss
    curve: tuple[ShapeCount, ...]
    bones: str
    fitted_to: str
    held_out: bool
    exact_bytes: int
    notes: tuple[str, ...] = ()

    def figures(self) -> dict[str, object]:
        """The figures that a file holds."""
        return {
            "bones": self.bones,
            "shapes": len(self.motion.rig.morphs),
            "frames": len(self.motion),
            "fitted_to": self.fitted_to,
            "held_out": self.held_out,
            **self.miss.figures(),
            "linear_skinning": self.linear.figures(),
            "exact_vertices_bytes": self.exact_bytes,
            "curve": [entry.figures() for entry in self.curve],
        }


def approximate(
    clips: Playback | Mapping[str, Playback],
    fps: float = FPS,
    *,
    shapes: int | None = None,
    within: float | None = None,
    bones: int | None = None,
    fit_on: Playback | None = None,
    most_frames: int = 500,
    threads: int = 0,
    progress: ProgressOption = None,
) -> Approximation:
    """Approximate a model's motion by what every engine plays: joints, linear skinning and morph targets with keys.

    Weights, at most four per vertex, are least squares over the fitted frames (:func:`rigcast.baselines.linear_blend`);
    a vertex keeps those that the model carries unless refitted ones miss less. Shapes are the principal components of
    what skinning misses, brought into the rest pose, refined in turns with their amounts. Amounts lie between 0 and 1,
    to which Blender and others clamp them; for that the first shape is constant, with the amount 1 in all frames. At
    amounts of 0 the mesh is the model's rest mesh. Shapes are added before joints bend, as glTF and USD define it.

    The amounts are keyed for the frames of the clips only. No other pose of the joints has any: nothing here makes
    amounts of poses.

    Parameters
    ----------
    clips : Playback, or mapping from name to Playback
        Of one model.
    fps : float
        Frames per second of all clips.
    shapes : int, optional
        From 0 to 256, the constant one counted. Default: 16; under ``within`` at most 64.
    within : float, optional
        Millimeters: the smallest number of shapes, at most ``shapes``, with which 99.9 % of all vertices and frames
        miss by no more. If none does, a note says so and the largest number is taken.
    bones : int, optional
        Free rigid bones in place of the model's joints (SSDR, :func:`rigcast.baselines.skinning_decomposition`): baked,
        for models without joints, and for skin that follows none. From 1 to V.
    fit_on : Playback, optional
        Of the same model: the frames that weights and shapes are fitted to. The stated error is one on held-out frames
        then. Default: the clips.
    most_frames : int
        Frames that are fitted, evenly spaced; they are held in memory.
    threads : int
        Number of threads; 0 means all processors that this process may use.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    Approximation
        :func:`write_approximation` writes it.

    Raises
    ------
    ValueError
        If clips are of several models, a number is out of its range, or a model without joints is given no ``bones``.

    Examples
    --------
    >>> face = rc.faces.example()
    >>> weights = np.linspace(0, 1, 24)[:, None] * (np.arange(face.num_shapes) < 3)
    >>> made = rc.exports.approximate({"smile": rc.exports.Playback(face, weights)}, 24, bones=4, shapes=2)
    >>> made.miss.worst < made.linear.worst
    True
    """
    named = _checked_clips(clips)
    model = next(iter(named.values())).model
    check = Arguments(FUNCTION)
    rate, threads = check.rate("fps", fps), check.threads(threads)
    limit = None if within is None else check.number("within", within, above=0.0)
    most = USUAL if within is None else WIDE
    most = most if shapes is None else check.whole("shapes", shapes, most=MOST)
    if bones is None and model.skeleton is None:
        raise check.wrong("bones", f"None for a {model.kind} model without joints", "a number of rigid bones")
    if bones is not None:
        bones = check.whole("bones", bones, least=1, most=len(model.rest_vertices))
    fit_clips = list(named.values()) if fit_on is None else [_checked("fit_on", fit_on, model)]
    report = as_callback(progress)
    report(Progress("fitting skin weights", 0, 0))
    fitted = FittedFrames.of(fit_clips, check.whole("most_frames", most_frames, least=1))
    if bones is None:
        skeleton = own_joints(model, fitted.poses, fitted.vertices, threads)
    else:
        skeleton = rigid_bones(model, fitted.vertices, bones, threads)
    counts = ShapeCounts(
        skeleton, fitted, [*named.values()], most, threads, lambda n: report(Progress("fitting shapes", n, most))
    )
    chosen = counts.judged(_chosen(counts, limit))
    spans = tuple((name, len(clip)) for name, clip in named.items())
    motion = SkinnedMotion(chosen.rig, counts.local, chosen.amounts, rate, spans)
    made = Approximation(
        motion,
        chosen.miss,
        counts.judged(0).miss,
        _curve(counts),
        skeleton.about,
        _words_of(fitted, len(motion), fit_on is not None),
        fit_on is not None,
        12 * len(motion) * len(model.rest_vertices),
        skeleton.notes,
    )
    return replace(made, notes=(*made.notes, *_notes(made, limit, most)))


def _checked_clips(clips: Playback | Mapping[str, Playback]) -> dict[str, Playback]:
    named = {"motion": clips} if isinstance(clips, Playback) else clips
    if not isinstance(named, Mapping) or not named:
        got = "empty" if isinstance(named, Mapping) else f"a {type(clips).__name__}"
        raise bad_argument(FUNCTION, "clips", got, "a Playback, or at least one by its name")
    names = Arguments(FUNCTION).names("clips", list(named))
    model = getattr(next(iter(named.values())), "model", None)
    return {name: _checked(f"clips[{name!r}]", clip, model) for name, clip in zip(names, named.values(), strict=True)}


def _checked(argument: str, clip: Any, model: _core.Deformer | None) -> Playback:
    if not isinstance(clip, Playback):
        raise bad_argument(FUNCTION, argument, f"a {type(clip).__name__}", "a Playback")
    if clip.model is not model:
        raise bad_argument(FUNCTION, argument, f"of another model, {clip.model!r}", f"of {model!r}")
    return clip


def _chosen(counts: ShapeCounts, limit: float | None) -> int:
    """The number of shapes; the powers of two below are tried in any case, for the curve."""
    most = counts.most
    if limit is None:
        for count in [0, *(1 << n for n in range(most.bit_length()) if 1 << n < most)]:
            counts.judged(count)
        return most
    if counts.judged(0).miss.within(limit) or most == 0:
        return 0
    return fewest(lambda n: counts.judged(n).miss.p999, most, limit)


def _curve(counts: ShapeCounts) -> tuple[ShapeCount, ...]:
    return tuple(ShapeCount(number, made.miss, _bytes(made)) for number, made in sorted(counts.tried.items()))


def _bytes(made: JudgedShapes) -> int:
    morphs, count = made.rig.morphs, len(made.rig.rest_vertices)
    return 4 * made.amounts.size + sum(offset_bytes(len(morph.vertices), count) for morph in morphs)


def _words_of(fitted: FittedFrames, frames: int, held_out: bool) -> str:
    chosen = f"{len(fitted.poses):,}" + f" of {fitted.available:,}" * (len(fitted.poses) < fitted.available)
    return f"{chosen} other frames" if held_out else f"{chosen} frames of these clips"


def _notes(made: Approximation, limit: float | None, most: int) -> list[str]:
    shapes = len(made.motion.rig.morphs)
    held = "held-out frames" if made.held_out else "the fitted frames"
    if not made.held_out and " of " in made.fitted_to.split(" frames")[0]:
        held = "all frames, fitted ones among them"
    notes = [
        f"{made.bones} and {shapes} shapes miss the model by {made.miss.words()}: the error on {held} "
        f"(fitted to {made.fitted_to})",
        f"the same joints without shapes: {made.linear.words()}",
        "shapes have keys for the frames of these clips alone: another pose of the joints has none",
    ]
    if limit is not None and not made.miss.within(limit):
        notes.append(f"no number of shapes up to {made.curve[-1].shapes} is within {limit:g} mm")
    if limit is None and made.curve[-1].shapes < most:
        notes.append(f"the fitted frames carry {made.curve[-1].shapes} shapes, fewer than {most}")
    if shapes > ASKED:
        notes.append(f"{shapes} shapes: glTF asks viewers for {ASKED} morphed attributes; some play the first alone")
    return notes
