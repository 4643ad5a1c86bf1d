"""The demo's inverse rig: the face plays a clip, and its weights are found back from the vertices alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from examples.characters.face import build_face, expression_curves
from examples.demo.stored import edition, read_json, write_json
from rigcast import report
from rigcast._resume.fingerprints import fingerprint
from rigcast._resume.parts import PartsFolder
from rigcast.inverse import Solution
from rigcast.inverse._gram import Gram
from rigcast.inverse._parts import solve_in_parts
from rigcast.inverse._request import Request
from rigcast.progress import ProgressCallback

FPS = 30.0
ALPHA = 0.01  # square centimeters: zeros stay zeros, at the price of a thousandth of a millimeter
BESIDE = ("descent", "mm", "mm_cet", "cet", "seol")


def solve_clip(
    folder: Path, frames: int, announce: Callable[[str], None], progress: ProgressCallback, seed: int = 0
) -> dict[str, Any]:
    """Play a constructed clip on the face, find its weights, and write a page; what is done already is re-used.

    Parameters
    ----------
    folder : Path
        Takes ``face.safetensors``, ``face-clip.npz`` (the true weights), ``face-weights.npz`` (those found) and
        ``face.html``.
    frames : int
    announce : callable
        Receives one line per stage.
    progress : callable
    seed : int
        Decides the clip.

    Returns
    -------
    dict
        Numbers by name: those of the page, and ``shapes``, ``columns``, ``frames_per_second``, ``page``.
    """
    announce("building the face: 52 shapes, and constructed correctives")
    rig = build_face()
    truth = expression_curves(list(rig.shape_names), frames, seed, FPS)
    key = _key(rig, truth)
    page, numbers_file = folder / "face.html", folder / "face.json"
    known = read_json(numbers_file)
    if known.get("key") == key and page.exists():
        announce("re-using the solved shot")
        return dict(known["numbers"])
    rig.save(folder / "face.safetensors")
    np.savez(folder / "face-clip.npz", weights=truth, names=np.array(rig.shape_names, np.str_), fps=FPS)
    shot = rig.evaluate(truth)
    announce(f"finding the weights of {frames:,} frames from their vertices")
    solution = _solved(folder, key, rig, shot, progress)
    announce("comparing methods, and writing the page of the shot")
    numbers = report.write_shot(
        page, rig, shot, solution=solution, fps=FPS, truth=truth, methods=BESIDE, name="demo clip", progress=progress
    )
    numbers |= {
        "shapes": rig.num_shapes,
        "columns": rig.num_columns,
        "frames_per_second": frames / solution.seconds,
        "page": str(page),
    }
    write_json(numbers_file, {"key": key, "numbers": numbers})
    return numbers


def _solved(folder: Path, key: str, rig: Any, shot: NDArray[np.float32], progress: ProgressCallback) -> Solution:
    path, stamp = folder / "face-weights.npz", folder / "face-weights.json"
    known = read_json(stamp)
    if path.exists() and known.get("key") == key and "seconds" in known:
        return replace(Solution.load(path), seconds=float(known["seconds"]))
    with PartsFolder(folder / "face-weights.partial", "solve") as parts:
        solution = solve_in_parts(Request(Gram(rig), shot, alpha=ALPHA, progress=progress), parts)
        solution.save(path, names=rig.shape_names, fps=FPS)
        write_json(stamp, {"key": key, "seconds": solution.seconds})
        parts.remove()
    return solution


def _key(rig: Any, truth: NDArray[np.float32]) -> str:
    """Hash of everything that the numbers and the page are made of."""
    return fingerprint(edition(), ALPHA, FPS, BESIDE, rig.rest_vertices, rig.columns(), rig.faces, truth)
