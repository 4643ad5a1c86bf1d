"""Which joint moves a vertex, and how many joints remain."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rigcast import _core
from rigcast.training._body.preparation import assign, candidate_joints
from tests.support.made.models import chain_skeleton, random_poses


def slow_assign(errors, tau):
    """The same by the letter of the paper: sets of vertices in a dict."""
    active = list(range(errors.shape[1]))

    def assignment():
        return [min(active, key=lambda j: (errors[v, j], j)) for v in range(len(errors))]

    chosen = assignment()
    limit = tau * sum(errors[v, j] for v, j in enumerate(chosen))
    while len(active) > 1:
        counts = {j: chosen.count(j) for j in active}
        smallest = min(active, key=lambda j: (counts[j], -j))
        active.remove(smallest)
        tried = assignment()
        if counts[smallest] and sum(errors[v, j] for v, j in enumerate(tried)) > limit:
            break
        chosen = tried
    return np.array(chosen)


@given(seed=st.integers(0, 10**6), tau=st.floats(1.0, 3.0), vertices=st.integers(1, 30), joints=st.integers(1, 7))
def test_assignment_matches_the_slow_one(seed, tau, vertices, joints):
    errors = np.random.default_rng(seed).random((vertices, joints)) ** 3
    np.testing.assert_array_equal(assign(errors, np.arange(joints), tau), slow_assign(errors, tau))


def test_tau_one_keeps_every_joint_that_explains_a_vertex_best():
    errors = np.random.default_rng(0).random((50, 6))
    np.testing.assert_array_equal(assign(errors, np.arange(6), 1.0), errors.argmin(axis=1))


def test_only_candidates_are_used():
    errors = np.random.default_rng(0).random((50, 6))
    candidates = np.array([1, 4])
    chosen = assign(errors, candidates, 1.0)
    np.testing.assert_array_equal(chosen, candidates[errors[:, candidates].argmin(axis=1)])


def test_joints_that_never_move_leave_the_field_to_their_ancestor():
    skeleton = chain_skeleton(6, seed=2)
    poses = np.tile(skeleton.rest.reshape(1, -1), (30, 1))
    moving = [1, 4]
    poses[:, [12 * j + 3 for j in moving]] += np.random.default_rng(0).random((30, 2)).astype(np.float32)
    candidates = candidate_joints(poses + np.float32(1e-6), np.asarray(skeleton.parents), 1.0)
    np.testing.assert_array_equal(candidates, [0, 1, 4])


def test_rigid_parts_find_their_joint():
    """Vertices that ride on joints, sampled with motion, are assigned to those joints."""
    skeleton = chain_skeleton(4, seed=1)
    poses = random_poses(skeleton, 40, seed=5)
    rng = np.random.default_rng(2)
    owner = rng.integers(0, 4, 60)
    local = rng.standard_normal((60, 3)).astype(np.float32)
    rest_world, world = skeleton.rest_globals[owner], skeleton.globals(poses)[:, owner]
    rest = np.einsum("vab,vb->va", rest_world[..., :3], local) + rest_world[..., 3]
    vertices = np.einsum("tvab,vb->tva", world[..., :3], local) + world[..., 3]
    errors = _core.rigid_errors(skeleton, rest, poses, vertices)
    np.testing.assert_array_equal(assign(errors, np.arange(4), 1.0), owner)
