"""A model in a differential subspace on an NVIDIA GPU: ``python -m benchmarks.systems.cuda.differential [MODEL]``.

Without a model, a random one of the paper's sizes (benchmarks/systems/differential/engine.py) on a mesh that is made
here.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from benchmarks.systems.cuda import batches, floors
from benchmarks.systems.differential.engine import random_tensors
from rigcast import _core

RINGS, SECTORS = 67, 66  # as many vertices as the paper's face has, within one per cent


def sphere() -> tuple[np.ndarray, int]:
    """Triangles of a sphere with RINGS rings between its poles, and the number of its vertices."""
    ring = np.arange(RINGS)[:, None] * SECTORS + np.arange(SECTORS) + 1
    here, right = ring, np.roll(ring, -1, axis=1)
    a, b, c, d = (x.reshape(-1) for x in (here[:-1], right[:-1], right[1:], here[1:]))
    last = RINGS * SECTORS + 1
    caps = [(np.zeros(SECTORS, int), right[0], here[0]), (np.full(SECTORS, last), here[-1], right[-1])]
    sides = [(a, b, c), (a, c, d)]
    triangles = np.concatenate([np.stack(corners, axis=1) for corners in [*caps, *sides]])
    faces = np.concatenate([triangles, np.full((len(triangles), 1), -1)], axis=1).astype(np.int32)
    return faces, last + 1


def random_model() -> Any:
    """A random model of the paper's sizes."""
    return _core.model_from_tensors(*random_tensors(*sphere()))


def case(model: Any) -> batches.Case:
    """The case of a model in a differential subspace, whose last step is folded."""
    kernels = floors.differential(model.tensors(), len(model.control_names), model.num_vertices)
    return batches.Case(model, kernels, [batches.Way("16 bits", model.stored("16-bit"))], batches.BATCHES[:-1])


SCRIPT = batches.script(__doc__, "differential", case, random_model)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
