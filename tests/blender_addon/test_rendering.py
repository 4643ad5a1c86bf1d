"""Renders with motion blur and animations are those of the same motion by a driver; the process ends well."""

from __future__ import annotations

import numpy as np
import pytest

from tests.blender_addon.models import patch
from tests.blender_addon.working import blenders, told

PIXEL = 1.0


@pytest.fixture(scope="module", params=blenders())
def seen(request, tmp_path_factory):
    """What the script told; its exit code is 0, handlers registered to the end."""
    folder = tmp_path_factory.mktemp("render")
    patch(folder / "patch.safetensors")
    return told("render.py", folder, folder / "patch.safetensors", blender=request.param)


def test_the_streak_of_a_moving_patch_is_that_of_a_driven_object(seen):
    np.testing.assert_allclose(seen["model"]["blurred"], seen["driver"]["blurred"], atol=PIXEL)


def test_the_streak_is_as_long_as_the_motion(seen):
    first, last, _ = seen["model"]["blurred"]
    assert last - first == pytest.approx(40, abs=2)  # a patch of 1 unit that moves 3 units, 10 pixels a unit


def test_no_frame_of_an_animation_is_late_or_stuck(seen):
    assert len(seen["model"]["animation"]) == 48
    np.testing.assert_allclose(seen["model"]["animation"], seen["driver"]["animation"], atol=PIXEL)
    assert np.diff(seen["model"]["animation"]).min() > 2.0
