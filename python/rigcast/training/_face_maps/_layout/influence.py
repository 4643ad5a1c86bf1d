"""Input masks: which pose columns move a vertex, from the influence probe of a data set."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._pose_statistics.columns import varying_columns
from rigcast.training._body.influence import changed_columns, rows_of_base

MOVES = 1e-3  # mm: less is rounding of the host


def moved_by(ds: Any) -> tuple[NDArray[np.bool_], list[str]]:
    """The columns that move each vertex of a data set, (V, C), and notes.

    A column moves a vertex if a channel that changes it moves the vertex by more than a micrometer from any of the
    probe's base poses. A column that varies and moves nothing there may act together with others only (lips that
    stick as the jaw opens), so it counts for every vertex that moves. Without a probe, every column that varies counts
    for every vertex.
    """
    poses = np.asarray(ds.poses)
    num_joints = 0 if ds.skeleton is None else len(ds.skeleton.parents)
    extent = float(np.linalg.norm(np.ptp(ds.rest_vertices, axis=0)))
    varying = varying_columns(poses, num_joints, extent)
    names = ds.pose_names
    if ds.probe is None:
        note = "The data set has no influence probe: every control that varies is an input of every segment."
        return np.tile(varying, (len(ds.rest_vertices), 1)), [note]
    probe = ds.probe
    channel = np.asarray(probe.channel)
    rows, reference = np.flatnonzero(channel >= 0), rows_of_base(channel, np.asarray(probe.base))
    moved = np.zeros((int(channel.max(initial=-1)) + 1, len(ds.rest_vertices)), bool)
    threshold = MOVES / (1e3 * ds.meters_per_unit)
    for row in rows:
        step = np.asarray(probe.vertices[row], np.float64) - probe.vertices[reference[row]]
        moved[channel[row]] |= np.square(step).sum(axis=1) > threshold**2
    changes = changed_columns(probe, num_joints, extent) & varying
    result = np.zeros((len(ds.rest_vertices), poses.shape[1]), bool)
    for number in range(len(moved)):
        result[np.ix_(moved[number], changes[number])] = True
    idle = [names[column] for column in np.flatnonzero(varying & ~result.any(axis=0))]
    notes = []
    if idle:
        shown = ", ".join(idle[:8]) + (f" and {len(idle) - 8} more" if len(idle) > 8 else "")
        result[np.ix_(result.any(axis=1), varying & ~result.any(axis=0))] = True
        notes.append(
            f"{len(idle)} controls vary, but move nothing from the probe's base poses; perhaps they act with others "
            "only (sampled with more base poses, as probe=8, the probe may show where), "
            f"so they are inputs of every segment: {shown}."
        )
    return result, notes
