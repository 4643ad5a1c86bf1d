"""The methods of tables 3.2 and 3.3 of Bailey 2020 on the production face: made once, their vertices kept.

The published network, coarse and refined; a dense network per segment; linear skinning with weights of the samples
whose bones are given the judged frames, as in the source, and skinning whose bones are driven by regression.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from benchmarks.papers.maps.published import DENSE_STEPS, Published
from benchmarks.systems.face_maps.accuracy import kept
from rigcast._atomic_files import atomic_npz

Floats = NDArray[np.float32]
Clips = dict[str, Floats]

BONES, INFLUENCES = (16, 24, 32), 8
SAMPLES = 200  # that skin weights are decomposed from; the paper has 1,000
JUDGED_EVERY = {"performance": 4, "constructed clips, held out": 12}


@dataclass(frozen=True)
class Judged:
    """The frames that all methods are judged by: every fourth or twelfth of a clip.

    Attributes
    ----------
    poses, vertices : dict of arrays, by clip
    faces : (F, 4)
    unit : float
        Millimeters in the rig's unit.
    """

    poses: Clips
    vertices: Clips
    faces: NDArray[np.int32]
    unit: float

    @classmethod
    def of(cls, clips: dict[str, rc.Dataset]) -> Judged:
        """The frames of data sets."""
        poses, vertices = {}, {}
        for clip, every in JUDGED_EVERY.items():
            rows = np.arange(0, len(clips[clip]), every)
            _, poses[clip], vertices[clip] = clips[clip].take(rows)
        first = next(iter(clips.values()))
        return cls(poses, vertices, np.asarray(first.faces), 1e3 * first.meters_per_unit)


@dataclass(frozen=True)
class Method:
    """A row of table 3.2.

    Attributes
    ----------
    name, driven, budget : str
    vertices : dict of (T, V, 3) arrays, by clip
        Empty for a network that is not trained to its end.
    """

    name: str
    driven: str
    budget: str
    vertices: Clips


@dataclass(frozen=True)
class Networks:
    """The published network and the dense one; None while one is not trained to its end."""

    maps: rc.Deformer | None
    dense: rc.Deformer | None

    @classmethod
    def finished(cls, *paths: Path) -> Networks:
        """Those of the files of both that are trained to their end."""
        return cls(*(rc.load(path) if path.exists() else None for path in paths))

    def calls(self) -> dict[str, Callable[[Floats], Floats]]:
        """Functions from poses to vertices, on one thread."""
        found: dict[str, Callable[[Floats], Floats]] = {}
        if self.maps is not None:
            none = np.zeros(self.maps.num_refinements, np.float32)
            found["coarse"] = partial(self.maps.evaluate_detail, detail=none, threads=1)
            found["refined"] = partial(self.maps.evaluate, threads=1)
        if self.dense is not None:
            found["dense"] = partial(self.dense.evaluate, threads=1)
        return found


def methods(
    training: rc.Dataset, judged: Judged, published: Published, networks: Networks, folder: Path
) -> list[Method]:
    """All of them; what an earlier run made is read again."""
    steps, dense = f"{published.steps:,} steps of 8 poses", f"{DENSE_STEPS:,} steps"
    budgets = {"coarse": f"{steps}, half of them", "refined": steps, "dense": dense}
    calls = networks.calls()
    found = [
        Method(name, "controls", budget if name in calls else "not to its end", _evaluated(judged, calls.get(name)))
        for name, budget in budgets.items()
    ]
    for bones in BONES:
        driven = "given the truth: weights of the samples, bones of the judged frames"
        vertices = _skinned(training, judged, folder, bones)
        found.append(Method(f"linear skinning, {bones} bones", driven, f"{SAMPLES} samples", vertices))
    regressed = kept(folder / f"ssdr-{BONES[-1]}.safetensors", lambda: _regressed(training))
    vertices = _evaluated(judged, partial(regressed.evaluate, threads=1))
    driven = "driven by regression from the controls"
    return [*found, Method(f"linear skinning, {BONES[-1]} bones", driven, f"{SAMPLES} samples", vertices)]


def milliseconds(evaluate: Callable[[Floats], object], poses: Floats, count: int = 1000) -> float:
    """Mean processor time of evaluations of single poses on one thread."""
    for pose in poses[:10]:
        evaluate(pose[None])
    begin = time.process_time()
    for number in range(count):
        evaluate(poses[number % len(poses), None])
    return 1e3 * (time.process_time() - begin) / count


def _evaluated(judged: Judged, evaluate: Callable[[Floats], Floats] | None) -> Clips:
    return {} if evaluate is None else {clip: evaluate(poses) for clip, poses in judged.poses.items()}


def _regressed(training: rc.Dataset) -> rc.Deformer:
    return rc.baselines.ssdr(training, bones=BONES[-1], influences=INFLUENCES, rows=_samples(training), threads=1)


def _samples(training: rc.Dataset) -> NDArray[np.intp]:
    return np.linspace(0, len(training) - 1, SAMPLES).astype(np.intp)


def _skinned(training: rc.Dataset, judged: Judged, folder: Path, bones: int) -> Clips:
    """Vertices of linear skinning with weights of the samples whose bones bring it nearest to the judged frames."""
    path = folder / f"skinned-{bones}-{SAMPLES}.npz"
    if not path.exists():
        _, _, samples = training.take(_samples(training))
        found = rc.baselines.skinning_decomposition(training.rest_vertices, samples, bones, influences=INFLUENCES, threads=1)
        frames = np.concatenate(list(judged.vertices.values())).astype(np.float64)
        atomic_npz(path, {"vertices": found.bones_of(frames).evaluate().astype(np.float32)})
    with np.load(path) as file:
        made = file["vertices"]
    ends = np.cumsum([len(own) for own in judged.vertices.values()])[:-1]
    return dict(zip(judged.vertices, np.split(made, ends), strict=True))
