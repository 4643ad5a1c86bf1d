"""Everything that a report says in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigwright.progress import Progress, ProgressCallback
from rigwright.report.contenders import BASELINE, Contender
from rigwright.report.heldout import HeldOut
from rigwright.report.measure import Accuracy, measure, vertex_sets
from rigwright.report.outside import beyond
from rigwright.report.timing import HostTiming, Timing, time_engine

FAR = 2  # times as far from rest as the held-out poses: what the confidence must notice


@dataclass(frozen=True)
class Assessment:
    """The numbers of a report.

    Attributes
    ----------
    contenders : list of Contender
        The subject first.
    truths : list of HeldOut
        Random poses, then, if there is one, the animation.
    accuracy : list of lists
        ``accuracy[i][j]`` of contender j on truths i.
    timings : list of Timing
        Of each contender.
    host : HostTiming or None
    confidence : dict from what the poses are to (T,) array
        Of the subject.
    """

    contenders: list[Contender]
    truths: list[HeldOut]
    accuracy: list[list[Accuracy]]
    timings: list[Timing]
    host: HostTiming | None
    confidence: dict[str, NDArray[np.float32]]

    @property
    def subject(self) -> Contender:
        """The model that the report is about."""
        return self.contenders[0]

    def figures(self) -> dict[str, Any]:
        """All numbers by name, for machines."""
        return {
            "accuracy": {
                truth.title: {entry.label: result.figures() for entry, result in self._beside(results)}
                for truth, results in zip(self.truths, self.accuracy, strict=True)
            },
            "milliseconds_a_pose": {
                entry.label: {"single_one_thread": timing.single, "batch_all_processors": timing.batch}
                for entry, timing in self._beside(self.timings)
            },
            "host": None
            if self.host is None
            else {"name": self.host.name, "milliseconds_a_pose": self.host.milliseconds},
            "model_bytes": {entry.label: entry.size for entry in self.contenders},
            "median_confidence": {title: float(np.median(values)) for title, values in self.confidence.items()},
        }

    def _beside(self, values: Sequence[Any]) -> zip[tuple[Contender, Any]]:
        return zip(self.contenders, values, strict=True)


def assess(
    entries: list[Contender], truths: list[HeldOut], host: HostTiming | None, progress: ProgressCallback
) -> Assessment:
    """Measure every contender on every set of poses, and its speed."""
    jobs = len(entries) * (len(truths) + 1)
    done = 0
    labels = vertex_sets(entries[0].model)

    def report(message: str) -> None:
        nonlocal done
        progress(Progress("measuring", done, jobs, message))
        done += 1

    accuracy: list[list[Accuracy]] = []
    for truth in truths:
        accuracy.append([])
        for entry in entries:
            report(f"{entry.label}, {truth.title}")
            seams = (
                labels if entry.role == BASELINE else None
            )  # a baseline has none of its own: judge it at the subject's
            accuracy[-1].append(measure(entry.model, truth, seams))
    timings = []
    for entry in entries:
        report(f"{entry.label}, speed")
        timings.append(time_engine(entry.model, truths[0].poses))
    report("")
    subject = entries[0].model
    confidence = {truth.title: subject.confidence(truth.poses) for truth in truths}
    confidence[f"{FAR} × as far from rest"] = subject.confidence(beyond(subject, truths[0].poses, FAR))
    return Assessment(entries, truths, accuracy, timings, host, confidence)
