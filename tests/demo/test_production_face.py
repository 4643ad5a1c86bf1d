"""The production face: its controls, its clips, and the file that Blender evaluates against a NumPy rig."""

from __future__ import annotations

import numpy as np
import pytest

from examples.characters.production_face import (
    constructed_clips,
    controls,
    training_rows,
    uniform_rows,
)
from examples.characters.production_face import performance_clips as read_performance
from examples.characters.production_face.bones import make_bones
from examples.characters.production_face.controls import curve_table
from examples.characters.production_face.expressions import LONGEST, dials_of, driver_of, late, tent, value
from examples.characters.production_face.head import load_head
from examples.characters.production_face.recipe import all_shapes
from examples.characters.production_face.regions import Regions
from rigcast._formats.blender import BlenderRig
from rigcast.faces import compskin_combinations
from tests.demo.published import write_compskin

NAMES = [row.name for row in controls()]
REST = {row.name: row.rest for row in controls()}


class NumPyFace:
    """The rig without corrective smooth: shapes, then skinning."""

    def __init__(self, folder):
        self.head = load_head(folder)
        self.regions = Regions(self.head)
        self.bones = make_bones(self.regions)
        self.shapes = all_shapes(self.regions, self.bones)

    def activations(self, dials):
        return np.array([float(np.clip(value(shape.expression, dials), 0, 1)) for shape in self.shapes])

    def drivers(self, dials):
        return np.array([float(value(expression, dials)) for expression in self.bones.drivers.values()])

    def vertices(self, dials):
        points = self.head.vertices.copy()
        for shape, amount in zip(self.shapes, self.activations(dials), strict=True):
            points += amount * shape.delta
        matrix, shift = self.bones.transforms(dials)
        return np.einsum("vij,vj->vi", matrix, points) + shift


@pytest.fixture(scope="module")
def face(assets):
    return NumPyFace(assets)


@pytest.fixture(scope="module")
def rig(production_face):
    with BlenderRig.open(production_face) as opened:
        yield opened


def row_of(dials):
    return np.array([{**REST, **dials}[name] for name in NAMES])


def row_and_dials(seed):
    row = np.random.default_rng(seed).uniform(0, 1, len(NAMES))
    return row, dict(zip(NAMES, row, strict=True))


def test_there_are_about_150_controls():
    assert len(NAMES) == 154


def test_the_names_of_the_controls_are_unique():
    assert len(set(NAMES)) == len(NAMES)


def test_all_arkit_shapes_are_controls(face):
    assert len(face.head.shapes) == 52
    assert set(face.head.shapes) <= set(NAMES)


def test_each_published_curve_has_a_control_of_its_own():
    table = curve_table()
    assert sorted(table) == sorted(compskin_combinations().controls)
    assert len(set(table.values())) == 72
    assert set(table.values()) <= set(NAMES)


def test_a_tent_peaks_between_its_ends():
    x = np.array([0.1, 0.25, 0.375, 0.5, 0.75, 1.0])
    np.testing.assert_allclose(value(tent("{a}", 0.25, 0.5, 1.0), {"a": x}), [0, 0, 0.5, 1, 0.5, 0])


def test_a_late_driver_is_flat_before_its_threshold():
    np.testing.assert_array_equal(value(late("{a}", 0.5), {"a": np.array([0.0, 0.5, 1.0])}), [0, 0, 1])


def test_every_driver_fits_into_blender(face):
    expressions = [shape.expression for shape in face.shapes] + list(face.bones.drivers.values())
    assert max(len(driver_of(expression)[0]) for expression in expressions) <= LONGEST
    assert {dial for expression in expressions for dial in dials_of(expression)} <= set(NAMES)


def test_every_control_moves_something(face):
    """In company of all others, a little: some control acts only where others do."""
    base = dict.fromkeys(NAMES, 0.2)
    effects = [(shape.expression, np.abs(shape.delta).max() / 2e-4) for shape in face.shapes]
    effects += [(expression, 1 / 1e-3) for expression in face.bones.drivers.values()]

    def moves(name):
        low, high = base | {name: 0.0}, base | {name: 1.0}
        read = [effect for effect in effects if name in dials_of(effect[0])]
        return any(abs(value(text, high) - value(text, low)) * reach > 1 for text, reach in read)

    assert not [name for name in NAMES if not moves(name)], "by 0.2 mm, or 0.06 degrees of a bone"


