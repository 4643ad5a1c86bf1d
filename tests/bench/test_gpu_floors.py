"""Floors and predictions of CUDA kernels: examples computed by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest
from benchmarks.systems.cuda import floors
from benchmarks.systems.cuda.floors import EFFICIENCY, Kernel, Steps, estimate, from_json
from benchmarks.systems.cuda.gpus import BUILT_IN, H100, H200, HEAD, Gpu, gpu_of

ROUND = Gpu("round", 1e12, 5e12, 300e12, 10e12, 50e12, 2e-6, 50e9)  # bytes and operations per second


def close(found, expected):
    assert found == pytest.approx(expected, rel=1e-12)  # the same products in another order


@pytest.mark.parametrize(
    ("unit", "frames", "moved", "computed"),
    [
        ("split", 10, 12e-6, 3 * 10 * 1e9 / 300e12),  # three products of TF32
        ("float64", 10, 12e-6, 1e-3),
        ("float32", 10, 12e-6, 2e-4),
        ("cache", 10, 12e6 / 5e12, 2e-4),
        ("pinned", 1, 3e6 / 50e9, 1e9 / 50e12),
    ],
)
def test_both_floors_of_a_kernel(unit, frames, moved, computed):
    kernel = Kernel("k", "layers", 1e9, 1e6, 2e6, unit)  # 1 MB per frame and 2 MB of constants
    close(kernel.bytes_seconds(frames, ROUND), moved)
    close(kernel.operations_seconds(frames, ROUND), computed)


def test_a_batch_is_the_sum_of_its_kernels():
    bound_by_operations = Kernel("a", "layers", 1e9, 1e6, 2e6, "split")  # of 10 frames: 12 and 100 microseconds
    bound_by_bytes = Kernel("b", "placing", 0.0, 4e6, launches=3)  # 40 microseconds
    found = estimate([bound_by_operations, bound_by_bytes], 10, ROUND)
    close(found.bytes, 52e-6)
    close(found.operations, 100e-6)
    close(found.launches, 8e-6)
    close(found.floor, 140e-6)
    close(found.predicted, 100e-6 / EFFICIENCY["layers"].share + 40e-6 / EFFICIENCY["placing"].share + 8e-6)


def test_small_batches_wait_for_their_launches():
    found = estimate([Kernel("k", "small", 10.0, 10.0, launches=7)], 1, ROUND)
    close(found.floor, 14e-6)
    assert 14e-6 < found.predicted < 14.001e-6


def test_a_hundred_heads():
    """46,000 vertices of 12 bytes, 72 shapes: 39.744 MB of offsets, .552 of the neutral, 55.2288 of heads."""
    product = floors.heads(72, 72, 46_000, 72 * 46_000, 12)[-1]
    close(product.bytes_seconds(100, H100), 95.5248e6 / 2.97e12)  # 32 microseconds
    close(product.operations_seconds(100, H100), 3 * 100 * 6 * 46_000 * 72 / 495e12)  # 12 microseconds
    close(floors.heads(72, 72, 46_000, 72 * 46_000, 6)[-1].constant_bytes, 19.872e6 + 0.552e6)


def test_steps_of_the_inverse_rig():
    """136 + 3 x 28 steps of 2 x 430 x 430 operations, in float64, and of 5 x 430 + 6 x 130 numbers."""
    assert Steps().total == 220
    products, steps, sweeps = floors.search(130, 300, Steps())
    assert products.operations == 220 * 369_800
    close(products.operations_seconds(1000, H100), 1000 * 81_356_000 / 67e12)
    assert steps.frame_bytes == 220 * 8 * 2930
    close(steps.bytes_seconds(1000, H100), 1000 * 5_156_800 / 5.5e12)
    close(sweeps.operations, 3 * 2 * 2 * (130 + 600) * 430)  # three starts, each weight by its own column and its pairs
    close(floors.projection(4000, 430).operations, 2 * 12_000 * 430)
    close(floors.link(4000, "pinned").bytes_seconds(1, H100), 48_000 / 50e9)


def test_kernels_of_a_body():
    tensors = {
        "inputs.column": np.zeros(4),
        "sets.vertex": np.zeros(6),
        "sets.joint": np.zeros(2),
        "set.000.layer1.weight": np.zeros((5, 4)),
        "set.000.layer2.weight": np.zeros((7, 5)),
        "set.000.layer3.weight": np.zeros((3, 7)),
        "set.000.basis": np.zeros((18, 3)),
    }
    found = {kernel.name: kernel for kernel in floors.body(tensors, 9, 5)}
    assert list(found) == ["inputs", "layer 1", "layer 2", "layer 3", "basis", "transforms", "blend"]
    assert found["inputs"].frame_bytes == 4 * (9 + 4)
    assert (found["layer 2"].operations, found["layer 2"].frame_bytes) == (2 * 35, 4 * (5 + 7))
    assert found["layer 2"].constant_bytes == 4 * (35 + 7)
    assert (found["basis"].operations, found["basis"].frame_bytes) == (2 * 54, 4 * (3 + 18))
    assert found["blend"].frame_bytes == 4 * (18 + 24 + 15)


def test_kernels_of_a_differential_subspace():
    tensors = {
        "delta.basis": np.zeros((15, 4)),
        "anchors.vertex": np.zeros(2),
        "anchors.column": np.zeros(6),
        "network.layer1.weight": np.zeros((8, 3)),
        "network.layer1.bias": np.zeros(8),
        "network.layer2.weight": np.zeros((4, 8)),
        "network.layer2.bias": np.zeros(4),
        "anchors.layer1.weight": np.zeros((6, 5)),
        "anchors.layer1.bias": np.zeros((2, 5)),
        "anchors.layer2.weight": np.zeros((6, 5)),
        "anchors.layer2.bias": np.zeros(6),
    }
    found = {kernel.name: kernel for kernel in floors.differential(tensors, 3, 5)}
    assert found["inputs"].frame_bytes == 4 * (3 + 9)
    assert (found["network layer 2"].operations, found["network layer 2"].frame_bytes) == (64, 4 * 12)
    assert (found["anchors layer 1"].operations, found["anchors layer 2"].frame_bytes) == (60, 4 * 16)
    assert found["last step"].operations == 2 * 15 * (4 + 2)
    assert found["places"].frame_bytes == 24 * 5


def test_kernels_of_a_face():
    """One map of 2 x 2 texels that two levels double once, half of whose texels masks leave in."""
    tensors = {
        "segments.vertex": np.zeros(3),
        "segment.000.dense1.weight": np.zeros((6, 5)),
        "segment.000.dense2.weight": np.zeros((8, 6)),  # 2 channels of 4 texels
        "segment.000.conv1.weight": np.zeros((2, 2, 3, 3)),
        "segment.000.conv2.weight": np.zeros((2, 2, 3, 3)),
        "segment.000.output.weight": np.zeros((3, 2)),
    }
    beside = 30 + 48 + 7 * 3 * 2
    of_all = 36 * (4 + 16)  # multiply-adds per texel of two levels
    found = {kernel.name: kernel for kernel in floors.face_maps(tensors, beside + of_all / 2, beside + of_all, 7, 3)}
    maps = found["convolutions"]
    assert (maps.operations, maps.launches) == (of_all, 2)
    assert maps.frame_bytes == 4 * (8 + 2 * (2 * 10 - 8))  # the base; 10 texels of both levels, 8 of them the last
    assert found["samples"].frame_bytes == 4 * (2 * 8 + 9)
    assert found["dense layer 2"].operations == 96


def test_layers_are_bound_by_bytes_or_by_operations():
    assert floors.layer("wide", 2048, 2048, 2048 * 2048).efficiency == "layers"
    assert floors.layer("narrow", 32, 32, 32 * 32).efficiency == "streams"


def test_kernels_survive_files():
    kernels = [*floors.heads(7, 9, 60, 100, 6), floors.curves(7), *floors.search(5, 2, Steps(2, 1, 3))]
    assert from_json(json.loads(json.dumps(floors.as_json(kernels)))) == kernels


def test_every_efficiency_has_a_reason():
    assert all(0 < given.share < 1 and given.reason for given in EFFICIENCY.values())


@pytest.mark.parametrize(("name", "like"), [("NVIDIA H200", H200), ("NVIDIA H100 80GB HBM3", H100), ("a GPU", H100)])
def test_measured_rates_replace_nominal_ones(name, like):
    found = gpu_of({"name": name, "rates": {"copy": 3e12, "tf32": None}})
    assert (found.name, found.copy, found.tf32) == (name, 3e12, like.tf32)
    assert "copy" in found.measured
    assert "tf32" not in found.measured
    assert gpu_of(None) is H100


def test_measured_rates_have_a_star():
    assert all(len(gpu.cells()) == len(HEAD) <= 8 for gpu in BUILT_IN)
    assert H100.cells()[1:5] == ["2,970*", "5,500", "495", "67"]
    assert H200.cells()[1:4] == ["4,300*", "5,500", "495"]
