"""Opening what a command needs to solve a shot: the blendshape rig, the shot, files of vertices."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import sources
from rigcast._formats.npz.archive import member_names
from rigcast._formats.point_cache import mdd_rate
from rigcast._formats.registry import SHOT, USD, readers, takers
from rigcast._rigs.motions.shot import TO_Y_UP
from rigcast._rigs.up_axis import seeming_up_axis
from rigcast.cli._arguments import existing_file, rate, unit
from rigcast.cli._inputs.meshes import lies_otherwise, unit_note
from rigcast.cli._result import WrongInput
from rigcast.transfer._matching.fitting import similarity

Int64 = NDArray[np.int64]

TINY = 1e-30  # a scale above 0, for shots of one point


def add_shot_arguments(parser: argparse.ArgumentParser) -> None:
    """Options that say how a shot's vertices are those of the rig."""
    group = parser.add_argument_group("the shot")
    group.add_argument(
        "--markers",
        metavar="FILE",
        type=existing_file,
        help="vertices that count, one per line (.txt) or .npy; a second number is the vertex' weight",
    )
    group.add_argument(
        "--unit",
        type=unit,
        help="of SHOT: mm, cm, dm, m, in, ft or meters; default: as its file says, or else the rig's",
    )
    group.add_argument("--up-axis", choices=list(TO_Y_UP), help="of SHOT; default: as its file says, or else the rig's")
    group.add_argument(
        "--fps",
        type=rate,
        help="frames per second: of SHOT if it does not say (.npy, .obj), else those to resample to",
    )
    group.add_argument("--clip", metavar="NAME", help="the animation, where the shot's file holds several (.glb)")
    group.add_argument(
        "--shot-mesh", metavar="NAME", help="the mesh, where the shot's file holds several (.glb, .usd, .abc)"
    )


def open_shot(
    rig: Any, args: argparse.Namespace, otherwise: float | None = None
) -> tuple[NDArray[np.float32], float, list[str]]:
    """Vertices of a shot, in the rig's unit and axes, its frames per second, and what there is to say about it.

    Parameters
    ----------
    rig : BlendshapeRig
    args : Namespace
    otherwise : float, optional
        Frames per second of a shot that does not say them, nor ``--fps``.

    Raises
    ------
    ValueError
        Naming the file, where its vertices are neither the rig's nor the markers', or nothing says its rate.
    """
    shot = sources.load_shot(args.shot, **_shot_options(args))
    chosen = None if args.markers is None else sources.load_markers(args.markers)[0]
    _check_fits(rig, shot.vertices, args, chosen)
    own = None if states_rate(args.shot) else args.fps or otherwise
    if own is None and not states_rate(args.shot):
        raise WrongInput(f"{args.shot} does not say its frames per second; they must be given by --fps")
    if args.unit is not None:
        stated = replace(shot, meters_per_unit=args.unit)
        shot = stated.placed(float(rig.meters_per_unit), shot.up_axis or str(rig.up_axis))
    if args.up_axis is not None:
        shot = replace(shot, up_axis=args.up_axis).placed(shot.meters_per_unit or 1.0, str(rig.up_axis))
    placed, notes = as_the_rig_is(rig, shot, chosen)
    converted = placed.meters_per_unit != shot.meters_per_unit
    meters = args.unit or (shot.meters_per_unit if converted else None) or float(rig.meters_per_unit)
    note = _size_note(rig, placed.vertices[0], args.shot, chosen, meters)
    notes += [note for note in (note, _axis_note(rig, placed.vertices[0], args, chosen)) if note]
    return placed.vertices, own or placed.fps, notes


def states_rate(path: Path) -> bool:
    """True if a shot says its frames per second; what is sampled at any rate does."""
    suffix = path.suffix.lower()
    if suffix == ".npz":
        return not path.is_file() or "fps" in member_names(path, "load_shot")
    if suffix == ".mdd":
        return not path.is_file() or mdd_rate(path) is not None
    return suffix in USD.endings or _is_sampled(suffix)


def _is_sampled(suffix: str) -> bool:
    """True if shots of an ending are sampled at a rate; others are frames, whatever their rate."""
    reader = readers(SHOT).get(suffix)
    return reader is not None and reader.sampled


def _size_note(rig: Any, frame: NDArray[np.float32], path: Path, markers: Int64 | None, meters: float) -> str:
    """The note on a frame whose size compared with the rig's neutral puts its unit in doubt, or an empty string."""
    rest, frame = _matched(rig, frame, markers)
    return unit_note(rest, frame, 1.0, path, "rig", meters)