def test_each_part_has_its_uvs_inside_one_tile(face):
    head = face.head
    for number in range(len(head.part_names)):
        own = head.face_parts == number
        tiles = np.floor(head.uvs[own, :, 0][head.faces[own] >= 0])
        assert np.ptp(tiles) == 0


def test_the_mesh_is_a_manifold(face):
    edges = np.concatenate(
        [[(a, b) for a, b in zip(f, np.roll(f, -1), strict=True)] for f in (row[row >= 0] for row in face.head.faces)]
    )
    _, counts = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)
    assert counts.max() == 2


def test_the_weights_of_every_vertex_add_up_to_one(face, tolerance):
    np.testing.assert_allclose(face.bones.weights.sum(axis=1), 1.0, atol=tolerance["float64"])


def test_shapes_reach_what_the_assets_sculpted(face, tolerance):
    """The jaw turns on an arc; with its shape it ends where jawOpen was sculpted."""
    skin = face.head.part("skin")
    wanted = (face.head.vertices + face.head.shapes["jawOpen"])[skin]
    dials = {**REST, "jawOpen": 1.0}
    late_ones = [
        shape for shape in face.shapes if shape.name.startswith(("fold", "flesh")) and "jawOpen" in shape.expression
    ]
    extra = sum(value(shape.expression, dials) * shape.delta for shape in late_ones)
    matrix, _ = face.bones.transforms(dials)
    got = (face.vertices(dials) - np.einsum("vij,vj->vi", matrix, extra))[skin]
    np.testing.assert_allclose(got, wanted, atol=tolerance["float32_scaled"])


@pytest.mark.parametrize(("wrinkle", "dial"), [("foreheadInnerLeft", "browInnerUp"), ("noseRight", "noseSneerRight")])
def test_a_wrinkle_is_absent_half_way(face, wrinkle, dial):
    shape = next(shape for shape in face.shapes if shape.name == f"wrinkle.{wrinkle}")
    assert value(shape.expression, {dial: 0.5}) == 0.0
    assert value(shape.expression, {dial: 1.0}) == 1.0
    assert np.abs(shape.delta).max() > 5e-4, "meters"


def test_sticky_lips_part_from_the_middle(face):
    seal = {shape.name: shape.expression for shape in face.shapes if shape.name.startswith("seal.LowerLeft")}
    dials = {"jawOpen": 0.4, "lipsStickyLeft": 1.0}
    assert value(seal["seal.LowerLeftMiddle"], dials) == 0.0
    assert value(seal["seal.LowerLeftCorner"], dials) == pytest.approx(0.4)


def test_an_upper_lid_follows_the_eye_unless_its_dial_is_off(face):
    driver = face.bones.drivers["lid.Upper.Left", "rotation", 0]
    assert value(driver, {"eyeLookDownLeft": 1.0, "lidFollowLeft": 1.0}) > 0.3
    assert value(driver, {"eyeLookDownLeft": 1.0, "lidFollowLeft": 0.0}) == 0.0


def test_combinations_are_as_large_as_shapes(face):
    """Millimeters, not the tenths that a linear method absorbs."""
    sizes = [np.linalg.norm(s.delta, axis=1).max() for s in face.shapes if s.name.startswith("combination")]
    assert len(sizes) > 150
    assert np.percentile(sizes, 75) > 0.002


def test_constructed_shapes_are_labelled(face):
    sculpted = {shape.name for shape in face.shapes if not shape.constructed}
    allowed = {name + side for name in face.head.shapes for side in ("", "Left", "Right")}
    allowed |= {f"mouthFunnel{part}{side}" for part in ("Upper", "Lower") for side in ("Left", "Right")}
    assert sculpted <= allowed


