"""A face on deformation maps on an NVIDIA GPU: ``python -m benchmarks.systems.cuda.face_maps [MODEL]``.

Without a model, a random face of the paper's size (10 + 4 maps) whose charts leave texels out. "Coarse" are the coarse
maps alone. Multiply-adds are those that the CPU does.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from benchmarks.systems.cuda import batches
from benchmarks.systems.face_maps.paper_size import face


def case(model: Any) -> batches.Case:
    """Poses and vertices are moved once."""
    coarse = np.zeros((1, model.num_refinements), np.float32)
    return batches.Case(
        model,
        multiply_adds=model.multiply_adds(),
        bytes_per_pose=4.0 * (len(model.control_names) + model.rest_vertices.size),
        ways=[batches.Way("coarse", model, coarse), batches.Way("16 bits", model.stored("16-bit"))],
        batches=batches.BATCHES[:-1],
    )


SCRIPT = batches.script(__doc__, "face_maps", case, lambda: face(charts=True))

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
