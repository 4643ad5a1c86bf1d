"""Everything that a report says in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._core import Deformer
from rigcast._pages.words import figure
from rigcast._rigs.rig import Rig
from rigcast._rigs.rotations import nearest_rotation
from rigcast._timing.host_timing import HostTiming, time_with_rig
from rigcast._validate import bad_argument
from rigcast.baselines import Samples
from rigcast.metrics._difficulty import difficulties
from rigcast.metrics._gate import Difficulty, stated_difficulty
from rigcast.progress import Progress, ProgressCallback
from rigcast.report._body.contenders import Contender, reference
from rigcast.report._body.heldout import HeldOutPoses
from rigcast.report._body.measure import Accuracy, measure, vertex_sets
from rigcast.report._body.timing import Timing, time_engine
from rigcast.sampling import Dataset

FAR = 2  # times as far from rest as the held-out poses: what the confidence must notice


@dataclass(frozen=True)
class Assessment:
    """The numbers of a report.

    Attributes
    ----------
    contenders : list of Contender
        The subject first.
    truths : list of HeldOutPoses
        Random poses, then, if there is one, the animation.
    accuracy : list of lists
        ``accuracy[i][j]`` of contender j on truths i.
    timings : list of Timing
        Of each contender.
    host : HostTiming or None
    confidence : dict from what the poses are to (T,) array
        Of the subject.
    gates : dict from what the poses are to Difficulty
        What simple methods reach on the same poses; empty without a training set.
    """

    contenders: list[Contender]
    truths: list[HeldOutPoses]
    accuracy: list[list[Accuracy]]
    timings: list[Timing]
    host: HostTiming | None
    confidence: dict[str, NDArray[np.float32]]
    gates: dict[str, Difficulty]

    @property
    def subject(self) -> Contender:
        """The model that the report is about."""
        return self.contenders[0]

    def figures(self) -> dict[str, object]:
        """All numbers by name, for machines."""
        return {
            "accuracy": {
                truth.title: {entry.label: result.figures() for entry, result in self._by_contender(results)}
                for truth, results in zip(self.truths, self.accuracy, strict=True)
            },
            "milliseconds_per_pose": {
                entry.label: {"single_one_thread": timing.single, "batch_all_processors": timing.batch}
                for entry, timing in self._by_contender(self.timings)
            },
            "host": None if self.host is None else asdict(self.host),
            "model_bytes": {entry.label: entry.size for entry in self.contenders},
            "gate": {title: self._gate(title) for title in self.gates},
            "median_confidence": {title: float(np.median(values)) for title, values in self.confidence.items()},
        }

    def verdicts(self) -> list[str]:
        """About the subject, for each set of poses: against simple methods, else linear skinning, else alone.

        Without a training set, what the model's file states of simple methods on the held-out rows of its training.
        """
        if self.gates:
            return self._by_gates()
        stated = stated_difficulty(self.subject.model.metadata)
        if stated is not None:
            error = self.subject.model.metadata["error"]
            return [f"Held-out poses of its training: {stated.verdict(error['mean'], error['max'])}"]
        return [self._plainly(truth, results) for truth, results in zip(self.truths, self.accuracy, strict=True)]

    def _plainly(self, truth: HeldOutPoses, results: list[Accuracy]) -> str:
        """The error of the subject, and whether the reference has a larger one."""
        mean, largest = figure(results[0].mean), figure(results[0].max)
        own = f"misses the rig by {mean} mm on average, by {largest} mm at most"
        compared = reference(self.contenders)
        if compared is None:
            return f"{truth.title.capitalize()}: {own}."
        other = results[self.contenders.index(compared)]
        word = "beats" if results[0].mean < other.mean else "does not beat"
        return f"{truth.title.capitalize()}: {word} {compared.label} ({figure(other.mean)} mm on average): {own}."

    def _by_gates(self) -> list[str]:
        """The gate's line on the subject."""
        subject = [results[0] for results in self.accuracy]
        named = f", {self.subject.label}" if len(self.contenders) > 1 else ""
        millimeters = 1000.0 * self.subject.model.meters_per_unit
        return [
            f"{truth.title.capitalize()}{named}: "
            + self.gates[truth.title].verdict(result.mean / millimeters, result.max / millimeters)
            for truth, result in zip(self.truths, subject, strict=True)
            if truth.title in self.gates
        ]

    def _gate(self, title: str) -> dict[str, object]:
        gate, millimeters = self.gates[title], 1000.0 * self.subject.model.meters_per_unit
        at = [truth.title for truth in self.truths].index(title)
        methods = {m.name: {"mean_mm": millimeters * m.mean, "max_mm": millimeters * m.max} for m in gate.methods}
        return {"methods": methods, "passed": gate.is_learning(self.accuracy[at][0].mean / millimeters)}

    def _by_contender(self, values: Sequence[Any]) -> zip[tuple[Contender, Any]]:
        return zip(self.contenders, values, strict=True)


