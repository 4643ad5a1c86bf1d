"""The deformer: the bytes of the package's own evaluation, blended and placed as Maya asks."""

from __future__ import annotations

import gc
import os
import weakref

import numpy as np
import pytest

import rigcast as rc
from tests.conftest import TOLERANCES
from tests.maya import fake_maya
from tests.support.characters.exact_arm import QUARTER, arm, exact_pose, in_scene, rest_of, turn, worlds
from tests.support.made.kinds import KINDS, MAKERS, poses_of

pytest.importorskip("rigcast_runtime", reason="the C library is not built", exc_type=ImportError)

CENTIMETER = 0.01


@pytest.fixture
def node(plugin, monkeypatch):
    monkeypatch.setattr(fake_maya.MGlobal, "said", [])
    monkeypatch.setattr(fake_maya.MGlobal, "y_up", True)
    return plugin[1]()


@pytest.fixture
def model(tmp_path):
    """In the space of a scene of Maya."""
    return arm(tmp_path / "arm.safetensors", up="Y", unit=CENTIMETER)


def matrices(model, pose, axes=None, up="Y"):
    """World matrices of a scene of Maya by joint."""
    placed = worlds(model, pose)
    placed[:, :3, :3] = turn(model, up) @ placed[:, :3, :3]
    placed[:, :3, 3] = in_scene(model, placed[:, :3, 3], CENTIMETER, up)
    if axes is not None:
        placed[:, :3, :3] = placed[:, :3, :3] @ axes
    return placed


def values(path, model, pose, /, **more):
    """The values of a node's attributes, arrays by index."""
    rest, now = matrices(model, rest_of(model)), matrices(model, pose)
    given = {
        "envelope": 1.0,
        "model": str(path),
        "part": "",
        "spaceMatrix": np.eye(4),
        "restMatrix": rest,
        "jointMatrix": now,
    }
    given |= more
    made = {}
    for name, value in given.items():
        array = name in ("restMatrix", "jointMatrix")
        matrix = name.endswith("Matrix")
        if array:
            made[name] = {index: fake_maya.MMatrix(row) for index, row in enumerate(value) if row is not None}
        else:
            made[name] = fake_maya.MMatrix(value) if matrix else value
    return made


def deformed(node, points, given, to_world=None):
    """The points after a deformation."""
    iterator = fake_maya.MItGeometry(points)
    matrix = fake_maya.MMatrix(np.eye(4) if to_world is None else to_world)
    node.deform(fake_maya.MDataBlock(given), iterator, matrix, 0)
    return iterator.points


def same(one, other):
    assert (one.dtype, one.tobytes()) == (other.dtype, other.tobytes())


@pytest.mark.parametrize("seed", range(3))
def test_points_have_the_bytes_of_the_package(node, model, tmp_path, seed):
    pose = exact_pose(model, seed)
    found = deformed(node, model.rest_vertices, values(tmp_path / "arm.safetensors", model, pose))
    same(found, model.evaluate(pose))
    assert fake_maya.MGlobal.said == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_model_deforms(node, tmp_path, kind):
    path = tmp_path / "model.safetensors"
    MAKERS[kind]().save(path)
    model = rc.load(path)
    count = 12 * (0 if model.skeleton is None else model.skeleton.num_joints)
    row = poses_of(model, 3)[2]
    if count:
        row[:count] = np.concatenate([exact_pose(model, 1)])
    given = {"model": str(path), "envelope": 1.0, "part": "", "control": dict(enumerate(row[count:].tolist()))}
    if count:
        given |= values(path, model, row[:count])
    found = deformed(node, in_scene(model, model.rest_vertices, CENTIMETER), given)
    expected = in_scene(model, model.evaluate(row), CENTIMETER)
    assert [text for text in fake_maya.MGlobal.said if "the model has" not in text] == []
    if not count:
        same(found, expected)
    else:  # joints of random rests are rounded
        assert np.abs(found - expected).max() < TOLERANCES["float32_scaled"] * np.abs(expected).max()


@pytest.mark.parametrize("y_up", [True, False])
def test_unit_and_up_axis_are_converted_and_said_once(node, tmp_path, y_up):
    fake_maya.MGlobal.y_up = y_up
    path, up = tmp_path / "arm.safetensors", "Y" if y_up else "Z"
    model = arm(path, up="X", unit=CENTIMETER * 4)
    pose = exact_pose(model, 3)
    given = values(path, model, pose, **{
        name: matrices(model, row, up=up) for name, row in (("restMatrix", rest_of(model)), ("jointMatrix", pose))
    })  # fmt: skip
    for _ in range(2):
        found = deformed(node, in_scene(model, model.rest_vertices, CENTIMETER, up), given)
        same(found, in_scene(model, model.evaluate(pose), CENTIMETER, up))
    assert ["points are converted (times 4)" in text for text in fake_maya.MGlobal.said] == [True]


def test_axes_that_an_importer_turned_are_turned_back(node, model, tmp_path):
    pose, axes = exact_pose(model, 5), np.array(QUARTER)
    turned = {name: matrices(model, row, axes) for name, row in (("restMatrix", rest_of(model)), ("jointMatrix", pose))}
    given = values(tmp_path / "arm.safetensors", model, pose, **turned)
    same(deformed(node, model.rest_vertices, given), model.evaluate(pose))


def placed(turned=0):
    """A transform that float32 holds exactly."""
    matrix = np.eye(4)
    matrix[:3, :3] = QUARTER[turned]
    matrix[:3, 3] = (2.0, -0.5, 4.0)
    return matrix


