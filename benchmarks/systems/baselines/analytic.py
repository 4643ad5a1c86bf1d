"""Analytic deformers with the weights that :func:`rigcast.baselines.linear_blend` fits: what else they could do."""

from __future__ import annotations

from typing import Any

import rigcast as rc


def dual_quaternion(data: rc.Dataset, influences: int, **fitting: Any) -> rc.Deformer:
    """Dual quaternion skinning (Kavan et al. 2007) with the fitted weights of linear blend skinning."""
    return rc.DualQuaternionSkinning(**_skinned(rc.baselines.linear_blend(data, influences, **fitting)))


def delta_mush(data: rc.Dataset, influences: int, **fitting: Any) -> rc.Deformer:
    """Delta mush (Mancewicz et al. 2014) over linear blend skinning with fitted weights."""
    return rc.DeltaMush(**_skinned(rc.baselines.linear_blend(data, influences, **fitting)))


def _skinned(model: rc.Deformer) -> dict[str, Any]:
    """The arguments of the constructors of skinning."""
    tensors = model.tensors()
    return {
        "skeleton": model.skeleton,
        "rest_vertices": tensors["rest_vertices"],
        "faces": tensors["faces"],
        "weights": (tensors["skin.joint"], tensors["skin.weight"]),
        "dials": model.metadata["numeric_controls"],
        "control_ranges": tensors["control_ranges"],
        "metadata": {"meters_per_unit": model.metadata["meters_per_unit"]},
    }
