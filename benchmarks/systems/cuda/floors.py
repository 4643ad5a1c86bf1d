"""Floors and predictions of the CUDA kernels: operations, fewest bytes, and the times that a GPU needs for them.

A kernel must move its inputs and its results once, and do its operations. Its floor is the larger one of two times:
bytes over the rate of a copy, operations over the rate of the units that do them. Kernels of a batch run one after
another, so that the floor of a batch is the sum of theirs, and at least their number times the time of a launch in a
graph. The prediction divides each kernel's floor by an efficiency, stated with its reason, and adds the launches.

float32 products run on the matrix units as three products of TF32: a number is split into two parts, and the product of
the two small parts is left out. What stays in the L2 cache moves at its rate (unit "cache").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.systems.cuda.gpus import H100, Gpu

SPLIT_PRODUCTS = 3  # of TF32, for one of float32
BALANCE = H100.tf32 / SPLIT_PRODUCTS / H100.copy  # operations per byte above which a split product is bound by them
Tensors = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Efficiency:
    """Share of the floor's rate that a kernel is predicted to reach, and why."""

    share: float
    reason: str


EFFICIENCY = {
    "offsets": Efficiency(
        0.8, "bound by bytes: whole lines of vertices are written once, offsets stay in the L2 cache"
    ),
    "streams": Efficiency(0.75, "bound by bytes: rows are read and written in order, products hide behind them"),
    "layers": Efficiency(0.5, "mma.sync is said to reach 60 % of the rate of wgmma; sums end in half-full tiles"),
    "maps": Efficiency(0.4, "mma.sync is said to reach 60 % of the rate of wgmma; cells of four texels end in padding"),
    "search": Efficiency(0.5, "the Gram matrix is read from the L2 cache in each step; N is padded to full tiles"),
    "steps": Efficiency(0.5, "a team waits for its sums; launches follow one another without a graph"),
    "waits": Efficiency(0.1, "a chain of small steps, of which twenty teams a multiprocessor hide a part"),
    "projection": Efficiency(0.5, "as layers, with long sums and few outputs"),
    "placing": Efficiency(0.65, "bound by bytes: scattered reads, whole lines written"),
    "small": Efficiency(0.5, "short rows"),
    "link": Efficiency(0.9, "large pinned copies beside kernels"),
    "sparse": Efficiency(0.4, "rows of few entries, gathered inputs"),
}


@dataclass(frozen=True)
class Kernel:
    """One kernel, or several launches alike.

    Attributes
    ----------
    name : str
        For people.
    efficiency : str
        Key of EFFICIENCY.
    operations : float
        Multiplications and additions per frame.
    frame_bytes : float
        Of inputs and results per frame, each moved once.
    constant_bytes : float
        Of constants, moved once per launch.
    unit : str
        "split" (float32 on matrix units), "float64" (matrix units), "float32", "cache" (bytes in the L2
        cache), or "pinned" (the link).
    launches : int
    """

    name: str
    efficiency: str
    operations: float
    frame_bytes: float
    constant_bytes: float = 0.0
    unit: str = "float32"
    launches: int = 1

    def bytes_seconds(self, frames: int, gpu: Gpu) -> float:
        rate = getattr(gpu, self.unit) if self.unit in ("cache", "pinned") else gpu.copy
        return float((self.constant_bytes + frames * self.frame_bytes) / rate)

    def operations_seconds(self, frames: int, gpu: Gpu) -> float:
        if self.unit == "split":
            return SPLIT_PRODUCTS * frames * self.operations / gpu.tf32
        return frames * self.operations / float(getattr(gpu, "float64" if self.unit == "float64" else "float32"))


@dataclass(frozen=True)
class Estimate:
    """Seconds of a batch: both floors summed over kernels, the launches, the floor, the prediction."""

    bytes: float
    operations: float
    launches: float
    floor: float
    predicted: float


def estimate(kernels: Iterable[Kernel], frames: int, gpu: Gpu) -> Estimate:
    """The floors and the prediction of a batch on a GPU."""
    moved = computed = launches = floor = predicted = 0.0
    for kernel in kernels:
        both = kernel.bytes_seconds(frames, gpu), kernel.operations_seconds(frames, gpu)
        moved, computed = moved + both[0], computed + both[1]
        launches += kernel.launches * gpu.launch
        floor += max(both)
        predicted += max(both) / EFFICIENCY[kernel.efficiency].share
    return Estimate(moved, computed, launches, max(floor, launches), predicted + launches)


