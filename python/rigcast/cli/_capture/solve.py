"""``rigcast capture solve``: weights of a blendshape rig from a video, or from the points of a face detector."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rigcast import capture, exports, inverse, sources
from rigcast._formats.npz.archive import member_names
from rigcast._pages.words import figure
from rigcast._safe_reading import read_settings
from rigcast.capture._detectors import DETECTORS
from rigcast.capture._write import WRITTEN
from rigcast.cli import _arguments as arguments
from rigcast.cli._capture import reading
from rigcast.cli._capture.described import figures, say
from rigcast.cli._console import Console
from rigcast.cli._inputs import actor, tracked
from rigcast.cli._inputs.faces import add_drop_unreadable, open_rig
from rigcast.cli._inputs.rigs import add_run_scripts
from rigcast.cli._result import Result, WrongInput

SUMMARY = "find weights and head motion from a video of a face, or from the points of a face detector"
EXAMPLE = """rigcast capture solve points.csv face.safetensors --map map.json --size 640 480 -o captured.npz
rigcast capture solve points.csv face.safetensors --map map.json --size 640 480 --pins captured.npz -o a.bvh
rigcast capture solve points.csv face.safetensors --map map.json --size 640 480 --neutral 0 --focal 800 -o live.csv
rigcast capture solve points.csv face.safetensors --map map.json --size 640 480 --neutral 0 --pictures frames -o w.npz
rigcast capture solve webcam.mp4 arkit.safetensors -o video.npz --preview preview.mp4
rigcast capture solve webcam.mp4 arkit.safetensors -o read.npz --read network.safetensors --read-for weights"""
FORMATS = (
    ".npz (for rigcast), .csv (Live Link Face), .glb (morph animation), .usd (UsdSkel), .py or .blend (shape keys in "
    "Blender), .bvh (the head alone); may be repeated"
)
SETTINGS = capture.CaptureSettings()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """SHOT, RIG, what is known of the shot, and how to solve."""
    parser.add_argument(
        "points",
        metavar="SHOT",
        type=arguments.existing,
        help="a video, a folder of pictures, or points: .csv (OpenFace, or x_0, y_0, ...), .npz, .npy, .json",
    )
    parser.add_argument("rig", metavar="RIG", type=arguments.existing_file, help="a blendshape rig")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=arguments.OutputFile(*WRITTEN),
        action="append",
        required=True,
        help=FORMATS,
    )
    parser.add_argument(
        "--report",
        metavar="HTML",
        type=arguments.OutputFile(".html"),
        help="write a page: input beside character, residuals, weights, jitter, what was occluded or lost",
    )
    parser.add_argument("--mesh", metavar="NAME", help="the rig's mesh, where its file holds several (.blend, .glb)")
    add_drop_unreadable(parser)
    add_run_scripts(parser)
    _add_shot(parser.add_argument_group("the shot"))
    _add_places(parser.add_argument_group("the points on the rig"))
    _add_weights(parser.add_argument_group("the weights"))
    actor.add_identity(parser.add_argument_group("the actor"))
    _add_pictures(parser.add_argument_group("the pictures"))
    reading.add_arguments(parser.add_argument_group("a network that reads faces"))
    tracked.add_arguments(parser.add_argument_group("a video"))


def _add_shot(group: Any) -> None:
    group.add_argument("--fps", type=arguments.rate, help="frames per second (default: as the file says, else 30)")
    group.add_argument("--size", metavar=("W", "H"), nargs=2, type=arguments.count, help="of the image, in pixels")
    group.add_argument("--face", metavar="N", type=int, help="the face to take, where the file holds several")
    group.add_argument(
        "--neutral", metavar="FRAME", type=int, help="a frame at rest, from 0 (default: those most like it)"
    )
    group.add_argument(
        "--focal", type=arguments.positive, help="focal length in pixels (default: found, if the head turns enough)"
    )
    group.add_argument("--mirrored", action="store_true", help="the video is a mirror image, as of a front camera")


def _add_places(group: Any) -> None:
    group.add_argument("--detector", choices=list(DETECTORS), help="layout of the points (default: by their number)")
    group.add_argument(
        "--map",
        metavar="JSON",
        type=arguments.existing_file,
        help='vertices of the points: a list, or {"point": vertex, ...} (default: found on the neutral by the names of'
        " the rig's shapes)",
    )
    group.add_argument(
        "--silhouettes",
        action="store_true",
        help="points of the inner lips lie on the lips' silhouettes, as detectors place them (default: they are fixed)",
    )
    group.add_argument(
        "--write-map", metavar="JSON", type=arguments.OutputFile(".json"), help="write where the points lie"
    )


def _add_weights(group: Any) -> None:
    group.add_argument(
        "--pins",
        metavar="FILE",
        type=arguments.existing_file,
        help="weights (T, K) or (K,) as .npy, NaN where they are free; or an .npz, whose names leave the others free",
    )
    group.add_argument(
        "--corrected",
        metavar="FILE",
        type=arguments.existing_file,
        help="weights of which an artist corrected some frames in whole, 3 to 10: rows without NaN, keys of "
        "rigcast view, frames under markers 'corrected' of a .blend, else those that differ from the capture (.npz, "
        ".csv, .glb, .blend); the actor's shapes are fitted to them, the shot is solved again, and the frames are kept",
    )
    group.add_argument(
        "--priors",
        metavar="FILE",
        type=arguments.existing_file,
        help="weights that the result stays near, such as a Live Link .csv; or an .npz with target and strength",
    )
    group.add_argument(
        "--prior-strength", metavar="S", type=arguments.positive, help="of weights that --priors reads (default 0.3)"
    )
    group.add_argument(
        "--strength",
        metavar="JSON",
        type=arguments.existing_file,
        help="{\"shape\": factor, ...}: how much stronger than the character's the actor's motion is",
    )
    group.add_argument(
        "--still",
        metavar="PATTERN",
        nargs="*",
        help="names of shapes that stay at rest, such as 'viseme*' (default: visemes beside ARKit's shapes, which are "
        "mixes of these; without a pattern all shapes are solved)",
    )
    group.add_argument("--smoothing", metavar="S", type=_least_zero, help=f"default {SETTINGS.smoothing:g}; 0: none")
    group.add_argument("--sparsity", metavar="S", type=_least_zero, help=f"default {SETTINGS.sparsity:g}; 0: none")
    group.add_argument(
        "--noise", metavar="PIXELS", type=arguments.positive, help="of a point's coordinates (default: measured)"
    )


def _add_pictures(group: Any) -> None:
    group.add_argument(
        "--pictures",
        metavar="PATH",
        type=arguments.existing,
        help="the video, or a folder of its frames, in whose pixels the points are: weights and head are refined by it",
    )
    group.add_argument(
        "--own-rig",
        action="store_true",
        help="RIG is the actor's own face, so that points lie on it (default: they count from where they lay at rest)",
    )
    group.add_argument(
        "--passes", metavar="N", type=arguments.count, help="over the whole shot, 1 to 20 (default 1: each frame alone)"
    )


def _least_zero(text: str) -> float:
    return 0.0 if text.strip() in ("0", "0.0") else arguments.positive(text)


def run(args: argparse.Namespace, console: Console) -> Result:
    """Read points and rig, solve, and write all outputs."""
    if args.prior_strength is not None and args.priors is None:
        raise WrongInput("--prior-strength is about the weights that --priors reads")
    seen = tracked.pictures_of(args)
    network = reading.network_of(args, seen)
    refined = args.pictures is not None or args.refine
    kept = actor.own_face(args)
    if not refined and (args.own_rig or args.passes is not None):
        raise WrongInput(f"{'--own-rig' if args.own_rig else '--passes'} is about the pictures that --pictures reads")
    rig = open_rig(args.rig, args.mesh, args.drop_unreadable, args.run_scripts)
    tracks = tracked.open_tracks(args, console)
    frames, count = tracks.points.shape[:2]
    settings = capture.CaptureSettings(
        smoothing=SETTINGS.smoothing if args.smoothing is None else args.smoothing,
        sparsity=SETTINGS.sparsity if args.sparsity is None else args.sparsity,
        noise=args.noise,
        silhouettes=args.silhouettes,
        still=None if args.still is None else tuple(args.still),
    )
    pictures = None if seen is None else capture.Pictures(seen)
    given = {
        "landmarks": None if args.map is None else capture.load_places(args.map, rig, count),
        "detector": args.detector,
        "neutral": args.neutral,
        "focal": args.focal,
        "strength": None if args.strength is None else _strength(args.strength, rig),
        "priors": None if args.priors is None else _priors(args, rig, tracks),
        "mirrored": args.mirrored,
        "settings": settings,
    }
    pins = None if args.pins is None else inverse.load_pins(args.pins, rig, frames)
    fit = actor.fitted(args, rig, tracks, given)
    shown, said = (rig, ()) if fit is None else (fit.rig, fit.notes)
    terms = capture.RefineSettings(offsets=not args.own_rig and fit is None, passes=args.passes or 1)

    def refine(own: Any, found: capture.Capture, pins: Any) -> capture.Capture:
        if not refined or pictures is None:
            return found
        return capture.refine(own, found, pictures, points=tracks, fixed=pins, priors=given["priors"], settings=terms)

    found = capture.solve(shown, tracks, fixed=pins, **given)
    if args.corrected is not None:
        corrected = capture.load_corrections(args.corrected, rig, refine(shown, found, pins))
        shown, pins, told = _corrected(shown, tracks, pins, found, corrected)
        found, said = capture.solve(shown, tracks, fixed=pins, **given), (*said, *told)
    if network is not None and pictures is not None:
        read = reading.solve(network, args, shown, found, pictures, tracks, given | {"fixed": pins})
        found, tracks, given["priors"] = read.found, read.tracks, read.priors
    found = refine(shown, found, pins)
    found = replace(found, notes=(*found.notes, *said, *actor.keep_face(kept, shown)))
    notes = [f"{path.name}: {note}" for path in args.output for note in capture.write(path, rig, found)]
    if args.write_map is not None:
        found.places.save(args.write_map)
    outputs = list(args.output)
    if args.report is not None:
        from rigcast import report

        outputs.append(args.report)
        with console.progress() as progress:
            report.write_capture(
                args.report, shown, found, points=tracks, pictures=pictures, name=args.points.stem, progress=progress
            )
    if args.preview is not None:
        outputs.append(args.preview)
        tracked.write_preview(args, console, shown, found, tracks)
    result = figures(rig, found) | {"notes": [*found.notes, *notes]}
    say(console, args, result)
    return {"outputs": [os.fspath(path) for path in outputs], **result}


def _corrected(
    rig: Any, tracks: capture.Tracks, pins: Any, found: capture.Capture, corrected: Any
) -> tuple[Any, Any, tuple[str, ...]]:
    """The rig with the actor's own shapes, pins that keep the corrected frames, and what was found."""
    personal = capture.personalize(rig, found, tracks, corrected=corrected)
    kept = np.full(found.weights.shape, np.nan)
    kept[personal.frames] = corrected[personal.frames]
    kept = kept if pins is None else np.where(np.isnan(kept), pins, kept)
    before, after = personal.residual
    text = (
        f"the actor's shapes were fitted to {len(personal.frames)} corrected frames: strengths from "
        f"{personal.strength.min():.2f} to {personal.strength.max():.2f}, their points within {figure(after)} in place "
        f"of {figure(before)} pixels"
    )
    return personal.rig, kept, (text,)


