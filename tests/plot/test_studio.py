"""Pictures and colors: what is drawn is there, where and as colored as it should be."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from rigcast._hashing import padded_faces
from rigcast.plot import _colors as colors
from tests.support.characters.cylinder import CylinderRig

pytest.importorskip("pyvista", reason="the report extra is not installed")
from rigcast.plot._studio import Studio, close_view, polygons, view_of


@pytest.fixture(scope="module")
def character():
    """The cylinder in two poses."""
    rig = CylinderRig()
    _, vertices = rig.sample(np.random.default_rng(0).uniform(*rig.channel_ranges.T, (2, len(rig.channel_names))))
    return SimpleNamespace(faces=padded_faces(rig.faces), rest_vertices=rig.rest_vertices, vertices=vertices)


@pytest.fixture(scope="module")
def studio(character):
    with Studio(character.faces, len(character.rest_vertices), width=140, height=200) as studio:
        yield studio


def drawn(pixels: np.ndarray) -> np.ndarray:
    return (pixels < 250).any(axis=2)


@pytest.mark.parametrize("up", ["X", "Y", "Z"])
def test_a_view_holds_the_whole_character(studio, character, up):
    vertices = character.vertices[0]
    inside = drawn(studio.picture(vertices, view_of(vertices, up)))
    assert inside.mean() > 0.02
    assert not inside[[0, -1]].any()
    assert not inside[:, [0, -1]].any()
    rows = np.flatnonzero(inside.any(axis=1))
    columns = np.flatnonzero(inside.any(axis=0))
    assert np.ptp(rows) > 0.8 * 200 or np.ptp(columns) > 0.8 * 140


def test_up_is_up(studio, character):
    """The cylinder stands along y: with y up its silhouette is high, with x up it lies."""
    rest = character.rest_vertices
    high, wide = (drawn(studio.picture(rest, view_of(rest, up, rise=0.0))) for up in ("Y", "X"))
    assert np.ptp(np.flatnonzero(high.any(axis=1))) > 3 * np.ptp(np.flatnonzero(high.any(axis=0)))
    assert np.ptp(np.flatnonzero(wide.any(axis=0))) > 3 * np.ptp(np.flatnonzero(wide.any(axis=1)))


def test_colors_arrive(studio, character):
    rest = character.rest_vertices
    view = view_of(rest, "Y")
    calm, hot = (studio.picture(rest, view, colors.heat(np.full(len(rest), value))) for value in (0.0, 0.6))
    middle = calm[100, 70].astype(int), hot[100, 70].astype(int)
    assert np.ptp(middle[0]) < 30, "clay is nearly grey"
    assert middle[1][0] > middle[1][2] + 60, "the middle of the scale is red"


def test_a_picture_forgets_the_one_before(character):
    """Shading, too, belongs to the pose drawn: the second picture of a studio is the first of another."""
    first, second = character.vertices[:2]
    used, fresh = (Studio(character.faces, len(first), width=140, height=200) for _ in range(2))
    with used, fresh:
        used.picture(first, view_of(first, "Y"), colors.heat(np.linspace(0, 1, len(first))))
        np.testing.assert_array_equal(
            used.picture(second, view_of(second, "Y")), fresh.picture(second, view_of(second, "Y"))
        )


def test_light_comes_from_the_viewer(character):
    """Turned to any side, what faces the viewer is lit: clay in the middle of the picture, never shadow."""
    rest = character.rest_vertices
    with Studio(character.faces, len(rest), width=140, height=200) as studio:
        for turn in (0, 90, 180, 270):
            middle = studio.picture(rest, view_of(rest, "Y", turn=turn, rise=0.0))[90:110, 68:73]
            assert middle.mean() > 150, turn


def test_a_close_view_is_larger(studio, character):
    rest = character.rest_vertices
    near = studio.picture(rest, close_view(rest, 100, np.array([0.0, 0.0, 1.0]), up_axis="Y"))
    assert drawn(near).mean() > 2 * drawn(studio.picture(rest, view_of(rest, "Y"))).mean()


def test_polygons_keep_triangles_and_quads():
    faces = np.array([[0, 1, 2, 3], [3, 2, 4, -1]], np.int32)
    assert polygons(faces).tolist() == [4, 0, 1, 2, 3, 3, 3, 2, 4]


def test_a_wrong_mesh_is_named(studio):
    with pytest.raises(ValueError, match=r"picture: vertices is an array \(3, 3\)"):
        studio.picture(np.zeros((3, 3)), view_of(np.eye(3), "Y"))


def test_heat_grows_darker():
    """The scale must read in grayscale: luminance falls all the way."""
    luminance = colors.heat(np.linspace(0, 1, 50)) @ np.array([0.2126, 0.7152, 0.0722])
    assert (np.diff(luminance) < 0.7).all()
    assert luminance[0] - luminance[-1] > 120
