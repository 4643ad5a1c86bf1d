"""Models that baselines are refuse derivatives and restriction by name; everything else of a model they have."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

import rigcast as rc
from tests.support.made.kinds import FORWARD_ONLY, MAKERS, WITH_DERIVATIVES, poses_of

CALLS: dict[str, Callable[[rc.Deformer, np.ndarray], object]] = {
    "vjp": lambda model, poses: model.vjp(poses, np.ones((len(poses), *model.rest_vertices.shape))),
    "jvp": lambda model, poses: model.jvp(poses, np.ones_like(poses)),
    "jacobian": lambda model, poses: model.jacobian(poses),
    "restricted": lambda model, poses: model.restricted([3, 1]),
    "linearizer": lambda model, poses: rc._core.PoseSolver(model, 1.0),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", FORWARD_ONLY)
def test_the_call_and_the_kind_are_named(kind, call):
    model = MAKERS[kind]()
    text = f"{call}: model is of kind '{kind}', which can only be evaluated; it must be of a kind with derivatives"
    with pytest.raises(ValueError, match="^" + re.escape(text)):
        CALLS[call](model, poses_of(model, 2))


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", WITH_DERIVATIVES)
def test_other_kinds_refuse_none(kind, call):
    model = MAKERS[kind]()
    CALLS[call](model, poses_of(model, 2))


def test_wrong_arguments_are_named_first():
    model = MAKERS["regression"]()
    with pytest.raises(ValueError, match=r"jvp: poses is 9 wide; it must be 50 wide"):
        CALLS["jvp"](model, poses_of(model, 2)[:, :9])
    with pytest.raises(ValueError, match="restricted: vertices is holding 1000"):
        model.restricted([1000])


def test_inverse_kinematics_on_one_is_refused():
    model = MAKERS["pose_space"]()
    with pytest.raises(ValueError, match="restricted: model is of kind 'pose_space', which can only be evaluated"):
        rc.ik.solve(model, model.rest_vertices[None, :2], [0, 1])
