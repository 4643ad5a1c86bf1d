"""A learned body on an NVIDIA GPU, with float32 and with 16-bit networks.

    python -m benchmarks.systems.cuda.body [MODEL]

Without a model, a random one of the size of the demo's.
"""

from __future__ import annotations

import sys
from typing import Any

from tests.support.made.models import random_body

from benchmarks.kernels.body import BODY_SIZES
from benchmarks.systems.cuda import batches


def case(model: Any) -> batches.Case:
    """Return the case of a learned body: all values between two kernels are written and read."""
    tensors = model.tensors()
    matrices = {k: v for k, v in tensors.items() if k.startswith("set.") and v.ndim == 2}
    outputs = sum(len(v) for k, v in matrices.items() if ".layer" in k)
    members, sets = len(tensors["sets.vertex"]), len(tensors["sets.joint"])
    between = len(tensors["inputs.column"]) + outputs + 3 * members + 12 * sets
    ends = len(model.control_names) + model.rest_vertices.size
    return batches.Case(
        model,
        multiply_adds=sum(v.size for v in matrices.values()) + 12.0 * members,
        bytes_per_pose=4.0 * (ends + 2 * between),
        ways=[batches.Way("16 bits", model.stored("16-bit"))],
    )


SCRIPT = batches.script(__doc__, "body", case, lambda: random_body(**BODY_SIZES))

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
