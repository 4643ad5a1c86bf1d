"""cuBLAS and cuSPARSE: in the emulation plain loops that do the same, on a GPU the libraries if the build has them."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.cuda.derivative_operations import resident
from tests.cuda.models.test_differential import assert_close, evaluated, poses_of
from tests.cuda.operations import ACTIVATIONS, cpu_product, kernel
from tests.support.made.differential import random_differential
from tests.support.made.models import random_body

# Layers and last steps above the size from which products are the library's (library_product.h), and some below it.
LARGE: list[dict[str, Any]] = [
    {"joints": 3, "hidden": (150, 130), "components": 128},
    {"joints": 0, "hidden": (150, 130), "components": 128, "tail": "factorized"},
    {"joints": 3, "hidden": (160, 17), "components": 6, "tail": "factorized"},
    {"joints": 3, "hidden": (150, 130), "components": 128, "tail": "factorized", "network_storage": "16-bit"},
    {"joints": 0, "hidden": (), "components": 1},
]


def groups(first: list[int], rows: int, depth: int) -> list[Any]:
    """Groups of one shape that read columns from `first` on."""
    rng = np.random.default_rng(3)
    return [
        (
            column,
            (rng.standard_normal((rows, depth)) / np.sqrt(depth)).astype(np.float32),
            rng.standard_normal(rows).astype(np.float32),
        )
        for column in first
    ]


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(("first", "rows", "depth"), [([2], 65, 30), ([0, 31, 62], 7, 33), ([5, 5], 3, 1)])
def test_a_product_is_that_of_the_cpu(activation, first, rows, depth, library_lane, tolerance):
    given = groups(first, rows, depth)
    x = np.random.default_rng(0).standard_normal((67, 100)).astype(np.float32)
    result = kernel(library_lane, "library_product")(x, given, activation)
    expected = cpu_product(x, given, activation)
    assert result.shape == expected.shape
    assert_close(result, expected, tolerance["float32_sum"])


@pytest.mark.parametrize(("rows", "depth", "share"), [(1, 1, 1.0), (7, 33, 0.2), (300, 5, 0.5), (40, 9, 0.0)])
@pytest.mark.parametrize("frames", [1, 13])
def test_a_sparse_product_is_that_of_numpy(rows, depth, share, frames, library_lane, tolerance):
    rng = np.random.default_rng(rows)
    matrix = (rng.standard_normal((rows, depth)) * (rng.random((rows, depth)) < share)).astype(np.float32)
    start = np.concatenate([[0], np.cumsum((matrix != 0).sum(axis=1))]).astype(np.int32)
    row, column = np.nonzero(matrix)
    x = rng.standard_normal((depth, frames + 3)).astype(np.float32)  # three frames more than are asked for
    given = (start, column.astype(np.int32), matrix[row, column], x, frames)
    result = kernel(library_lane, "sparse_product")(*given)
    expected = x[:, :frames].T.astype(np.float64) @ matrix.T
    assert result.shape == (frames, rows)
    np.testing.assert_allclose(result, expected, rtol=0, atol=tolerance["float32_sum"])


@pytest.mark.parametrize("kind", LARGE, ids=str)
@pytest.mark.parametrize("frames", [1, 67])
def test_vertices_are_those_of_the_cpu(kind, frames, library_lane, tolerance):
    model = random_differential(**kind)
    poses = poses_of(model, frames)
    result = evaluated(resident(library_lane, model, libraries=True), poses, 171)
    assert_close(result, model.evaluate(poses), tolerance["float32_sum"])


@pytest.mark.parametrize("kind", LARGE, ids=str)
def test_derivatives_are_those_of_the_cpu(kind, library_lane, tolerance):
    model = random_differential(**kind)
    poses = poses_of(model, 5)
    tangents = np.random.default_rng(1).standard_normal(poses.shape).astype(np.float32)
    along = np.full((5, 171, 3), np.nan, np.float32)
    resident(library_lane, model, libraries=True).jvp(poses, tangents, along)
    assert_close(along, model.jvp(poses, tangents), tolerance["float32_sum"])
    few = model.restricted([3, 170])
    jacobian = np.full((5, 6, poses.shape[1]), np.nan, np.float32)
    resident(library_lane, few, libraries=True, workspace=300_000).jacobian(poses, jacobian)
    assert_close(jacobian, few.jacobian(poses), tolerance["float32_sum"])


@pytest.mark.parametrize("kind", LARGE[:2], ids=str)
def test_batches_and_chunks_of_any_size_agree(kind, library_lane, tolerance):
    model = random_differential(**kind)
    poses = poses_of(model, 67)
    on_device = resident(library_lane, model, libraries=True)
    expected = evaluated(on_device, poses, 171)
    chunked = evaluated(resident(library_lane, model, libraries=True, workspace=400_000), poses, 171)
    assert_close(chunked, expected, tolerance["float32_sum"])
    for size in (40, 1, 64):  # larger, much smaller and larger than what the device has memory for
        parts = [evaluated(on_device, poses[t : t + size], 171) for t in range(0, 67, size)]
        assert_close(np.concatenate(parts), expected, tolerance["float32_sum"])


@pytest.mark.parametrize("tail", ["folded", "factorized"])
def test_restricted_models_have_the_vertices_of_the_whole(tail, library_lane, tolerance):
    model = random_differential(tail=tail)
    poses, chosen = poses_of(model, 5), [160, 3, 77, 3]
    few = resident(library_lane, model, libraries=True).restricted(chosen)
    assert_close(evaluated(few, poses, 4), model.evaluate(poses)[:, chosen], tolerance["float32_sum"])


def differs(lane: ModuleType, **kind: Any) -> bool:
    """Whether the libraries round as our own kernels do not: the sign that they were used."""
    model = random_differential(**kind)
    poses = poses_of(model, 20)
    own, library = (evaluated(resident(lane, model, libraries=given), poses, 171) for given in (False, True))
    return own.tobytes() != library.tobytes()


def test_large_products_are_the_librarys(emulated_lane):
    small = {"joints": 0, "hidden": (20,), "components": 6}
    assert not differs(emulated_lane, **small, tail="folded")
    assert not differs(emulated_lane, **small, tail="factorized")
    assert differs(emulated_lane, joints=0, hidden=(150, 130), components=6, tail="folded")
    assert differs(emulated_lane, joints=0, hidden=(20,), components=128, tail="folded")


def test_other_kinds_of_models_do_not_take_them(lane):
    with pytest.raises(ValueError, match="libraries is chosen for a model of kind 'body'; it must be left out"):
        resident(lane, random_body(), libraries=True)


def test_a_build_without_them_says_so():
    extension = pytest.importorskip("rigcast._cuda", reason="this build has no CUDA extension")
    assert extension.status()["libraries"].startswith(("cuBLAS 13.", "not built in ("))
