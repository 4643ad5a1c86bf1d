"""A joint solve over regions in place of averages of the parameters that they share."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

import rigcast as rc
from tests.conftest import TOLERANCES
from tests.training.face_ik.test_face_ik import NOISE, POINTS, RIG, SETTINGS, best, distance

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

JOINT = rc.training.FaceIkSettings(**{**asdict(SETTINGS), "agreement": "joint"})
RIDGE = 1e-4  # of the largest entry of the summed Gram matrices, as the engine's contract has it


@pytest.fixture(scope="module")
def ik() -> rc.ik.FaceIk:
    return rc.training.face_ik(RIG, POINTS, steps=300, threads=1, settings=JOINT)


@pytest.fixture(scope="module")
def goals() -> np.ndarray:
    rng = np.random.default_rng(1)
    weights = rng.random((20, RIG.num_shapes)) * (rng.random((20, RIG.num_shapes)) < 0.6)
    return RIG.evaluate(weights)[:, POINTS]


@pytest.fixture(scope="module")
def unreachable(goals) -> np.ndarray:
    return goals + np.random.default_rng(2).uniform(-NOISE, NOISE, goals.shape)


def tensors_of(ik, **changed):
    """The tensors and metadata that make a FaceIk, some of them changed or, if None, left out."""
    tensors = ik._engine.tensors() | {name: value for name, value in changed.items() if value is not None}
    return {name: value for name, value in tensors.items() if name not in changed or changed[name] is not None}


def proposals(ik, goals):
    """What each region's network answers, in NumPy: offsets from rest (T, n)."""
    tensors, result = ik._engine.tensors(), []
    for number, (points, _) in enumerate(ik.regions):
        x = (goals - tensors["points.rest"])[:, points].reshape(len(goals), -1)
        for i in range(1, 4):
            name = f"region.{number:03d}.layer{i}"
            x = x @ tensors[f"{name}.weight"].T.astype(float) + tensors[f"{name}.bias"]
            x = np.where(x < 0, 0.2 * x, x) if i < 3 else x
        result.append(x)
    return result


def slow_joint(ik, goals):
    """The contract of the joint solve by coordinate descent: parameters (T, N)."""
    tensors = ik._engine.tensors()
    rest, scale = tensors["parameters.rest"].astype(float), tensors["parameters.scale"].astype(float)
    low, high = ((tensors["parameters.bounds"].T.astype(float) - rest) / scale).tolist()
    count = len(rest)
    gram, number = np.zeros((count, count)), np.zeros(count)
    linear, mean = np.zeros((len(goals), count)), np.zeros((len(goals), count))
    for r, ((_, own), y) in enumerate(zip(ik.regions, proposals(ik, goals), strict=True)):
        z = np.clip(y / scale[own], np.array(low)[own], np.array(high)[own])
        own_gram = tensors[f"region.{r:03d}.gram"].astype(float)
        gram[np.ix_(own, own)] += own_gram
        linear[:, own] += z @ own_gram
        mean[:, own] += z
        number[own] += 1
    mean /= np.maximum(number, 1)
    ridge = RIDGE * gram.diagonal().max()
    gram += ridge * np.eye(count)
    linear += ridge * mean
    z = mean.copy()
    for _ in range(4000):
        for k in range(count):
            z[:, k] = np.clip(z[:, k] + (linear[:, k] - z @ gram[k]) / gram[k, k], low[k], high[k])
    return rest + scale * z


def test_the_engine_solves_what_its_contract_says(ik, unreachable):
    expected = slow_joint(ik, unreachable.astype(np.float32).astype(float))
    found = ik.solve(unreachable).unknowns
    assert found == pytest.approx(expected, abs=1e-3)  # of ranges of 1; the ridge is 1e-4 of the largest entry
    assert (found == 0.0).any()


def test_unreachable_points_are_met_nearly_as_well_as_the_optimum_does(ik, unreachable):
    error = distance(RIG.evaluate(ik.solve(unreachable).channels)[:, POINTS], unreachable).mean()
    assert error <= 1.3 * best(unreachable).mean()


def test_reachable_points_are_met_nearly_as_well_as_the_optimum_does(ik, goals):
    error = distance(RIG.evaluate(ik.solve(goals).channels)[:, POINTS], goals).mean()
    assert error <= 1.5 * best(goals).mean() + 0.2


def test_averages_of_the_same_proposals_are_far_worse(ik, unreachable):
    averaged = rc.ik.FaceIk(tensors_of(ik), {**ik.metadata, "agreement": "average"})
    joint, plain = (one.solve(unreachable).error.mean() for one in (ik, averaged))
    assert joint < 0.8 * plain


def test_a_single_region_gets_what_it_proposes(unreachable):
    together = np.zeros(len(POINTS), int)
    one = rc.training.face_ik(RIG, POINTS, steps=2, threads=1, regions=together, settings=JOINT)
    ((_, own),) = one.regions
    (proposed,) = proposals(one, unreachable.astype(np.float32).astype(float))
    assert one.solve(unreachable).unknowns[:, own] == pytest.approx(
        np.clip(proposed, 0.0, 1.0), abs=TOLERANCES["float32_sum"]
    )


def test_threads_change_no_byte(ik, unreachable):
    one, two = (ik.solve(unreachable, threads=threads).poses for threads in (1, 2))
    assert one.tobytes() == two.tobytes()


def test_a_file_gives_the_same_bytes(ik, unreachable, tmp_path):
    ik.save(tmp_path / "ik.safetensors")
    loaded = rc.ik.load(tmp_path / "ik.safetensors")
    assert loaded.solve(unreachable).poses.tobytes() == ik.solve(unreachable).poses.tobytes()


def test_two_dimensional_points_are_solved_jointly_too():
    ik = rc.training.face_ik(RIG, POINTS, steps=5, threads=1, dimensions=2, settings=JOINT)
    goals = RIG.evaluate(np.full((1, RIG.num_shapes), 0.3))[:, POINTS]
    deeper = np.add(goals, [0.0, 0.0, 0.1])
    assert (ik.solve(goals).poses == ik.solve(deeper).poses).all()


DAMAGED = {
    "metadata.agreement is 'vote'": lambda ik: rc.ik.FaceIk(tensors_of(ik), {**ik.metadata, "agreement": "vote"}),
    "region.000.gram": lambda ik: rc.ik.FaceIk(tensors_of(ik, **{"region.000.gram": None}), ik.metadata),
    "parameters.scale is holding": lambda ik: rc.ik.FaceIk(
        tensors_of(ik, **{"parameters.scale": np.zeros(len(ik.names), np.float32)}), ik.metadata
    ),
}


@pytest.mark.parametrize("words", DAMAGED)
def test_a_damaged_file_is_named(ik, words):
    with pytest.raises(ValueError, match=words):
        DAMAGED[words](ik)


def test_another_agreement_is_named():
    with pytest.raises(ValueError, match=r"^face_ik: agreement is 'vote'; it must be 'average' or 'joint'"):
        rc.training.FaceIkSettings(agreement="vote")
