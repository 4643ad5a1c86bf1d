"""What the writers of this package write, its readers read: every writer with every kind of thing that it takes."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

import rigcast as rc
from rigcast._rigs.motions.shot import TO_Y_UP
from rigcast.exports import write_blendshape_weights, write_rig, write_vertices
from rigcast.exports._rigs import WRITERS as RIGS
from rigcast.exports._vertices import SUFFIXES as VERTICES
from rigcast.exports._weights import WRITERS as WEIGHTS
from tests.support.blender import has_blender
from tests.support.characters.small_rig import small_rig
from tests.support.made.blendshapes import random_arrays

FPS = 25.0
QUADS = np.int32([[0, 1, 2, 3], [4, 5, 6, -1], [7, 8, 9, 10], [3, 2, 11, -1]])
NAMES = ["jawOpen", "smile_L", "Grüße", "a * b", "x@0.5", "brow", "rest"]
SCRIPT = ".py"  # runs in Blender, where tests/exports/test_blender.py runs it
NEEDS = {".usd": "pxr", ".usda": "pxr", ".usdc": "pxr"}
BLENDER = (".blend", ".abc")


def face(correctives=True, faces=QUADS, vertices=30, shapes=7, bounds=(0.0, 1.0), storage="float32", **about):
    neutral, deltas, combinations = random_arrays(vertices, shapes)
    named = {"combination_names": ["fix", "fix", "lips", "four", "half", "late", "both"]} if correctives else {}
    return rc.BlendshapeRig(
        neutral,
        deltas,
        combinations if correctives else (),
        NAMES[:shapes],
        bounds,
        faces,
        storage=storage,
        metadata={"name": "my face", "licence": "CC0-1.0", **named, **about},
    )


FACES = {
    "linear": {"correctives": False},
    "correctives": {},
    "without faces": {"faces": None},
    "triangles": {"faces": QUADS[:, :3]},
    "in centimeters, z up": {"meters_per_unit": 0.01, "up_axis": "Z"},
    "x up": {"up_axis": "X"},
    "signed": {"bounds": [(-1.0, 1.0), (-0.5, 0.25), *[(0.0, 2.0)] * 5]},
    "16 bits": {"storage": "int16"},
    "constructed": {"constructed": ["fix", "smile_L"]},
    "one shape": {"shapes": 5, "correctives": False},
    "without a name": {"name": "", "licence": ""},
}


def available(ending):
    """Skips, visibly, where the package of a format is missing."""
    if ending in BLENDER:
        if not has_blender():
            pytest.skip("no Blender is installed")
    elif (package := NEEDS.get(ending)) and importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")


def in_meters(vertices, rig):
    return rig.meters_per_unit * vertices @ TO_Y_UP[rig.up_axis].T


def poses(rig, count=6):
    """Weights inside the bounds, most of them not 0."""
    low, high = rig.bounds.T
    return (low + (high - low) * np.random.default_rng(1).random((count, rig.num_shapes))).astype(np.float32)


@pytest.mark.parametrize("kind", FACES)
@pytest.mark.parametrize("ending", sorted(set(RIGS) - {".blend"}))
def test_a_face_comes_back_as_a_face_and_as_a_rig(ending, kind, tmp_path, tolerance):
    rig = face(**FACES[kind])
    path = tmp_path / f"face{ending}"
    write_rig(path, rig)
    again, sampled = rc.sources.load_blendshapes(path), rc.sources.load(path)
    assert (again.column_names, again.combinations) == (rig.column_names, rig.combinations)
    assert (again.shape_names, list(again.constructed)) == (rig.shape_names, list(rig.constructed))
    np.testing.assert_array_equal(again.bounds, rig.bounds)
    assert (sampled.dial_names, sampled.channel_names) == (rig.shape_names, rig.shape_names)
    np.testing.assert_allclose(sampled.channel_ranges, rig.bounds)
    weights = poses(rig)
    expected = in_meters(rig.evaluate(weights), rig)
    for found, back in ((again.evaluate(weights), again), (sampled.sample(weights)[1], sampled)):
        np.testing.assert_allclose(in_meters(found, back), expected, atol=tolerance["float32_scaled"])
    assert len(again.faces) == len(rig.faces) or ending == ".glb"


@pytest.mark.parametrize("kind", ["linear", "correctives", "without faces", "in centimeters, z up"])
@pytest.mark.parametrize("moving", [False, True], ids=["still head", "moving head"])
@pytest.mark.parametrize("ending", sorted(set(WEIGHTS) - {".blend", SCRIPT}))
def test_weights_come_back(ending, moving, kind, tmp_path, tolerance):
    available(ending)
    rig = face(**FACES[kind])
    weights = poses(rig, 30)  # more than a second: a Live Link file tells its rate by its timecodes
    head = np.tile(np.eye(3, 4), (len(weights), 1, 1)) if moving else None
    if head is not None:
        head[:, 0, 3] = np.arange(len(weights))
    path = tmp_path / f"w{ending}"
    write_blendshape_weights(path, rig, weights, fps=FPS, transforms=head)
    found, fps = rc.sources.load_blendshape_weights(path, rig)
    assert fps == pytest.approx(FPS)
    np.testing.assert_allclose(found, weights, atol=tolerance["float32"])


@pytest.mark.parametrize("moving", [False, True], ids=["still head", "moving head"])
def test_a_delivered_glb_is_sampled_as_it_plays(moving, tmp_path, tolerance):
    rig = face(meters_per_unit=0.01, up_axis="Z")
    weights = poses(rig)
    head = np.tile(np.eye(3, 4), (len(weights), 1, 1)) if moving else None
    if head is not None:
        head[:, 2, 3] = np.arange(len(weights))
    write_blendshape_weights(tmp_path / "w.glb", rig, weights, fps=FPS, transforms=head)
    opened = rc.sources.load(tmp_path / "w.glb")
    dials = rc.sources.dials_only(opened)
    assert (dials.channel_names, bool(dials.held)) == (rig.shape_names, moving)
    expected = rig.evaluate(weights)
    still = dials.sample(weights)[1]
    np.testing.assert_allclose(still, in_meters(expected, rig), atol=tolerance["float32_scaled"])
    if head is not None:
        expected = expected @ np.swapaxes(head[..., :3], 1, 2) + head[:, None, :, 3]
    played = opened.played("weights", FPS)[1]
    np.testing.assert_allclose(played, in_meters(expected, rig), atol=tolerance["float32_scaled"])


def test_parts_of_a_face_are_one_rig(tmp_path, tolerance):
    """Each part is a mesh of its own in .glb; vertices of no part, and without faces, are one, too."""
    from rigcast._formats.gltf.write import write_glb

    rig = face()
    owner = np.repeat([0, 1, -1], [7, 11, 12]).astype(np.int32)
    weights = poses(rig)
    surface = rc.sources.Surface(parts=["skin", "teeth"], vertex_parts=owner)
    write_glb(tmp_path / "parts.glb", rig, weights, FPS, surface=surface)
    again, sampled = rc.sources.load_blendshapes(tmp_path / "parts.glb"), rc.sources.load(tmp_path / "parts.glb")
    assert again.combinations == rig.combinations
    assert sampled.dial_names == rig.shape_names
    np.testing.assert_allclose(sampled.sample(weights)[1], again.evaluate(weights), atol=tolerance["float32_scaled"])
    places = np.concatenate([np.flatnonzero(owner == part) for part in (0, 1, -1)])
    found = {tuple(np.round(vertex, 4)) for vertex in again.rest_vertices.tolist()}
    assert found == {tuple(np.round(vertex, 4)) for vertex in rig.rest_vertices[places].tolist()}


MOTIONS = {
    "quads": (5, QUADS),
    "triangles": (5, QUADS[:, :3]),
    "without faces": (5, None),
    "one frame": (1, QUADS),
}


@pytest.mark.parametrize("kind", MOTIONS)
@pytest.mark.parametrize("ending", sorted(set(VERTICES) - set(BLENDER)))
def test_a_moving_mesh_comes_back(ending, kind, tmp_path, tolerance):
    available(ending)
    frames, faces = MOTIONS[kind]
    moving = np.random.default_rng(2).standard_normal((frames, 12, 3)).astype(np.float32)
    path = tmp_path / f"m{ending}"
    write_vertices(path, moving, faces, fps=FPS, max_error=1e-5, name="creature")
    shot = rc.sources.load_shot(path)
    np.testing.assert_allclose(shot.vertices, moving, atol=tolerance["float32_sum"])  # and max_error of .glb
    stated = ending not in (".npy", ".pc2", ".mdd")
    assert shot.faces is None or faces is None or not stated or len(shot.faces) >= len(faces)


def test_a_rig_of_joints_and_morphs_comes_back(tmp_path):
    rig = small_rig()
    rc.sources.save_npz_rig(tmp_path / "rig.npz", rig)
    again = rc.sources.load(tmp_path / "rig.npz")
    channels = np.random.default_rng(3).uniform(*rig.channel_ranges.T, (6, len(rig.channel_names)))
    for one, other in zip(again.sample(channels), rig.sample(channels), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("kind", ["correctives", "without faces", "in centimeters, z up"])
def test_a_face_comes_back_from_blender(kind, tmp_path, tolerance):
    available(".blend")
    rig = face(**FACES[kind])
    write_rig(tmp_path / "face.blend", rig)
    again = rc.sources.load_blendshapes(tmp_path / "face.blend")
    assert again.shape_names == rig.shape_names
    weights = poses(rig)
    found, expected = in_meters(again.evaluate(weights), again), in_meters(rig.evaluate(weights), rig)
    np.testing.assert_allclose(found, expected, atol=tolerance["float32_scaled"])
