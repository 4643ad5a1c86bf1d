"""How much of the production face simple methods explain: PCA + linear regression, quadratic ridge, nearest pose.

    python -m benchmarks.baselines.production_face --curves FOLDER [--poses 2000] [--blend FILE]

FOLDER is a copy of compskin_face_anim (see ``rw.faces.compskin_curves``); its frame rate is our assumption. Errors are
distances of vertices in millimeters: the mean over all vertices and frames of a clip, the mean over vertices that some
training pose moves by 0.1 mm, and the largest. The face is worth learning if the best method misses the performance by
0.3 mm on average, over all vertices, and by 5 mm at worst.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigwright._demo.production_face import (
    build_production_face,
    constructed_clips,
    performance_clips,
    training_rows,
    uniform_rows,
)
from rigwright._demo.production_face.clips import ASSUMPTION
from rigwright._formats.blender import BlenderRig

Array = NDArray[Any]  # float64 for controls, float32 for vertices
COMPONENTS, VALIDATED, DAMPING = 200, 0.15, (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0)
EVERY = 2  # frames of the judged clips: every second one


def basis(moved: Array) -> tuple[Array, Array, Array]:
    """Mean (D,), principal components (P, D) and coordinates (N, P) of rows (N, D)."""
    mean = moved.mean(axis=0)
    centered = moved - mean
    values, vectors = np.linalg.eigh(centered @ centered.T)
    kept = np.argsort(values)[::-1][: min(COMPONENTS, len(moved) - 1)]
    components = (vectors[:, kept].T @ centered) / np.sqrt(np.maximum(values[kept], 1e-20))[:, None]
    return mean, components, centered @ components.T


def ridge(features: Array, coordinates: Array, asked: Array) -> Array:
    """Ridge regression in its dual form; the damping is the best on the last rows."""
    kernel, cut = features @ features.T, round((1 - VALIDATED) * len(features))
    values, vectors = np.linalg.eigh(kernel[:cut, :cut])
    turned = vectors.T @ (coordinates[:cut] - coordinates[:cut].mean(axis=0))
    errors = []
    for damping in DAMPING:
        weights = vectors @ (turned / (values + damping)[:, None])
        guess = kernel[cut:, :cut] @ weights + coordinates[:cut].mean(axis=0)
        errors.append(np.square(guess - coordinates[cut:]).mean())
    best = DAMPING[int(np.argmin(errors))]
    mean = coordinates.mean(axis=0)
    weights = np.linalg.solve(kernel + best * np.eye(len(kernel)), coordinates - mean)
    return np.asarray(asked @ features.T @ weights + mean)


def quadratic(rows: Array) -> Array:
    """The controls and all their products of two."""
    first, second = np.triu_indices(rows.shape[1])
    return np.concatenate([rows, rows[:, first] * rows[:, second]], axis=1)


def predictions(rows: Array, moved: Array, asked: Array) -> dict[str, Array]:
    """Displacements of each method for rows of controls."""
    mean, components, coordinates = basis(moved)
    changing = np.ptp(rows, axis=0) > 0
    known, new = (table[:, changing] - rows[:, changing].mean(axis=0) for table in (rows, asked))
    products = quadratic(rows[:, changing])
    shift = products.mean(axis=0)
    squares = ridge(products - shift, coordinates, quadratic(asked[:, changing]) - shift)
    nearest = ((asked[:, None] - rows[None]) ** 2).sum(axis=2).argmin(axis=1)
    return {
        "PCA + linear regression": ridge(known, coordinates, new) @ components + mean,
        "quadratic ridge": squares @ components + mean,
        "nearest training pose": moved[nearest],
    }


def judge(rig: BlenderRig, rows: Array, clips: dict[str, Array]) -> list[str]:
    """Lines of a table: method, clip and errors."""
    still = rig.rest_vertices.reshape(-1)
    moved = sampled(rig, rows) - still
    moving = np.linalg.norm(moved.reshape(len(rows), -1, 3), axis=2).max(axis=0) > 1e-4
    lines = []
    for name, asked in clips.items():
        truth = sampled(rig, asked) - still
        for method, guess in predictions(rows, moved, asked).items():
            error = 1e3 * np.linalg.norm((guess - truth).reshape(len(asked), -1, 3), axis=2)
            figures = f"{error.mean():.3f} | {error[:, moving].mean():.3f} | {error.max():.1f}"
            lines.append(f"| {name} | {method} | {figures} |")
    return lines


def sampled(rig: BlenderRig, rows: Array) -> Array:
    """Vertices (N, 3 V) of rows of controls."""
    parts = np.array_split(rows, max(1, len(rows) // 100))
    return np.concatenate([rig.sample(part)[1].reshape(len(part), -1) for part in parts])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--curves", required=True)
    parser.add_argument("--poses", type=int, default=2000)
    parser.add_argument("--blend")
    options = parser.parse_args()
    clips = performance_clips(options.curves) + constructed_clips()
    judged = {"performance": next(clip.rows[::EVERY] for clip in clips if clip.judged and not clip.constructed)}
    held_out = [clip.rows[:: 4 * EVERY] for clip in clips if clip.judged and clip.constructed]
    judged["constructed, held out"] = np.concatenate(held_out)
    rows, clipped = training_rows(clips, options.poses)
    with tempfile.TemporaryDirectory() as folder:
        blend = build_production_face(options.blend or Path(folder, "face.blend"))
        with BlenderRig.open(blend) as rig:
            seconds = np.median(rig.time_pose(rows[:50]))
            print(f"{ASSUMPTION}.\n{options.poses} poses; {len(rig.rest_vertices):,} vertices; ", end="")
            print(f"{1e3 * seconds:.1f} ms per pose in Blender at a load of {os.getloadavg()[0]:.0f}")
            print(f"\nCurves x U(.25, 3), {100 * clipped:.0f} % of the values clipped into the ranges:\n")
            print(
                "| clip | method | mean mm, all vertices | mean mm, moving vertices | max mm |\n| - | - | - | - | - |"
            )
            print(*judge(rig, rows, judged), sep="\n", flush=True)
            print("\nUniform in the ranges:\n")
            print(*judge(rig, uniform_rows(options.poses), judged), sep="\n")


if __name__ == "__main__":
    started = time.perf_counter()
    main()
    print(f"\n{time.perf_counter() - started:.0f} s")
