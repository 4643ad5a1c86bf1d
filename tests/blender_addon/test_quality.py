"""The knob for the quality of a face with refinements."""

from __future__ import annotations

import numpy as np
import pytest

from tests.blender_addon.working import blenders, told
from tests.support.made.face_maps import random_face_maps

DETAILS = [1.0, 0.5, 0.0]
STORED = 1e-5  # float32 coordinates of a few units, in a vector extension or another


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    made = random_face_maps(num_vertices=90, refinements=3)
    made.save(tmp_path_factory.mktemp("face") / "face.safetensors")
    return made


@pytest.fixture(scope="module", params=blenders())
def facts(request, model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("quality")
    model.save(folder / "face.safetensors")
    return told("quality.py", folder, folder / "face.safetensors", blender=request.param)


@pytest.mark.parametrize("detail", DETAILS)
def test_the_mesh_shows_the_detail_that_is_chosen(facts, model, detail):
    expected = model.evaluate_detail(np.float32(facts["row"]), np.full(model.num_refinements, detail))
    np.testing.assert_allclose(facts["seen"][str(detail)], expected, rtol=0, atol=STORED)


def test_the_detail_is_seen(facts, model):
    assert facts["refinements"] == model.num_refinements == 3
    whole, none = (np.array(facts["seen"][key]) for key in ("1.0", "0.0"))
    assert np.abs(whole - none).max() > 0.05
