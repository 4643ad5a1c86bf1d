"""The gate of a report: whether the model does better than simple methods on the same poses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rigcast.baselines import Samples
from rigcast.metrics._difficulty import Difficulty, difficulties
from rigcast.progress import Progress, ProgressCallback
from rigcast.report._body.heldout import HeldOut
from rigcast.sampling import Dataset


def gates(training: Dataset | None, truths: Sequence[HeldOut], progress: ProgressCallback) -> dict[str, Difficulty]:
    """What simple methods fitted to the training set reach, by the title of the poses that they are judged on.

    Empty if there is no training set, or one that no method can be fitted to: a single pose, or constant inputs.
    """
    if training is None or len(training) < 2 or not (training.poses != training.poses[0]).any():
        return {}
    progress(Progress("measuring simple methods", 0, 1))
    judged = [_samples(truth) for truth in truths]
    found = [
        replace(gate, meters_per_unit=truth.dataset.meters_per_unit)
        for truth, gate in zip(truths, difficulties(training, judged), strict=True)
    ]
    progress(Progress("measuring simple methods", 1, 1))
    return {truth.title: gate for truth, gate in zip(truths, found, strict=True)}


def _samples(truth: HeldOut) -> Samples:
    data = truth.dataset
    return Samples(data.skeleton, data.rest_vertices, data.faces, truth.poses, truth.vertices)
