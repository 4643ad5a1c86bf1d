"""The first sentences of a report on a model: what it reaches, and what simpler ones reach, in plain words."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from rigcast._pages import words
from rigcast._posing import num_dials
from rigcast.metrics._gate import MARGIN, Difficulty
from rigcast.plot._colors import nice_top
from rigcast.report._body.assess import Assessment
from rigcast.report._body.contenders import reference
from rigcast.report._body.heldout import PLAYED, RANDOM, HeldOutPoses
from rigcast.report._body.places import size_in_millimeters
from rigcast.report._body.timing import Timing
from rigcast.sampling import Dataset

NEAR = 1.0 / 2000.0  # of the character's size: 0.1 mm of a face, 1 mm of a body
MOTION = {PLAYED: "motion", RANDOM: "poses"}


def answer(numbers: Assessment, known: Collection[str | None]) -> list[str]:
    """Two sentences, on the animation if there is one; ``known`` are the hashes of what the model learned from."""
    truth, result = numbers.truths[-1], numbers.accuracy[-1][0]
    what = MOTION.get(truth.title, "clips")
    place = f"On {what} it has not seen" if truth.dataset.hash not in known else f"On the very {what} it learned from"
    first = (
        f"{place}, the {numbers.subject.label} is within {words.within(result.mean)} of the rig on average, "
        f"{words.within(result.max)} at worst, {_speed(numbers)}."
    )
    return [first, *_compared(numbers, truth, result.mean)]


def _speed(numbers: Assessment) -> str:
    timing: Timing = numbers.timings[0]
    if (host := numbers.host) is None:
        return f"and takes {words.figure(timing.single, 2)} ms per pose"
    faster = host.milliseconds / timing.single
    if faster >= 1.0:
        return f"and {words.figure(faster, 2)} times as fast"
    return f"and takes {words.figure(1.0 / faster, 2)} times as long"


def _compared(numbers: Assessment, truth: HeldOutPoses, mean: float) -> list[str]:
    """The error of a formula fitted to the training poses, else that of the model beside it."""
    gate = numbers.gates.get(truth.title)
    if gate is not None:
        return [_formula(gate, 1e3 * numbers.subject.model.meters_per_unit * gate.best.mean, mean, truth)]
    beside = reference(numbers.contenders)
    if beside is None:
        return []
    other = numbers.accuracy[-1][numbers.contenders.index(beside)].mean
    if other <= mean:
        return [f"{beside.label[:1].upper()}{beside.label[1:]} does better ({_pair(other, mean)})."]
    return [f"{beside.label[:1].upper()}{beside.label[1:]} misses by {_times(other, mean)} ({words.length(other)})."]


def _formula(gate: Difficulty, best: float, mean: float, truth: HeldOutPoses) -> str:
    more = "train longer, or on more poses"
    if truth.title == RANDOM:
        more = "train longer, or judge it on an animation with --animation"
    if best <= mean:
        return f"A plain formula does as well or better here ({_pair(best, mean)}): {more}."
    if best < MARGIN * mean:
        return f"A plain formula comes close ({_pair(best, mean)}), so that these poses tell little: {more}."
    return f"The best plain formula misses by {_times(best, mean)} ({words.length(best)})."


def _pair(other: float, mean: float) -> str:
    return f"{words.length(other)} against {words.length(mean)}"


def _times(other: float, mean: float) -> str:
    return f"{words.figure(other / mean, 2)} times as much" if mean > 0.0 else "more"


@dataclass(frozen=True)
class Near:
    """A distance in millimeters that is small for a character, and the share of vertices below it.

    ``shares`` is by set of poses, then by model.
    """

    distance: float
    shares: list[list[float]]


def near(numbers: Assessment) -> Near:
    """The share of vertices, over all poses, that miss by less than is seen on a character of this size."""
    distance = nice_top(NEAR * size_in_millimeters(numbers.subject.model))
    return Near(distance, [[float((result.distances < distance).mean()) for result in row] for row in numbers.accuracy])


def summary(numbers: Assessment, training: Dataset | None) -> str:
    """One sentence: what was learned, from what, and what it is judged on."""
    model = numbers.subject.model
    joints = len(model.joint_names)
    dials = num_dials(len(model.control_names), joints)
    parts = [words.plural(joints, "joint")] * (joints > 0 or not dials) + [words.plural(dials, "dial")] * (dials > 0)
    learned = f"learned from {words.plural(len(training), 'pose')} of the rig, " if training is not None else ""
    judged = " and ".join(
        f"{len(truth.rows):,} {truth.title if i == 0 else 'frames of animation'}"
        for i, truth in enumerate(numbers.truths)
    )
    return (
        f"{words.plural(len(model.rest_vertices), 'vertex')} driven by {' and '.join(parts)}, {learned}"
        f"and judged on {judged} that it has not seen."
    )
