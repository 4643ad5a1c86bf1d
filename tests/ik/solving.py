"""Models to pose and the objective of ``rc.ik.solve`` in plain NumPy, for tests."""

from __future__ import annotations

import numpy as np
from scipy.optimize import OptimizeResult, least_squares

import rigcast as rc
from tests.rig.channels import channel, entry, rotations
from tests.support.characters.cylinder import CylinderRig
from tests.support.made.cylinder_models import cylinder_skinning, learned_looking_body

RIG = CylinderRig(num_joints=4, rings=16, sides=6)
TIP = len(RIG.rest_vertices) - 1


def arm_channels() -> dict:
    """Channels of the cylinder; the third joint follows the second in part."""
    return entry(
        channel("root.tx", "translate_x", "root", low=-20.0, high=20.0),
        *rotations("root", "Y", -90.0, 90.0),
        *rotations("joint1", "ZYX", -80.0, 80.0),
        *rotations("joint2", "XZ", -60.0, 60.0),
        *rotations("joint3", "X", -10.0, 90.0),
        channel("flex", "dial", low=0.0, high=1.0),
        followers=[{"joint": "joint3", "channel": "joint2.rz", "axis": "z", "place": 1, "factor": 0.5}],
    )


def arm(learned: bool = False) -> rc.Deformer:
    """The cylinder with channels: its skinning, or a body with networks."""
    make = learned_looking_body if learned else lambda rig, **more: cylinder_skinning(rig, 4, **more)
    return make(RIG, channels=arm_channels())


def free_arm() -> rc.Deformer:
    """Skinning without channels."""
    return cylinder_skinning(RIG, 4)


def channel_arrays(model: rc.Deformer) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lowest, highest and rest values (N,)."""
    low, high, rest = np.array([(c.low, c.high, c.rest) for c in model.channels]).T
    return low, high, rest


def residuals(
    model: rc.Deformer,
    x: np.ndarray,
    vertices: np.ndarray,
    targets: np.ndarray,
    preference: float,
    preferred: np.ndarray,
) -> np.ndarray:
    """What ``solve`` squares and sums, for point targets (M, 3) and channels x (N,)."""
    low, high, _ = channel_arrays(model)
    size = np.linalg.norm(np.ptp(model.rest_vertices, axis=0).astype(float))
    moved = model.evaluate(model.poses_from_channels(x[None]))[0, vertices].astype(float)
    return np.concatenate([(moved - targets).ravel(), preference * size * (x - preferred) / (high - low)])


def jacobian(model: rc.Deformer, x: np.ndarray, vertices: np.ndarray, preference: float) -> np.ndarray:
    """Of the residuals: the model's own, times central differences of the poses of channels."""
    low, high, _ = channel_arrays(model)
    size = np.linalg.norm(np.ptp(model.rest_vertices, axis=0).astype(float))
    step = 5e-3 * (high - low)
    ahead, behind = (model.poses_from_channels(x + side * np.diag(step)).astype(float) for side in (1.0, -1.0))
    rows = model.jacobian(model.poses_from_channels(x[None]))[0].reshape(-1, 3, ahead.shape[1])[vertices]
    points = rows.reshape(-1, ahead.shape[1]).astype(float) @ ((ahead - behind) / (2.0 * step[:, None])).T
    return np.concatenate([points, np.diag(preference * size / (high - low))])


def peer(
    model: rc.Deformer, vertices: np.ndarray, targets: np.ndarray, start: np.ndarray, preference: float
) -> OptimizeResult:
    """SciPy's bounded least squares on the same objective, with ``start`` as the preferred channels."""
    low, high, _ = channel_arrays(model)
    return least_squares(
        lambda x: residuals(model, x, vertices, targets, preference, start),
        np.clip(start, low + 1e-6 * (high - low), high - 1e-6 * (high - low)),
        jac=lambda x: jacobian(model, x, vertices, preference),
        bounds=(low, high), x_scale=high - low, xtol=1e-12, ftol=1e-12, gtol=1e-12,
    )  # fmt: skip