def _axis_note(rig: Any, frame: NDArray[np.float32], args: argparse.Namespace, markers: Int64 | None) -> str:
    """The note on a frame that lies as if another axis pointed up than the rig's, or an empty string."""
    own = str(rig.up_axis)
    axis = None if args.up_axis is not None else seeming_up_axis(*_matched(rig, frame, markers), own, own)
    return "" if axis is None else lies_otherwise(args.shot.name, "a shot", axis, "--up-axis", "the rig does")


def _matched(
    rig: Any, frame: NDArray[np.float32], markers: Int64 | None
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The vertices of the rig at rest and those of a frame that count, as far as they are finite."""
    rest = np.asarray(rig.rest_vertices, np.float32)
    if markers is not None:
        frame = frame[markers] if len(frame) == len(rest) else frame
        rest = rest[markers]
    known = np.isfinite(frame).all(axis=1)  # what is not is refused, with its place, when it is solved
    return rest[known], frame[known]


def _shot_options(args: argparse.Namespace) -> dict[str, Any]:
    given = {"clip": args.clip, "mesh": args.shot_mesh}
    suffix = args.shot.suffix.lower()
    if _is_sampled(suffix):
        given["fps"] = args.fps
    for name, option in (("clip", "--clip"), ("mesh", "--shot-mesh")):
        if given[name] is not None and suffix not in takers(SHOT, name):
            raise WrongInput(f"{option} does not apply to {suffix or 'such'} shots")
    return {name: value for name, value in given.items() if value is not None}


def as_the_rig_is(rig: Any, shot: sources.Shot, markers: Int64 | None = None) -> tuple[sources.Shot, list[str]]:
    """The shot in the rig's unit and axes, and a sentence if it was in others or states others.

    A file may state another unit than its numbers have, and a rig that states none counts as one in meters with y up.
    So a unit is followed only if it brings the first frame nearer to the rig's size, and an up axis only if it turns it
    toward the rig's neutral; wherever the head is.
    """
    fit = similarity(*_matched(rig, shot.vertices[0], markers))
    unit, axis = float(rig.meters_per_unit), str(rig.up_axis)
    ratio = 1.0 if shot.meters_per_unit is None else shot.meters_per_unit / unit
    turn = np.eye(3) if shot.up_axis is None else TO_Y_UP[axis].T @ TO_Y_UP[shot.up_axis]
    size = np.log(max(fit.scale, TINY))
    same = np.isclose(ratio, 1.0), np.array_equal(turn, np.eye(3))
    scaled = same[0] or abs(size + np.log(ratio)) < abs(size)
    turned = same[1] or np.trace(turn @ fit.rotation) > np.trace(fit.rotation)
    followed = replace(
        shot,
        meters_per_unit=shot.meters_per_unit if scaled else None,
        up_axis=shot.up_axis if turned else None,
    )
    other, notes = followed.placed(unit, axis), []
    if (scaled and not same[0]) or (turned and not same[1]):
        notes.append(f"the shot was brought from {_frame(followed)} to the rig's {_frame(other)}")
    if not scaled:
        notes.append(
            f"the file states units of {shot.meters_per_unit:g} m, but its numbers are nearer to the rig's size in the "
            f"rig's own units of {unit:g} m: they were taken as they are"
        )
    return (replace(other, meters_per_unit=shot.meters_per_unit) if not scaled else other), notes


def _frame(shot: sources.Shot) -> str:
    unit = None if shot.meters_per_unit is None else f"units of {shot.meters_per_unit:g} m"
    return ", ".join(text for text in (unit, shot.up_axis and f"{shot.up_axis.lower()} up") if text)


def _check_fits(rig: Any, targets: NDArray[np.float32], args: argparse.Namespace, markers: Int64 | None) -> None:
    count, wanted = targets.shape[1], len(rig.rest_vertices)
    if count == wanted:
        return
    if markers is None:
        raise WrongInput(f"{args.shot}: {count:,} vertices where the rig has {wanted:,}; some of them need --markers")
    if count != len(markers):
        got = f"{args.shot}: {count:,} vertices where the rig has {wanted:,}"
        raise WrongInput(f"{got} and {args.markers} names {len(markers):,}")
    if markers.min() < 0 or markers.max() >= wanted:
        got = f"vertices {markers.min()} to {markers.max()}"
        raise WrongInput(f"{args.markers} names {got}; the rig has 0 to {wanted - 1}")
