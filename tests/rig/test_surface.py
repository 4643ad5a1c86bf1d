"""Parts, materials and texture coordinates in model files: kept, restricted, and refused where they do not fit."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from rigcast._rigs.surface import surface_of
from tests.support.characters.surfaces import covered, same_surface
from tests.support.made.kinds import KINDS, MAKERS, WITH_DERIVATIVES, poses_of
from tests.support.made.models import linear_blend


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_keeps_it(kind, tmp_path):
    model = covered(MAKERS[kind]())
    model.save(tmp_path / "m.safetensors")
    assert same_surface(surface_of(rc.load(tmp_path / "m.safetensors")), surface_of(model))


@pytest.mark.parametrize("kind", KINDS)
def test_vertices_have_the_same_bytes(kind):
    model = MAKERS[kind]()
    poses = poses_of(model, 3)
    assert covered(model).evaluate(poses).tobytes() == model.evaluate(poses).tobytes()


def test_a_model_without_any_says_so():
    model = linear_blend()
    assert (model.parts, model.materials) == ([], [])
    shapes = [model.vertex_parts.shape, model.face_materials.shape, model.uvs.shape, model.uv_faces.shape]
    assert shapes == [(0,), (0,), (0, 2), (0, 4)]


@pytest.mark.parametrize("kind", WITH_DERIVATIVES)
def test_a_restricted_model_has_the_parts_of_its_vertices(kind):
    model = covered(MAKERS[kind]())
    chosen = np.array([7, 3, 11, 3, 0])
    part = model.restricted(chosen)
    assert part.parts == model.parts
    np.testing.assert_array_equal(part.vertex_parts, model.vertex_parts[chosen])


@pytest.mark.parametrize("kind", WITH_DERIVATIVES)
def test_faces_of_a_restricted_model_keep_what_lies_on_them(kind):
    model = covered(MAKERS[kind]())
    chosen = np.random.default_rng(1).permutation(len(model.rest_vertices))[: 3 * len(model.rest_vertices) // 4]
    part = model.restricted(chosen)
    assert on_corners(part, chosen) == {
        face: found for face, found in on_corners(model).items() if set(face) <= {-1, *chosen.tolist()}
    }


def on_corners(model, vertices=None):
    """By the vertices of a face: its material and the texture coordinates at its corners."""
    vertices = np.arange(len(model.rest_vertices)) if vertices is None else vertices
    found = {}
    for row, face in enumerate(model.faces):
        corners = model.uv_faces[row]
        uvs = [tuple(model.uvs[corner].tolist()) if corner >= 0 else None for corner in corners]
        key = tuple(int(vertices[v]) if v >= 0 else -1 for v in face)
        found[key] = (model.face_materials[row], uvs)
    return found


def test_a_restricted_model_drops_unused_texture_coordinates():
    model = covered(linear_blend())
    part = model.restricted(np.unique(model.faces[0][model.faces[0] >= 0]))
    assert len(part.uvs) == len(np.unique(part.uv_faces[part.uv_faces >= 0]))


def broken(change):
    """The surface of a model with some tensors or metadata replaced; None removes one."""
    model = covered(linear_blend())
    tensors, about = model.tensors(), model.metadata
    for name, value in change(model).items():
        place = about if name in ("parts", "materials") else tensors
        if value is None:
            del place[name]
        else:
            place[name] = value
    return tensors, json.dumps(about)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: {"parts": None}, "surface.vertex_parts is given without metadata.parts"),
        (lambda m: {"surface.vertex_parts": None}, "metadata.parts is given without surface.vertex_parts"),
        (lambda m: {"surface.uvs": None}, "surface.uv_faces is given without surface.uvs"),
        (lambda m: {"surface.face_materials": None}, "metadata.materials is given without surface.face_materials"),
        (lambda m: {"parts": ["one", "one", "two"]}, "metadata.parts is a list that holds a name twice"),
        (lambda m: {"parts": ["one"]}, "surface.vertex_parts is [12] somewhere; it must be from -1 to 0"),
        (lambda m: {"surface.vertex_parts": m.vertex_parts[1:].copy()}, r"surface.vertex_parts is I32\[\d+\]"),
        (lambda m: {"surface.face_materials": m.face_materials - 1}, "surface.face_materials is -2 somewhere"),
        (lambda m: {"surface.uv_faces": m.uv_faces[1:].copy()}, r"surface.uv_faces is I32\[\d+, 4\]"),
        (lambda m: {"surface.uvs": m.uvs[:5].copy()}, r"surface.uv_faces is \d+ in row \d+; it must be below 5"),
        (lambda m: {"surface.uv_faces": np.zeros_like(m.uv_faces) - 2}, "surface.uv_faces is -2 in row 0"),
        (lambda m: {"surface.uvs": m.uvs * np.float32(np.nan)}, "surface.uvs is not finite everywhere"),
    ],
)
def test_what_does_not_fit_the_mesh_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        _core.model_from_tensors(*broken(change))
