"""Small recordings: coarse meshes whose frames are sums of few components, as whole numbers that deflate well."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._validate import bad_argument
from rigcast.viewer._coarse import Triangles, coarse_mesh
from rigcast.viewer._drawing import _geometry
from rigcast.viewer._messages import Seek
from rigcast.viewer._stage import Stage
from rigcast.viewer._wire import header_of, packed

Float32 = NDArray[np.float32]
Integers = NDArray[np.integer[Any]]
TOLERANCE = 1e-3  # of a figure's size: what the left out components move a coordinate by, at most
STEP = 0.5  # of the tolerance: what coordinates are rounded to
SLIDER_STEPS = 1000  # of a slider's range
SHARES = 32767  # of a component in a frame: whole numbers up to this one
SEEN = 200  # frames by which vertices are merged and components are found
LARGEST = 2**28  # numbers: beyond, frames do not fit into memory


@dataclass(frozen=True)
class SummedFigure:
    """Vertices of a figure in all frames: ``step * (center + shares / SHARES @ components)``."""

    triangles: Triangles  # (F, 3)
    step: float
    center: Integers  # (3, V)
    components: Integers  # (R, 3, V)
    shares: Integers  # (T, R)

    def frames(self) -> Float32:
        """(T, V, 3) vertices as the page shows them."""
        moved = np.tensordot(self.shares / SHARES, self.components, axes=1)
        return np.asarray((self.step * (self.center + moved)).transpose(0, 2, 1), np.float32)


def summed_figure(frames: Float32, triangles: Triangles) -> SummedFigure:
    """The fewest principal components that show frames (T, V, 3) within the tolerance."""
    count, width = len(frames), frames.shape[1]
    size = float(np.linalg.norm(np.ptp(frames[0], axis=0))) or 1.0
    step = STEP * TOLERANCE * size
    flat = frames.transpose(0, 2, 1).reshape(count, -1).astype(np.float64)
    center = flat.mean(axis=0)
    left = flat - center
    seen = left[_spread(count)]
    basis = np.linalg.svd(seen, full_matrices=False)[2]
    shares, used = left @ basis.T, 0
    while used < len(basis) and np.abs(left).max() > TOLERANCE * size:
        left -= shares[:, used : used + 1] * basis[used]
        used += 1
    most = np.maximum(np.abs(shares[:, :used]).max(axis=0), 1e-300)
    components = np.rint(basis[:used] * most[:, None] / step).reshape(used, 3, width)
    return SummedFigure(
        triangles,
        step,
        np.rint(center / step).astype(np.int64).reshape(3, width),
        components.astype(np.int64),
        np.rint(shares[:, :used] / most * SHARES).astype(np.int64),
    )


def summed(stage: Stage, vertices: int) -> bytes:
    """All frames of a stage, in at most so many vertices per figure: what ``summed.js`` reads, deflated.

    Raises
    ------
    ValueError
        If there are more frames than memory holds.
    """
    count = 1 if stage.timeline.is_empty else stage.timeline.frames
    sizes = [min(len(figure.rest_vertices), vertices) for figure in stage.figures()]
    if 3 * count * sum(sizes) > LARGEST:
        raise bad_argument("record", "poses", f"{count:,} frames", f"at most {LARGEST // (3 * sum(sizes)):,}")
    seen: list[list[Float32]] = [[np.asarray(figure.rest_vertices, np.float32)] for figure in stage.figures()]
    for t in _spread(count):
        stage.step([Seek(int(t))], 0.0)
        for own, shown in zip(seen, stage.shown(), strict=True):
            own.append(np.array(shown, np.float32))
    meshes = [
        coarse_mesh(np.stack(own), _geometry.triangles(figure.faces), vertices)
        for own, figure in zip(seen, stage.figures(), strict=True)
    ]
    headers: list[dict[str, Any]] = []
    frames = [np.empty((count, len(kept), 3), np.float32) for kept, _ in meshes]
    for t in range(count):
        headers.append(header_of(stage.step([Seek(t)], 0.0)))
        for rows, (kept, _), shown in zip(frames, meshes, stage.shown(), strict=True):
            rows[t] = shown[kept]
    figures = [summed_figure(rows, mesh[1]) for rows, mesh in zip(frames, meshes, strict=True)]
    return zlib.compress(_message(stage, headers, figures), 9)


def _message(stage: Stage, headers: list[dict[str, Any]], figures: list[SummedFigure]) -> bytes:
    """Headers of the scene and of all frames, and the numbers of sliders and figures."""
    rows = np.array([header.pop("row") for header in headers], np.float64).reshape(len(headers), -1)
    low = stage.ranges[:, 0].astype(np.float64)
    steps = np.maximum((stage.ranges[:, 1] - low) / SLIDER_STEPS, 1e-9)
    scene = header_of(stage.scene(has_images=False))
    arrays: list[Integers] = [np.rint((rows - low) / steps).astype(np.int64).T]
    about = []
    for facts, own in zip(scene["figures"], figures, strict=True):
        size = len(own.triangles)
        facts |= {"vertices": own.center.shape[1], "triangles": size, "reduced": size, "look": None}
        about.append({"step": own.step, "components": len(own.components)})
        arrays += [own.triangles, own.center, own.components, own.shares.T]
    for header in headers:
        del header["boxes"]
    header = {
        "scene": scene,
        "frames": headers,
        "sliders": {"low": low.tolist(), "step": steps.tolist()},
        "figures": about,
        "shares": SHARES,
    }
    return packed(header, [planes(array) for array in arrays])


def planes(numbers: Integers) -> NDArray[np.uint8]:
    """Whole numbers in the order of memory as four planes of bytes: of differences, whose signs are the lowest bits."""
    difference = np.diff(np.ascontiguousarray(numbers, np.int64).reshape(-1), prepend=0)
    code = np.where(difference < 0, -2 * difference - 1, 2 * difference).astype("<u4")
    return np.ascontiguousarray(code.view(np.uint8).reshape(-1, 4).T).reshape(-1)


def _spread(count: int) -> NDArray[np.intp]:
    """At most SEEN of ``count`` frames, at equal distances."""
    return np.unique(np.linspace(0, count - 1, min(count, SEEN)).astype(np.intp))
