"""The same bytes however heads are batched and threads are spread; instruction sets agree within rounding."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from tests.support.made.blendshapes import random_arrays, random_rig, random_weights, slow_blendshapes

# One vertex more or less than whole windows, vectors of heads with and without a rest, more heads than one block.
SIZES = [(1, 3), (511, 17), (513, 67), (1537, 130)]

SCRIPT = """
import sys, numpy as np, rigcast as rc
model = rc.load(sys.argv[1])
data = np.load(sys.argv[2])
vertices = model.evaluate(data["weights"])
single = np.stack([model.evaluate(row) for row in data["weights"]])
assert vertices.tobytes() == single.tobytes()
gradient = model.vjp(data["weights"], data["cotangents"])
np.savez(sys.argv[3], name=rc._core.instruction_set(), vertices=vertices, gradient=gradient)
"""


@pytest.mark.parametrize("storage", ["float32", "int16"])
@pytest.mark.parametrize(("num_vertices", "heads"), SIZES)
def test_batches_and_threads_give_the_same_bytes(num_vertices, heads, storage):
    rig = random_rig(num_vertices=num_vertices, storage=storage)
    weights = random_weights(rig, heads)
    cotangents = np.random.default_rng(0).standard_normal((heads, num_vertices, 3)).astype(np.float32)
    vertices = rig.evaluate(weights, threads=1)
    gradients = rig.vjp(weights, cotangents, threads=1)
    for threads in (2, 5):
        assert rig.evaluate(weights, threads=threads).tobytes() == vertices.tobytes()
        assert rig.vjp(weights, cotangents, threads=threads).tobytes() == gradients.tobytes()
    for size in (1, 16, 33):
        pieces = range(0, heads, size)
        parts = [rig.evaluate(weights[i : i + size]) for i in pieces]
        assert np.concatenate(parts).tobytes() == vertices.tobytes()
        parts = [rig.vjp(weights[i : i + size], cotangents[i : i + size]) for i in pieces]
        assert np.concatenate(parts).tobytes() == gradients.tobytes()


def test_vertices_beyond_what_caches_keep_are_the_same_bytes():
    rig = random_rig(num_vertices=1537)
    weights = random_weights(rig, 1000)
    vertices = rig.evaluate(weights)
    assert vertices.nbytes > 16 << 20  # whole lines are written past the caches
    parts = [rig.evaluate(weights[i : i + 500]) for i in (0, 500)]
    assert np.concatenate(parts).tobytes() == vertices.tobytes()
    assert rig.evaluate(weights, threads=3).tobytes() == vertices.tobytes()


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("start", [0, 5, 10])
def test_vertices_that_nothing_moves_are_the_same_bytes_beyond_caches(threads, start):
    neutral, deltas, combinations = random_arrays(num_vertices=1540)
    still = np.arange(1540)[:, None] < 1024  # more than a window
    neutral[3] = -0.0
    combinations = [(factors, np.where(still, 0, delta)) for factors, delta in combinations]
    rig = rc.BlendshapeRig(neutral, np.where(still, 0, deltas), combinations)
    weights = random_weights(rig, 1000)
    expected = np.stack([rig.evaluate(row) for row in weights])
    whole = np.full(expected.size + 32, np.nan, np.float32)
    begin = start + (-whole.ctypes.data // 4) % 16  # numbers after the start of a cache line
    rig.evaluate(weights, out=whole[begin : begin + expected.size].reshape(expected.shape), threads=threads)
    assert whole[begin : begin + expected.size].tobytes() == expected.tobytes()
    assert np.isnan(whole[:begin]).all()
    assert np.isnan(whole[begin + expected.size :]).all()


def test_numbers_between_bytes_are_read_and_not_written():
    rig = random_rig(num_vertices=67)
    weights = random_weights(rig, 21)
    expected = rig.evaluate(weights)
    given = np.frombuffer(b"." + weights.astype(np.float32).tobytes(), np.float32, offset=1).reshape(weights.shape)
    assert not given.flags.aligned
    assert rig.evaluate(given).tobytes() == expected.tobytes()
    out = np.frombuffer(bytearray(expected.nbytes + 1), np.float32, offset=1).reshape(expected.shape)
    with pytest.raises(
        ValueError, match=r"evaluate: out is .*; it must be a writable contiguous float32 array, its numbers"
    ):
        rig.evaluate(weights, out=out)


@pytest.mark.parametrize("num_vertices", [1, 5, 9, 67])
@pytest.mark.parametrize("start", range(0, 16, 3))
def test_vertices_may_begin_anywhere_in_memory(num_vertices, start):
    rig = random_rig(num_vertices=num_vertices)
    weights = random_weights(rig, 21)
    expected = rig.evaluate(weights)
    whole = np.full(expected.size + 32, np.nan, np.float32)
    begin = start + (-whole.ctypes.data // 4) % 16  # numbers after the start of a cache line
    rig.evaluate(weights, out=whole[begin : begin + expected.size].reshape(expected.shape))
    assert whole[begin : begin + expected.size].tobytes() == expected.tobytes()
    assert np.isnan(whole[:begin]).all()
    assert np.isnan(whole[begin + expected.size :]).all()


def test_a_neutral_of_negative_zeros_comes_out_the_same_alone_and_beside_others():
    rig = rc.BlendshapeRig(np.full((20, 3), -0.0), np.ones((2, 20, 3)))
    weights = np.zeros((40, 2), np.float32)
    weights[7] = 1e-45, -1e-45  # whose products round to zeros of either sign
    vertices = rig.evaluate(weights)
    assert np.stack([rig.evaluate(row) for row in weights]).tobytes() == vertices.tobytes()


@pytest.mark.parametrize("storage", ["float32", "int16"])
@pytest.mark.parametrize("name", _core.instruction_sets())
def test_each_instruction_set_gives_the_same_result(name, storage, tmp_path, tolerance):
    arrays = random_arrays(num_vertices=700)
    rig = rc.BlendshapeRig(*arrays, storage=storage)
    weights = random_weights(rig, 70)
    cotangents = np.random.default_rng(0).standard_normal((70, 700, 3)).astype(np.float32)
    rig.save(tmp_path / "rig.safetensors")
    np.savez(tmp_path / "in.npz", weights=weights, cotangents=cotangents)
    command = [sys.executable, "-c", SCRIPT, *(str(tmp_path / f) for f in ("rig.safetensors", "in.npz", "out.npz"))]
    environment = os.environ | {"RIGCAST_INSTRUCTION_SET": name}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    out = np.load(tmp_path / "out.npz")
    assert out["name"] == name
    for got, expected in ((out["vertices"], rig.evaluate(weights)), (out["gradient"], rig.vjp(weights, cotangents))):
        scale = np.abs(expected).max()
        np.testing.assert_allclose(got / scale, expected / scale, atol=tolerance["float32_sum"])


@pytest.mark.parametrize("heads", [1, 3, 70])
def test_batches_match_numpy(heads, tolerance):
    arrays = random_arrays(num_vertices=530)
    weights = random_weights(random_rig(), heads)
    expected = np.stack([slow_blendshapes(*arrays, row) for row in weights])
    np.testing.assert_allclose(rc.BlendshapeRig(*arrays).evaluate(weights), expected, atol=tolerance["float32_sum"])


@pytest.mark.parametrize("heads", [3, 70])
def test_a_prefix_a_head_gives_the_bytes_of_each_alone(heads):
    rig = random_rig(num_vertices=530)
    rng = np.random.default_rng(0)
    order, lengths, weights = rng.permutation(7), rng.integers(0, 8, heads), random_weights(rig, heads)
    together = rig.evaluate(weights, order=order, prefix=lengths)
    alone = [rig.evaluate(row, order=order, prefix=n) for row, n in zip(weights, lengths, strict=True)]
    assert np.stack(alone).tobytes() == together.tobytes()