def as_json(kernels: Iterable[Kernel]) -> list[dict[str, Any]]:
    """For files of figures."""
    return [asdict(kernel) for kernel in kernels]


def from_json(entries: Sequence[Mapping[str, Any]]) -> list[Kernel]:
    return [Kernel(**entry) for entry in entries]


# The kernels of each job ----------------------------------------------------------------------------------------------


def heads(shapes: int, columns: int, vertices: int, entries: int, item: int) -> list[Kernel]:
    """One blendshape rig for many heads, by head; ``entries``: stored offsets of ``item`` bytes (12 or 6)."""
    return [
        Kernel("activations", "small", columns, 4.0 * (shapes + columns)),
        Kernel(
            "offsets x activations",
            "offsets",
            6.0 * entries,
            12.0 * vertices + 4.0 * columns,
            item * entries + 12.0 * vertices,
            "split",
        ),
    ]


def curves(shapes: int) -> Kernel:
    """Weights that animation curves on the device play: two keys are read, a row is written."""
    return Kernel("curves", "small", 3.0 * shapes, 12.0 * shapes)


def layer(name: str, inputs: float, outputs: float, weights: float) -> Kernel:
    """The product of a layer of all networks, by pose."""
    operations, moved = 2.0 * weights, 4.0 * (inputs + outputs)
    bound = "layers" if operations > BALANCE * moved else "streams"
    return Kernel(name, bound, operations, moved, 4.0 * (weights + outputs), "split")


def gather(controls: float, inputs: float) -> Kernel:
    """Columns of a pose to the inputs of the networks."""
    return Kernel("inputs", "small", 0.0, 4.0 * (controls + inputs))


def body(tensors: Tensors, controls: int, vertices: int) -> list[Kernel]:
    """A learned body: four layers, transforms of the sets' joints, the blend of members."""
    inputs, members, sets = (len(tensors[key]) for key in ("inputs.column", "sets.vertex", "sets.joint"))
    found, width = [gather(controls, inputs)], float(inputs)
    for number in (1, 2, 3):
        own = [v for k, v in tensors.items() if k.startswith("set.") and k.endswith(f".layer{number}.weight")]
        outputs = float(sum(len(v) for v in own))
        found.append(layer(f"layer {number}", width, outputs, float(sum(v.size for v in own))))
        width = outputs
    basis = sum(v.size for k, v in tensors.items() if k.startswith("set.") and k.endswith(".basis"))
    found.append(layer("basis", width, 3.0 * members, float(basis)))
    found.append(Kernel("transforms", "small", 72.0 * sets, 8.0 * 12 * sets))
    moved = 4.0 * (3 * members + 12 * sets + 3 * vertices)
    found.append(Kernel("blend", "placing", 24.0 * members, moved, 12.0 * members))
    return found


def differential(tensors: Tensors, controls: int, vertices: int) -> list[Kernel]:
    """A model in a differential subspace: its network, the anchors' networks, the folded last step, places."""
    components, anchors = tensors["delta.basis"].shape[1], len(tensors["anchors.vertex"])
    inputs = len(tensors.get("inputs.column", np.zeros(controls))) + len(tensors["anchors.column"])
    found = [gather(controls, inputs)]
    for prefix in ("network.layer", "anchors.layer"):
        weights = [v for k, v in sorted(tensors.items()) if k.startswith(prefix) and k.endswith(".weight")]
        biases = [v for k, v in sorted(tensors.items()) if k.startswith(prefix) and k.endswith(".bias")]
        width = float(inputs if prefix == "anchors.layer" else weights[0].shape[-1])
        for number, (weight, bias) in enumerate(zip(weights, biases, strict=True), 1):
            found.append(layer(f"{prefix.removesuffix('.layer')} layer {number}", width, bias.size, weight.size))
            width = float(bias.size)
    columns = components + anchors
    found.append(Kernel("columns of the last step", "small", 0.0, 4.0 * (components + 3 * anchors + 3 * columns)))
    found.append(layer("last step", 3.0 * columns, 3.0 * vertices, 3.0 * vertices * columns))
    joints = len(tensors["skeleton.parents"]) if "skin.weight" in tensors else 0
    if joints:
        found.append(Kernel("transforms", "small", 72.0 * joints, 8.0 * 12 * joints, launches=2))
    found.append(Kernel("places", "placing", 30.0 * vertices if joints else 0.0, 24.0 * vertices + 48.0 * joints))
    return found


