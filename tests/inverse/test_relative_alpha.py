"""Alpha as a share of the smallest one at which every weight rests."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.errors import SparsityWarning
from rigcast.inverse._gram import Gram
from rigcast.inverse._parts import solve_in_parts
from rigcast.inverse._request import Request
from tests.support.characters.moving_head import face_curves, head_turns, moved, moving_face


@pytest.fixture(scope="module")
def face():
    return moving_face()


@pytest.fixture(scope="module")
def shot(face):
    return face.evaluate(face_curves(30).astype(np.float32))


@pytest.mark.parametrize("rigid", [None, "auto"])
def test_one_is_where_every_weight_rests(face, shot, rigid):
    given = shot if rigid is None else moved(shot, head_turns(30))
    with pytest.warns(SparsityWarning, match="no shape is turned on"):
        assert not rc.inverse.solve(face, given, relative_alpha=1.0, rigid=rigid).weights.any()
    with pytest.warns(SparsityWarning):
        below = rc.inverse.solve(face, given, relative_alpha=0.99, rigid=rigid)
    assert below.weights.any()


def test_it_is_the_largest_pull_of_a_target(face, shot, tolerance):
    pulls = 2 * (shot - face.rest_vertices).reshape(30, -1) @ face.columns()[:20].reshape(20, -1).T
    found = rc.inverse.solve(face, shot, relative_alpha=0.25)
    assert found.alpha == pytest.approx(0.25 * pulls.max(), rel=tolerance["float32_scaled"])


def test_it_has_no_unit(face, shot, tolerance):
    meters = rc.BlendshapeRig(face.rest_vertices / 100, face.columns()[:20] / 100)
    plain = rc.BlendshapeRig(face.rest_vertices, face.columns()[:20])
    found = [rc.inverse.solve(rig, s, relative_alpha=0.05).weights for rig, s in ((plain, shot), (meters, shot / 100))]
    np.testing.assert_allclose(*found, atol=tolerance["float32_character"])


def test_tied_weights_rest_at_one_too(face, shot):
    with pytest.warns(SparsityWarning):
        whole = rc.inverse.solve(face, shot, relative_alpha=1.0, symmetric=[(4, 5)])
    assert not whole.weights.any()


def test_parts_of_a_shot_share_it(face, shot, tmp_path):
    parts = solve_in_parts(Request(Gram(face), shot, relative_alpha=0.05), tmp_path / "parts", frames=8)
    assert parts.alpha == rc.inverse.solve(face, shot, relative_alpha=0.05).alpha


@pytest.mark.parametrize("share", [-0.1, 1.5, "half", np.nan])
def test_other_shares_are_refused(face, shot, share):
    with pytest.raises(ValueError, match=r"solve: relative_alpha is .* at least 0 and at most 1"):
        rc.inverse.solve(face, shot, relative_alpha=share)


def test_one_of_two_alphas_must_do(face, shot):
    with pytest.raises(ValueError, match=r"relative_alpha is given with alpha 0\.1"):
        rc.inverse.solve(face, shot, alpha=0.1, relative_alpha=0.1)