def _strength(path: Path, rig: Any) -> Any:
    """(K,) strengths of a JSON file by the names of shapes, 1 for others."""
    given = read_settings("capture", "strength", path, '{"shape": factor, ...}')
    unknown = sorted(set(given) - set(rig.shape_names))
    if unknown:
        raise WrongInput(f"{path}: {unknown[0]!r} is no shape of the rig")
    return np.array([float(given.get(name, 1.0)) for name in rig.shape_names])


def _priors(args: argparse.Namespace, rig: Any, tracks: capture.Tracks) -> tuple[Any, Any]:
    """Targets and strengths: an archive of both, or weights of another recorder at the shot's rate."""
    if args.priors.suffix.lower() == ".npz" and {"target", "strength"} <= set(member_names(args.priors, "capture")):
        if args.prior_strength is not None:
            raise WrongInput("--prior-strength: the archive of --priors states strengths itself")
        return inverse.load_priors(args.priors, rig, len(tracks.points))
    weights, fps = sources.load_blendshape_weights(args.priors, rig)
    rows = exports.resampled_weights(weights, fps, tracks.fps)[0] if fps and fps != tracks.fps else weights
    last = np.minimum(np.arange(len(tracks.points)), len(rows) - 1)
    strength = np.where(last < np.arange(len(last)), 0.0, args.prior_strength or 0.3)
    return np.clip(rows[last], *rig.bounds.T), np.repeat(strength[:, None], rig.num_shapes, axis=1)
