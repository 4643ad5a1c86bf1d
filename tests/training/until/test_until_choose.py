"""Which poses a round adds, and the weights that it begins with."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.training._body.basis import Basis
from rigcast.training._body.learned_body import continued
from rigcast.training._body.networks import initial_parameters, layers, normalize
from rigcast.training._body.outline import Outline
from rigcast.training._body.partition import VertexSets, hard_sets
from rigcast.training._until._choose import SHARPNESS, ChosenRows, Drawing, at_random, composed, least_sure
from rigcast.training._until._workplace import moving
from tests.support.characters.cylinder import CylinderRig
from tests.support.trainings import train_with

MOVES = np.array([[True, False], [True, False], [False, True], [False, False]])  # channels 0 and 1 move set 0


def test_each_set_takes_its_channels_from_candidates_that_it_is_least_sure_of():
    rows = np.arange(40, dtype=np.float32)[:, None] + np.zeros(4, np.float32)
    bounds = np.full((40, 2), 1e-6)
    bounds[7, 0], bounds[21, 1] = 1.0, 1.0
    found = composed(rows, bounds, MOVES, 50, np.random.default_rng(0))
    assert (found[:, :2] == 7).all()
    assert (found[:, 2] == 21).all()
    assert len(np.unique(found[:, 3])) > 10  # no set claims it


def test_a_channel_that_two_sets_claim_goes_to_the_less_sure_one_more_often():
    rows = np.arange(40, dtype=np.float32)[:, None]
    bounds = np.full((40, 2), 1e-6)
    bounds[7, 0], bounds[21, 1] = 1.0, 9.0
    found = composed(rows, bounds, np.array([[True, True]]), 400, np.random.default_rng(0))
    assert (found == 21).mean() > 0.75 > 0.5 > (found == 7).mean() > 0.0


@pytest.mark.parametrize("unit", [1.0, 1e-30])  # of a bound whose power has no float64
def test_candidates_are_drawn_in_proportion_to_a_power_of_the_bound(unit):
    rows = np.arange(2, dtype=np.float32)[:, None]
    bounds = unit * np.array([[1.0], [9.0 ** (1 / SHARPNESS)]])
    found = composed(rows, bounds, np.array([[True]]), 4000, np.random.default_rng(0))
    assert (found == 1).mean() == pytest.approx(0.9, abs=0.03)  # of 4,000 rows


@pytest.fixture(scope="module")
def bounded(cylinder_data):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    quick = {"steps": 60, "hidden": 8, "batch": 32, "max_components": 6, "border": 1.0, "threads": 1}
    return train_with("body", cylinder_data, **quick)


def drawing(ds, sampler):
    return Drawing(sampler, ds.channel_ranges, np.asarray(ds.manifest["channel_rest"], float))


def test_chosen_poses_have_larger_bounds_than_random_ones_and_stay_in_range(cylinder_data, bounded):
    learns = np.ones(len(bounded.tensors()["sets.joint"]), bool)
    sets = VertexSets(*(bounded.tensors()[f"sets.{name}"] for name in ("joint", "offset", "vertex", "weight")), learns)
    moves = moving(cylinder_data, Outline(sets, [], None, None), 1e-3)
    where = drawing(cylinder_data, rc.sampling.Normal())
    hard, plain = (choose(bounded, cylinder_data, moves, where, 80, 0) for choose in (least_sure, at_random))
    low, high = cylinder_data.channel_ranges.T
    assert ((hard >= low) & (hard <= high)).all()
    rig = CylinderRig(rings=20, sides=8)
    means = [bounded.error_bound(rig.sample(rows)[0]).mean() for rows in (hard, plain)]
    assert means[0] > 1.1 * means[1]


def test_rows_of_an_animation_stay_whole(cylinder_data, bounded):
    """Its channels depend on each other. Only the rig knows the poses of this one's: the candidates are seen rows."""
    frames = cylinder_data.channels
    where = drawing(cylinder_data, rc.sampling.Animation(frames, noise=0.1))
    moves = np.ones((frames.shape[1], len(bounded.tensors()["sets.joint"])), bool)
    found = least_sure(bounded, cylinder_data, moves, where, 20, 0)
    assert (np.abs(found[:, None] - frames[None]).max(axis=2).min(axis=1) == 0).all()


def test_chosen_rows_are_sampled_as_they_are(cylinder_rig, tmp_path):
    rows = np.asarray(cylinder_rig.channel_ranges, np.float32).mean(axis=1) * np.ones((3, 1), np.float32)
    ds = rc.sampling.sample(cylinder_rig, tmp_path / "c.rwdata", 3, sampler=ChosenRows(rows), probe=0)
    assert np.array_equal(ds.channels, rows)
    assert ds.manifest["sampler"]["kind"] == "chosen"


def test_a_warm_start_is_the_function_of_the_model(tolerance):
    """New scales of the inputs, and a basis that spans the old one: the same offsets before the first step."""
    rng = np.random.default_rng(0)
    sets = hard_sets(np.array([0, 0, 0, 1, 1]))
    x = rng.standard_normal((60, 4)).astype(np.float32) * 2 + 1
    columns, old, bases, maps = [x, x[:, :3]], {}, [], []
    for s, size in enumerate((3, 2)):
        turn = np.linalg.qr(rng.standard_normal((3 * size, 3 * size)))[0]
        old |= {f"set.{s:03d}.basis": turn[:, :3], f"set.{s:03d}.mean": rng.standard_normal(3 * size)}
        shapes = {"1.weight": (5, columns[s].shape[1]), "1.bias": 5, "2.weight": (5, 5), "2.bias": 5}
        shapes |= {"3.weight": (3, 5), "3.bias": 3}
        old |= {f"set.{s:03d}.layer{name}": rng.standard_normal(shape) for name, shape in shapes.items()}
        whole = np.linalg.qr(rng.standard_normal((3 * size, 3 * size)))[0]
        mean = rng.standard_normal(3 * size)
        bases.append(Basis(whole, mean, rng.standard_normal((60, 3 * size)).astype(np.float32)))
        maps.append(normalize(columns[s], bases[s].coefficients))
    start = initial_parameters([4, 3], [9, 6], 5, 0)
    found = continued(start, [0, 1], sets, bases, maps, old)
    for s in range(2):
        new = layers(found, s, maps[s])
        expected = offsets({name: old[f"set.{s:03d}.{name}"] for name in new}, columns[s])
        expected = expected @ old[f"set.{s:03d}.basis"].T + old[f"set.{s:03d}.mean"]
        mine = offsets(new, columns[s]) @ bases[s].components.T + bases[s].mean
        np.testing.assert_allclose(mine, expected, rtol=0, atol=tolerance["float32_scaled"])


def offsets(net, x):
    for name in ("layer1", "layer2"):
        x = np.tanh(x @ net[f"{name}.weight"].T + net[f"{name}.bias"])
    return x @ net["layer3.weight"].T + net["layer3.bias"]


def test_a_set_that_had_no_network_starts_at_random():
    start = initial_parameters([2], [3], 4, 0)
    x = np.random.default_rng(0).standard_normal((9, 2)).astype(np.float32)
    basis = Basis(np.eye(3), np.zeros(3), np.ones((9, 3), np.float32))
    found = continued(start, [0], hard_sets(np.array([0])), [basis], [normalize(x, basis.coefficients)], {})
    assert all(np.array_equal(found[name], start[name]) for name in start)
