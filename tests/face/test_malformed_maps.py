"""Damaged model files of faces on deformation maps: each is refused with the tensor's name, or is read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rigcast import _core
from tests.support.damage import damaged_tensors, replaced, without_missing
from tests.support.made.face_maps import CONTROLS, random_face_maps_tensors

GOOD, METADATA = random_face_maps_tensors(num_vertices=20, coarse=2, refinements=1, parts=1)
BASIS, BASIS_METADATA = random_face_maps_tensors(num_vertices=20, coarse=2, refinements=1, components=4, base=4)
FIRST = "segment.000."


def wide(name: str, *shape: int) -> dict[str, np.ndarray]:
    return {name: np.zeros(shape, np.float32)}


CASES = [
    ({"segments.level": None}, "without tensor 'segments.level'"),
    ({"segments.level": np.int32([0, 1, 0])}, "segments.level is not ascending"),
    (replaced(GOOD, "segments.level", 2, 2), "segments.level is holding 2"),
    (replaced(GOOD, "segments.offset", 1, 99), "segments.offset is not ascending from 0 to"),
    (replaced(GOOD, "segments.vertex", 0, 20), "segments.vertex is holding 20; it must be vertices below 20"),
    (replaced(GOOD, "segments.vertex", 1, GOOD["segments.vertex"][0]), "not ascending inside segment 0"),
    (replaced(GOOD, "segments.uv", (0, 1), 1.25), "segments.uv is holding 1.25.*; it must be from 0 to 1"),
    (replaced(GOOD, "segments.weight", 0, -0.5), "segments.weight is holding -0.5"),
    ({"segments.weight": GOOD["segments.weight"][1:]}, r"segments.weight is F32"),
    (replaced(GOOD, "inputs.column", 0, CONTROLS), "inputs.column is holding 9; it must be pose columns below 9"),
    ({FIRST + "dense1.weight": GOOD[FIRST + "dense1.weight"][:, 1:]}, r"segment.000.dense1.weight is F32"),
    ({FIRST + "dense1.weight": GOOD[FIRST + "dense1.weight"][:0]}, r"segment.000.dense1.(bias|weight) is"),
    ({FIRST + "dense2.weight": GOOD[FIRST + "dense2.weight"][1:]}, r"segment.000.dense2.bias is F32\[48\]"),
    (
        {FIRST + f"dense2.{n}": GOOD[FIRST + f"dense2.{n}"][1:] for n in ("weight", "bias")},
        r"segment.000.dense2.weight is of 47 rows; it must be 3 \(channels of the first convolution\) times a square",
    ),
    ({FIRST + "conv1.weight": None}, "without tensor 'segment.000.conv1.weight'"),
    ({FIRST + "conv1.weight": GOOD[FIRST + "conv1.weight"][..., :2]}, r"conv1.weight is F32\[5, 3, 3, 2\]"),
    ({FIRST + "conv2.weight": GOOD[FIRST + "conv2.weight"][:, 1:]}, r"conv2.weight is F32\[5, 4, 3, 3\]"),
    ({FIRST + "conv1.bias": None}, "without tensor 'segment.000.conv1.bias'"),
    ({FIRST + "output.weight": GOOD[FIRST + "output.weight"][:2]}, r"output.weight is F32\[2, 5\]"),
    ({FIRST + "output.bias": None}, "without tensor 'segment.000.output.bias'"),
    (replaced(GOOD, "parts.vertex", 0, 20), "parts.vertex is holding 20; it must be vertices below 20"),
    (replaced(GOOD, "parts.vertex", 0, 0), "parts.vertex is holding 0, which another part or a segment moves"),
    (
        replaced(GOOD, "parts.vertex", 0, GOOD["parts.vertex"][1]),
        "parts.vertex is holding .*, which another part or a segment moves",
    ),
    (replaced(GOOD, "parts.follower", (0, 0), -1), "parts.follower is holding -1"),
    (
        replaced(GOOD, "parts.follower", (0, 0), GOOD["parts.vertex"][0]),
        "parts.follower is holding .*, which is in a rigid part",
    ),
    ({"parts.follower": GOOD["parts.follower"][:, :2]}, "parts.follower is 2 wide; it must be at least 3 followers"),
    ({"parts.offset": None}, "without tensor 'parts.offset'"),
    (wide("followers.rest", 4, 2), r"followers.rest is F32\[4, 2\]"),
    (replaced(GOOD, FIRST + "conv1.bias", 0, np.nan), "segment.000.conv1.bias is not finite"),
]


@pytest.mark.parametrize(("changes", "text"), CASES, ids=[text for _, text in CASES])
def test_what_is_wrong_is_named(changes, text):
    with pytest.raises(ValueError, match=text):
        _core.model_from_tensors(without_missing(GOOD, changes), METADATA)


BASIS_CASES = [
    ({FIRST + "basis.weight": BASIS[FIRST + "basis.weight"][:, 1:]}, r"segment.000.basis.weight is F32\[48, 3\]"),
    ({FIRST + "basis.bias": None}, "without tensor 'segment.000.basis.bias'"),
    ({FIRST + "basis.bias": BASIS[FIRST + "basis.bias"][1:]}, r"segment.000.basis.bias is F32\[47\]"),
    (
        {FIRST + f"basis.{n}": BASIS[FIRST + f"basis.{n}"][1:] for n in ("weight", "bias")},
        r"segment.000.basis.weight is of 47 rows; it must be 3 \(axes\) times a square",
    ),
    (
        {FIRST + f"basis.{n}": BASIS[FIRST + f"basis.{n}"][:3] for n in ("weight", "bias")},
        r"segment.000.basis.weight is layers that give a map of 1\^2 texels",
    ),
    ({FIRST + "conv1.weight": np.zeros((1, 1, 3, 3), np.float32)}, "segment.000.conv1.weight is beside a basis"),
    ({FIRST + "basis.weight": None}, "without tensor 'segment.000.conv1.weight'"),
    (
        {FIRST + "dense3.weight": np.zeros((4, 4), np.float32), FIRST + "dense3.bias": np.zeros(4, np.float32)},
        r"segment.002.dense\* is layers of another form than those of segments before",
    ),
]


@pytest.mark.parametrize(("changes", "text"), BASIS_CASES, ids=[text for _, text in BASIS_CASES])
def test_what_is_wrong_with_a_basis_is_named(changes, text):
    with pytest.raises(ValueError, match=text):
        _core.model_from_tensors(without_missing(BASIS, changes), BASIS_METADATA)


def test_a_basis_and_convolutions_in_one_face_are_refused():
    """A GPU runs each layer of all segments together."""
    own = {name: value for name, value in GOOD.items() if name.startswith("segment.002.")}
    own["segment.002.dense1.weight"] = np.zeros((12, BASIS["segment.002.dense1.weight"].shape[1]), np.float32)
    mixed = {name: value for name, value in BASIS.items() if not name.startswith("segment.002.")} | own
    with pytest.raises(ValueError, match=r"segment.002.dense\* is layers of another form"):
        _core.model_from_tensors(mixed, BASIS_METADATA)


def test_coarse_segments_of_a_vertex_that_add_up_to_more_than_it_are_named():
    first = GOOD["segments.offset"][1]
    vertex = GOOD["segments.vertex"].copy()
    vertex[first] = vertex[0]
    with pytest.raises(ValueError, match=r"segments.weight is of the coarse segments of vertex \d+ with a sum above 1"):
        _core.model_from_tensors(GOOD | {"segments.vertex": vertex}, METADATA)


def test_coarse_segments_may_blend():
    first = GOOD["segments.offset"][1]
    vertex, weight = GOOD["segments.vertex"].copy(), GOOD["segments.weight"].copy()
    vertex[first] = vertex[0]
    weight[[0, first]] = 0.25, 0.75
    _core.model_from_tensors(GOOD | {"segments.vertex": vertex, "segments.weight": weight}, METADATA)


def test_a_segment_with_inputs_but_without_vertices_is_named():
    count = GOOD["segments.offset"][1]
    changes = {name: GOOD[name][count:] for name in ("segments.vertex", "segments.uv", "segments.weight")}
    offset = GOOD["segments.offset"].copy()
    offset[1:] -= count
    with pytest.raises(ValueError, match=r"segment\.000\. is with inputs, but without vertices"):
        _core.model_from_tensors(GOOD | changes | {"segments.offset": offset}, METADATA)


def layers(doublings: int, base: int, channels: int) -> dict[str, np.ndarray]:
    """The first segment's layers with other sizes."""
    zeros = {"dense2.weight": (base * base, 12), "dense2.bias": (base * base,), "output.weight": (3, channels)}
    for layer in range(1, doublings + 2):
        zeros[f"conv{layer}.weight"] = (channels, 1 if layer == 1 else channels, 3, 3)
        zeros[f"conv{layer}.bias"] = (channels,)
    return {FIRST + name: np.zeros(shape, np.float32) for name, shape in zeros.items()}


