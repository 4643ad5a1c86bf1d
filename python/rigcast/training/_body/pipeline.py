"""Learning a body: vertex sets, their inputs, their output bases, their networks, one model (Bailey et al. 2018)."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import Any

from rigcast._core import Deformer
from rigcast._rigs.rig import Rig
from rigcast.progress import Progress, ProgressOption
from rigcast.sampling import Dataset, Sampler
from rigcast.training._arguments import check_data_set, check_record, verify
from rigcast.training._body.choice import chosen_linear
from rigcast.training._body.error_bound import LEAST_ROWS, add_error_bound
from rigcast.training._body.learned_body import LinearReference, Networks, better_sets, metadata, model_tensors
from rigcast.training._body.linear_part import Skinnings, skinning_rows
from rigcast.training._body.outline import parted
from rigcast.training._body.preparation import BodyPreparation, prepare
from rigcast.training._body.settings import BodySettings
from rigcast.training._budget import Budget, budget_of, check_published
from rigcast.training._export import LearnedSet, measured
from rigcast.training._pace import share_of
from rigcast.training._until._goal import Goal
from rigcast.training._until._pipeline import learn_until, samples_of

STEPS_OF_ROUND = 2000  # to a stated error


def body(
    data: Dataset,
    settings: BodySettings = BodySettings(),
    *,
    minutes: float | None = None,
    steps: int | None = None,
    seed: int = 0,
    device: str = "cpu",
    threads: int = 0,
    checkpoint: str | os.PathLike[str] | None = None,
    restart: bool = False,
    progress: ProgressOption = None,
) -> Deformer:
    """Learn the deformation of a rig with a skeleton from samples of it.

    A vertex follows joints rigidly, plus what small networks predict from the joints and controls that influence it
    (Bailey et al. 2018, equation 4; with the blended method v' = sum_i a_i (X_i (rest_i + n_i) + t_i)).

    Parameters
    ----------
    data : Dataset
        Poses and vertices; with its influence probe where it has one.
    settings : BodySettings
        How the mesh and the data are cut, the networks and their steps; ``BodySettings(method="paper")`` follows
        Bailey et al. 2018, and its docstring lists what differs.
    minutes : float or None
        Time for the whole call, preparation, measuring and writing included; the learning rate falls over the time
        that is left for steps. If fewer than 1,000 steps fit, the metadata entry ``too_few_steps`` of ``training``
        says so, and how many minutes are enough.
    steps : int or None
        Steps of the optimizer; 8000 where neither ``minutes`` nor ``steps`` is given. The paper prints no number, so
        that its method needs one of them.
    seed : int
        Decides the held-out rows, the initial weights, the batches. The same data, seed, settings, machine and number
        of threads give the same model, bit for bit, unless ``minutes`` decides when to stop.
    device : str
        Where the networks are trained: "cpu" or "cuda".
    threads : int
        Number of threads; 0 means all processors that this process may use. With ``minutes``, 0 lets the steps use one
        or all of them, whichever is faster. PyTorch's own number is restored. The environment variable OMP_NUM_THREADS
        limits what 0 means: while other heavy programs run, fewer are faster.
    checkpoint : path-like or None
        File that a killed run continues from; it is removed when the model is finished.
    restart : bool
        Begin anew: remove the ``checkpoint`` that an earlier run left, unless a run is at work on it.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`: the held-out error in the rig's unit.

    Returns
    -------
    Deformer
        A model of kind "body" that knows its error on the held-out rows.

    Raises
    ------
    ValueError
        If ``data`` is no data set, has no skeleton or too few rows, or has changed since it was sampled, a used joint
        cannot be inverted in some pose, an argument makes no sense, the paper's method is given no budget, or the
        checkpoint belongs to another run or is written by one.
    NumericalError
        If training diverges.
    MemoryError
        If the device has too little memory.
    MissingExtra
        Without PyTorch.

    Examples
    --------
    >>> data = rc.sampling.sample(rc.sources.example_body(), "arm.rwdata", count=100, seed=0)
    >>> model = rc.training.body(data, seed=0, steps=1)  # minutes=5 for a model worth having
    >>> model.evaluate(data.poses[:2]).shape
    (2, 1122, 3)
    """
    budget = budget_of("body", minutes, steps, seed, device, threads, checkpoint, restart, progress)
    check_data_set("body", data)
    check_record("body", settings, BodySettings)
    if settings.method == "paper":
        check_published("body", minutes, steps, "of hours, sampling included; its number of steps is not printed")
    with budget.at_work():
        verify(data, budget)  # the model states the hash of what it has learned from
        skinnings = Skinnings(data, skinning_rows(parted(data, settings, seed)[0], seed), threads)
        settings, trials = chosen_linear(data, settings, skinnings, budget)
        ready = prepare(data, settings, budget, skinnings=skinnings)
        finish = partial(_finished, data, skinnings, settings, budget)
        learned, done = Networks(data, ready, settings, budget).train(finish=partial(_rehearsed, finish, ready))
        budget.progress(Progress("measuring", 0, 1))
        return finish(ready, learned, done | trials)


def body_until(
    rig: Rig,
    tolerance: float,
    settings: BodySettings = BodySettings(),
    *,
    statistic: str = "p99",
    data: Dataset | None = None,
    poses: int | None = None,
    sampler: str | Sampler = "normal",
    workers: int = 1,
    folder: str | os.PathLike[str] | None = None,
    minutes: float | None = None,
    steps: int | None = None,
    seed: int = 0,
    device: str = "cpu",
    threads: int = 0,
    restart: bool = False,
    progress: ProgressOption = None,
) -> Deformer:
    """Learn the deformation of a rig with a skeleton to a stated error, sampling the rig on the way.

    Samples where the model is least sure, trains on, and stops when the ``statistic`` of the error on fresh poses is
    below the tolerance with a confidence of 95 %.

    Parameters
    ----------
    rig : Rig
        Sampled.
    tolerance : float
        In the unit of the rig.
    settings : BodySettings
        As in :func:`body`.
    statistic : "mean", "p99" or "max"
        Of the vertices of fresh poses: mean, 99th percentile, or largest. The bound of "max" is one for 99 % of the
        poses.
    data : Dataset, optional
        Samples of the rig that are there: the first round learns from them.
    poses : int or None
        Most poses of the rig; default 20000.
    sampler, workers : optional
        See :func:`rigcast.sampling.sample`.
    folder : path-like or None
        Keeps the samples and models of the rounds, and a killed run goes on from it to the same bytes. A smaller
        tolerance or larger budget goes on from it, too. Takes the place of a checkpoint.
    minutes : float or None
        Time for all rounds.
    steps : int or None
        Of the first round; default 2000.
    restart : bool
        Begin anew: remove the models of the rounds that ``folder`` holds; its samples stay.
    threads : int
        Number of threads; 0 means all processors that this process may use.
    seed, device, progress
        As in :func:`body`.

    Returns
    -------
    Deformer
        A model of kind "body" whose metadata entry ``until`` says what was reached, why it stopped ("error", "poses" or
        "minutes"), and the curve.

    Raises
    ------
    ValueError
        As :func:`body`; or if ``rig`` cannot be sampled or is not the one of ``data``, the folder belongs to another
        run or is written by one, the tolerance is not positive, or the statistic unknown.
    NumericalError, MemoryError, MissingExtra
        As :func:`body`.

    Examples
    --------
    >>> rig = rc.sources.example_body()
    >>> few = rc.training.BodySettings(hidden=8)  # leave both out for a model worth having
    >>> model = rc.training.body_until(rig, 100.0, few, poses=900, steps=5)
    >>> model.metadata["until"]["stopped"]
    'error'
    """
    steps = STEPS_OF_ROUND if steps is None else steps
    budget = budget_of("body_until", minutes, steps, seed, device, threads, None, restart, progress)
    goal = Goal(statistic, tolerance)
    samples = samples_of(rig, data, folder, poses, sampler, workers)
    if data is not None:
        check_data_set("body_until", data, "data")
    check_record("body_until", settings, BodySettings)
    return learn_until(samples, goal, settings, budget)


def _rehearsed(finish: Any, ready: BodyPreparation, begin: list[LearnedSet], share: float) -> None:
    """Make the model of the first weights, and measure it on a share of the rows."""
    rows = share_of(ready.training, share, 2), share_of(ready.held_out, share, LEAST_ROWS)
    finish(replace(ready, training=rows[0], held_out=rows[1]), begin, {}, choose=False)


def _finished(
    ds: Any,
    skinnings: Skinnings,
    settings: BodySettings,
    budget: Budget,
    ready: BodyPreparation,
    learned: list[LearnedSet],
    done: dict[str, Any],
    *,
    choose: bool = True,
) -> Deformer:
    """Return the better of the networks and linear skinning alone, with its bound and its errors.

    Without ``choose`` the networks, whichever is better.
    """
    better, kept, reference = better_sets(ds, ready, learned, skinnings)
    return _model(ds, settings, budget, *((better, kept) if choose else (ready, learned)), reference, done)


def _model(
    ds: Any,
    settings: BodySettings,
    budget: Budget,
    ready: BodyPreparation,
    learned: list[LearnedSet],
    reference: LinearReference,
    done: dict[str, Any],
) -> Deformer:
    tensors = model_tensors(ds, ready, learned) | reference.tensors
    about = metadata(ds, ready, settings, budget, budget.used() | done) | {"linear_skinning": reference.about}
    parts = add_error_bound(tensors, about, ds, ready.training, ready.held_out, budget.seed)
    return measured(*parts, ds, ready.held_out)
