"""Faces on deformation maps: the formula, needed texels, derivatives, threads, instruction sets and storage."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from tests.support.made.face_maps import random_face_maps, random_face_maps_tensors, random_face_poses, slow_face_maps

SIZES = [
    {"base": 4, "doublings": 0, "channels": 5, "base_channels": 1},
    {"base": 4, "doublings": 1, "channels": 16, "base_channels": 8},
    {"base": 8, "doublings": 2, "channels": 16, "base_channels": 8, "num_vertices": 300},
    {"base": 4, "doublings": 2, "channels": 8, "base_channels": 5, "num_vertices": 25},
    {"base": 8, "doublings": 1, "channels": 21, "base_channels": 17, "num_vertices": 150},
    {"base": 3, "doublings": 2, "channels": 1, "base_channels": 2, "hidden": 1},
    {"base": 2, "doublings": 0, "channels": 33, "base_channels": 8, "parts": 0},
    {"base": 4, "doublings": 3, "channels": 4, "refinements": 0, "coarse": 1, "num_vertices": 800},
    {"components": 7, "base": 8, "hidden_layers": 2, "num_vertices": 300},
    {"components": 1, "base": 2, "hidden": 17, "num_vertices": 25},
    {"components": 20, "base": 5, "hidden_layers": 4, "num_vertices": 150},
    {"hidden_layers": 3},
    {"coarse": 0, "refinements": 1, "share": 1.0},
    {"coarse": 0, "refinements": 0, "parts": 0},
]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_vertices_are_those_of_the_formula(sizes, tolerance):
    for seed in range(2):
        model, rows = random_face_maps(**sizes, seed=seed), random_face_poses(2, seed)
        expected = np.stack([slow_face_maps(model, pose) for pose in rows])
        np.testing.assert_allclose(model.evaluate(rows), expected, atol=tolerance["float32_sum"])


def slow_derivative(model: rc.Deformer, pose: np.ndarray, tangent: np.ndarray) -> np.ndarray:
    """Central differences of the formula in double precision, whose steps cross no kink."""
    step = 1e-7
    pose, tangent = pose.astype(np.float64), tangent.astype(np.float64)
    return (slow_face_maps(model, pose + step * tangent) - slow_face_maps(model, pose - step * tangent)) / (2 * step)


@pytest.mark.parametrize("sizes", [SIZES[i] for i in (0, 1, 3, 4, 5, 8, 10)], ids=str)
def test_jvp_matches_differences_of_the_formula(sizes, tolerance):
    model = random_face_maps(**sizes, parts=2)
    pose, tangent = random_face_poses(2, seed=1)
    expected = slow_derivative(model, pose, tangent)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(model.jvp(pose, tangent) / scale, expected / scale, atol=tolerance["float32_sum"])


@pytest.mark.parametrize("sizes", [SIZES[i] for i in (0, 1, 3, 4, 5, 8, 10)], ids=str)
def test_vjp_matches_differences_of_the_formula(sizes, tolerance):
    model = random_face_maps(**sizes, parts=2)
    pose = random_face_poses(1, seed=1)[0]
    cotangents = np.random.default_rng(0).standard_normal(model.rest_vertices.shape).astype(np.float32)
    columns = [slow_derivative(model, pose, tangent) for tangent in np.eye(len(pose))]
    expected = np.array([(column * cotangents).sum() for column in columns])
    scale = np.abs(expected).max()
    np.testing.assert_allclose(model.vjp(pose, cotangents) / scale, expected / scale, atol=tolerance["float32_sum"])


def with_few_vertices() -> tuple[dict[str, np.ndarray], str]:
    """A segment of two vertices in one corner of the map."""
    tensors, metadata = random_face_maps_tensors(num_vertices=5, coarse=1, refinements=0, parts=0, base=8, doublings=2)
    tensors["segments.uv"][:] = 0.02
    return tensors, metadata


def test_texels_that_no_vertex_needs_are_not_computed():
    tensors, metadata = with_few_vertices()
    model = _core.model_from_tensors(tensors, metadata)
    rows = tensors["segment.000.dense2.weight"].reshape(3, 8, 8, -1)
    rows[:, 4:] = rows[:, :, 4:] = 1e37  # would overflow
    tensors["segment.000.dense2.bias"].reshape(3, 8, 8)[:, 4:, 4:] = 3e38
    pose = random_face_poses(1)[0]
    assert _core.model_from_tensors(tensors, metadata).evaluate(pose).tobytes() == model.evaluate(pose).tobytes()


def test_multiply_adds_are_those_of_the_needed_texels():
    tensors, metadata = with_few_vertices()
    model = _core.model_from_tensors(tensors, metadata)
    inputs = len(tensors["inputs.column"])
    # A sample in the corner reads 2 x 2 texels of the last map; their neighbors are 3 x 3 texels, in pairs of columns
    # 3 x 4, of the map before; these need 2 x 3, in pairs 2 x 4, of the one before, and these 2 x 3 of the base map.
    needed = 12 * (inputs + 6 * 3) + 8 * 4 * 3 * 5 + 12 * 4 * 5 * 5 + 4 * 9 * 5 * 5 + 7 * 2 * 5
    every = 12 * (inputs + 64 * 3) + 256 * 4 * 3 * 5 + 1024 * 4 * 5 * 5 + 1024 * 9 * 5 * 5 + 7 * 2 * 5
    assert (model.multiply_adds(), model.multiply_adds(all_texels=True)) == (needed, every)


def test_multiply_adds_of_a_basis_are_those_of_the_sampled_texels():
    sizes = {"coarse": 1, "refinements": 0, "parts": 0, "components": 7, "hidden_layers": 2}
    tensors, metadata = random_face_maps_tensors(num_vertices=5, base=8, **sizes)
    tensors["segments.uv"][:] = 0.02
    model = _core.model_from_tensors(tensors, metadata)
    dense = 12 * len(tensors["inputs.column"]) + 12 * 12 + 7 * 12
    sampling = 7 * 2 * 3
    needed, every = dense + 4 * 3 * 7 + sampling, dense + 64 * 3 * 7 + sampling
    assert (model.multiply_adds(), model.multiply_adds(all_texels=True)) == (needed, every)


@pytest.mark.parametrize("frames", [1, 3, 20])
def test_any_number_of_threads_gives_the_same_bytes(frames):
    model = random_face_maps(num_vertices=200, coarse=3, refinements=3)
    rows = random_face_poses(frames)
    cotangents = np.random.default_rng(0).standard_normal((frames, *model.rest_vertices.shape))
    for threads in (2, 5, 32):
        assert model.evaluate(rows, threads=threads).tobytes() == model.evaluate(rows, threads=1).tobytes()
        assert (
            model.vjp(rows, cotangents, threads=threads).tobytes() == model.vjp(rows, cotangents, threads=1).tobytes()
        )


def test_a_pose_has_the_same_bytes_in_any_batch():
    model, rows = random_face_maps(num_vertices=200), random_face_poses(21)
    rows[3:6] = rows[3]  # frames whose inputs are those of the frame before
    rows[9:17, :4] = rows[9, :4]
    single = np.stack([model.evaluate(pose) for pose in rows])
    assert model.evaluate(rows).tobytes() == single.tobytes()


SCRIPT = """
import sys, numpy as np, rigcast as rc
model, data = rc.load(sys.argv[1]), np.load(sys.argv[2])
poses = data["poses"]
np.savez(sys.argv[3], vertices=model.evaluate(poses), gradient=model.vjp(poses, data["cotangents"]),
         derivative=model.jvp(poses, poses), half=model.stored("16-bit").evaluate(poses))
