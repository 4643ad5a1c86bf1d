"""Weights for Blender: a .blend with everything in it, or a script for an artist's own file."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import atomic_file, atomic_write
from rigcast._formats.blender.process import run_script
from rigcast._rigs.motions.head import in_axes
from rigcast._rigs.motions.shot import TO_Y_UP
from rigcast._validate import FPS

if TYPE_CHECKING:
    from rigcast._core import BlendshapeRig

HERE = Path(__file__).parent
SLIDER = 10.0  # Blender's limit of a slider either way
LONGEST_NAME = 63  # bytes

LAST_LINES = """

NAMES = {names}
FPS = {fps}
ROWS = [
{rows}
]
HEAD = [
{head}
]
CENTER, SIZE = {center}, {size}

if __name__ == "__main__":
    face = bpy.context.object
    if face is None or face.type != "MESH" or face.data.shape_keys is None:
        raise RuntimeError("select the mesh with the shape keys first")
    unknown = key_shapes(face, NAMES, ROWS, FPS)
    if HEAD:
        key_head(face, HEAD, CENTER, SIZE)
    print(f"keyed {{len(NAMES) - len(unknown)}} shape keys on {{len(ROWS)}} frames")
    if unknown:
        print("no such shape keys:", ", ".join(unknown))
"""


def write_blender_script(
    path: Path, rig: BlendshapeRig, weights: NDArray[np.float32], fps: float, motion: NDArray[np.float64] | None = None
) -> None:
    """Write a script that stands by itself."""
    body = (HERE / "write_action.py").read_text(encoding="utf-8").rstrip()
    center, size = _box(rig)
    tail = LAST_LINES.format(
        names=json.dumps(list(rig.shape_names)),
        fps=repr(fps),
        rows=_listed(weights),
        head="" if motion is None else _listed(in_axes(motion, _to_z_up(rig)).reshape(-1, 12)),
        center=center,
        size=size,
    )
    atomic_write(path, (body + "\n" + tail).encode())


def _listed(rows: NDArray[np.floating[Any]]) -> str:
    return ",\n".join("    [" + ", ".join(f"{value:.9g}" for value in row) + "]" for row in rows)


def _to_z_up(rig: BlendshapeRig) -> NDArray[np.float64]:
    """(3, 3) from the rig's axes to Blender's."""
    return np.asarray(TO_Y_UP["Z"].T @ TO_Y_UP[str(rig.up_axis)])


def _box(rig: BlendshapeRig) -> tuple[list[float], float]:
    """Center of the neutral's box, z up, and its diagonal."""
    points = np.asarray(rig.rest_vertices, np.float64) @ _to_z_up(rig).T
    low, high = points.min(axis=0), points.max(axis=0)
    return ((low + high) / 2).tolist(), float(np.linalg.norm(high - low))


def write_blend(
    path: Path,
    rig: BlendshapeRig,
    weights: NDArray[np.float32] | None = None,
    fps: float = FPS,
    motion: NDArray[np.float64] | None = None,
) -> None:
    """Write a .blend: shape keys, combinations as driven keys, an action of the weights, upright. Runs Blender."""
    keyed = weights is not None
    weights = np.zeros((1, rig.num_shapes), np.float32) if weights is None else weights
    facts = rig.metadata
    ranges = np.asarray(rig.bounds, np.float64)
    ranges = np.stack([np.minimum(ranges[:, 0], weights.min(axis=0)), np.maximum(ranges[:, 1], weights.max(axis=0))], 1)
    factors = [[_factor(factor) for factor in combination] for combination in rig.combinations]
    driven = [_product_range(combination, ranges) for combination in factors]
    about = {
        "name": str(facts.get("name") or "face"),
        "licence": str(facts.get("licence") or ""),
        "origin": str(facts.get("origin") or ""),
        "meters_per_unit": float(facts.get("meters_per_unit", 1.0)),
        "names": [*rig.shape_names, *_key_names(rig.column_names[rig.num_shapes :])],
        "num_shapes": rig.num_shapes,
        "ranges": np.clip([*ranges.tolist(), *driven], -SLIDER, SLIDER).tolist(),
        "factors": factors,
        "fps": fps,
        "keyed": keyed,
        "turn": _to_z_up(rig).tolist(),
        "box": _box(rig),
        "head": [] if motion is None else in_axes(motion, _to_z_up(rig)).reshape(-1, 12).tolist(),
    }
    with tempfile.TemporaryDirectory(prefix="rigcast-export-") as name:
        folder = Path(name)
        (folder / "scene.json").write_text(json.dumps(about), encoding="utf-8")
        np.savez(
            folder / "scene.npz", neutral=rig.rest_vertices, faces=rig.faces, deltas=rig.columns(), weights=weights
        )
        run_script(HERE / "write_scene.py", [str(folder)])
        with (folder / "scene.blend").open("rb") as source, atomic_file(path) as stream:
            shutil.copyfileobj(source, stream)


def _key_names(names: list[str]) -> list[str]:
    """Names of combinations; numbers in place of those that are too long for Blender."""
    return [name if len(name.encode()) <= LONGEST_NAME else f"combination {c}" for c, name in enumerate(names)]


def _factor(factor: Any) -> list[float]:
    """[shape], or [shape, x1, x2, x3] of a tent."""
    if isinstance(factor, int | np.integer):
        return [int(factor)]
    return [factor.shape, factor.x1, factor.x2, factor.x3]


def _product_range(factors: list[list[float]], ranges: NDArray[np.float64]) -> list[float]:
    low, high = 1.0, 1.0
    for shape, *tent in factors:
        ends = (0.0, 1.0) if tent else ranges[int(shape)]
        corners = [low * ends[0], low * ends[1], high * ends[0], high * ends[1]]
        low, high = min(corners), max(corners)
    return [float(min(low, 0.0)), float(max(high, 0.0))]
