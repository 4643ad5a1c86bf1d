"""A body learned to a stated error: rounds, then one model that states what was reached."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rigcast._core import Deformer
from rigcast._resume.locks import locked
from rigcast._validate import bad_argument
from rigcast.progress import Progress, ProgressCallback
from rigcast.sampling import Dataset, Sampler
from rigcast.sampling._joined import JoinedSets
from rigcast.sampling._plan import integer
from rigcast.training._error_bound import add_error_bound
from rigcast.training._export import measured
from rigcast.training._learned_body import measured_beside
from rigcast.training._linear_part import Skinnings, skinning_rows
from rigcast.training._settings import BodySettings
from rigcast.training._until._choose import least_sure
from rigcast.training._until._goal import Goal
from rigcast.training._until._rounds import Choice, Outcome, Rounds
from rigcast.training._until._workplace import Workplace

FIRST = 400  # random poses that the first round learns from
MOST_POSES = 20_000


@dataclass(frozen=True)
class Samples:
    """What a training to a stated error may sample, and where it keeps it.

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


def samples_of(
    ds: Any,
    rig: Any,
    folder: str | os.PathLike[str] | None,
    poses: int | None,
    sampler: str | Sampler,
    workers: int,
) -> Samples:
    """Who samples: ``ds`` itself, a rig, or ``rig`` beside a data set.

    Raises
    ------
    ValueError
        If there is no rig, or a rig that is not the data set's.
    """
    if poses is not None:
        poses = integer("poses", poses, 1, "body")
    workers = integer("workers", workers, 0, "body")
    if rig is None and hasattr(ds, "sample"):
        return Samples(ds, None, folder, poses, sampler, workers)
    if not hasattr(rig, "sample"):
        got = "a data set alone" if rig is None else f"a {type(rig).__name__}"
        expected = "a rig that can be sampled: rigcast.sources.load(file), as ds or beside a data set as rig"
        raise bad_argument("body", "rig", got, f"{expected}; a tolerance asks for new poses")
    if ds is not None and list(rig.channel_names) != list(ds.channel_names):
        got = f"one of {len(rig.channel_names)} channels, the data set of {len(ds.channel_names)}"
        raise bad_argument("body", "rig", got, "the rig that the data set was sampled from")
    return Samples(rig, ds, folder, poses, sampler, workers)


def learn_until(
    samples: Samples,
    goal: Goal,
    settings: BodySettings,
    device: str,
    threads: int,
    restart: bool,
    progress: ProgressCallback,
    choose: Choice = least_sure,
) -> Deformer:
    """Sample and train in rounds until the goal or a budget is reached; the model states which."""
    with _folder(samples.folder) as folder, locked(folder / ".lock", "body", "folder", folder):
        if restart:
            _forget_rounds(folder)
        place = Workplace(
            samples.rig,
            folder,
            settings,
            samples.sampler,
            device,
            samples.workers,
            threads,
            progress,
            samples.given,
        )
        most = samples.poses or MOST_POSES
        first = min(FIRST, max(most // 2, 50))
        outcome = Rounds(place, goal, most, choose).run(first)
        progress(Progress("measuring", 0, 1))
        return _stated(place, outcome, goal)


@contextlib.contextmanager
def _folder(given: str | os.PathLike[str] | None) -> Iterator[Path]:
    if given is not None:
        folder = Path(given)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            got = f"{str(folder)!r}, which is or lies in a file"
            raise bad_argument("body", "folder", got, "a folder, or a name for a new one") from error
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


def _stated(place: Workplace, outcome: Outcome, goal: Goal) -> Deformer:
    """The last round's model, with its bound calibrated and its errors measured on poses that it has not seen.

    These are the fresh poses that judged it, and for the bound also the held-out rows of all sets of the sampler.
    """
    tensors = {
        n: a for n, a in outcome.model.tensors().items() if not n.startswith(("bound.", "error.", "confidence.error."))
    }
    about = {n: v for n, v in outcome.model.metadata.items() if n not in ("bound", "confidence", "error")}
    about |= {"until": outcome.record(goal)}
    joined, settings = JoinedSets([*outcome.sets, outcome.fresh]), place.settings
    training, _ = JoinedSets(outcome.sets).split(settings.holdout, settings.seed)
    drawn = place.drawing.sampler.settings()
    held = [
        start + part.split(settings.holdout, settings.seed)[1]
        for start, part in zip(joined.starts, outcome.sets, strict=False)
        if part.manifest["sampler"] == drawn
    ]
    unseen = np.concatenate([*held, np.arange(joined.starts[-2], joined.starts[-1])])
    fresh, learned = np.arange(len(outcome.fresh)), JoinedSets(outcome.sets)
    skinning = Skinnings(learned, skinning_rows(training, settings.seed), place.threads).model()
    beside = measured_beside(skinning, outcome.fresh, fresh)
    tensors, about = tensors | beside.tensors, about | {"linear_skinning": beside.about}
    parts = add_error_bound(tensors, about, joined, training, unseen, settings.seed)
    return measured(*parts, outcome.fresh, fresh)
