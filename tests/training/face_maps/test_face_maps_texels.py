"""The losses in texels and in coefficients are the squared error of the vertices and of the faces' diagonals."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast.training._budget import Budget
from rigcast.training._face_maps._preparation import prepare
from rigcast.training._face_maps._settings import FaceMapsSettings
from rigcast.training._face_maps._train.basis import continued, with_bases
from rigcast.training._face_maps._train.coefficients import CoefficientDescent
from rigcast.training._face_maps._train.convolution_networks import with_convolutions
from rigcast.training._face_maps._train.problem import level_of, make_problem, offsets_of
from rigcast.training._face_maps._train.sparse import sampling_triplets
from rigcast.training._face_maps._train.texels import TexelDescent
from tests.support.characters.mapped_face import clip_data
from tests.support.made.face_maps import smooth_leaky

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

ROWS = np.array([3, 9, 40])
BUDGET = Budget("face_maps", threads=1)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return clip_data(tmp_path_factory.mktemp("face") / "face.rwdata", frames=20)


def slow_loss(problem, errors, weight):
    """Of errors (B, M, 3), one face at a time."""
    level = problem.level
    moved = np.unique(np.concatenate([level.place[segment.vertices] for segment in level.segments]))
    total = np.square(errors[:, moved]).sum() / len(moved)
    rest = problem.rest.astype(np.float64)
    for a, b, c, d in level.corners:
        for one, other in ((a, c), (b, d)):
            change = (errors[:, other] - errors[:, one]) / np.linalg.norm(rest[other] - rest[one])
            total += weight * np.square(change).sum() / len(level.corners)
    return total / len(errors)


def problem_of(data, settings, on_base):
    ready = prepare(data, settings, BUDGET)
    level = level_of(ready.layout.coarse, ready.layout.parts, data.faces, len(data.rest_vertices))
    truth = offsets_of(data, np.arange(len(data)), level.vertices, ready.length)
    base = 0.5 * truth if on_base else None
    return make_problem(level, ready, np.asarray(data.rest_vertices), truth, base)


def errors_of(descent, weights):
    """(B, M, 3) of some rows."""
    found = descent.offsets(descent.complete(weights), ROWS)
    return found - descent.problem.truth[ROWS].astype(np.float64)


@pytest.mark.parametrize("weight", [0.0, 0.7])
@pytest.mark.parametrize("on_base", [False, True])
def test_the_loss_in_texels_is_that_of_the_vertices(data, weight, on_base, tolerance):
    settings = FaceMapsSettings(method="paper", hidden=8, first_channels=2, channels=4, gradient_weight=weight)
    problem = with_convolutions(problem_of(data, settings, on_base), settings)
    descent = TexelDescent(problem, settings, BUDGET, 0)
    state = descent.start()
    descent._restore(state)
    left = problem.truth[ROWS].astype(np.float64) - (problem.base[ROWS] if on_base else 0.0)
    expected = slow_loss(problem, errors_of(descent, state.best), weight) - slow_loss(problem, left, weight)
    descent._restore(state)
    assert float(descent._texel_loss(ROWS).detach()) == pytest.approx(expected, rel=tolerance["float32_character"])


@pytest.mark.parametrize("weight", [0.0, 0.7])
@pytest.mark.parametrize("on_base", [False, True])
def test_the_loss_in_coefficients_is_that_of_the_vertices(data, weight, on_base, tolerance):
    """Without its constant: that of the mean maps, which have no coefficients. No network is large enough to share."""
    settings = FaceMapsSettings(hidden=100, components=6, gradient_weight=weight)
    problem = with_bases(problem_of(data, settings, on_base), settings, BUDGET)
    descent = CoefficientDescent(problem, settings, BUDGET, 0)
    state = descent.start()
    still = {name: 0.0 * value if ".dense3." in name else value for name, value in state.best.items()}
    losses = [slow_loss(descent.problem, errors_of(descent, weights), weight) for weights in (state.best, still)]
    descent._restore(state)
    found = float(descent._coefficient_loss(ROWS).detach())
    assert found == pytest.approx(losses[0] - losses[1], rel=tolerance["float32_character"])


def test_shared_hidden_layers_are_parted_with_the_other_inputs_at_rest(data, tolerance):
    """A segment's own network is the shared one where only its own controls are turned: one row and unit at a time."""
    settings = FaceMapsSettings(hidden=8, components=6)
    problem = with_bases(problem_of(data, settings, False), settings, BUDGET)
    descent = CoefficientDescent(problem, settings, BUDGET, 0)
    (trunk,) = descent._trunks
    assert len(trunk.members) > 1
    assert any(len(places) < trunk.shape.inputs for places in trunk.places)
    weights = random_like(descent.start().parameters)
    parted = descent.complete(weights)
    for member, places, first in zip(trunk.members, trunk.places, np.cumsum([0, *trunk.components]), strict=False):
        for row in ROWS:
            x = trunk.still.astype(np.float64)
            x[places] = trunk.inputs[row, places]
            expected = slow_coefficients(weights, "trunk0.", x)[first:][: trunk.components[trunk.members.index(member)]]
            found = slow_coefficients(parted, f"{member:03d}.", problem.inputs[member][row].astype(np.float64))
            np.testing.assert_allclose(found, expected, atol=tolerance["float32_scaled"])