"""


@pytest.mark.parametrize("name", _core.instruction_sets())
def test_each_instruction_set_gives_the_same_result(name, tmp_path, tolerance):
    model = random_face_maps(num_vertices=300, base=8, doublings=2, channels=21, base_channels=9, hidden=40)
    rows = random_face_poses(3)
    cotangents = np.random.default_rng(0).standard_normal((3, 300, 3)).astype(np.float32)
    model.save(tmp_path / "face.safetensors")
    np.savez(tmp_path / "in.npz", poses=rows, cotangents=cotangents)
    command = [sys.executable, "-c", SCRIPT, *(str(tmp_path / n) for n in ("face.safetensors", "in.npz", "out.npz"))]
    environment = os.environ | {"RIGCAST_INSTRUCTION_SET": name}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    out = np.load(tmp_path / "out.npz")
    expected = {
        "vertices": model.evaluate(rows),
        "gradient": model.vjp(rows, cotangents),
        "derivative": model.jvp(rows, rows),
        "half": model.stored("16-bit").evaluate(rows),
    }
    for what, value in expected.items():
        scale = np.abs(value).max()
        np.testing.assert_allclose(out[what] / scale, value / scale, atol=tolerance["float32_sum"], err_msg=what)


def rounded(model: rc.Deformer) -> rc.Deformer:
    """The model in float32 with the dense layers' weights rounded to float16, by NumPy."""
    tensors = model.tensors()
    for name in tensors:
        if ".dense" in name and name.endswith(".weight"):
            tensors[name] = tensors[name].astype(np.float16).astype(np.float32)
    return _core.model_from_tensors(tensors, json.dumps(model.metadata))


def test_16_bit_storage_rounds_the_dense_layers():
    model, rows = random_face_maps(hidden=40), random_face_poses(5)
    half, expected = model.stored("16-bit"), rounded(model)
    assert half.evaluate(rows).tobytes() == expected.evaluate(rows).tobytes()
    assert half.jvp(rows, rows).tobytes() == expected.jvp(rows, rows).tobytes()
    assert half.restricted([3, 1]).evaluate(rows).tobytes() == expected.evaluate(rows)[:, [3, 1]].tobytes()
    assert model.storage_error == 0 < half.storage_error < 2e-3


def test_a_saved_model_keeps_its_storage_and_all_digits(tmp_path):
    model, rows = random_face_maps(), random_face_poses(3)
    half = model.stored("16-bit")
    half.save(tmp_path / "half.rc")
    loaded = rc.load(tmp_path / "half.rc")
    assert (model.storage, half.storage, loaded.storage) == ("float32", "16-bit", "16-bit")
    assert half.num_bytes < model.num_bytes
    assert loaded.evaluate(rows).tobytes() == half.evaluate(rows).tobytes()
    assert loaded.stored("float32").evaluate(rows).tobytes() == model.evaluate(rows).tobytes()


def test_other_storages_are_refused():
    with pytest.raises(ValueError, match='stored: storage is \'int8\'; it must be "float32" or "16-bit"'):
        random_face_maps().stored("int8")
    tensors, metadata = random_face_maps_tensors()
    wrong = json.dumps(json.loads(metadata) | {"network_storage": "int8"})
    with pytest.raises(ValueError, match=r"metadata\.network_storage is 'int8'"):
        _core.model_from_tensors(tensors, wrong)