def test_the_inputs_are_the_dials_alone(rig):
    assert rig.channel_names == [f"face.{name}" for name in NAMES]
    assert rig.dial_names == rig.channel_names
    np.testing.assert_allclose(rig.channel_rest, list(REST.values()))


def test_the_rest_pose_is_the_neutral(rig, face, tolerance):
    _, vertices = rig.sample(rig.channel_rest[None])
    np.testing.assert_allclose(vertices[0], face.head.vertices, atol=tolerance["float64_converged"])


@pytest.mark.parametrize("part", ["teeth", "eye", "tongue"])
def test_unsmoothed_parts_are_where_numpy_has_them(rig, face, part, tolerance):
    row, dials = row_and_dials(3)
    own = face.head.part(part)
    _, vertices = rig.sample(row[None])
    np.testing.assert_allclose(vertices[0, own], face.vertices(dials)[own], atol=tolerance["float32_sum"])


def test_corrective_smooth_acts_on_the_skin(rig, face):
    dials = {**REST, "jawOpen": 1.0, "mouthSmileLeft": 1.0}
    skin = face.head.part("skin")
    _, vertices = rig.sample(row_of(dials)[None])
    gap = np.linalg.norm(vertices[0, skin] - face.vertices(dials)[skin], axis=1)
    assert 2e-4 < gap.max() < 6e-3, "meters"


def test_lower_teeth_ride_on_the_jaw_rigidly(rig, face, tolerance):
    teeth = face.head.part("teethLower")
    row, _ = row_and_dials(4)
    _, vertices = rig.sample(row[None])
    before, after = face.head.vertices[teeth], vertices[0, teeth].astype(np.float64)
    a, b = before - before.mean(axis=0), after - after.mean(axis=0)
    u, _, vt = np.linalg.svd(a.T @ b)
    turn = u @ np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ vt))]) @ vt
    assert np.linalg.norm(after - before, axis=1).min() > 1e-3, "they move"
    np.testing.assert_allclose(a @ turn, b, atol=tolerance["float64_converged"])


def test_a_constructed_clip_is_an_action_of_the_file(rig, tolerance):
    clip = constructed_clips()[0]
    np.testing.assert_allclose(rig.action(clip.name).channels, clip.rows, atol=tolerance["float64_converged"])


def test_two_constructed_clips_are_held_out():
    assert [clip.judged for clip in constructed_clips()] == [False] * 6 + [True] * 2


def test_constructed_clips_move_every_control_without_a_curve():
    moving = np.ptp(np.concatenate([clip.rows for clip in constructed_clips() if not clip.judged]), axis=0) > 0
    assert not [row.name for row, moves in zip(controls(), moving, strict=True) if not row.curve and not moves]


def test_the_performance_is_judged_and_the_rest_is_trained_on(tmp_path, tolerance):
    columns = np.random.default_rng(0).uniform(-0.1, 1.0, (1000, 253)).astype(np.float32)
    clips = read_performance(write_compskin(tmp_path, columns))
    assert [(clip.judged, len(clip.rows)) for clip in clips] == [(True, 200), (False, 771), (False, 29)]
    jaw = columns[:200, compskin_combinations().controls.index("jawDrop")]
    np.testing.assert_allclose(clips[0].rows[:, NAMES.index("jawOpen")], np.clip(jaw, 0, 1), atol=tolerance["printed"])


def test_training_rows_stay_in_the_ranges():
    rows, clipped = training_rows(constructed_clips(), 500)
    assert rows.min() >= 0.0
    assert rows.max() <= 1.0
    assert 0.0 < clipped < 0.5


def test_training_rows_never_show_a_judged_clip():
    clips = constructed_clips()
    changed = [c if not c.judged else type(c)(c.name, np.ones_like(c.rows), True, True) for c in clips]
    np.testing.assert_array_equal(training_rows(clips, 50)[0], training_rows(changed, 50)[0])


def test_uniform_rows_fill_the_ranges():
    rows = uniform_rows(400)
    assert rows.min() < 0.01
    assert rows.max() > 0.99