def random_like(arrays):
    rng = np.random.default_rng(7)
    return {name: (0.3 * rng.standard_normal(value.shape)).astype(np.float32) for name, value in arrays.items()}


def slow_coefficients(weights, prefix, inputs):
    """Smooth leaky ReLU between dense layers."""
    x = inputs
    for name in ("dense1", "dense2"):
        y = [float(np.dot(row, x)) for row in weights[f"{prefix}{name}.weight"][0]]
        x = smooth_leaky(np.array(y) + weights[f"{prefix}{name}.bias"][0, 0])
    return weights[f"{prefix}dense3.weight"][0] @ x + weights[f"{prefix}dense3.bias"][0, 0]


def test_components_leave_less_the_more_there_are(data):
    """And with as many as the poses have, what the best maps leave."""
    settings = [FaceMapsSettings(components=count) for count in (1, 4, 100)]
    left = []
    for chosen in settings:
        problem = with_bases(problem_of(data, chosen, False), chosen, BUDGET)
        left.append(best_coefficients(problem, chosen))
    assert left[0] > 2.0 * left[1] > 4.0 * left[2]


def best_coefficients(problem, settings):
    """The RMS error of the vertices with the best coefficients, found by least squares on the basis."""
    descent = CoefficientDescent(problem, settings, BUDGET, 0)
    rows = np.concatenate(problem.bins)[::5]
    form = descent._gram.numpy().astype(np.float64)
    found = np.linalg.solve(form + 1e-9 * np.eye(len(form)), descent._wanted[rows].T)
    bases, mean = descent._bases(sum(segment.resolution**2 for segment in problem.level.segments))
    triplets, texels = sampling_triplets(problem.level.segments, problem.level.place)
    sample = np.zeros((len(problem.level.vertices), texels))
    np.add.at(sample, triplets[:2], triplets[2])
    ends = np.cumsum([0, *(basis.shape[2] for basis, _ in bases)])
    maps = np.repeat(mean.numpy()[:, :, None], len(rows), axis=2).astype(np.float64)
    for (basis, where), begin, end in zip(bases, ends[:-1], ends[1:], strict=True):
        maps[where] += basis.numpy() @ found[begin:end]
    error = np.einsum("mr,rat->tma", sample, maps) - problem.truth[rows]
    return float(np.sqrt(np.square(error).mean()))


def test_texels_that_no_vertex_samples_continue_their_neighbors():
    """Ring by ring, each the mean of the neighbors that are there: counted by hand on 4 x 4 texels."""
    sampled = np.array([5, 6])  # row 1, columns 1 and 2
    maps = np.array([[1.0], [3.0], [10.0], [30.0], [-1.0], [5.0]])
    found = continued(maps, sampled, 4).reshape(3, 4, 4)
    expected = [[1.0, 1.0, 3.0, 3.0], [1.0, 1.0, 3.0, 3.0], [1.0, 1.0, 3.0, 3.0], [1.0, 1.0, 3.0, 3.0]]
    np.testing.assert_allclose(found[0], expected)
    np.testing.assert_allclose(found[1], 10.0 * np.array(expected))
    assert found[2, 1].tolist() == [-1.0, -1.0, 5.0, 5.0]
