"""Order of trials and places of methods for each participant, by the study's seed and the participant's number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rigcast.study._records import Study, StudyTrial


@dataclass(frozen=True)
class PlacedTrial:
    """A trial in the course of one participant.

    Attributes
    ----------
    trial : StudyTrial
    position : int
        From 0.
    block : int
        Number of the block in this participant's course.
    order : list of str
        Methods by place: left and right, or the places of a ranking.
    """

    trial: StudyTrial
    position: int
    block: int
    order: list[str]


def course(study: Study, number: int) -> list[PlacedTrial]:
    """The trials of a participant in their order.

    Blocks are shuffled at each level (sexes, actors of a sex, ...), then trials inside of them. Inside of a block each
    method stands at each place equally often, or once more where the number of trials does not divide; what is left
    over alternates between blocks.

    Parameters
    ----------
    study : Study
    number : int
        Of the participant, from 1.
    """
    random = np.random.default_rng([study.seed, number])
    methods = list(random.permutation(list(study.trials[0].options))) if study.trials else []
    placed: list[PlacedTrial] = []
    turn = 0
    for index, block in enumerate(_blocks(list(study.trials), 0, random)):
        starts = random.permutation((np.arange(len(block)) + turn) % max(len(methods), 1))
        turn += len(block)
        for trial, start in zip(block, starts.tolist(), strict=True):
            order = [str(name) for name in (*methods[start:], *methods[:start])]
            placed.append(PlacedTrial(trial, len(placed), index, order))
    return placed


def training_course(study: Study, number: int) -> list[PlacedTrial]:
    """The training trials of a participant, in the order in which they were made."""
    random = np.random.default_rng([study.seed, number, 1])
    return [
        PlacedTrial(trial, index, 0, [str(name) for name in random.permutation(list(trial.options))])
        for index, trial in enumerate(study.training)
    ]


def _blocks(trials: Sequence[StudyTrial], level: int, random: np.random.Generator) -> list[list[StudyTrial]]:
    """Trials by blocks, shuffled at this level and below."""
    depth = max((len(trial.block) for trial in trials), default=0)
    if level == depth:
        return [[trials[i] for i in random.permutation(len(trials))]] if trials else []
    groups: dict[str, list[StudyTrial]] = {}
    for trial in trials:
        groups.setdefault(trial.block[level], []).append(trial)
    names = [list(groups)[i] for i in random.permutation(len(groups))]
    return [block for name in names for block in _blocks(groups[name], level + 1, random)]
