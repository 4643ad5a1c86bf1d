"""Files for engines, played by the specification alone, miss a model by what they state."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import rigcast as rc
from rigcast._rigs.rotations import euler_to_matrix
from rigcast.exports import Playback, approximate, write_approximation
from rigcast.exports import _residual_shapes as shapes
from rigcast.exports._engine_bones import own_joints
from tests.exports.played_file import played, read_back
from tests.support.made.skinning import bumpy_tube

FPS = 24.0
UNIT = 0.1  # meters
PRINTED = 0.01  # three digits of a note


@functools.cache
def hose():
    """A tube by dual quaternions, which linear skinning thins where it twists, z up in decimeters."""
    about = {"meters_per_unit": UNIT, "up_axis": "Z", "name": "hose", "licence": "CC0"}
    return bumpy_tube(rc.DualQuaternionSkinning, metadata=about)


@functools.cache
def twisted(frames=20, phase=0.0):
    """Poses that twist the hose by up to 150 degrees and bend it."""
    model, t = hose(), np.linspace(phase, phase + 5, frames)
    angles = np.stack([40 * np.sin(t), 150 * np.sin(1.4 * t), 30 * np.cos(t)], axis=1)
    poses = np.tile(model.skeleton.rest, (frames, 1, 1, 1))
    for joint, share in ((1, 1.0), (2, 0.5)):
        poses[:, joint, :, :3] = euler_to_matrix(share * angles, "XYZ")
    return poses.reshape(frames, -1)


@functools.cache
def face():
    return rc.faces.example()


def talking(frames=3):
    weights = np.zeros((frames, face().num_shapes), np.float32)
    weights[:, :4] = np.abs(np.sin(np.linspace(0, 6, frames)[:, None] * [1, 1.7, 0.6, 2.1]))
    return weights


def in_the_file(vertices):
    """Vertices in meters, y up."""
    return UNIT * vertices.astype(np.float64)[..., [0, 2, 1]] * [1, 1, -1]


def gaps_of(path, truths, fps=FPS):
    """Distances in millimeters of a played file from the vertices of each clip."""
    file = read_back(path)
    parts = [
        np.linalg.norm(played(file, clip, np.arange(len(truth)) / fps) - truth, axis=2)
        for clip, truth in truths.items()
    ]
    return 1e3 * np.concatenate(parts)


def check_stated(miss, gaps):
    """Stated figures against the distances that the oracle found."""
    found = [gaps.mean(), np.percentile(gaps, 99.9), gaps.max()]
    stated = [miss.mean, miss.p999, miss.worst]
    np.testing.assert_allclose(stated, found, rtol=1e-3, atol=1e-3)  # a micrometer: keys in float32


@pytest.mark.parametrize("bones", [None, 5])
def test_the_file_misses_by_what_it_states(bones, tmp_path):
    clips = {"one": twisted(), "two": twisted(9, 3.0)}
    made = approximate({n: Playback(hose(), p) for n, p in clips.items()}, FPS, shapes=6, bones=bones)
    notes = write_approximation(tmp_path / "hose.glb", made)
    gaps = gaps_of(tmp_path / "hose.glb", {n: in_the_file(hose().evaluate(p)) for n, p in clips.items()})
    check_stated(made.miss, gaps)
    assert f"{made.miss.worst:.3g} mm at most: the error on the fitted frames (fitted to 29 frames" in notes_of(notes)
    said = read_back(tmp_path / "hose.glb").json["asset"]["extras"]["rigcast"]
    assert (said["worst_mm"], said["shapes"], said["frames"], said["held_out"]) == (made.miss.worst, 6, 29, False)
    assert said["linear_skinning"]["worst_mm"] == made.linear.worst
    assert said["curve"][-1] == made.curve[-1].figures()
    assert f"hose.glb: {(tmp_path / 'hose.glb').stat().st_size / 1e3:.3g} kB" in notes_of(notes)


def notes_of(notes):
    return "\n".join(notes)


def test_shapes_take_what_linear_skinning_misses():
    motion = Playback(hose(), twisted())
    made = approximate(motion, FPS, shapes=8)
    assert made.linear.worst > 20.0  # of a tube 60 mm wide: linear skinning fails
    errors = [entry.miss.mean for entry in made.curve]
    assert [entry.shapes for entry in made.curve] == [0, 1, 2, 4, 8]
    assert errors == sorted(errors, reverse=True)
    assert made.miss.mean < 0.1 * made.linear.mean
    assert made.miss.worst < 0.1 * made.linear.worst


def test_turns_of_shapes_and_amounts_take_more_than_components():
    """The best shapes of a vertex, where joints carry it by less than a rotation, are not those of its residual."""
    posed = frames_of(twisted())
    components = shapes.residual_components(posed, 3, 1)
    before = posed.amounts(components, 1)[1]
    after = posed.amounts(shapes.refined(posed, components, 1), 1)[1]
    assert after < 0.98 * before


def test_shapes_are_the_least_squares_of_each_vertex():
    posed = frames_of(twisted(9))
    amounts = np.random.default_rng(0).standard_normal((9, 2))
    deltas = shapes._best_deltas(posed, amounts, 1)
    linear = posed.blended(slice(None))[..., :3].astype(np.float64)
    missed = posed.truth - posed.played(deltas[:0], np.zeros((9, 0)))
    for vertex in (0, 40, 103):
        columns = np.einsum("tij,tk->tikj", linear[:, vertex], amounts).reshape(27, 6)
        wanted = np.linalg.lstsq(columns, missed[:, vertex].reshape(-1), rcond=None)[0]
        np.testing.assert_allclose(deltas[:, vertex].reshape(-1), wanted, atol=1e-5)  # of float32


def frames_of(poses):
    vertices = hose().evaluate(poses)
    skeleton = own_joints(hose(), poses, vertices, 1)
    return shapes.PosedFrames.of(skeleton.rig, skeleton.local(poses, vertices), vertices)


def test_amounts_are_the_least_squares_of_each_frame():
    posed = frames_of(twisted(5))
    deltas = np.random.default_rng(0).standard_normal((3, *posed.rest.shape)).astype(np.float32)
    amounts, left = posed.amounts(deltas, 1)
    linear = posed.blended(slice(None))[..., :3].astype(np.float64)
    for frame in range(5):
        columns = np.einsum("vij,kvj->vik", linear[frame], deltas[1:]).reshape(-1, 2)
        missed = (posed.truth[frame] - posed.played(deltas[:1], np.ones((5, 1)))[frame]).reshape(-1)
        wanted = np.linalg.lstsq(columns, missed, rcond=None)[0]
        np.testing.assert_allclose(amounts[frame], [1.0, *wanted], atol=1e-4)  # float32 sums
    squares = np.square(posed.truth - posed.played(deltas, amounts), dtype=np.float64).sum()
    assert left == pytest.approx(squares, rel=1e-4)  # float32 positions


def test_no_shapes_are_linear_skinning(tmp_path):
    motion = Playback(hose(), twisted())
    made = approximate(motion, FPS, shapes=0)
    assert made.miss == made.linear == made.curve[0].miss
    write_approximation(tmp_path / "plain.glb", made)
    file = read_back(tmp_path / "plain.glb")
    assert "targets" not in file.json["meshes"][0]["primitives"][0]
    check_stated(made.linear, gaps_of(tmp_path / "plain.glb", {"motion": in_the_file(hose().evaluate(twisted()))}))


def test_the_curve_says_how_large_shapes_are(tmp_path):
    sizes = []
    made = approximate(Playback(hose(), twisted()), FPS, shapes=4)
    plain = approximate(Playback(hose(), twisted()), FPS, shapes=0)
    for one in (plain, made):
        write_approximation(tmp_path / "hose.glb", one)
        sizes.append(read_back(tmp_path / "hose.glb").json["buffers"][0]["byteLength"])
    assert made.curve[-1].bytes == pytest.approx(sizes[1] - sizes[0], abs=4 * 9)  # views begin at multiples of four


def test_the_rest_pose_is_the_models_and_amounts_need_no_clamping():
    made = approximate(Playback(hose(), twisted()), FPS, shapes=4)
    np.testing.assert_array_equal(made.motion.rig.rest_vertices, hose().rest_vertices)
    amounts = made.motion.amounts
    assert (amounts[:, 0] == 1).all()
    np.testing.assert_array_equal([amounts[:, 1:].min(axis=0), amounts[:, 1:].max(axis=0)], [[0.0] * 3, [1.0] * 3])


def test_other_frames_make_a_held_out_error(tmp_path):
    clip, others = Playback(hose(), twisted(12, 3.0)), Playback(hose(), twisted(40))
    made = approximate(clip, FPS, shapes=5, fit_on=others)
    fitted = approximate(clip, FPS, shapes=5)
    assert (made.held_out, made.fitted_to) == (True, "40 other frames")
    assert made.miss.mean > fitted.miss.mean
    assert made.miss.mean < 0.5 * made.linear.mean
    notes = write_approximation(tmp_path / "held.glb", made)
    assert "the error on held-out frames (fitted to 40 other frames)" in notes_of(notes)
    check_stated(made.miss, gaps_of(tmp_path / "held.glb", {"motion": in_the_file(hose().evaluate(clip.poses))}))


def test_of_many_frames_some_are_fitted():
    made = approximate(Playback(hose(), twisted(40)), FPS, shapes=5, most_frames=10)
    assert made.fitted_to == "10 of 40 frames of these clips"
    assert len(made.motion) == 40
    assert any("the error on all frames, fitted ones among them" in note for note in made.notes)


def test_within_takes_the_fewest_shapes_or_says_that_none_do():
    motion = Playback(hose(), twisted())
    made = approximate(motion, FPS, within=2.0)
    tried = {entry.shapes: entry.miss for entry in made.curve}
    chosen = len(made.motion.rig.morphs)
    assert made.miss.within(2.0)
    assert not tried[chosen - 1].within(2.0)
    short = approximate(motion, FPS, within=1e-4, shapes=3)
    assert len(short.motion.rig.morphs) == 3
    assert "no number of shapes up to 3 is within 0.0001 mm" in short.notes
    assert len(approximate(motion, FPS, within=1e4).motion.rig.morphs) == 0


def test_a_face_without_joints_has_rigid_bones(tmp_path):
    motion = Playback(face(), talking())
    made = approximate(motion, FPS, bones=6, shapes=2)
    assert made.bones == "6 free rigid bones"
    write_approximation(tmp_path / "face.glb", made)
    truth = face().meters_per_unit * face().evaluate(talking()).astype(np.float64)
    assert face().up_axis == "Y"
    check_stated(made.miss, gaps_of(tmp_path / "face.glb", {"motion": truth}))


@pytest.mark.parametrize("form", ["glb", "usda"])
def test_the_own_reader_plays_it(form, tmp_path):
    if form == "usda":
        pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
    made = approximate({"one": Playback(hose(), twisted()), "two": Playback(hose(), twisted(9, 3.0))}, FPS, shapes=4)
    notes = write_approximation(tmp_path / f"hose.{form}", made)
    truth = made.motion.shown(slice(None)).astype(np.float64)
    if form == "glb":
        rig = rc.sources.load(tmp_path / "hose.glb")
        assert list(rig.clips) == ["one", "two"]
        found = np.concatenate([rig.sample_clip(clip)[1] for clip in rig.clips])
        truth = in_the_file(truth)
    else:
        found = rc.sources.load_shot(tmp_path / "hose.usda").vertices
        assert "clips follow each other: one 1 to 20, two 21 to 29" in notes_of(notes)
        assert "linear_skinning" in (tmp_path / "hose.usda").read_text()
    np.testing.assert_allclose(found, truth, atol=1e-5 * np.ptp(truth))


def test_the_same_bytes_for_any_number_of_threads(tmp_path):
    for threads in (1, 2):
        made = approximate(Playback(hose(), twisted()), FPS, shapes=4, threads=threads)
        write_approximation(tmp_path / f"{threads}.glb", made)
    assert (tmp_path / "1.glb").read_bytes() == (tmp_path / "2.glb").read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shapes": -1}, "shapes is -1; it must be a whole number from 0 to 256"),
        ({"shapes": 4.5}, "shapes is 4.5"),
        ({"within": 0.0}, "within is 0"),
        ({"within": float("nan")}, "within is nan"),
        ({"bones": 0}, "bones is 0; it must be a whole number from 1 to 104"),
        ({"bones": 105}, "bones is 105"),
        ({"most_frames": 0}, "most_frames is 0"),
        ({"fps": 0.0}, "fps is 0"),
        ({"fit_on": 3}, "fit_on is a int; it must be a Playback"),
    ],
)
def test_absurd_options_are_refused_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        approximate(Playback(hose(), twisted(3)), **options)


def test_wrong_clips_are_refused_by_name(tmp_path):
    motion = Playback(face(), talking())
    with pytest.raises(ValueError, match="approximate: bones is None for a blendshape model without joints"):
        approximate(motion)
    with pytest.raises(ValueError, match=r"approximate: clips\['b'\] is of another model"):
        approximate({"a": motion, "b": Playback(hose(), twisted(3))})
    with pytest.raises(ValueError, match="approximate: clips is empty"):
        approximate({})
    with pytest.raises(ValueError, match="approximate: fit_on is of another model"):
        approximate(motion, bones=2, fit_on=Playback(hose(), twisted(3)))
    made = approximate(motion, bones=2, shapes=1)
    with pytest.raises(ValueError, match=r"it must be a file that ends in \.glb"):
        write_approximation(tmp_path / "face.obj", made)
    with pytest.raises(ValueError, match="to_up_axis is 'W'; it must be X, Y or Z"):
        write_approximation(tmp_path / "face.glb", made, to_up_axis="W")
    with pytest.raises(ValueError, match="approximation is a Playback"):
        write_approximation(tmp_path / "face.glb", motion)
