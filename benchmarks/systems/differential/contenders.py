"""The models of the accuracy benchmark: trained or fitted once, kept, and gone on with after an interruption."""

from __future__ import annotations

import inspect
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tests.support import trainings

import rigcast as rc
from benchmarks.systems.differential.local import Local, local
from rigcast._atomic_files import atomic_write
from rigcast._resume.fingerprints import fingerprint

OURS, LOCAL, FDDA, BODY = "differential subspace", "Local (offsets)", "FDDA variant", "our body model"
FITTED_ROWS = 2500  # that PCA, KPSA and skinning are fitted to at most, evenly spaced
MOST_FRAMES = 250  # that SSDR decomposes


@dataclass(frozen=True)
class Contender:
    """A method on one training set.

    Attributes
    ----------
    name : str
    fit : callable
        Of the training set; gives what has ``save(path)`` and ``evaluate(poses)``.
    options : dict
        Of the call; part of the name of the file.
    extra : dict
        Of the call, and no part of it.
    """

    name: str
    fit: Callable[..., Any]
    options: dict[str, Any]
    extra: dict[str, Any]

    def path(self, training: Any, out: Path, seed: int) -> Path:
        """The file of its model."""
        mark = fingerprint(training.hash, self.fit.__name__, self.options, FITTED_ROWS, seed)[:16]
        return out / f"{self.fit.__name__}-{mark}{'.npz' if self.fit is local else '.safetensors'}"


@dataclass(frozen=True)
class Kept:
    """A model with what fitting it took.

    Attributes
    ----------
    model : Deformer or Local
    path : Path
    megabytes : float
    seconds : float
    load : float
        Of the machine at the end of fitting.
    """

    model: Any
    path: Path
    megabytes: float
    seconds: float
    load: float


def kept(contender: Contender, training: Any, out: Path, seed: int = 0) -> Kept:
    """The model of a contender, fitted unless its file is there."""
    path = contender.path(training, out, seed)
    record = path.with_suffix(".json")
    if not (path.exists() and record.exists()):
        out.mkdir(parents=True, exist_ok=True)
        begin = time.monotonic()
        options = contender.options | contender.extra
        if not {"minutes", "steps"}.isdisjoint(options):
            options |= {"seed": seed, "checkpoint": Path(f"{path}.checkpoint"), "progress": say}
        if "rows" in inspect.signature(contender.fit).parameters:
            count = len(training)
            options["rows"] = np.unique(np.linspace(0, count - 1, min(count, FITTED_ROWS)).round().astype(int))
        print(f"{contender.name} ...", flush=True)
        made = contender.fit(training, threads=1, **options)
        made.save(path)
        stated = 60.0 * contender.options.get("minutes", 0.0)  # an interrupted training took this long in all
        known = {"seconds": max(time.monotonic() - begin, stated), "load": os.getloadavg()[0]}
        atomic_write(record, json.dumps(known).encode())
    found = json.loads(record.read_text())
    model = Local.load(path, training.skeleton) if contender.fit is local else rc.load(path)
    return Kept(model, path, path.stat().st_size / 1e6, found["seconds"], found["load"])


def contenders(
    training: Any, minutes: float, peer_minutes: float, skin: Any, settings: dict[str, Any], small: bool
) -> list[Contender]:
    """Ours, and its peers on this training set.

    Parameters
    ----------
    skin : optional
        Of ``rc.training.differential`` and of Local.
    settings : dict
        Of ``rc.training.differential``; what both have goes to Local, too.
    """
    shared = {
        name: settings[name] for name in ("hidden", "layers", "components", "loss", "optimizer") if name in settings
    }
    where = {"skin": None if skin is None else str(getattr(skin, "name", skin))}
    least = len(training) - 1
    points, vectors, bones = (8, 8, 4) if small else (274, min(200, least), 32)
    found = [
        Contender(
            OURS,
            differential,
            {"minutes": minutes, **settings, "where": where},
            {"skin": skin},
        ),
        Contender(LOCAL, local, {"minutes": minutes, **shared}, {"skin": skin}),
        Contender("PCA + linear regression", rc.baselines.pca_regression, {"components": min(128, least)}, {}),
        Contender(
            "KPSA, 274 points, 200 vectors, driven by regression",
            rc.baselines.kpsa,
            {"points": points, "vectors": vectors},
            {},
        ),
    ]
    if training.skeleton is None:
        ssdr = {"bones": bones, "influences": min(8, bones), "rounds": 10, "most_frames": 20 if small else MOST_FRAMES}
        return [
            *found,
            Contender("linear skinning (SSDR, 32 bones), driven by regression", rc.baselines.ssdr, ssdr, {}),
        ]
    return [
        *found,
        Contender("linear skinning, K = 4", rc.baselines.linear_blend, {"influences": 4}, {}),
        Contender(FDDA, trainings.body, {"minutes": peer_minutes, "method": "paper"}, {}),
        Contender(BODY, trainings.body, {"minutes": peer_minutes}, {}),
    ]


def differential(training: Any, *, where: Any = None, **options: Any) -> rc.Deformer:
    """``rc.training.differential``; ``where`` names the skin in the file's name."""
    return trainings.differential(training, **options)


def say(progress: rc.progress.Progress) -> None:
    """Print what a training says."""
    if progress.message:
        print(f"  {progress.stage} {progress.done:.0%}: {progress.message}", flush=True)
