"""Pose columns that the networks read, and how they are normalized."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._pose_statistics.columns import TRANSLATION, rigid_joints, spread_of, varying_columns
from rigcast._validate import bad_argument
from rigcast.training._body.influence import Description, all_inputs, changed_columns, influencing_inputs
from rigcast.training._differential._settings import DifferentialSettings
from rigcast.training._differential._transforms import Transforms, displacements

ROUNDING = 1e-6  # of the largest translation: deviations below are none


def describe(ds: Any, poses: NDArray[np.float32], extent: float) -> Description:
    """The columns that vary, and the joints that two columns of a rotation describe."""
    joints = 0 if ds.skeleton is None else ds.skeleton.num_joints
    parents = np.zeros(0, np.int32) if ds.skeleton is None else np.asarray(ds.skeleton.parents)
    varying = varying_columns(poses, joints, extent)
    if not varying.any():
        raise bad_argument("differential", "data", "of constant poses", "poses of which at least one column varies")
    compact = rigid_joints(poses, joints) if joints else np.zeros(0, bool)
    return Description(parents, varying, compact)


def network_columns(description: Description) -> NDArray[np.int32]:
    """Inputs of the differential network."""
    columns = all_inputs(description)
    return columns if len(columns) else np.flatnonzero(description.varying).astype(np.int32)


def anchor_columns(
    ds: Any,
    transforms: Transforms,
    anchors: NDArray[np.int32],
    description: Description,
    extent: float,
    settings: DifferentialSettings,
) -> list[NDArray[np.int32]]:
    """Inputs of each anchor's network: columns of the controls that move it in rest space, found by perturbation.

    Without an influence probe, all columns.
    """
    if ds.probe is None or settings.anchor_networks == "one":
        count = 1 if settings.anchor_networks == "one" else len(anchors)
        return [network_columns(description)] * count
    moves = _moved_by(ds.probe, ds, transforms, anchors) > settings.influence_threshold / ds.meters_per_unit
    changes = changed_columns(ds.probe, len(description.parents), extent)
    return [influencing_inputs(moves[:, a], changes, description) for a in range(len(anchors))]


def vertex_columns(
    ds: Any, transforms: Transforms, description: Description, settings: DifferentialSettings
) -> NDArray[np.bool_]:
    """Columns (V, C) that vary and move each vertex in rest space; all that vary without an influence probe."""
    count = len(ds.rest_vertices)
    if ds.probe is None:
        varying = np.zeros(len(description.varying), bool)
        varying[network_columns(description)] = True
        return np.tile(varying, (count, 1))
    extent = float(np.linalg.norm(np.ptp(ds.rest_vertices, axis=0)))
    moves = (
        _moved_by(ds.probe, ds, transforms, np.arange(count, dtype=np.int32))
        > settings.influence_threshold / ds.meters_per_unit
    )
    changes = changed_columns(ds.probe, len(description.parents), extent) & description.varying
    return np.asarray(moves.T.astype(np.float32) @ changes.astype(np.float32) > 0.0)


def _moved_by(probe: Any, ds: Any, transforms: Transforms, anchors: NDArray[np.int32]) -> NDArray[np.float64]:
    """The largest distance that each perturbed channel moves each anchor in rest space, (N, A)."""
    part = Transforms(transforms.origin, transforms.joint[anchors], transforms.weight[anchors])
    rest = np.asarray(ds.rest_vertices)[anchors]
    poses, vertices = np.asarray(probe.poses), np.asarray(probe.vertices)[:, anchors]
    moved = displacements(part, ds.skeleton, poses, vertices, rest, lambda i: f"row {i} of the influence probe")
    channel, base = np.asarray(probe.channel), np.asarray(probe.base)
    unperturbed = np.flatnonzero(channel < 0)
    row_of = np.zeros(int(base.max()) + 1, np.intp)
    row_of[base[unperturbed]] = unperturbed
    rows = np.flatnonzero(channel >= 0)
    distance = np.linalg.norm(moved[rows] - moved[row_of[base[rows]]], axis=2)
    result = np.zeros((int(channel.max(initial=-1)) + 1, len(anchors)))
    np.maximum.at(result, channel[rows], distance)
    return result


def normalization(
    poses: NDArray[np.float32], joints: int, recipe: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and scale of every pose column (C,), from training rows.

    "narrow": each by its spread. "paper": each numeric control on its own, all translations together, rotations
    and scales as they are.
    """
    data = poses.astype(np.float64)
    if recipe == "narrow":
        return data.mean(axis=0), spread_of(data)
    mean, scale = data.mean(axis=0), np.maximum(data.std(axis=0), 1e-6)
    if joints:
        linear = np.ones(12, bool)
        linear[TRANSLATION] = False
        linear = np.concatenate([np.tile(linear, joints), np.zeros(data.shape[1] - 12 * joints, bool)])
        mean[linear], scale[linear] = 0.0, 1.0
        translation = ~linear
        translation[12 * joints :] = False
        spread = float(np.sqrt(np.square(data[:, translation].std(axis=0)).mean()))
        scale[translation] = spread if spread > ROUNDING * float(np.abs(data[:, translation]).max()) else 1.0
    return mean, scale
