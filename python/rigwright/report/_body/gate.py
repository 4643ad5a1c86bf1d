"""The gate of a report: whether the model does better than simple methods on the same poses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import rigwright as rw
from rigwright.baselines import Samples
from rigwright.metrics import Difficulty
from rigwright.progress import Progress, ProgressCallback
from rigwright.report._body.heldout import HeldOut
from rigwright.sampling import Dataset


def gates(training: Dataset | None, truths: Sequence[HeldOut], progress: ProgressCallback) -> dict[str, Difficulty]:
    """What simple methods fitted to the training set reach, by the title of the poses that they are judged on.

    Empty if there is no training set, or one that no method can be fitted to: a single pose, or constant inputs.
    """
    if training is None or len(training) < 2 or not (training.poses != training.poses[0]).any():
        return {}
    found = {}
    for done, truth in enumerate(truths):
        progress(Progress("measuring simple methods", done, len(truths), truth.title))
        data = truth.dataset
        judged = Samples(data.skeleton, data.rest_vertices, data.faces, truth.poses, truth.vertices)
        gate = rw.metrics.difficulty(training, judged)
        found[truth.title] = replace(gate, meters_per_unit=data.meters_per_unit)
    progress(Progress("measuring simple methods", len(truths), len(truths)))
    return found
