"""Models on the device: restricted ones, derivatives through `Deformer`, what has no kernels."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.cuda.derivative_operations import pose_rows, resident
from tests.support.made.blendshapes import random_rig
from tests.support.made.differential import random_differential
from tests.support.made.models import linear_blend, random_body

MODELS = {
    "body": lambda: random_body(num_vertices=150, num_sets=7),
    "blendshape": lambda: random_rig(num_vertices=200),
    "differential": random_differential,
}


@pytest.fixture(params=MODELS)
def model(request) -> rc.Deformer:
    return MODELS[request.param]()


def evaluated(on_device, poses: np.ndarray, num_vertices: int) -> np.ndarray:
    out = np.full((len(poses), num_vertices, 3), np.nan, np.float32)
    on_device.evaluate(poses, out)
    return out


def test_a_resident_model_restricted_is_resident(lane, model, tolerance):
    poses, chosen = pose_rows(model, 5, 0), [7, 3, 7, 149]
    whole = resident(lane, model)
    few = whole.restricted(chosen)
    assert type(few) is type(whole)
    expected = evaluated(whole, poses, len(model.rest_vertices))[:, chosen]
    result = evaluated(few, poses, 4)
    if isinstance(model, rc.BlendshapeRig):  # a sum's terms are added 16 at a time, those that move a tile of vertices
        np.testing.assert_allclose(result, expected, rtol=0, atol=tolerance["float32_sum"])
    else:
        np.testing.assert_array_equal(result, expected)


def test_derivatives_have_the_same_bytes_in_any_batch_and_chunk(lane, model):
    few = model.restricted([5, 9])
    poses = pose_rows(model, 9, 1)
    tangents = np.random.default_rng(2).standard_normal(poses.shape).astype(np.float32)

    def derivatives(on_device, rows: slice) -> bytes:
        count = len(poses[rows])
        along, jacobian = np.empty((count, 2, 3), np.float32), np.empty((count, 6, poses.shape[1]), np.float32)
        on_device.jvp(poses[rows], tangents[rows], along)
        on_device.jacobian(poses[rows], jacobian)
        return along.tobytes() + jacobian.tobytes()

    one_by_one = derivatives(resident(lane, few), slice(3, 4))
    for workspace in (0, 30_000):
        assert derivatives(resident(lane, few, workspace=workspace), slice(3, 4)) == one_by_one
    everything = derivatives(resident(lane, few), slice(None))
    along, jacobian = everything[: 9 * 24], everything[9 * 24 :]
    size = len(jacobian) // 9
    assert along[3 * 24 : 4 * 24] + jacobian[3 * size : 4 * size] == one_by_one


def test_jvp_and_jacobian_of_a_model_run_on_the_device(cuda_lane, model, tolerance):
    poses = pose_rows(model, 3, 3)
    tangents = np.random.default_rng(4).standard_normal(poses.shape).astype(np.float32)
    along = model.jvp(poses, tangents, device="cuda")
    expected = model.jvp(poses, tangents)
    np.testing.assert_allclose(along, expected, atol=tolerance["float32_sum"] * np.abs(expected).max())
    assert model.jvp(poses[1], tangents[1], device="cuda").tobytes() == along[1].tobytes()
    few = model.restricted([2, 3])
    expected = few.jacobian(poses)
    result = few.jacobian(poses, device="cuda")
    np.testing.assert_allclose(result, expected, atol=tolerance["float32_sum"] * np.abs(expected).max())
    assert few.jacobian(poses[1], device="cuda").tobytes() == result[1].tobytes()


def test_derivatives_of_a_kind_without_kernels_are_refused(cuda_lane):
    skinned = linear_blend()
    poses = pose_rows(skinned, 1, 0)
    for function in (lambda: skinned.jvp(poses, poses, device="cuda"), lambda: skinned.jacobian(poses, device="cuda")):
        with pytest.raises(ValueError, match="device is 'cuda', which does not evaluate models of kind 'linear_blend'"):
            function()


def test_derivatives_on_an_unknown_device_are_refused():
    poses = np.zeros((1, 74), np.float32)
    with pytest.raises(ValueError, match=r"jvp: device is 'tpu'; it must be one of: cpu"):
        random_body().jvp(poses, poses, device="tpu")
    with pytest.raises(ValueError, match=r"jacobian: device is 'tpu'; it must be one of: cpu"):
        random_body().jacobian(poses, device="tpu")


def test_prefixes_of_a_body_are_refused(lane):
    body = random_body()
    poses, out = pose_rows(body, 2, 0), np.empty((2, 90, 3), np.float32)
    with pytest.raises(ValueError, match="prefix is given for a model of kind 'body'"):
        resident(lane, body).evaluate(poses, out, order=[0], lengths=[1, 1])


def test_networks_in_16_bits_have_the_weights_that_the_cpu_has(lane, tolerance):
    half = random_body(num_vertices=150, num_sets=7).stored("16-bit")
    poses = pose_rows(half, 5, 0)
    expected = half.evaluate(poses)
    result = evaluated(resident(lane, half), poses, 150)
    np.testing.assert_allclose(result, expected, atol=tolerance["float32_sum"] * np.abs(expected).max())


def tiled(matrix):
    """Numbers of a matrix in tiles of 16 x 16."""
    rows, columns = len(matrix), matrix[0].size
    return 16 * -(-rows // 16) * 16 * -(-columns // 16)


def test_networks_in_16_bits_take_half_the_memory_on_the_device(lane):
    wide = random_differential()
    saved = resident(lane, wide).num_bytes - resident(lane, wide.stored("16-bit")).num_bytes
    layers = [v for k, v in wide.tensors().items() if ".layer" in k and k.endswith(".weight")]
    assert saved >= 2 * sum(layer.size for layer in layers)
    assert saved % (2 * 16 * 16) == 0  # whole tiles


def test_bodies_in_16_bits_take_half_the_memory_on_the_device(lane):
    # layers have a scale per input and 64 outputs, bases one per coefficient and 16 vertices
    wide = random_body(num_vertices=150, num_sets=7)
    saved = resident(lane, wide).num_bytes - resident(lane, wide.stored("16-bit")).num_bytes
    tensors = wide.tensors()
    layers = [v for k, v in tensors.items() if ".layer" in k and k.endswith(".weight")]
    bases = [v for k, v in tensors.items() if k.endswith(".basis")]
    scales = sum(-(-len(v) // 64) * v.shape[1] for v in layers) + sum(-(-len(v) // 48) * v.shape[1] for v in bases)
    assert saved == 2 * sum(tiled(v) for v in [*layers, *bases]) - 4 * scales


def test_bodies_in_8_bits_are_those_of_the_cpu(lane, tolerance):
    wide = random_body(num_vertices=150, num_sets=7)
    poses = pose_rows(wide, 5, 0)
    small = wide.stored("int8", poses, 1.0)
    assert small.metadata["int8_tensors"]
    expected, on_device = small.evaluate(poses), resident(lane, small)
    result = evaluated(on_device, poses, 150)
    np.testing.assert_allclose(result, expected, atol=tolerance["float32_sum"] * np.abs(expected).max())
    assert on_device.num_bytes < resident(lane, wide.stored("16-bit")).num_bytes


def test_restricted_models_in_16_bits_stay_in_16_bits(lane):
    half = random_body(num_vertices=150, num_sets=7).stored("16-bit")
    whole = resident(lane, half)
    poses, chosen = pose_rows(half, 5, 0), [7, 3, 149]
    np.testing.assert_array_equal(
        evaluated(whole.restricted(chosen), poses, 3), evaluated(whole, poses, 150)[:, chosen]
    )
    assert whole.restricted(chosen).num_bytes < whole.num_bytes


def test_vertices_that_overflow_are_refused_and_name_the_row(lane):
    body = random_body()
    poses, out = pose_rows(body, 3, 0), np.empty((3, 90, 3), np.float32)
    poses[1, :60] *= 1e30
    with pytest.raises(ValueError, match="evaluate: poses is so large in row 1 that vertices overflow"):
        resident(lane, body).evaluate(poses, out)
