"""Action units of Carrigan 2020 on the ICT face, with her mean ratings and her sums of offsets."""

from __future__ import annotations

import numpy as np

import rigcast as rc

# Weights of ICT's shapes, both sides at once. Nostrils and sucked cheeks are no shapes there: others stand in.
ON_ICT = {
    "Mouth_Open": {"jawOpen": 0.45},
    "Eyes_Closed": {"eyeBlink": 1.0},
    "Smile_Lips_Closed": {"mouthSmile": 1.0},
    "Eyebrows_Up": {"browInnerUp": 1.0, "browOuterUp": 1.0},
    "Lips_Protrude": {"mouthPucker": 1.0},
    "Cheek_Inhaled": {"cheekPuff": -0.6},
    "Eyes_Opened": {"eyeWide": 1.0},
    "Cheeks_Puffed": {"cheekPuff": 1.0},
    "Mouth_Frown": {"mouthFrown": 1.0},
    "Frown": {"browDown": 1.0},
    "Nostrils_Dilated": {"noseSneer": 0.3},
}
# Table 5.13: sums over the vertices of the offsets' magnitudes along x, y and z.
SUMS = {
    "Eyes_Closed": (158.43, 352.20, 112.32),
    "Eyes_Opened": (13.47, 59.38, 16.09),
    "Eyebrows_Up": (52.71, 349.16, 82.84),
    "Frown": (89.92, 74.3, 105.05),
    "Nostrils_Dilated": (45.86, 19.77, 18.69),
    "Cheeks_Puffed": (139.12, 115.17, 526.33),
    "Cheek_Inhaled": (292.24, 224.94, 126.76),
    "Mouth_Open": (157.04, 792.38, 487.33),
    "Smile_Lips_Closed": (258.38, 379.56, 232.3),
    "Mouth_Frown": (57.8, 107.45, 75.73),
    "Lips_Protrude": (188.32, 311.53, 400.1),
}


def ratings() -> dict[str, float]:
    """Mean rating of each unit (table 5.12): the line of the published model at the mean of its metric."""
    return {name: unit.intercept + 0.6 * unit.slope * unit.full for name, unit in rc.perception.UNITS.items()}


def unit_shapes(rig: rc.BlendshapeRig) -> dict[str, np.ndarray]:
    """Vertices (V, 3) of every unit on a face with the names of ICT or ARKit; weights below 0 are added as offsets."""
    names, columns = list(rig.shape_names), rig.columns()[: rig.num_shapes].astype(np.float64)
    result = {}
    for unit, weights in ON_ICT.items():
        offsets = np.zeros_like(columns[0])
        for shape, weight in weights.items():
            sides = [name for end in ("", "_L", "_R", "Left", "Right") if (name := shape + end) in names]
            assert sides, shape
            offsets += weight * sum(columns[names.index(name)] for name in sides)
        result[unit] = rig.rest_vertices + offsets
    return result


def spearman(a, b) -> float:
    """Rank correlation of values without ties."""
    ranks = [np.argsort(np.argsort(values)).astype(np.float64) for values in (a, b)]
    return float(np.corrcoef(*ranks)[0, 1])
