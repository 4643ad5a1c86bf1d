"""A face whose combinations are ten times as strong as they are: constructed, so that products of weights matter.

The ICT face's corrections are mild: the shapes alone come within some percent of its motion. Characters of a production
have stronger ones. Here every correction of the face is multiplied by ten, which no artist has sculpted.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import rigcast as rc
from benchmarks.papers.inverse.mismatched.kept import Row
from benchmarks.papers.inverse.mismatched.methods import OURS, RELEASED, SHAPES_ALONE, Bench
from benchmarks.papers.inverse.mismatched.scene import Scene

FACTOR = 10
FROM_CET = ("mm_cet", "mm_cet" + RELEASED)


def strong(scene: Scene, factor: float = FACTOR) -> Scene:
    """The scene with every correction of its rig multiplied."""
    rig = scene.rig
    columns, count = np.asarray(rig.columns()), rig.num_shapes
    mixed = [(factors, factor * delta) for factors, delta in zip(rig.combinations, columns[count:], strict=True)]
    made = rc.BlendshapeRig(
        rig.rest_vertices,
        columns[:count],
        mixed,
        names=rig.shape_names,
        bounds=rig.bounds,
        faces=rig.faces,
        metadata={"meters_per_unit": float(rig.meters_per_unit)},
    )
    return replace(scene, rig=made)


def rows(bench: Bench) -> list[Row]:
    """All judged frames, by the closed forms, MM from Cet both ways, and ours; the whole rig by ours."""
    jobs = [("linear", method) for method in SHAPES_ALONE]
    jobs += [(model, method) for model in ("linear", "pairs") for method in (*FROM_CET, "mm" + RELEASED, OURS)]
    jobs.append(("full", OURS))
    return [bench.kept.row("zero", bench.zero), *(bench.made(*job) for job in jobs)]
