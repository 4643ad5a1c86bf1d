"""A body learned to a stated error: rounds, then one model that states what was reached."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rigcast._core import Deformer
from rigcast._resume.locks import locked
from rigcast._validate import bad_argument
from rigcast.progress import Progress
from rigcast.sampling import Sampler
from rigcast.sampling._joined import JoinedSets
from rigcast.sampling._plan import integer
from rigcast.training._body.error_bound import add_error_bound
from rigcast.training._body.learned_body import measured_reference
from rigcast.training._body.linear_part import Skinnings, skinning_rows
from rigcast.training._body.settings import BodySettings
from rigcast.training._budget import Budget
from rigcast.training._export import measured
from rigcast.training._until._choose import least_sure
from rigcast.training._until._goal import Goal
from rigcast.training._until._rounds import Choice, Rounds, RoundsOutcome
from rigcast.training._until._workplace import SampledRig, Workplace

FIRST = 400  # random poses that the first round learns from
MOST_POSES = 20_000


def samples_of(
    rig: Any,
    given: Any,
    folder: str | os.PathLike[str] | None,
    poses: int | None,
    sampler: str | Sampler,
    workers: int,
) -> SampledRig:
    """Return what is sampled: a rig, and samples of it that are there.

    Raises
    ------
    ValueError
        If there is no rig, or a rig that is not the data set's.
    """
    if poses is not None:
        poses = integer("poses", poses, 1, "body_until")
    workers = integer("workers", workers, 0, "body_until")
    if not hasattr(rig, "sample"):
        expected = "a rig that can be sampled: rigcast.sources.load(file); a tolerance asks for new poses"
        raise bad_argument("body_until", "rig", f"a {type(rig).__name__}", expected)
    if hasattr(given, "channel_names") and list(rig.channel_names) != list(given.channel_names):
        got = f"one of {len(rig.channel_names)} channels, the data set of {len(given.channel_names)}"
        raise bad_argument("body_until", "rig", got, "the rig that the data set was sampled from")
    return SampledRig(rig, given, folder, poses, sampler, workers)


def learn_until(
    samples: SampledRig, goal: Goal, settings: BodySettings, budget: Budget, choose: Choice = least_sure
) -> Deformer:
    """Sample and train in rounds until the goal or a budget is reached; the model states which."""
    with _folder(samples.folder) as folder, locked(folder / ".lock", "body_until", "folder", folder):
        if budget.restart:
            _forget_rounds(folder)
        place = Workplace(samples, folder, settings, budget)
        most = samples.poses or MOST_POSES
        first = min(FIRST, max(most // 2, 50))
        outcome = Rounds(place, goal, most, choose).run(first)
        budget.progress(Progress("measuring", 0, 1))
        return _stated(place, outcome, goal)


@contextlib.contextmanager
def _folder(given: str | os.PathLike[str] | None) -> Iterator[Path]:
    if given is not None:
        folder = Path(given)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            got = f"{str(folder)!r}, which is or lies in a file"
            raise bad_argument("body_until", "folder", got, "a folder, or a name for a new one", folder) from error
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="rigcast-until-") as temporary:
        yield Path(temporary)


def _forget_rounds(folder: Path) -> None:
    """Remove the models and the poses that they chose; those of the sampler stay, and are the same again."""
    for pattern in ("round-*.safetensors", "round-*.checkpoint", "run"):
        for file in folder.glob(pattern):
            file.unlink()
    for chosen in folder.glob("chosen-*.rwdata"):
        shutil.rmtree(chosen)


def _stated(place: Workplace, outcome: RoundsOutcome, goal: Goal) -> Deformer:
    """The last round's model, with its bound calibrated and its errors measured on poses that it has not seen.

    These are the fresh poses that judged it, and for the bound also the held-out rows of all sets of the sampler.
    """
    tensors = {
        n: a for n, a in outcome.model.tensors().items() if not n.startswith(("bound.", "error.", "confidence.error."))
    }
    about = {n: v for n, v in outcome.model.metadata.items() if n not in ("bound", "confidence", "error")}
    about |= {"until": outcome.record(goal)}
    joined, holdout, seed = JoinedSets([*outcome.sets, outcome.fresh]), place.settings.holdout, place.budget.seed
    training, _ = JoinedSets(outcome.sets).split(holdout, seed)
    drawn = place.drawing.sampler.settings()
    held = [
        start + part.split(holdout, seed)[1]
        for start, part in zip(joined.starts, outcome.sets, strict=False)
        if part.manifest["sampler"] == drawn
    ]
    unseen = np.concatenate([*held, np.arange(joined.starts[-2], joined.starts[-1])])
    fresh, learned = np.arange(len(outcome.fresh)), JoinedSets(outcome.sets)
    skinning = Skinnings(learned, skinning_rows(training, seed), place.budget.threads).model()
    reference = measured_reference(skinning, outcome.fresh, fresh)
    tensors, about = tensors | reference.tensors, about | {"linear_skinning": reference.about}
    parts = add_error_bound(tensors, about, joined, training, unseen, seed)
    return measured(*parts, outcome.fresh, fresh)
