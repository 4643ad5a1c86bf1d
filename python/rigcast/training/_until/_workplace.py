"""The workplace of a training to a stated error: a folder whose finished parts are not made again."""

from __future__ import annotations

import hashlib
import json
import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._atomic_files import atomic_write
from rigcast._core import Deformer
from rigcast._validate import bad_argument
from rigcast.progress import Progress, ProgressCallback
from rigcast.sampling import Dataset, Sampler, check_rig, sample
from rigcast.sampling._drawing.samplers import named_sampler
from rigcast.sampling._joined import JoinedSets
from rigcast.training._body.choice import chosen_linear
from rigcast.training._body.error_bound import add_error_bound, row_errors
from rigcast.training._body.influence import movement
from rigcast.training._body.learned_body import Networks, metadata, model_tensors
from rigcast.training._body.linear_part import Skinnings, skinning_rows
from rigcast.training._body.outline import Outline, bone_space, parted
from rigcast.training._body.preparation import outlined, prepare
from rigcast.training._body.settings import BodySettings
from rigcast.training._budget import Budget, required_torch, torch_settings
from rigcast.training._until._choose import ChosenRows, Drawing

LATER_RATE = 0.5  # of the learning rate: rounds after the first go on from a model
PROBE = 4  # base poses of the influence probe
SEEDS = 1_000_000  # apart: the sets of two runs share no seed


@dataclass(frozen=True)
class SampledRig:
    """The rig that a training to a stated error samples, and the folder that keeps the samples.

    Attributes
    ----------
    rig : Rig
    given : Dataset or None
        Poses of the rig that are there.
    folder : path-like or None
        Keeps samples and models of the rounds; None: a temporary folder.
    poses : int or None
        Of the rig in all, those of the influence probe included.
    sampler : str or Sampler
    workers : int
    """

    rig: Any
    given: Dataset | None
    folder: str | os.PathLike[str] | None
    poses: int | None
    sampler: str | Sampler
    workers: int


