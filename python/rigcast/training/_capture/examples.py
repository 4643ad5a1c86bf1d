"""Pictures of synthetic actors, cropped as a network sees them, and what it shall read in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import atomic_npz
from rigcast._formats.npz.archive import BROKEN
from rigcast._interrupts import held_back
from rigcast._resume.fingerprints import fingerprint
from rigcast.capture import ActorVariation, Cast, ShotPlan, film
from rigcast.capture._detectors import IBUG68, MEDIAPIPE
from rigcast.capture._network.alignment import CropLayout, align, crop, layout_of, layout_of_character, shares
from rigcast.capture._video.follow import FaceFollower
from rigcast.capture._video.networks import COUNT, FaceNetworks
from rigcast.progress import Progress
from rigcast.training._budget import Budget
from rigcast.training._capture.poses import training_poses
from rigcast.training._capture.settings import CaptureNetworkSettings

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

VERSION = 1  # of what a picture's file holds
BIAS, NOISE = 0.008, 0.004  # of landmarks that stand for a detector's, in widths of the picture: of a shot, of a frame
BY_DETECTOR = 0.5  # of the shots: cropped by the detector's points, if it finds them
FILMED = ("poses", "size", "film_size", "detector", "glasses", "hand")  # settings that decide an actor's pictures
KEYS = ("crops", "weights", "points", "moved")


@dataclass(frozen=True)
class CaptureExamples:
    """N pictures of A actors.

    Attributes
    ----------
    crops : (N, S, S, 3) uint8
    neutral : (N,) int64
        The picture of the same actor's neutral.
    weights : (N, K) float32
    points : (N, P, 2) float32
        Landmarks in shares of the crop.
    moved : (N, 2 Q) float32
        Motion of a detector's points; Q is 0 without one. NaN: it found no face.
    training, held_out : (n,) int64
        Pictures by the actors that they show; neutrals are none.
    """

    crops: NDArray[np.uint8]
    neutral: NDArray[np.int64]
    weights: Float32
    points: Float32
    moved: Float32
    training: NDArray[np.int64]
    held_out: NDArray[np.int64]


def film_examples(
    cast: Cast,
    variation: ActorVariation,
    motion: Float64 | None,
    settings: CaptureNetworkSettings,
    folder: Path | None,
    budget: Budget,
) -> CaptureExamples:
    """Film all actors; those of a folder that an interrupted call left are read.

    The result does not depend on the number of threads.
    """
    networks = FaceNetworks() if settings.detector == "mediapipe" else None
    layout = layout_of_character(cast.character, cast.landmarks)
    filmed = {name: getattr(settings, name) for name in FILMED}
    facts = (VERSION, filmed, vars(variation), motion, budget.seed, cast.note, cast.character.shape_names)
    files = []
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    with held_back() as interrupted:
        for index in range(settings.actors):
            budget.progress(Progress("filming actors", index, settings.actors))
            seed = settings.first_actor + index
            make = partial(_filmed, cast, variation, motion, settings, seed, networks, layout, budget)
            mark = fingerprint(*facts, seed)
            files.append(make() if folder is None else _kept(folder / f"{seed}.npz", mark, make))
            if interrupted():
                raise KeyboardInterrupt
    budget.progress(Progress("filming actors", settings.actors, settings.actors))
    judged = max(1, round(settings.holdout * settings.actors))
    count = settings.poses + 1
    number = np.arange(settings.actors * count)
    shown = number[number % count != 0]
    return CaptureExamples(
        **{name: np.concatenate([file[name] for file in files]) for name in KEYS},
        neutral=number // count * count,
        training=shown[shown < (settings.actors - judged) * count],
        held_out=shown[shown >= (settings.actors - judged) * count],
    )


def _kept(path: Path, mark: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The arrays of a file of this call; made and written if there is none."""
    try:
        with path.open("rb") as opened, np.load(opened) as file:
            if str(file["fingerprint"]) == mark:
                return {name: file[name] for name in KEYS}
    except (OSError, KeyError, *BROKEN):
        pass
    made = make()
    atomic_npz(path, {**made, "fingerprint": np.array(mark)})
    return made


def _filmed(
    cast: Cast,
    variation: ActorVariation,
    motion: Float64 | None,
    settings: CaptureNetworkSettings,
    seed: int,
    networks: FaceNetworks | None,
    layout: CropLayout,
    budget: Budget,
) -> dict[str, Any]:
    """The arrays of an actor: its neutral, then its poses."""
    rng = np.random.default_rng([budget.seed, 9, seed])
    worn = rng.random(2) < (settings.glasses, settings.hand)
    if len(cast.landmarks) not in IBUG68.counts:  # eyes and mouth are not known
        worn[:] = False
    plan = ShotPlan(settings.poses + 1, settings.film_size, turn=0.06, glasses=bool(worn[0]), hand=bool(worn[1]))
    weights = training_poses(cast.character.shape_names, settings.poses, rng, motion)
    shot = film(cast.actor(seed, variation), plan, weights, threads=budget.threads)
    exact = np.asarray(shot.labels["landmarks_2d"], np.float64)
    unit = settings.film_size * rng.uniform(0.2, 1.0)
    seen = exact + unit * (rng.normal(0.0, BIAS, exact.shape[1:]) + rng.normal(0.0, NOISE, exact.shape))
    aligned = align(seen, seen[0], layout)
    moved = np.zeros((len(exact), 0), np.float32)
    if networks is not None:
        found = _detected(networks, shot.color)
        moved = np.full((len(exact), 2 * COUNT), np.nan, np.float32)
        if np.isfinite(found[0]).all():
            other = align(found, found[0], layout_of(MEDIAPIPE))
            known = np.isfinite(found).all(axis=(1, 2))
            moved[known] = other.moved[known].reshape(-1, 2 * COUNT)
            if known.all() and rng.random() < BY_DETECTOR:
                aligned = other
    squares = [square for square in aligned.squares if square is not None]
    return {
        "crops": np.stack([crop(p, s, settings.size) for p, s in zip(shot.color, squares, strict=True)]),
        "weights": np.asarray(shot.labels["weights"], np.float32),
        "points": np.stack([shares(p, s) for p, s in zip(exact, squares, strict=True)]).astype(np.float32),
        "moved": moved,
    }


def _detected(networks: FaceNetworks, pictures: NDArray[np.uint8]) -> Float64:
    """Points (T, 468, 2) in pixels; NaN where there is no face."""
    follower = FaceFollower(networks)
    return np.stack([follower.step(picture, t).points for t, picture in enumerate(pictures)]).astype(np.float64)
