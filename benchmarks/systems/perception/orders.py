"""Orders of the ICT face's shapes by measures without labels, beside the ratings of people.

    python -m benchmarks.systems.perception.orders [--write]

Rank correlations of eleven action units at full activation with the mean ratings of Carrigan 2020,
table 5.12; the last rows are those of her own sums of offsets (table 5.13), on her own mesh. Needs the extras
``perception`` and ``jod``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
from tests.support.perceived_units import SUMS, ratings, spearman, unit_shapes

import rigcast as rc
from benchmarks.marks import write_between_marks
from rigcast.perception._differences.compare import film

ROOT = Path(__file__).resolve().parents[3]
Shapes = dict[str, np.ndarray]
AXES = {"|dy|": [1], "|dx| + |dy|": [0, 1], "|dx| + |dy| + |dz|": [0, 1, 2]}


def geometry(rig: rc.BlendshapeRig, shapes: Shapes) -> dict[str, list[float]]:
    """Values of each measure of the meshes, one per unit."""
    rest = rig.rest_vertices.astype(np.float64)
    camera = rc.perception.Viewing().camera(rest, rig.meters_per_unit, rig.up_axis)
    skin = slice(*rig.metadata["segments"]["face"])
    found: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        found.setdefault(name, []).append(value)

    for shape in shapes.values():
        screen = rc.perception.screen_motion(rest, shape, rig.faces, camera=camera)
        difference = rc.perception.shape_difference(rest, shape, rig.faces)
        across = np.linalg.norm((shape - rest)[skin, :2], axis=1)
        note("largest distance on the screen at 2 m", screen.max)
        note("largest displacement across the view, skin alone", float(across.max()))
        note("largest displacement", difference.max)
        note("Hausdorff distance of the surfaces", difference.hausdorff)
        note("edge difference (after STED)", rc.perception.edge_difference(rest, shape, rig.faces).spatial)
        note("triangle distortion, area-weighted", difference.distortion)
        note("RMS on the screen, area-weighted", screen.rms)
        note("RMS, area-weighted", difference.rms)
        note("the thesis's sum over vertices", difference.thesis_sum)
    return found


def pictures(rig: rc.BlendshapeRig, shapes: Shapes) -> dict[str, list[float]]:
    """Values of each measure of pictures at 1 m."""
    viewing = rc.perception.Viewing(distance=1.0)
    camera = viewing.camera(rig.rest_vertices, rig.meters_per_unit, rig.up_axis)
    neutral, *others = film(np.stack([rig.rest_vertices, *shapes.values()]), rig.faces, camera)
    measures: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
        "picture: mean square": rc.metrics.image_mse,
        "picture: 1 - SSIM (Wang)": lambda a, b: 1.0 - rc.metrics.structural_similarity(a, b),
        "picture: 1 - SSIM (scikit-image)": lambda a, b: 1.0 - rc.metrics.structural_similarity(a, b, window="uniform"),
        "picture: Yee's difference": rc.metrics.perceptual_difference,
        "picture: FLIP": lambda a, b: rc.perception.flip(a, b, pixels_per_degree=viewing.pixels_per_degree),
        "picture: JOD (ColorVideoVDP)": lambda a, b: rc.perception.jod_loss(
            a, b, pixels_per_degree=viewing.pixels_per_degree
        ),
    }
    return {name: [measure(neutral, other) for other in others] for name, measure in measures.items()}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks")
    given = parser.parse_args()
    rig, rated = rc.faces.ict(given.data / "ict_facekit"), ratings()
    shapes = unit_shapes(rig)
    ordered = {name: shapes[name] for name in rated}
    values = geometry(rig, ordered) | pictures(rig, ordered)
    answers = list(rated.values())
    lines = ["| measure | mesh | Spearman with the ratings |", "| --- | --- | ---: |"]
    rows = sorted(((spearman(found, answers), name) for name, found in values.items()), reverse=True)
    lines += [f"| {name} | ICT | {value:.2f} |" for value, name in rows]
    for name, axes in AXES.items():
        sums = [sum(SUMS[unit][axis] for axis in axes) for unit in rated]
        lines.append(f"| sum of {name.replace('|', chr(92) + '|')} | the thesis's | {spearman(sums, answers):.2f} |")
    print("\n".join(lines))
    if given.write:
        write_between_marks("orders beside ratings", "\n".join(lines))


if __name__ == "__main__":
    main()
