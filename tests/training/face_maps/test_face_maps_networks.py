"""Networks of map segments: the formula, its folding into a model file, and what the engine will read of it."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast.training._face_maps._layout.segments import Layout, MapSegment, RigidPart
from rigcast.training._face_maps._train.basis_networks import BasisShape, smooth_leaky_relu
from rigcast.training._face_maps._train.convolution_networks import ConvolutionShape, doublings_of, first_channels
from rigcast.training._face_maps._train.learned_map import LearnedMap, map_tensors
from rigcast.training._face_maps._train.shapes import Scaling
from tests.support.characters.mapped_face import slow_network, slow_offsets
from tests.support.made.face_maps import smooth_leaky

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

SHAPE = ConvolutionShape(inputs=3, hidden=5, first_channels=2, channels=4, doublings=2)
SCALING = Scaling(np.array([0.1, -2.0, 0.0]), np.array([0.5, 3.0, 1.0]), 0.7)


def random_weights(shape, seed=0):
    rng = np.random.default_rng(seed)
    return {
        name: value + rng.standard_normal(value.shape).astype(np.float32) * 0.1
        for name, value in shape.initial_weights([seed]).items()
    }


def segment(level=0, count=6, resolution=32, first=0, seed=0):
    rng = np.random.default_rng(seed)
    vertices = np.arange(first, first + count)
    weights = np.ones(count, np.float32) if level == 0 else rng.random(count).astype(np.float32)
    return MapSegment("a", level, vertices, rng.random((count, 2)), weights, np.array([0, 2, 3]), resolution)


@pytest.mark.parametrize("doublings", [0, 1, 2, 3])
def test_the_file_has_the_network_on_raw_inputs(doublings, tolerance):
    shape = ConvolutionShape(3, 5, 2, 4, doublings)
    weights = random_weights(shape)
    tensors = map_tensors([LearnedMap(segment(resolution=8 << doublings), shape, SCALING, weights)], Layout([], [], []))
    raw = np.array([0.3, -1.0, 2.0])
    inputs = torch.tensor(((raw - SCALING.mean) / SCALING.deviation)[None].astype(np.float32))
    with torch.no_grad():
        tensor_weights = {name: torch.from_numpy(value) for name, value in weights.items()}
        found = shape.forward(torch, tensor_weights, inputs)[0].numpy() * SCALING.scale
    np.testing.assert_allclose(found, slow_network(tensors, 0, raw), atol=tolerance["float32_scaled"])


BASIS = BasisShape(inputs=3, hidden=5, components=4, resolution=6)


def random_basis(seed=0):
    rng = np.random.default_rng(seed)
    sizes = {"basis.weight": (1, 108, 4), "basis.bias": (1, 1, 108)}
    fitted = {name: rng.standard_normal(size).astype(np.float32) for name, size in sizes.items()}
    weights = BASIS.initial_weights([seed]) | fitted
    return {name: value + rng.standard_normal(value.shape).astype(np.float32) * 0.3 for name, value in weights.items()}


def slow_basis(weights, inputs):
    """The map (3, R, R) of normalized inputs: the formula of ``_basis_networks.py``."""
    exact = {name: value[0].astype(np.float64) for name, value in weights.items()}
    x = inputs
    for name in ("dense1", "dense2"):
        x = smooth_leaky(exact[f"{name}.weight"] @ x + exact[f"{name}.bias"][0])
    found = exact["dense3.weight"] @ x + exact["dense3.bias"][0]
    return (exact["basis.weight"] @ found + exact["basis.bias"][0]).reshape(3, 6, 6)


@pytest.mark.parametrize("raw", [[0.3, -1.0, 2.0], [-1.3, -13.0, -8.0], [9.0, 30.0, 5.0]])
def test_a_basis_is_combined_by_the_formula_and_in_the_file(raw, tolerance):
    weights = random_basis()
    inputs = (np.array(raw) - SCALING.mean) / SCALING.deviation
    expected = slow_basis(weights, inputs)
    with torch.no_grad():
        given = {name: torch.from_numpy(value) for name, value in weights.items()}
        found = BASIS.forward(torch, given, torch.tensor(inputs[None].astype(np.float32)))[0].numpy()
    np.testing.assert_allclose(found / 10.0, expected / 10.0, atol=tolerance["float32_scaled"])
    tensors = map_tensors([LearnedMap(segment(resolution=6), BASIS, SCALING, weights)], Layout([], [], []))
    drawn = slow_network(tensors, 0, np.array(raw)) / SCALING.scale
    np.testing.assert_allclose(drawn / 10.0, expected / 10.0, atol=tolerance["float32_scaled"])


def test_the_derivative_of_the_activation_is_that_of_finite_differences():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    x = torch.linspace(-3.0, 3.0, 50, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(smooth_leaky_relu(), (x,))
    assert np.allclose(smooth_leaky_relu()(x).detach(), smooth_leaky(x.detach().numpy()))


def test_multiply_adds_of_a_basis_are_those_of_its_file():
    tensors = map_tensors([LearnedMap(segment(resolution=6), BASIS, SCALING, random_basis())], Layout([], [], []))
    dense = sum(value.size for name, value in tensors.items() if name.endswith(".weight") and value.ndim == 2)
    assert BASIS.multiply_adds() == dense


def test_a_model_file_sums_coarse_and_weighted_refinement_maps(tolerance):
    learned = [
        LearnedMap(segment(0), SHAPE, SCALING, random_weights(SHAPE, 1)),
        LearnedMap(segment(1, first=3, seed=2), SHAPE, SCALING, random_weights(SHAPE, 2)),
    ]
    tensors = map_tensors(learned, Layout([], [RigidPart("t", np.arange(9, 12), np.arange(3), 0.0)], []))
    pose = np.array([0.1, 9.0, 0.4, -0.3])
    together = slow_offsets(tensors, pose, 12)
    alone = sum(slow_offsets(map_tensors([item], Layout([], [], [])), pose, 12) for item in learned)
    np.testing.assert_allclose(together, alone, atol=tolerance["float32"])


def test_tensors_have_the_types_and_sizes_of_the_format():
    learned = [LearnedMap(segment(0), SHAPE, SCALING, random_weights(SHAPE, 1))]
    tensors = map_tensors(learned, Layout([], [RigidPart("t", np.arange(9, 12), np.arange(3), 0.0)], []))
    assert tensors["segment.000.conv1.weight"].shape == (4, 2, 3, 3)
    assert tensors["segment.000.conv3.weight"].shape == (4, 4, 3, 3)
    assert tensors["segment.000.dense2.weight"].shape == (128, 5)
    assert tensors["segment.000.output.weight"].shape == (3, 4)
    assert tensors["parts.follower"].tolist() == [[0, 1, 2]]
    assert {name: str(value.dtype) for name, value in tensors.items() if value.dtype == np.int32} == dict.fromkeys(
        (
            "segments.offset",
            "segments.vertex",
            "segments.level",
            "inputs.offset",
            "inputs.column",
            "parts.offset",
            "parts.vertex",
            "parts.follower",
        ),
        "int32",
    )


@pytest.mark.parametrize(("resolution", "doublings"), [(8, 0), (16, 1), (32, 2), (64, 3)])
def test_resolutions_are_doublings_of_eight(resolution, doublings):
    assert doublings_of(resolution) == doublings


@pytest.mark.parametrize("resolution", [4, 12, 33])
def test_another_resolution_is_refused(resolution):
    with pytest.raises(ValueError, match="8, 16, 32, 64"):
        doublings_of(resolution)


@pytest.mark.parametrize(
    ("most", "doublings", "found"),
    [(24, 0, 8), (24, 1, 12), (24, 2, 24), (24, 3, 24), (8, 2, 8), (2, 0, 2), (64, 2, 48)],
)
def test_first_channels_are_no_more_than_the_map_has_numbers(most, doublings, found):
    assert first_channels(most, doublings) == found


def test_multiply_adds_are_those_of_the_published_sizes():
    """256 and 512 units, 8 x 8 x 8 texels, 16 channels, counted by hand."""
    dense = 256 * 100 + 512 * 256
    up = 16 * 16 * 4 * 8 * 16 + 32 * 32 * 4 * 16 * 16
    last = 32 * 32 * (9 * 16 * 16 + 3 * 16)
    assert ConvolutionShape(100, 256, 8, 16, 2).multiply_adds() == dense + up + last