def test_a_mesh_that_stands_elsewhere_is_moved_in_its_own_coordinates(node, model, tmp_path):
    pose, to_world = exact_pose(model, 2), placed()
    own = (np.linalg.inv(to_world)[:3, :3] @ (model.rest_vertices - to_world[:3, 3]).T).T
    found = deformed(node, own, values(tmp_path / "arm.safetensors", model, pose), to_world)
    world = found @ to_world[:3, :3].T + to_world[:3, 3]
    assert np.abs(world - model.evaluate(pose)).max() < TOLERANCES["float32_scaled"]


def test_what_carries_the_character_is_no_pose(node, model, tmp_path):
    """Joints and mesh are carried; the points of the mesh stay as they were."""
    pose, carried = exact_pose(model, 2), placed(1)
    given = values(tmp_path / "arm.safetensors", model, pose, spaceMatrix=carried)
    given["jointMatrix"] = {i: fake_maya.MMatrix(carried @ row) for i, row in enumerate(matrices(model, pose))}
    found = deformed(node, model.rest_vertices, given, carried)
    assert np.abs(found - model.evaluate(pose)).max() < TOLERANCES["float32_scaled"]


def test_a_carrier_that_moved_before_the_first_evaluation_refuses_no_mesh(node, model, tmp_path):
    """The mesh does not hang below it, and its points are as they were bound."""
    pose, carried = exact_pose(model, 2), placed(1)
    given = values(tmp_path / "arm.safetensors", model, pose, spaceMatrix=carried)
    given["jointMatrix"] = {i: fake_maya.MMatrix(carried @ row) for i, row in enumerate(matrices(model, pose))}
    for _ in range(3):
        found = deformed(node, model.rest_vertices, given)
    shown = model.evaluate(pose) @ carried[:3, :3].T + carried[:3, 3]
    assert np.abs(found - shown).max() < 4 * TOLERANCES["float32_scaled"]
    assert not [said for said in fake_maya.MGlobal.said if "order" in said]


def test_envelope_and_painted_weights_blend_to_the_input(node, model, tmp_path):
    pose = exact_pose(model, 1)
    given = values(tmp_path / "arm.safetensors", model, pose, envelope=0.5)
    rest, moved = model.rest_vertices.astype(float), model.evaluate(pose).astype(float)
    same(deformed(node, rest, given), (rest + 0.5 * (moved - rest)).astype(np.float32))
    node.painted = {4: 0.25}
    found = deformed(node, rest, given | {"weightList": {0: {4: 0.25}}})
    share = np.where(np.arange(len(rest)) == 4, 0.125, 0.5)[:, None]
    same(found, (rest + share * (moved - rest)).astype(np.float32))


def test_without_a_model_or_envelope_nothing_moves(node, model, tmp_path):
    for more in ({"envelope": 0.0}, {"model": ""}):
        given = values(tmp_path / "arm.safetensors", model, exact_pose(model), **more)
        same(deformed(node, model.rest_vertices, given), np.array(model.rest_vertices))


@pytest.mark.parametrize(
    ("more", "points", "words"),
    [
        ({"model": "/nowhere/hero.safetensors"}, 33, "the model file /nowhere/hero.safetensors is not there"),
        ({}, 7, "the geometry has 7 points, the model 33 vertices"),
        ({"part": "hand"}, 33, "the model has no part 'hand'"),
        (
            {"jointMatrix": [np.eye(4), None, np.eye(4), np.eye(4)]},
            33,
            "jointMatrix[1], which is joint 'upper.L', has no value",
        ),
        ({"restMatrix": [np.eye(4)] * 4}, 33, "the skeleton at rest is not the model's: joint 'hand.L'"),
    ],
)
def test_what_is_wrong_is_said_once_and_the_mesh_stays(node, model, tmp_path, more, points, words):
    given = values(tmp_path / "arm.safetensors", model, exact_pose(model), **more)
    for _ in range(3):
        same(deformed(node, model.rest_vertices[:points], given), np.array(model.rest_vertices[:points]))
    (said,) = fake_maya.MGlobal.said
    assert said.startswith("rigcast: ")
    assert words in said


def test_a_mesh_in_another_order_is_refused(node, model, tmp_path):
    given = values(tmp_path / "arm.safetensors", model, exact_pose(model))
    for _ in range(3):  # as often as it is drawn
        assert np.array_equal(deformed(node, model.rest_vertices[::-1], given), model.rest_vertices[::-1])
    assert len(fake_maya.MGlobal.said) == 1
    assert "in another order" in fake_maya.MGlobal.said[0]


def test_a_new_file_is_read_and_a_deleted_node_frees_its_session(plugin, model, tmp_path):
    node, path, pose = plugin[1](), tmp_path / "arm.safetensors", exact_pose(model, 4)
    deformed(node, model.rest_vertices, values(path, model, pose))
    before = weakref.ref(node._state.session)
    os.utime(path, ns=(10**18, 10**18))
    same(deformed(node, model.rest_vertices, values(path, model, pose)), model.evaluate(pose))
    gc.collect()
    assert before() is None
    last = weakref.ref(node._state.session)
    del node
    gc.collect()
    assert last() is None


def test_the_attributes_of_the_node(plugin):
    assert fake_maya.MPxNode.affected == ["model", "part", "spaceMatrix", "jointMatrix", "restMatrix", "control"]
    assert fake_maya.Attribute.flags.arrays == {"jointMatrix", "restMatrix", "control"}
    assert fake_maya.Attribute.flags.files == {"model"}
    assert plugin[2] == fake_maya.MPxNode.kDeformerNode
