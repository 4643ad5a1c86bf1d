"""Portraits: a face from the front, as orders of importance need it."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc

pytest.importorskip("pyvista", reason="the report extra is not installed")
from rigcast.plot import portrait_renderer


def bumpy_plane(size=24):
    """A square that faces z; shapes push its middle out, a corner out, nothing, and the middle sideways a little."""
    x, y = np.meshgrid(np.linspace(-1, 1, size), np.linspace(-1, 1, size))
    neutral = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)
    middle = np.exp(-8 * (neutral[:, 0] ** 2 + neutral[:, 1] ** 2))
    corner = np.exp(-30 * ((neutral[:, 0] - 0.6) ** 2 + (neutral[:, 1] - 0.6) ** 2))
    deltas = np.zeros((4, len(neutral), 3))
    deltas[0, :, 2], deltas[1, :, 2], deltas[3, :, 0] = 0.6 * middle, 0.15 * corner, 0.02 * middle
    first = np.arange(size * (size - 1)).reshape(-1, size)[:, :-1].ravel()
    faces = np.stack([first, first + 1, first + size + 1, first + size], axis=1)
    return rc.BlendshapeRig(neutral, deltas, names=["middle", "corner", "nothing", "slide"], faces=faces)


@pytest.mark.parametrize("by", ["image_mse", "image_ssim", "image_perceptual"])
def test_what_shows_more_is_more_important(by):
    rig = bumpy_plane()
    with portrait_renderer(rig, 60, 60) as picture:
        order = rc.crowd.importance_order(rig, by, picture=picture)
        scores = rc.crowd.importance(rig, by, picture=picture)
    assert [rig.shape_names[k] for k in order[:2]] == ["middle", "corner"]
    assert scores[2] == 0.0  # the same vertices, the same pixels


def test_a_portrait_is_taken_from_the_front():
    """Vertices that come nearer do not move in the picture; those that go up do."""
    rig = bumpy_plane()
    with portrait_renderer(rig, 80, 80) as picture:
        flat = picture(rig.rest_vertices).astype(int)
        nearer = picture(rig.rest_vertices + np.float32([0, 0, 0.1])).astype(int)
        higher = picture(rig.rest_vertices + np.float32([0, 0.5, 0])).astype(int)
    drawn = [(image < 250).any(axis=2) for image in (flat, nearer, higher)]
    assert (drawn[0] == drawn[1]).mean() > 0.98
    rows = [np.flatnonzero(inside.any(axis=1)).mean() for inside in drawn]
    assert rows[2] < rows[0] - 5


def test_a_rig_without_faces_is_refused():
    rig = rc.BlendshapeRig(np.zeros((4, 3)), np.ones((1, 4, 3)))
    with pytest.raises(ValueError, match="portrait_renderer: rig is without faces"), portrait_renderer(rig):
        pass
