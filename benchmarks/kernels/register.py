"""The register of kernels.

A kernel is a function that makes its inputs and returns a callable without arguments, which runs the kernel once::

    @kernel
    def body_one_pose(setup: Setup) -> Callable[[], object]:
        model, poses = body(setup.size(VERTICES), 1)
        return lambda: model.evaluate(poses, threads=setup.threads)

Its name begins with the name of its module, which is listed in `SYSTEMS`. Sizes are constants at the head of the
module.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

SYSTEMS = (
    "body",
    "blendshapes",
    "skinning",
    "face_maps",
    "differential",
    "inverse",
    "optimize",
    "ik",
    "transfer",
    "packing",
    "synthesis",
    "linalg",
    "mesh",
)


@dataclass(frozen=True)
class Setup:
    """The settings that a kernel may depend on.

    Attributes
    ----------
    threads : int
        Number of threads that the kernel may use.
    scale : float
        Share of the full sizes; tests run all kernels with small inputs.
    """

    threads: int = 1
    scale: float = 1.0

    def size(self, full: int, least: int = 4) -> int:
        """A full size, scaled."""
        return max(least, round(self.scale * full))


Make = Callable[[Setup], Callable[[], object]]
KERNELS: dict[str, Make] = {}


def kernel(make: Make) -> Make:
    """Register a kernel by the name of its function."""
    name, system = make.__name__, make.__module__.rpartition(".")[2]
    if name in KERNELS or not name.startswith(system):
        raise ValueError(f"kernel {name}: its name must be new and begin with {system}")
    KERNELS[name] = make
    return make


def load(name: str) -> Make:
    """One kernel, without importing the modules of other systems."""
    for system in SYSTEMS:
        if name.startswith(system):
            importlib.import_module(f"benchmarks.kernels.{system}")
    return KERNELS[name]


def all_names() -> list[str]:
    """Names of all kernels, by system."""
    for system in SYSTEMS:
        importlib.import_module(f"benchmarks.kernels.{system}")
    return list(KERNELS)


def chosen_names(parts: Sequence[str]) -> list[str]:
    """Names that contain any of the parts; all names if there are no parts.

    Raises
    ------
    LookupError
        If a part occurs in no name. The message lists the names near it.
    """
    names = all_names()
    for part in parts:
        if not any(part in name for name in names):
            near = difflib.get_close_matches(part, [*SYSTEMS, *names], n=6, cutoff=0.4)
            raise LookupError(f"no kernel is named {part!r}; near it: {', '.join(near or SYSTEMS)}")
    return [name for name in names if not parts or any(part in name for part in parts)]
