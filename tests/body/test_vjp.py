"""The derivative of the learned body against PyTorch and finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.made.models import random_body, random_poses

SIZES = [
    {},
    {"num_sets": 1, "overlap": 0.0, "numeric": 0},
    {"num_vertices": 300, "num_sets": 9, "hidden": 128, "components": 30},
    {"hidden": 65, "components": 17, "num_vertices": 33, "num_joints": 3},
    {"num_sets": 40, "num_vertices": 60},
]


def problem(sizes, seed, frames):
    model = random_body(seed=seed, **sizes)
    poses = random_poses(model.skeleton, frames, seed, numeric=len(model.metadata["numeric_controls"]))
    cotangents = np.random.default_rng(seed).standard_normal((frames, len(model.rest_vertices), 3))
    return model, poses, cotangents.astype(np.float32)


def torch_body(model, pose):
    """The formula of the learned body in PyTorch, differentiable in the pose (C,)."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    tensors = {k: torch.from_numpy(v).to(pose.dtype) for k, v in model.tensors().items() if v.dtype == np.float32}
    index = {k: v for k, v in model.tensors().items() if v.dtype == np.int32}
    corner = torch.tensor([[0.0, 0.0, 0.0, 1.0]], dtype=pose.dtype)

    def chain(local):
        out = []
        for j, parent in enumerate(index["skeleton.parents"]):
            square = torch.cat([local[j], corner])
            out.append(square if parent < 0 else out[parent] @ square)
        return torch.stack(out)

    now = chain(pose[: 12 * len(index["skeleton.parents"])].reshape(-1, 3, 4))
    rest = torch.linalg.inv(chain(tensors["skeleton.rest"]))
    vertices = torch.zeros_like(tensors["rest_vertices"])
    for i, joint in enumerate(index["sets.joint"]):
        member = slice(*index["sets.offset"][i : i + 2])
        vertex = torch.from_numpy(index["sets.vertex"][member]).long()
        offset, name = tensors[f"set.{i:03d}.mean"], f"set.{i:03d}."
        if f"{name}layer1.weight" in tensors:
            x = pose[index["inputs.column"][slice(*index["inputs.offset"][i : i + 2])].tolist()]
            for layer in (1, 2, 3):
                x = tensors[f"{name}layer{layer}.weight"] @ x + tensors[f"{name}layer{layer}.bias"]
                x = torch.tanh(x) if layer < 3 else x
            offset = offset + tensors[f"{name}basis"] @ x
        local = tensors["rest_vertices"][vertex] @ rest[joint, :3, :3].T + rest[joint, :3, 3] + offset.reshape(-1, 3)
        world = local @ now[joint, :3, :3].T + now[joint, :3, 3]
        vertices = vertices.index_add(0, vertex, tensors["sets.weight"][member, None] * world)
    return vertices


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("seed", range(2))
def test_vjp_matches_torch(sizes, seed, tolerance):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    model, poses, cotangents = problem(sizes, seed, 2)
    gradient = model.vjp(poses, cotangents)
    for row, pose, cotangent in zip(gradient, poses, cotangents, strict=True):
        leaf = torch.tensor(pose, dtype=torch.float64, requires_grad=True)
        (torch_body(model, leaf) * torch.from_numpy(cotangent)).sum().backward()
        expected = leaf.grad.numpy()
        scale = np.abs(expected).max()
        np.testing.assert_allclose(row / scale, expected / scale, atol=tolerance["float32_sum"])


def test_vjp_matches_finite_differences(tolerance):
    model, poses, cotangents = problem({"num_joints": 4, "num_vertices": 50, "components": 5}, 3, 1)
    gradient = model.vjp(poses[0], cotangents[0])
    step = 1e-3
    expected = np.zeros_like(gradient)
    for column in range(poses.shape[1]):
        ahead, behind = poses[0].copy(), poses[0].copy()
        ahead[column] += step
        behind[column] -= step
        difference = (model.evaluate(ahead).astype(np.float64) - model.evaluate(behind)) / (ahead - behind)[column]
        expected[column] = (difference * cotangents[0]).sum()
    scale = np.abs(expected).max()
    np.testing.assert_allclose(gradient / scale, expected / scale, atol=tolerance["finite_difference"])


@pytest.mark.parametrize("seed", range(2))
def test_threads_and_batches_give_the_same_bytes(seed):
    model, poses, cotangents = problem({"num_vertices": 200, "num_sets": 12, "hidden": 70}, seed, 21)
    expected = model.vjp(poses, cotangents, threads=1)
    for threads in (0, 2, 3, 64):
        assert model.vjp(poses, cotangents, threads=threads).tobytes() == expected.tobytes()
    for size in (1, 2, 5, 9):
        parts = [
            model.vjp(poses[t : t + size], cotangents[t : t + size], threads=1) for t in range(0, len(poses), size)
        ]
        assert np.concatenate(parts).tobytes() == expected.tobytes()


def test_zero_cotangents_give_zero_gradients():
    model, poses, cotangents = problem({}, 0, 2)
    assert not model.vjp(poses, np.zeros_like(cotangents)).any()