def test_maps_have_bounded_sizes():
    """Few numbers in a file must not ask for gigabytes."""
    changed = GOOD | layers(8, 1, 1)
    assert _core.model_from_tensors(changed, METADATA).evaluate(np.zeros(CONTROLS)).shape == (20, 3)
    with pytest.raises(ValueError, match=r"segment.000.conv\* is layers that give a map of 512\^2 texels"):
        _core.model_from_tensors(GOOD | layers(8, 2, 1), METADATA)
    with pytest.raises(ValueError, match=r"conv1.weight is of 65 channels; it must be of fewer"):
        _core.model_from_tensors(GOOD | layers(5, 8, 65), METADATA)
    with pytest.raises(ValueError, match=r"segment.000.conv\* is layers that give a map of 1\^2 texels"):
        _core.model_from_tensors(without_missing(GOOD, {**layers(0, 1, 5), FIRST + "conv2.weight": None}), METADATA)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(
    damaged_tensors(
        GOOD, st.integers(-3, 40), st.sampled_from([np.nan, np.inf, -1.0, 0.0, 1e30, 3e38, 1e-40]) | st.floats(width=32)
    )
)
def test_damaged_tensors_are_refused_or_evaluated(tensors):
    refused_or_evaluated(tensors, METADATA)


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(damaged_tensors(BASIS, st.integers(-3, 40), st.sampled_from([np.nan, np.inf, -1.0, 0.0, 1e30, 3e38])))
def test_damaged_tensors_of_a_basis_are_refused_or_evaluated(tensors):
    refused_or_evaluated(tensors, BASIS_METADATA)


def refused_or_evaluated(tensors, metadata):
    try:
        model = _core.model_from_tensors(tensors, metadata)
        vertices = model.evaluate(np.zeros((1, CONTROLS)))
        model.restricted([len(vertices[0]) - 1, 0]).jacobian(np.zeros((1, CONTROLS)))
    except ValueError:
        return
    assert np.isfinite(vertices).all()
