"""Blendshape rigs and weights in NumPy archives, as ``numpy.savez`` writes them; nothing in them is pickled.

A rig. Letters are sizes; what is optional may be left out.

====================  ============  ================================================================================
array                 shape         meaning
====================  ============  ================================================================================
neutral               (V, 3)        vertices with all weights at 0
deltas                (K, V, 3)     offsets of each shape from the neutral
names                 (K,)          text (optional)
bounds                (K, 2)        lowest and highest weight, default 0 and 1 (optional)
faces                 (F, W)        integers, W 3 or 4, -1 in the fourth column pads a triangle (optional)
factor_offsets        (C+1,)        combination c owns rows ``factor_offsets[c]`` to ``factor_offsets[c+1]`` of the next
                                    two (this and the next three: optional group)
factor_shapes         (P,)          the shape whose weight a factor reads
factor_tents          (P, 3)        x1, x2, x3 of a tent; three zeros for the weight itself
combination_deltas    (C, V, 3)     offset of each combination
combination_names     (C,)          text, all different (optional)
name, licence,        ()            text (optional)
origin, up_axis
meters_per_unit       ()            number, default 1 (optional)
constructed           (n,)          text: names of columns that nobody sculpted (optional)
====================  ============  ================================================================================

Weights: ``weights`` (T, K), ``names`` (K,) and ``fps`` (both optional: the rig's order, 30). Other arrays are left
alone, so that a saved :class:`rigcast.inverse.Solution` is read as well.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.npz.archive import Member, member_names, read_arrays
from rigcast._formats.npz.rig import load_npz_rig
from rigcast._rigs.face import rig_of_face
from rigcast._rigs.matching import by_name
from rigcast._rigs.skinned import SkinnedRig
from rigcast._text import escaped
from rigcast._validate import FPS, Arguments, bad_argument

if TYPE_CHECKING:
    from rigcast._blendshapes import Tent
    from rigcast._core import BlendshapeRig

FACTORS = {
    "factor_offsets": Member("iu", ("C+1",)),
    "factor_shapes": Member("iu", ("P",)),
    "factor_tents": Member("f", ("P", 3)),
    "combination_deltas": Member("f", ("C", "V", 3)),
}
TEXTS = ("name", "licence", "origin", "up_axis")
RIG = {
    "neutral": Member("f", ("V", 3)),
    "deltas": Member("f", ("K", "V", 3)),
    "names": Member("U", ("K",)),
    "bounds": Member("fiu", ("K", 2)),
    "faces": Member("iu", ("F", "W")),
    **FACTORS,
    "combination_names": Member("U", ("C",)),
    **dict.fromkeys(TEXTS, Member("U", ())),
    "meters_per_unit": Member("fiu", ()),
    "constructed": Member("U", ("n",)),
}
WEIGHTS = {"weights": Member("f", ("T", "K")), "names": Member("U", ("K",)), "fps": Member("fiu", ())}


def load_npz_blendshapes(path: Path) -> BlendshapeRig:
    """Read a rig in the format of this module.

    Raises
    ------
    ValueError
        If the file is no such rig: garbage, truncated, pickled, or of sizes that do not fit together.
    """
    from rigcast._core import BlendshapeRig

    arrays = read_arrays(path, RIG, "load_blendshapes")
    _complete(path, arrays)
    facts: dict[str, Any] = {name: str(arrays[name].item()) for name in TEXTS if name in arrays}
    facts.setdefault("name", escaped(path.stem))
    facts["meters_per_unit"] = float(arrays.get("meters_per_unit", 1.0))
    facts["constructed"] = [str(name) for name in arrays.get("constructed", [])]
    if "combination_names" in arrays:
        facts["combination_names"] = [str(name) for name in arrays["combination_names"]]
    names = [str(name) for name in arrays["names"]] if "names" in arrays else None
    return BlendshapeRig(
        arrays["neutral"],
        arrays["deltas"],
        _combinations(arrays),
        names=names,
        bounds=arrays.get("bounds", (0.0, 1.0)),
        faces=arrays.get("faces"),
        metadata=facts,
    )


def open_npz(path: Path) -> SkinnedRig:
    """Read a rig of either kind: of joints and morphs, or of blendshapes, as a rig of their dials.

    Raises
    ------
    ValueError
        If the file is neither.
    """
    if "neutral" in member_names(path, "load"):
        return rig_of_face(load_npz_blendshapes(path))
    return load_npz_rig(path)


def load_npz_weights(path: Path, rig: BlendshapeRig) -> tuple[NDArray[np.float32], float]:
    """Read weights in the format of this module."""
    arrays = read_arrays(path, WEIGHTS, "load_blendshape_weights", others=True)
    if "weights" not in arrays:
        raise bad_argument(
            "load_blendshape_weights",
            "path",
            f"{path}: an archive without weights",
            "one with weights (T, K)",
            path,
        )
    weights = arrays["weights"]
    fps = Arguments("load_blendshape_weights").rate("fps", float(arrays.get("fps", FPS)))
    if "names" not in arrays and weights.shape[1] != rig.num_shapes:
        got = f"of shape {weights.shape} without names"
        raise bad_argument("load_blendshape_weights", "weights", got, f"(T, {rig.num_shapes}), or beside names")
    names = [str(name) for name in arrays["names"]] if "names" in arrays else list(rig.shape_names)
    return by_name(names, weights, rig), fps


def _complete(path: Path, arrays: dict[str, NDArray[Any]]) -> None:
    wanted = ["neutral", "deltas", *(FACTORS if any(name in arrays for name in FACTORS) else ())]
    missing = [name for name in wanted if name not in arrays]
    if missing:
        got = f"{path}: an archive without {', '.join(missing)}"
        raise bad_argument("load_blendshapes", "path", got, "a blendshape rig", path)


def _combinations(arrays: dict[str, NDArray[Any]]) -> list[tuple[tuple[int | Tent, ...], NDArray[Any]]]:
    from rigcast._blendshapes import Tent

    if "factor_offsets" not in arrays:
        return []
    offsets, shapes = arrays["factor_offsets"].astype(np.int64), arrays["factor_shapes"].tolist()
    deltas = arrays["combination_deltas"]
    rising = len(offsets) == len(deltas) + 1 and offsets[0] == 0 and (np.diff(offsets) >= 0).all()
    if not rising or offsets[-1] != len(shapes):
        got, expected = f"of {len(offsets)} numbers", f"{len(deltas) + 1}, rising from 0 to {len(shapes)}"
        raise bad_argument("load_blendshapes", "factor_offsets", got, expected)
    factors: list[int | Tent] = [
        Tent(shape, *tent) if any(tent) else shape
        for shape, tent in zip(shapes, arrays["factor_tents"].astype(np.float64).tolist(), strict=True)
    ]
    return [(tuple(factors[a:b]), delta) for a, b, delta in zip(offsets, offsets[1:], deltas, strict=False)]
