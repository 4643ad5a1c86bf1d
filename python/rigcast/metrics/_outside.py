"""Poses outside a model's training data: by joint and dial, with those that never moved, and all together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import Deformer
from rigcast._pose_statistics.combinations import squared_distances
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument

DOUBTFUL = 0.5
LEAST_EXCESS = 0.03  # of a radius: nearer poses have a confidence of 0.99 and more
CHUNK = 4096  # poses at once
MOST_NAMED = 5


WHY = "far outside the training poses, or where the model errs far more than it does on most of them"


@one_line
@dataclass(frozen=True)
class Outside:
    """The position of poses relative to the training poses of a model.

    Attributes
    ----------
    confidence : (T,) float32 array
        Of each pose: see :meth:`rigcast.Deformer.confidence`.
    names : list of n str
        Joints and dials that leave their training radius by more than 3 %, the farthest first.
    poses : (n,) int array
        In how many poses.
    excess : (n,) float64 array
        How far at most, as a share of the radius; at 0.25 the confidence is 1/2.
    resting : dict
        Those of ``names`` that never moved in training, with the reason.
    combined : int
        Poses whose combination of joints and dials leaves the training poses by more than 3 % of its radius.
    """

    confidence: NDArray[np.float32]
    names: list[str]
    poses: NDArray[np.int64]
    excess: NDArray[np.float64]
    resting: dict[str, str]
    combined: int = 0

    @property
    def doubtful(self) -> int:
        """Poses with a confidence below 0.5."""
        return int((self.confidence < DOUBTFUL).sum())

    def lines(self) -> list[str]:
        """Sentences for a person: the confidence, then what falls outside."""
        values = self.confidence
        lines = [f"confidence: median {np.median(values):.2f}, lowest {values.min():.2f}"]
        if self.doubtful:
            lines[0] += f"; {self.doubtful:,} of {len(values):,} poses below {DOUBTFUL}: {WHY}"
        for title, chosen in (("moved, though it rested in training", True), ("outside the training poses", False)):
            named = [i for i, name in enumerate(self.names) if (name in self.resting) == chosen]
            parts = [f"{self.names[i]} ({self.poses[i]:,} poses)" for i in named[:MOST_NAMED]]
            if parts:
                lines.append(f"{title}: {', '.join(parts)}{_more(len(named) - MOST_NAMED)}")
        if self.combined:
            lines.append(f"joints and dials combined as in no training pose: {self.combined:,} poses")
        return lines


def outside_training(model: Deformer, poses: ArrayLike) -> Outside:
    """Compare poses with those that a model has learned from: joint by joint, dial by dial, and all of them together.

    Parameters
    ----------
    model : Deformer
        One that knows its training poses: a learned body. For others nothing is outside.
    poses : (T, C) array

    Returns
    -------
    Outside

    Raises
    ------
    ValueError
        If there is no pose, the width is wrong, or a value is not finite.

    Examples
    --------
    >>> arm = rc.sources.example_body()
    >>> data = rc.sampling.sample(arm, "arm.rwdata", count=100, seed=0)
    >>> model = rc.training.body(data, seed=0, steps=1)
    >>> rc.metrics.outside_training(model, data.poses).confidence.shape
    (100,)
    """
    rows = Arguments("outside_training", C=len(model.control_names)).numbers("poses", poses, "T C", dtype=np.float32)
    if not len(rows):
        raise bad_argument("outside_training", "poses", "empty", "at least one pose")
    tensors = model.tensors()
    confidence = np.atleast_1d(model.confidence(rows))
    if "confidence.radius" not in tensors:
        return Outside(confidence, [], np.zeros(0, np.int64), np.zeros(0), {})
    ratio = np.concatenate([_ratios(tensors, rows[i : i + CHUNK]) for i in range(0, len(rows), CHUNK)])
    names, joints = [], list(model.joint_names)
    for first in tensors["confidence.column"][tensors["confidence.offset"][:-1]].tolist():
        names.append(joints[first // 12] if first < 12 * len(joints) else model.control_names[first])
    far = ratio.max(axis=0)
    order = [int(i) for i in np.argsort(-far, kind="stable") if far[i] > 1.0 + LEAST_EXCESS]
    known = dict(model.metadata.get("resting", {}))
    found = [names[i] for i in order]
    resting = {name: known[name] for name in found if name in known}
    counts = (ratio > 1.0 + LEAST_EXCESS).sum(axis=0)[order]
    return Outside(confidence, found, counts, far[order] - 1.0, resting, _combined(tensors, rows))


def _combined(tensors: dict[str, NDArray[np.float32]], poses: NDArray[np.float32]) -> int:
    """Poses whose distance of ``cpp/rigcast/rig/confidence.h`` is above that of the training poses."""
    if "confidence.space.radius" not in tensors:
        return 0
    farthest = (1.0 + LEAST_EXCESS) * float(tensors["confidence.space.radius"][0])
    chunks = (squared_distances(tensors, poses[i : i + CHUNK]) for i in range(0, len(poses), CHUNK))
    return sum(int((chunk > farthest**2).sum()) for chunk in chunks)


def _ratios(tensors: dict[str, NDArray[np.float32]], poses: NDArray[np.float32]) -> NDArray[np.float64]:
    """d_g / radius_g (T, G) of ``cpp/rigcast/rig/confidence.h``."""
    offset, whiten_offset = tensors["confidence.offset"], tensors["confidence.whiten.offset"]
    result = np.empty((len(poses), len(tensors["confidence.radius"])))
    for g, radius in enumerate(tensors["confidence.radius"].tolist()):
        inside = slice(int(offset[g]), int(offset[g + 1]))
        centered = (
            poses[:, tensors["confidence.column"][inside]].astype(np.float64) - tensors["confidence.mean"][inside]
        )
        matrix = tensors["confidence.whiten"][int(whiten_offset[g]) : int(whiten_offset[g + 1])]
        result[:, g] = np.linalg.norm(centered @ matrix.reshape(-1, centered.shape[1]).T, axis=1) / radius
    return result


def _more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""