def assess(
    entries: list[Contender],
    truths: list[HeldOutPoses],
    rig: Rig | None,
    progress: ProgressCallback,
    training: Dataset | None = None,
) -> Assessment:
    """Measure every contender on every set of poses, its speed, the speed of the rig (None: unknown), and the gate."""
    jobs = [(entry, truth) for truth in truths for entry in entries]
    every = [vertex_sets(entry.model) for entry in entries]
    borders = next((sets for sets in every if sets is not None), None)
    measured = []
    for done, (entry, truth) in enumerate(jobs):
        progress(Progress("measuring", done, len(jobs), f"{entry.label}, {truth.title}"))
        measured.append(measure(entry.model, truth, borders if vertex_sets(entry.model) is None else None))
    progress(Progress("measuring", len(jobs), len(jobs)))
    accuracy = [measured[begin : begin + len(entries)] for begin in range(0, len(jobs), len(entries))]
    timings, host = _speed(entries, truths[0], rig, progress)
    subject = entries[0].model
    confidence = {truth.title: subject.confidence(truth.poses) for truth in truths}
    confidence[f"{FAR} × as far from rest"] = subject.confidence(beyond(subject, truths[0].poses, FAR))
    return Assessment(entries, truths, accuracy, timings, host, confidence, gates(training, truths, progress))


def _speed(
    entries: list[Contender], truth: HeldOutPoses, rig: Rig | None, progress: ProgressCallback
) -> tuple[list[Timing], HostTiming | None]:
    """Of each contender, and of the rig compared with the subject: what the two do in turns counts for both."""
    timings = []
    for done, entry in enumerate(entries):
        progress(Progress("timing", done, len(entries), entry.label))
        timings.append(time_engine(entry.model, truth.poses))
    host = None
    if rig is not None:
        host = time_with_rig(entries[0].model, rig, truth.poses, truth.channels)
        timings[0] = replace(timings[0], single=host.engine_milliseconds)
    progress(Progress("timing", len(entries), len(entries)))
    return timings, host


def gates(
    training: Dataset | None, truths: Sequence[HeldOutPoses], progress: ProgressCallback
) -> dict[str, Difficulty]:
    """The errors of simple methods fitted to the training set, by the title of the poses that they are judged on.

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


def _samples(truth: HeldOutPoses) -> Samples:
    data = truth.dataset
    return Samples(data.skeleton, data.rest_vertices, data.faces, truth.poses, truth.vertices)


def beyond(model: Deformer, poses: NDArray[np.float32], times: int = 2) -> NDArray[np.float32]:
    """Poses whose joints (roots excepted) and numeric controls are ``times`` as far from rest.

    A joint's rotation relative to rest is repeated, so that it keeps its axis; its translation from rest and a numeric
    control are multiplied; scale and shear are left out.

    Parameters
    ----------
    model : Deformer
    poses : (T, C) float32 array
    times : int
        At least 1.
    """
    if times < 1:
        raise bad_argument("beyond", "times", str(times), "at least 1")
    joints = len(model.joint_names)
    result = np.array(poses, np.float64)
    result[:, 12 * joints :] *= times
    if joints:
        moving = np.flatnonzero(model.skeleton.parents >= 0)
        local = result[:, : 12 * joints].reshape(len(poses), joints, 3, 4)
        rest, turned = model.skeleton.rest[moving].astype(np.float64), local[:, moving]
        base = nearest_rotation(rest[..., :3])
        relative = np.swapaxes(base, -1, -2) @ nearest_rotation(turned[..., :3])
        turned[..., :3] = base @ np.linalg.matrix_power(relative, times)
        turned[..., 3] = rest[..., 3] + times * (turned[..., 3] - rest[..., 3])
        local[:, moving] = turned
        result[:, : 12 * joints] = local.reshape(len(poses), -1)
    return result.astype(np.float32)
