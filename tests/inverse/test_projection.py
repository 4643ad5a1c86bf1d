"""Products of targets with a rig's columns: against NumPy, in any company, on every instruction set."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core

SCRIPT = """
import sys, numpy as np
from tests.inverse.test_projection import local_gram
gram, targets, _ = local_gram()
np.savez(sys.argv[1], *gram.project(targets))
"""


def local_gram(vertices=203, shapes=37, frames=61, markers=150):
    """Shapes that move patches, seen from weighted markers in no order; targets of all vertices; what NumPy makes."""
    rng = np.random.default_rng(0)
    deltas = rng.normal(size=(shapes, vertices, 3)).astype(np.float32)
    deltas[np.abs(np.arange(vertices) / vertices - rng.random((shapes, 1))) > rng.random((shapes, 1))] = 0.0
    rig = rc.BlendshapeRig(rng.normal(size=(vertices, 3)), deltas)
    chosen, weights = rng.permutation(vertices)[:markers], rng.uniform(size=markers)
    targets = rng.normal(size=(frames, vertices, 3)).astype(np.float32)
    offsets = (targets.astype(np.float64) - rig.rest_vertices)[:, chosen]
    weighted = offsets * weights[:, None]
    projections = np.einsum("tvx,nvx->tn", weighted, deltas[:, chosen].astype(np.float64))
    gram = _core.InverseGram(rig, chosen.astype(np.int32), weights)
    return gram, targets, (projections, np.einsum("tvx,tvx->t", weighted, offsets))


def test_projections_and_energies_are_those_of_numpy(tolerance):
    gram, targets, expected = local_gram()
    for got, slow in zip(gram.project(targets), expected, strict=True):
        np.testing.assert_allclose(got / np.abs(slow).max(), slow / np.abs(slow).max(), atol=tolerance["float64"])


@pytest.mark.parametrize("frames", [1, 5, 8, 20, 30])
def test_a_frame_has_the_same_bytes_in_any_company(frames):
    gram, targets, _ = local_gram()
    whole = gram.project(targets)
    parts = [gram.project(targets[first : first + frames]) for first in range(0, len(targets), frames)]
    for alone, together in zip(zip(*parts, strict=True), whole, strict=True):
        assert np.concatenate(alone).tobytes() == together.tobytes()


@pytest.mark.parametrize("name", _core.instruction_sets())
def test_each_instruction_set_gives_the_same_projections(name, tmp_path, tolerance):
    environment = os.environ | {"RIGCAST_INSTRUCTION_SET": name}
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "out.npz")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for got, slow in zip(np.load(tmp_path / "out.npz").values(), local_gram()[2], strict=True):
        np.testing.assert_allclose(got / np.abs(slow).max(), slow / np.abs(slow).max(), atol=tolerance["float64"])


@pytest.mark.parametrize(("shapes", "vertices"), [(3, 20), (30, 500), (67, 300), (100, 700)])
def test_the_gram_matrix_is_that_of_scattered_columns(shapes, vertices, tolerance):
    """Columns that skip some of a tile's numbers, and strips that are not full."""
    rng = np.random.default_rng(shapes)
    deltas = np.zeros((shapes, vertices, 3), np.float32)
    for delta in deltas:
        moved = rng.permutation(vertices)[: vertices // 3]
        delta[moved] = rng.standard_normal((len(moved), 3))
    rig = rc.BlendshapeRig(rng.standard_normal((vertices, 3)), deltas)
    weight = rng.uniform(0.1, 2.0, vertices)
    found = np.asarray(rc.inverse.Solver(rig, vertex_weights=weight).gram.matrix)
    columns = deltas.reshape(shapes, -1).astype(np.float64)
    expected = (columns * np.repeat(weight, 3)) @ columns.T
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance["float64"] * np.abs(expected).max())
    assert (found == found.T).all()
