"""Maps of a face on another mesh with aligned texture coordinates: a subdivided copy moves as the face does."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from rigcast._rigs.surface import Surface
from rigcast.training._face_maps._layout.segments import Layout, MapSegment, RigidPart
from rigcast.training._face_maps._train.convolution_networks import ConvolutionShape
from rigcast.training._face_maps._train.learned_map import LearnedMap, map_tensors
from rigcast.training._face_maps._train.shapes import Scaling
from rigcast.transfer import transfer_face_maps
from tests.support.characters.mapped_face import SIDE, MappedFace

SHEET = SIDE * SIDE


def learned(vertices, uvs, columns, seed, level=0, resolution=16):
    """A random network on some vertices."""
    weights = np.full(len(vertices), 0.5 if level else 1.0, np.float32)
    segment = MapSegment(f"{seed}", level, vertices, uvs, weights, columns, resolution)
    shape = ConvolutionShape(len(columns), 6, 2, 3, resolution.bit_length() - 4)
    random = shape.initial_weights([seed])
    scaling = Scaling(np.zeros(len(columns)), np.ones(len(columns)), 0.2)
    return LearnedMap(segment, shape, scaling, random)


@pytest.fixture(scope="module")
def model():
    """Two coarse segments, a refinement of one, and a tooth that follows the mouth."""
    rig = MappedFace()
    uvs = rig.surface.uvs.astype(np.float64)
    rows = np.arange(SHEET) // SIDE
    upper, lower = np.flatnonzero(rows >= SIDE // 2), np.flatnonzero(rows < SIDE // 2)
    fine = upper[(uvs[upper, 0] <= 0.5)]
    maps = [
        learned(upper, uvs[upper], np.arange(2), 1),
        learned(lower, uvs[lower], np.arange(1, 4), 2),
        learned(fine, np.clip(uvs[fine] * [2.0, 1.0], 0, 1), np.arange(2), 3, level=1, resolution=32),
    ]
    tooth = RigidPart("tooth", np.arange(SHEET, len(rig.rest_vertices)), lower[::7][:10], 0.0)
    tensors = map_tensors(maps, Layout([], [tooth], []))
    tensors |= {
        "rest_vertices": rig.rest_vertices,
        "faces": rig.faces,
        "control_ranges": rig.channel_ranges.astype(np.float32),
        **{f"surface.{name}": array for name, array in rig.surface.arrays().items()},
    }
    about = {"kind": "face_maps", "version": 1, "name": "f", "joint_names": [], "numeric_controls": rig.dial_names}
    about |= {"meters_per_unit": 1.0, "up_axis": "Y", **rig.surface.names()}
    return _core.model_from_tensors(tensors, json.dumps(about))


def subdivided(rest, faces, uvs):
    """Each quad in four: vertices, faces, texture coordinates, and the four vertices that each new one is a mean of."""
    known = {(i,): i for i in range(len(rest))}
    corners, made = [(i, i, i, i) for i in range(len(rest))], []

    def vertex(*of):
        key = tuple(sorted(set(of)))
        if key not in known:
            known[key] = len(corners)
            corners.append((key * 4)[:4] if len(key) != 2 else key * 2)
        return known[key]

    for quad in faces.tolist():
        middle = vertex(*quad)
        for i in range(4):
            made.append([quad[i], vertex(quad[i], quad[(i + 1) % 4]), middle, vertex(quad[i - 1], quad[i])])
    of = np.array(corners)
    return rest[of].mean(axis=1), np.array(made, np.int32), uvs[of].mean(axis=1), of


@pytest.fixture(scope="module")
def copy(model):
    rig = MappedFace()
    rest, faces, uvs, of = subdivided(rig.rest_vertices, rig.faces, rig.surface.uvs)
    surface = Surface(uvs=uvs.astype(np.float32), uv_faces=faces)
    return transfer_face_maps(model, rest.astype(np.float32), faces, surface=surface), of


POSES = np.random.default_rng(0).random((4, 5)).astype(np.float32)


def test_the_vertices_of_the_face_move_as_before(model, copy, tolerance):
    moved, _ = copy
    before = model.evaluate(POSES)
    np.testing.assert_allclose(moved.evaluate(POSES)[:, : before.shape[1]], before, atol=tolerance["float32_scaled"])


def test_new_vertices_sample_the_maps_between_those_around_them(model, copy, tolerance):
    moved, of = copy
    before, after = model.tensors(), moved.tensors()
    for number in range(3):
        old, new = (slice(*tensors["segments.offset"][number : number + 2]) for tensors in (before, after))
        place = np.full((len(of), 2), np.nan)
        place[before["segments.vertex"][old]] = before["segments.uv"][old]
        expected = place[of[after["segments.vertex"][new]]].mean(axis=1)
        inside = np.isfinite(expected[:, 0])
        assert inside.sum() > 2.5 * len(range(old.start, old.stop))
        np.testing.assert_allclose(
            after["segments.uv"][new][inside], expected[inside], atol=tolerance["float32_scaled"]
        )


def test_coarse_maps_that_blend_keep_their_weights(model, tolerance):
    """The upper map grows into the lower rows and fades there; a subdivided copy moves as the face does."""
    rig = MappedFace()
    tensors = model.tensors()
    uvs = rig.surface.uvs.astype(np.float64)
    share = np.clip((uvs[:SHEET, 1] - 0.2) / 0.4, 0.0, 1.0).astype(np.float32)
    maps = []
    for seed, weights in ((1, share), (2, 1.0 - share)):
        own = np.flatnonzero(weights > 0.0)
        item = learned(own, uvs[own], np.arange(seed), seed)
        maps.append(replace(item, segment=replace(item.segment, weights=weights[own])))
    tooth = [RigidPart("tooth", np.arange(SHEET, len(rig.rest_vertices)), np.arange(SHEET)[::17][:10], 0.0)]
    kept = {name: tensors[name] for name in ("rest_vertices", "faces", "control_ranges")}
    kept |= {name: value for name, value in tensors.items() if name.startswith("surface.")}
    blended = _core.model_from_tensors(kept | map_tensors(maps, Layout([], tooth, [])), json.dumps(model.metadata))
    rest, faces, fine_uvs, of = subdivided(rig.rest_vertices, rig.faces, rig.surface.uvs)
    surface = Surface(uvs=fine_uvs.astype(np.float32), uv_faces=faces)
    after = transfer_face_maps(blended, rest.astype(np.float32), faces, surface=surface)
    moved, before = after.evaluate(POSES), blended.evaluate(POSES)
    np.testing.assert_allclose(moved[:, : before.shape[1]], before, atol=tolerance["float32_scaled"])
    total = np.zeros(len(of))
    np.add.at(total, after.tensors()["segments.vertex"], after.tensors()["segments.weight"])
    np.testing.assert_allclose(total[(of < SHEET).all(axis=1)], 1.0, atol=tolerance["float32"])


def test_rigid_parts_stay_rigid(model, copy, tolerance):
    moved, of = copy
    tooth = np.flatnonzero((of >= SHEET).all(axis=1))
    rest, posed = np.asarray(moved.rest_vertices)[tooth], moved.evaluate(POSES)[:, tooth]
    before = np.linalg.norm(rest[:, None] - rest[None], axis=2)
    for frame in posed:
        after = np.linalg.norm(frame[:, None] - frame[None], axis=2)
        np.testing.assert_allclose(after, before, atol=tolerance["float32_scaled"])


def test_vertices_off_the_texture_rest(model):
    rig = MappedFace()
    uvs = rig.surface.uvs.copy()
    uvs[:SIDE] += np.float32([0.0, -0.5])
    moved = transfer_face_maps(model, rig.rest_vertices, rig.faces, surface=Surface(uvs=uvs, uv_faces=rig.faces))
    np.testing.assert_array_equal(moved.evaluate(POSES)[:, :SIDE], np.tile(rig.rest_vertices[:SIDE], (4, 1, 1)))


def test_a_mesh_of_the_upper_half_has_only_its_segments(model, tolerance):
    rig = MappedFace()
    upper = np.arange(SIDE * (SIDE // 2), SHEET)
    faces = rig.faces[(rig.faces >= upper[0]).all(axis=1) & (rig.faces < SHEET).all(axis=1)] - upper[0]
    surface = Surface(uvs=rig.surface.uvs[upper], uv_faces=faces)
    moved = transfer_face_maps(model, rig.rest_vertices[upper], faces, surface=surface)
    assert moved.tensors()["segments.level"].tolist() == [0, 1]
    np.testing.assert_allclose(moved.evaluate(POSES), model.evaluate(POSES)[:, upper], atol=tolerance["float32_scaled"])


def test_a_mesh_elsewhere_on_the_texture_is_refused(model):
    rig = MappedFace()
    surface = Surface(uvs=rig.surface.uvs + np.float32([5.0, 0.0]), uv_faces=rig.faces)
    with pytest.raises(ValueError, match="transfer_face_maps: surface is of 177 vertices none of which"):
        transfer_face_maps(model, rig.rest_vertices, rig.faces, surface=surface)


def test_a_mesh_without_texture_is_refused(model):
    rig = MappedFace()
    with pytest.raises(ValueError, match="transfer_face_maps: surface is without texture coordinates"):
        transfer_face_maps(model, rig.rest_vertices, rig.faces, surface=Surface())


def test_another_kind_of_model_is_refused():
    rig = MappedFace()
    with pytest.raises(ValueError, match="transfer_face_maps: model is of kind 'blendshape'"):
        transfer_face_maps(rc.faces.example(), rig.rest_vertices, rig.faces, surface=rig.surface)
