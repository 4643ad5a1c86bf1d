"""Transfer across seams: a vertex with several texture coordinates has one place on its map."""

from __future__ import annotations

import json

import numpy as np
import pytest

from rigcast import _core
from rigcast._rigs.surface import Surface
from rigcast.training._face_maps._layout.segments import Layout, RigidPart
from rigcast.training._face_maps._train.learned_map import map_tensors
from rigcast.transfer import transfer_face_maps
from rigcast.transfer._seams import home_rows, within_seams
from tests.support.characters.mapped_face import SIDE, MappedFace
from tests.transfer.test_face_maps import POSES, SHEET, learned, subdivided

MIDDLE = SIDE // 2
LEFT, RIGHT = 0.2, 0.7  # the seam, on the map and in the texture: the middle column lies at both


@pytest.fixture(scope="module")
def face():
    """A sheet whose right half lies apart in the texture; the middle column belongs to the left one on the map."""
    rig = MappedFace()
    across = np.arange(SHEET) % SIDE / (SIDE - 1)
    up = rig.surface.uvs[:SHEET, 1].astype(np.float64)
    left, right = np.stack([0.4 * across, up], axis=1), np.stack([0.4 * across + 0.5, up], axis=1)
    is_right = rig.faces[:, 0] % SIDE >= MIDDLE
    is_right[rig.faces[:, 0] >= SHEET] = False
    tooth = np.tile([0.95, 0.5], (len(rig.rest_vertices) - SHEET, 1))
    tooth[:, 1] = 0.4 + 0.02 * np.arange(len(tooth))
    uvs = np.concatenate([left, tooth, right])
    uv_faces = np.where(is_right[:, None], rig.faces + len(rig.rest_vertices), rig.faces).astype(np.int32)
    places = np.where((np.arange(SHEET) % SIDE <= MIDDLE)[:, None], left, right)
    item = learned(np.arange(SHEET), places, np.arange(4), 1)
    part = RigidPart("tooth", np.arange(SHEET, len(rig.rest_vertices)), np.arange(SHEET)[::17][:10], 0.0)
    surface = Surface(uvs=uvs.astype(np.float32), uv_faces=uv_faces)
    tensors = map_tensors([item], Layout([], [part], [])) | {
        "rest_vertices": rig.rest_vertices,
        "faces": rig.faces,
        "control_ranges": rig.channel_ranges.astype(np.float32),
        **{f"surface.{name}": array for name, array in surface.arrays().items()},
    }
    about = {"kind": "face_maps", "version": 1, "name": "f", "joint_names": [], "numeric_controls": rig.dial_names}
    about |= {"meters_per_unit": 1.0, "up_axis": "Y", **surface.names()}
    return _core.model_from_tensors(tensors, json.dumps(about)), surface, rig


@pytest.fixture(scope="module")
def copy(face):
    """Subdivided; new vertices of a seam have two coordinates, too."""
    model, surface, rig = face
    rest, faces, _, of = subdivided(rig.rest_vertices, rig.faces, np.zeros((len(rig.rest_vertices), 2)))
    uvs, uv_faces, _, _ = subdivided(surface.uvs.astype(np.float64), surface.uv_faces, surface.uvs)
    fine = Surface(uvs=uvs.astype(np.float32), uv_faces=uv_faces)
    return transfer_face_maps(model, rest.astype(np.float32), faces, surface=fine), of


def test_the_vertices_of_the_face_move_as_before(face, copy, tolerance):
    before = face[0].evaluate(POSES)
    after = copy[0].evaluate(POSES)[:, : before.shape[1]]
    np.testing.assert_allclose(after, before, atol=tolerance["float32_scaled"])


def test_no_vertex_samples_the_map_between_the_sides_of_a_seam(copy):
    tensors, _ = copy[0].tensors(), copy[1]
    across = tensors["segments.uv"][:, 0]
    first_right = RIGHT + 0.4 / (SIDE - 1)
    assert not ((across > LEFT + 1e-4) & (across < first_right - 1e-4)).any()  # no rounding comes near


def test_the_place_of_a_vertex_is_on_the_side_of_its_neighbors_on_the_map(face):
    model, surface, rig = face
    home = home_rows(surface, np.asarray(model.faces), model.tensors())
    column = np.arange(SHEET) % SIDE == MIDDLE
    assert home[:SHEET][column].all()
    assert not home[len(rig.rest_vertices) :][column].any()


def test_weights_across_a_seam_count_only_beside_the_nearest_corner(tolerance):
    weights = np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5], [0.6, 0.4, 0.0]])
    home = np.array([[True, True, False], [True, True, False], [True, True, True]])
    label = np.array([[1, 1, 1], [1, 1, 1], [1, 2, 1]])
    expected = [[0.625, 0.375, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    np.testing.assert_allclose(within_seams(weights, home, label), expected, atol=tolerance["float64"])


def test_vertices_on_faces_without_area_in_the_texture_are_found(face):
    """The tooth lies on a line of the texture: its vertices still move."""
    model, surface, rig = face
    same = transfer_face_maps(model, rig.rest_vertices, rig.faces, surface=surface)
    np.testing.assert_array_equal(same.tensors()["parts.vertex"], model.tensors()["parts.vertex"])


def test_followers_at_one_place_of_the_texture_are_the_nearest_in_space(face):
    """A second sheet with the same texture, elsewhere in space and first in order, is not followed."""
    model, surface, rig = face
    count = len(rig.rest_vertices)
    rest = np.concatenate([rig.rest_vertices + np.float32([0.0, 0.0, 1.0]), rig.rest_vertices])
    faces = np.concatenate([rig.faces, rig.faces + count])
    twice = Surface(uvs=surface.uvs, uv_faces=np.concatenate([surface.uv_faces] * 2))
    followers = transfer_face_maps(model, rest, faces, surface=twice).tensors()["parts.follower"]
    np.testing.assert_array_equal(followers, model.tensors()["parts.follower"] + count)
