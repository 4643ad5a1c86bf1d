"""Numbers of captures and of networks that read faces, and what commands say of them."""

from __future__ import annotations

import argparse
import os
from typing import Any

import numpy as np

from rigcast import capture, inverse
from rigcast._pages.words import figure
from rigcast.cli._console import Console
from rigcast.cli._result import Result

RENDERED = "every actor is rendered and every albedo constructed: no footage of a face was used"


def figures(rig: Any, found: capture.Capture) -> dict[str, Any]:
    """Numbers by name."""
    known = ~found.lost
    angles = inverse.head_angles(found.motion, str(rig.up_axis))
    return {
        "frames": len(found.weights),
        "shapes": rig.num_shapes,
        "fps": found.fps,
        "points_used": len(found.places.used),
        "points": len(found.places.vertices),
        "residual_pixels": float(np.nanmean(found.residual[known])),
        "residual_worst": float(np.nanmax(np.nanmean(found.residual[known], axis=1))),
        "noise_pixels": found.noise,
        "focal": found.focal,
        "focal_found": found.focal_found,
        "neutral": found.neutral,
        "worth_correcting": capture.frames_to_correct(found),
        "lost": np.flatnonzero(found.lost),
        "settled": int(found.settled.sum()),
        "head_degrees": np.ptp(angles, axis=0).tolist(),
        "cardinality": float((found.weights > 1e-3).sum(axis=1).mean()),
        "seconds": found.seconds,
        "frames_per_second": len(found.weights) / max(found.seconds, 1e-9),
        "constructed": list(rig.constructed),
        **({} if found.pictures is None else {"samples": float(found.pictures.used.mean())}),
    }


def say(console: Console, args: argparse.Namespace, result: dict[str, Any]) -> None:
    """Print them, and all notes."""
    yaw, pitch, roll = (f"{angle:.1f}" for angle in result["head_degrees"])
    away = (
        f"{figure(result['residual_pixels'])} pixels away on average, {figure(result['residual_worst'])} in the worst"
    )
    if "samples" in result:
        away += f"; pictures compared at {figure(result['samples'])} places"
    console.pairs(
        [
            ("weights", ", ".join(map(os.fspath, args.output))),
            *([] if args.report is None else [("report", os.fspath(args.report))]),
            ("solved", f"{result['frames']:,} frames at {result['fps']:g} per second"),
            ("points", f"{result['points_used']} of {result['points']} used, {away} frame"),
            ("weights on", f"{figure(result['cardinality'])} of {result['shapes']} in a frame, above 0.001"),
            ("head motion", f"yaw over {yaw}, pitch over {pitch}, roll over {roll} degrees"),
            ("speed", f"{figure(result['frames_per_second'])} frames per second"),
        ]
    )
    for text in result["notes"]:
        console.line(f"note: {text}")


def say_trained(
    args: argparse.Namespace, cast: capture.Cast, network: capture.CaptureNetwork, console: Console
) -> Result:
    """Say what was learned, from whom, and how far it is off."""
    error, size = network.metadata["error"], args.output.stat().st_size
    console.pairs(
        [
            ("network", f"{args.output}, {size / 1e6:.2f} MB"),
            ("made of", cast.note),
            (
                "held-out error",
                f"{error['mean_mm']:.3g} mm on {error['actors']} unseen actors; the mean of the training is "
                f"{error['training_mean_mm']:.3g} mm off, the neutral {error['neutral_mm']:.3g} mm",
            ),
        ]
    )
    console.line(f"note: {RENDERED}")
    return {
        "bytes": size,
        "made_of": cast.note,
        "held_out": error,
        "shapes": [network.names[k] for k in np.flatnonzero(network.error > 0.0)],
        "notes": [RENDERED],
    }
