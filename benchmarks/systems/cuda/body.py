"""A learned body on an NVIDIA GPU, with float32 and with 16-bit networks.

    python -m benchmarks.systems.cuda.body [MODEL]

Without a model, a random one of the size of the demo's.
"""

from __future__ import annotations

import sys
from typing import Any

from benchmarks.kernels.body import BODY_SIZES, learned
from benchmarks.systems.cuda import batches, floors


def case(model: Any) -> batches.Case:
    """The case of a learned body."""
    kernels = floors.body(model.tensors(), len(model.control_names), model.num_vertices)
    return batches.Case(model, kernels, [batches.Way("16 bits", model.stored("16-bit"))])


SCRIPT = batches.script(__doc__, "body", case, lambda: learned(BODY_SIZES["num_vertices"]))

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