class Workplace:
    """Samples sets of poses and trains rounds, each once.

    Parameters
    ----------
    samples : SampledRig
    folder : Path
        ``first.rwdata``, ``look-000.rwdata`` ... are data sets, ``round-000.safetensors`` ... the models of the rounds.
    settings : BodySettings
    budget : Budget
        With the steps of the first round; the minutes limit all rounds together.
    """

    def __init__(self, samples: SampledRig, folder: Path, settings: BodySettings, budget: Budget) -> None:
        self.samples, self.folder, self.settings, self.budget = samples, folder, settings, budget
        facts = check_rig(samples.rig, budget.function)
        self.drawing = Drawing(named_sampler(samples.sampler), facts.channel_ranges, facts.channel_rest)
        self._outline: Outline | None = None
        self.trials = dict[str, Any]()
        self._first: Dataset | None = None
        self._longest = 0.0  # seconds of a round
        self.to_millimeters = 1000.0 * facts.meters_per_unit
        self._begin()

    def _begin(self) -> None:
        """Note whose folder it is; ValueError if it is another run's."""
        self.folder.mkdir(parents=True, exist_ok=True)
        given = self.samples.given
        plain = self.budget.record(self.settings) | {"minutes": None}
        about = [plain, self.drawing.sampler.settings(), None if given is None else given.hash]
        run = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()
        file = self.folder / "run"
        if not file.exists():
            atomic_write(file, run.encode("ascii"))
        elif file.read_text("ascii", "replace") != run:
            got = f"{str(self.folder)!r}, which holds rounds of other settings or another sampler"
            raise bad_argument(self.budget.function, "folder", got, "of the same run, or a new folder", self.folder)

    def seed_of(self, number: int, kind: int) -> int:
        """A seed for the ``number``-th set of a kind."""
        return SEEDS * (self.budget.seed + 1) + 10 * number + kind

    @property
    def probe_rows(self) -> int:
        """Poses of the influence probe."""
        probe = self.first(0).probe
        return 0 if probe is None else len(probe.channel)

    def first(self, count: int) -> Dataset:
        """The poses that are there, or ``count`` random ones with an influence probe."""
        if self._first is None:
            drawn = count, self.budget.seed, self.drawing.sampler, PROBE
            self._first = self.samples.given or self._sample("first", *drawn)
        return self._first

    def sampled(self, name: str, count: int, number: int) -> Dataset:
        """Fresh poses of the sampler."""
        return self._sample(
            name, count, self.seed_of(number, 1 if name.startswith("look") else 2), self.drawing.sampler
        )

    def sampled_rows(self, name: str, channels: NDArray[np.float32]) -> Dataset:
        """Poses of given channels."""
        return self._sample(name, len(channels), self.budget.seed, ChosenRows(channels))

    def _sample(self, name: str, count: int, seed: int, sampler: Sampler, probe: int = 0) -> Dataset:
        def show(now: Progress) -> None:
            self.budget.progress(Progress(f"{now.stage} {name}", now.done, now.total, now.message))

        path = self.folder / f"{name}.rwdata"
        return sample(
            self.samples.rig,
            path,
            count,
            seed=seed,
            workers=self.samples.workers,
            sampler=sampler,
            probe=probe,
            progress=show,
        )

    def moves(self) -> NDArray[np.bool_]:
        """The channels that move each vertex set, (N, S)."""
        return moving(self.first(0), self._known_outline(), self.settings.influence_threshold)

    def errors(self, model: Deformer, ds: Dataset) -> NDArray[np.float32]:
        """Distances (T, V) of the model's vertices from the rig's."""
        return row_errors(model, ds, np.arange(len(ds)))

    def trained(self, number: int, ds: JoinedSets, steps: int, before: Deformer | None) -> Deformer:
        """The model of a round."""
        path = self.folder / f"round-{number:03d}.safetensors"
        if path.exists():
            model = _core.load(path)
            if model.metadata["data_hash"] == ds.hash and model.metadata["training"]["steps"] == steps:
                return model
        begun = time.monotonic()
        model = self._train(number, ds, steps, before)
        model.save(path)
        self._longest = max(self._longest, time.monotonic() - begun)
        (self.folder / f"round-{number:03d}.checkpoint").unlink(missing_ok=True)
        return model

    def _train(self, number: int, ds: JoinedSets, steps: int, before: Deformer | None) -> Deformer:
        rate = self.settings.learning_rate * (1.0 if before is None else LATER_RATE)
        settings, outline = replace(self.settings, learning_rate=rate), self._known_outline()
        file, report = self.folder / f"round-{number:03d}.checkpoint", self._of_round(number)
        budget = replace(self.budget, steps=steps, minutes=None, checkpoint=file, progress=report)
        ready = prepare(ds, settings, budget, outline)
        known = None if before is None else before.tensors()
        with torch_settings(required_torch(), budget.threads, budget.device):
            budget = replace(budget, started=time.monotonic())
            networks = Networks(ds, ready, settings, budget, known)
            learned, done = networks.train(seconds=self.seconds_left())
        used = budget.used() | done | self.trials
        tensors, about = model_tensors(ds, ready, learned), metadata(ds, ready, settings, budget, used)
        parts = add_error_bound(tensors, about, ds, ready.training, ready.held_out, budget.seed)
        return _core.model_from_tensors(parts[0], json.dumps(parts[1]))

    def _known_outline(self) -> Outline:
        """The linear part, the vertex sets and their inputs, which the first poses decide for all rounds."""
        if self._outline is None:
            first, budget = JoinedSets([self.first(0)]), self.budget
            training, _ = parted(first, self.settings, budget.seed)
            skinnings = Skinnings(first, skinning_rows(training, budget.seed), budget.threads)
            with torch_settings(required_torch(), budget.threads, budget.device):
                self.settings, self.trials = chosen_linear(first, self.settings, skinnings, budget)
            self._outline = outlined(first, self.settings, budget, skinnings=skinnings)
        return self._outline

    def seconds_left(self) -> float | None:
        """Of the minutes of the settings; None without any."""
        if self.budget.minutes is None:
            return None
        return max(60.0 * self.budget.minutes - self.budget.elapsed(), 0.0)

    def out_of_time(self) -> bool:
        """Return True if another round as long as the longest one would take too long."""
        left = self.seconds_left()
        return left is not None and left < self._longest

    def _of_round(self, number: int) -> ProgressCallback:
        def show(now: Progress) -> None:
            self.budget.progress(Progress(f"round {number + 1}: {now.stage}", now.done, now.total, now.message))

        return show

    def say(self, message: str) -> None:
        """Report a finished round."""
        self.budget.progress(Progress(message, 1, 1))


def moving(ds: Dataset, outline: Outline, meters: float) -> NDArray[np.bool_]:
    """Channels (N, S) that move a vertex of each set farther, in its joint's frame; all without an influence probe."""
    if ds.probe is None or ds.skeleton is None:
        return np.ones((len(ds.channel_names), len(outline.sets)), bool)
    space = bone_space(ds, ds.probe.poses, ds.probe.vertices, outline)
    return np.asarray(movement(ds.probe, outline.sets, space) > meters / ds.meters_per_unit)
