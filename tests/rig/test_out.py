"""``out=`` must be memory of its own."""

import numpy as np
import pytest

from tests.support.made.blendshapes import random_rig
from tests.support.made.models import linear_blend, random_body

MODELS = {"linear_blend": linear_blend, "body": random_body, "blendshape": random_rig}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    return MODELS[request.param]()


@pytest.mark.parametrize("offset", [0, 7])
def test_out_that_overlaps_the_poses_is_refused(model, offset):
    width, size = len(model.control_names), model.rest_vertices.size
    memory = np.zeros(max(width, size) + 16, np.float32)
    poses = memory[offset : offset + width].reshape(1, width)
    poses[:] = 0.25
    out = memory[:size].reshape(1, -1, 3)
    with pytest.raises(ValueError, match="evaluate: out is an array that shares memory with the poses"):
        model.evaluate(poses, out=out)


def test_out_beside_the_poses_is_taken(model):
    width, size = len(model.control_names), model.rest_vertices.size
    memory = np.zeros(width + size, np.float32)
    poses, out = memory[:width].reshape(1, width), memory[width:].reshape(1, -1, 3)
    poses[:] = 0.25
    assert np.array_equal(model.evaluate(poses, out=out), model.evaluate(poses.copy()))


def test_out_that_overlaps_weights_with_a_prefix_is_refused():
    rig = random_rig()
    memory = np.zeros(max(rig.num_shapes, rig.rest_vertices.size), np.float32)
    weights, out = memory[: rig.num_shapes].reshape(1, -1), memory[: rig.rest_vertices.size].reshape(1, -1, 3)
    with pytest.raises(ValueError, match="shares memory"):
        rig.evaluate(weights, prefix=2, out=out)
