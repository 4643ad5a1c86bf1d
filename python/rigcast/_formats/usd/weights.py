"""Blend shape animation of a USD file as weights (OpenUSD, ``usd-core``)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import require
from rigcast._formats.usd.stage import PURPOSE, foreign_errors, frames_of, opened, prims_of
from rigcast._notes import tell
from rigcast._rigs.matching import by_name
from rigcast._validate import bad_argument

if TYPE_CHECKING:
    from rigcast._core import BlendshapeRig

FUNCTION = "load_blendshape_weights"


def load_usd_weights(path: Path, rig: BlendshapeRig, clip: str | None = None) -> tuple[NDArray[np.float32], float]:
    """Weights (T, K) of a ``SkelAnimation``, matched by name, and the stage's ``timeCodesPerSecond``.

    Names that are no shapes of the rig, as the combinations that ``write_usd_weights`` keys, are left out.

    Parameters
    ----------
    path : path-like
    rig : BlendshapeRig
    clip : str, optional
        Prim path or name; needed where several animations move blend shapes.
    """
    found = usd_animations(path)
    chosen = [place for place in found if clip in (None, place, place.rpartition("/")[2])]
    if len(chosen) != 1:
        listing = ", ".join(found)[:300] or "(no animation of the file moves blend shapes)"
        got = f"not given for {path}" if clip is None else f"{clip!r} in {path}"
        raise bad_argument(FUNCTION, "clip", got, f"one of {listing}")
    names, values, rate, note = found[chosen[0]]
    tell(note)
    return by_name(names, values, rig), rate


Curves = tuple[list[str], NDArray[np.float64], float, str]


def usd_animations(path: Path) -> dict[str, Curves]:
    """Names, weights (T, n), frames per second and a note of the animations of blend shapes, by prim path.

    Frames are the samples, or whole time codes, as for moving points.
    """
    with foreign_errors(FUNCTION, path):
        skel = require("pxr.UsdSkel", extra="usd", purpose=PURPOSE)
        stage = opened(path)
        animations = [skel.Animation(prim) for prim in prims_of(stage) if prim.IsA(skel.Animation)]
        rate = float(stage.GetTimeCodesPerSecond())
        curves = {str(animation.GetPath()): _curves(animation, rate, path) for animation in animations}
        return {place: found for place, found in curves.items() if found is not None}


def _curves(animation: Any, per_second: float, path: Path) -> Curves | None:
    names = [str(name) for name in animation.GetBlendShapesAttr().Get() or []]
    weights = animation.GetBlendShapeWeightsAttr()
    samples = weights.GetTimeSamples()
    if not names or weights.Get(samples[0] if samples else 0.0) is None:
        return None
    codes, rate, note = frames_of(np.array(samples, np.float64), per_second, 8 * len(names), path, FUNCTION)
    rows = [np.asarray(weights.Get(float(code)), np.float64) for code in codes]
    if {len(row) for row in rows} != {len(names)}:
        got = f"{path}: {animation.GetPath()} whose weights are not as many as its {len(names)} blend shapes"
        raise bad_argument(FUNCTION, "path", got, "a weight for each", path)
    return names, np.stack(rows), rate, note