def face_maps(tensors: Tensors, adds: float, adds_of_all: float, controls: int, vertices: int) -> list[Kernel]:
    """A face on deformation maps: two dense layers, a launch per level of convolutions, samples.

    ``adds`` are multiply-adds of a pose, dense layers and samples included, ``adds_of_all`` those without masks. A
    convolution reads the maps of the level before, which are a quarter as large, and writes its own; samples read each
    texel of the last maps once.
    """
    own = {k: v for k, v in tensors.items() if k.startswith("segment.") and k.endswith(".weight")}
    dense = [[v for k, v in own.items() if f".dense{n}." in k] for n in (1, 2)]
    convolutions = {k: v for k, v in own.items() if ".conv" in k}
    first = [v for k, v in convolutions.items() if ".conv1." in k]
    inputs, hidden, base = (
        float(sum(x)) for x in ([v.shape[1] for v in dense[0]], map(len, dense[0]), map(len, dense[1]))
    )
    channels, samples = len(first[0]), len(tensors["segments.vertex"])
    beside = sum(v.size for v in (*dense[0], *dense[1])) + 7.0 * samples * channels
    masked = (adds - beside) / (adds_of_all - beside)  # share of the texels that masks leave in
    depths = [sum(k.startswith(k1.split("conv1")[0]) for k in convolutions) for k1 in convolutions if ".conv1." in k1]
    bases = [len(rows) / weight.shape[1] for rows, weight in zip(dense[1], first, strict=True)]  # texels of a map
    maps = list(zip(bases, depths, strict=True))
    last = masked * sum(size * 4.0 ** (depth - 1) for size, depth in maps)
    texels = masked * sum(size * 4.0**level for size, depth in maps for level in range(depth))
    weights = 4.0 * sum(v.size for v in convolutions.values())
    moved = 4.0 * (base + channels * (2.0 * texels - last))
    placed = 4.0 * (channels * last + 3 * vertices)
    return [
        gather(controls, inputs),
        layer("dense layer 1", inputs, hidden, float(sum(v.size for v in dense[0]))),
        layer("dense layer 2", hidden, base, float(sum(v.size for v in dense[1]))),
        Kernel("convolutions", "maps", 2.0 * (adds - beside), moved, weights, "split", max(depths)),
        Kernel("samples", "placing", 14.0 * samples * channels, placed, 28.0 * samples),
    ]


@dataclass(frozen=True)
class Steps:
    """Gradient steps that a frame of the inverse rig takes: from its first start, and from each other one.

    By the emulation: 64 frames of the benchmark took 204 on the average, from zero, from the linear start and from the
    solutions of both neighbors; a slot waits four steps for its next job.
    """

    first: int = 136
    other: int = 28
    starts: int = 4

    @property
    def total(self) -> int:
        return self.first + (self.starts - 1) * self.other


def projection(vertices: int, columns: int) -> Kernel:
    """Targets on a rig's columns, by frame of a shot."""
    moved = 12.0 * vertices + 8.0 * columns
    return Kernel("projection", "projection", 6.0 * vertices * columns, moved, 12.0 * vertices * columns, "float64")


COLD = 3  # starts that begin with two sweeps: all but the solution of the frame after


def search(shapes: int, pairs: int, steps: Steps) -> list[Kernel]:
    """Accelerated gradient steps of all frames and starts together, in float64, by frame.

    A step is a product with the Gram matrix (N, N) and a kernel that reads residuals, point, its change and the point
    before (N + 3 K numbers), projections (N) and writes activations, residuals and the three points again. A sweep
    updates each weight by the columns that it drives.
    """
    columns = shapes + pairs
    users = 1.0 + 2.0 * pairs / shapes
    return [
        Kernel("Gram products", "search", 2.0 * columns**2 * steps.total, 8.0 * columns, 8.0 * columns**2, "float64"),
        Kernel("steps", "steps", 0.0, 8.0 * (5.0 * columns + 6.0 * shapes) * steps.total, 0.0, "cache"),
        Kernel("sweeps", "waits", COLD * 2 * 2.0 * shapes * users * columns, 0.0, 0.0, "float64"),
    ]


def link(vertices: int, memory: str) -> Kernel:
    """Targets from the host's "pinned" memory."""
    return Kernel(f"targets, {memory}", "link", 0.0, 12.0 * vertices, unit=memory)


def encoding(vertices: int, entries: int) -> Kernel:
    """The sparse Laplacian of a mesh times displacements, by frame; ``entries`` of the matrix."""
    return Kernel("Laplacian x displacements", "sparse", 6.0 * entries, 24.0 * vertices, 8.0 * entries + 4.0 * vertices)
