"""A face on deformation maps on an NVIDIA GPU: ``python -m benchmarks.systems.cuda.face_maps [MODEL]``.

Without a model, a random face of the paper's size (10 + 4 maps) whose charts leave texels out. "Coarse" are the coarse
maps alone. Multiply-adds are those that the CPU does.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from benchmarks.systems.cuda import batches, floors
from benchmarks.systems.face_maps.paper_size import face


def case(model: Any) -> batches.Case:
    """The case of a face."""
    coarse = np.zeros((1, model.num_refinements), np.float32)
    ways = [batches.Way("coarse", model, coarse), batches.Way("16 bits", model.stored("16-bit"))]
    adds, adds_of_all = (float(model.multiply_adds(all_texels)) for all_texels in (False, True))
    kernels = floors.face_maps(model.tensors(), adds, adds_of_all, len(model.control_names), model.num_vertices)
    return batches.Case(model, kernels, ways, batches.BATCHES[:-1])


SCRIPT = batches.script(__doc__, "face_maps", case, lambda: face(charts=True))

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
