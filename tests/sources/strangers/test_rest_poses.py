"""Rest poses of motion that are none, turned, or others than the rig's."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast.sources import Joints, Motion, RigChannel, Skin, SkinnedRig, retarget

NAMES = [
    "Hips",
    "Spine",
    "Head",
    "LeftArm",
    "LeftForeArm",
    "LeftHand",
    "RightArm",
    "RightForeArm",
    "RightHand",
    "LeftUpLeg",
    "LeftLeg",
    "LeftFoot",
    "RightUpLeg",
    "RightLeg",
    "RightFoot",
]
PARENTS = np.array([-1, 0, 1, 1, 3, 4, 1, 6, 7, 0, 9, 10, 0, 12, 13], np.int32)
PLACES = np.array(
    [
        [0, 1, 0], [0, 1.4, 0], [0, 1.6, 0.03], [0.2, 1.4, 0], [0.5, 1.4, 0], [0.75, 1.4, 0], [-0.2, 1.4, 0],
        [-0.5, 1.4, 0], [-0.75, 1.4, 0], [0.1, 0.95, 0], [0.1, 0.5, 0], [0.1, 0.05, 0], [-0.1, 0.95, 0],
        [-0.1, 0.5, 0], [-0.1, 0.05, 0],
    ]
)  # fmt: skip


def about(axis, degrees):
    x, y, z = np.eye(3)["xyz".index(axis)]
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    a = np.radians(degrees)
    return np.eye(3) + np.sin(a) * skew + (1 - np.cos(a)) * skew @ skew


def a_pose(places, degrees=45.0):
    """Arms turned down."""
    result = places.copy()
    for first, sign in ((3, -1), (6, 1)):
        turn = about("z", sign * degrees)
        result[first : first + 3] = (places[first : first + 3] - places[first]) @ turn.T + places[first]
    return result


def joints(names, places, turn=None):
    turn = np.eye(3) if turn is None else turn
    placed = places @ turn.T
    shift = placed - np.where(PARENTS[:, None] >= 0, placed[np.maximum(PARENTS, 0)], 0.0)
    return Joints(list(names), PARENTS, np.concatenate([np.tile(np.eye(3), (15, 1, 1)), shift[:, :, None]], axis=2))


def rig_of(places):
    skeleton = joints(NAMES, places)
    points = (skeleton.rest_globals[:, None, :, 3] + 0.02 * np.eye(3)).reshape(-1, 3)
    channels = [RigChannel(f"{n}.{a}", f"rotate_{a}", j, -180, 180) for j, n in enumerate(NAMES) for a in "xyz"]
    skin = Skin(np.arange(15).repeat(3)[:, None], np.ones((45, 1)))
    return SkinnedRig(points, np.arange(45).reshape(-1, 3), skeleton, skin=skin, channels=channels)


def motion_of(names, places, turn=None, bends=True):
    """A motion that bends spine, an elbow and a knee in the axes of the figure at rest."""
    turn = np.eye(3) if turn is None else turn
    rest = joints(names, places, turn).rest
    local = np.tile(rest, (3, 1, 1, 1))
    for frame in range(3) if bends else ():
        for joint, axis, degrees in ((1, "x", 20.0), (4, "y", -30.0), (10, "x", 35.0)):
            local[frame, joint, :, :3] = turn @ about(axis, frame * degrees) @ turn.T
    return Motion(list(names), PARENTS, rest, local, 0.04)


def directions(world):
    places = world[..., 3]
    bones = places[:, 1:] - places[:, PARENTS[1:]]
    return bones / np.linalg.norm(bones, axis=-1, keepdims=True)


MINE = [f"thing{i:02d}" for i in range(15)]
UPRIGHT = {"y": np.eye(3), "z": about("x", 90.0), "x": about("z", -90.0)}


@pytest.mark.parametrize("degrees", [0, 10, 30, 45, 77, 90, 135, 180, -100])
@pytest.mark.parametrize("up", UPRIGHT)
@pytest.mark.parametrize("names", [NAMES, MINE], ids=["known", "unknown"])
def test_scenes_are_turned_by_any_angle(names, up, degrees):
    turn = UPRIGHT[up] @ about("y", degrees)
    made = retarget(motion_of(names, PLACES, turn), rig_of(PLACES), dict(zip(names, NAMES, strict=True)))
    expected = retarget(motion_of(NAMES, PLACES), rig_of(PLACES))
    np.testing.assert_allclose(made.channels, expected.channels, atol=1e-3)  # degrees, of the engine's float32
    assert made.channels[2, 3:6].round(3).tolist() == [40, 0, 0]


@pytest.mark.parametrize(("source", "target"), [("T", "A"), ("A", "T"), ("T", "T"), ("A", "A")])
@pytest.mark.parametrize("names", [NAMES, MINE], ids=["known", "unknown"])
def test_limbs_point_as_those_of_the_motion(names, source, target):
    figures = {"T": PLACES, "A": a_pose(PLACES)}
    motion, rig = motion_of(names, figures[source]), rig_of(figures[target])
    made = retarget(motion, rig, dict(zip(names, NAMES, strict=True)))
    wanted = directions(motion.globals())[:, 2:]
    got = directions(np.concatenate([np.zeros((3, 15, 3, 3)), made.positions[..., None]], axis=3))[:, 2:]
    ends = [i - 3 for i in (4, 5, 7, 8, 10, 11, 13, 14)]
    np.testing.assert_allclose(got[:, ends], wanted[:, ends], atol=1e-4)  # of the engine's float32
    said = any("limbs that rest in other directions are aligned" in line for line in made.lines())
    assert said is (source != target)


def stick():
    """Zero angles put all bones along x, as captures do that turn each joint's x axis along its bone."""
    rest = joints(NAMES, PLACES).rest.copy()
    world = np.tile(np.eye(3, 4), (15, 1, 1))
    world[:, :, 3] = PLACES
    children = {joint: [c for c in range(15) if PARENTS[c] == joint] for joint in range(15)}
    for joint in range(15):
        towards = PLACES[children[joint][0]] - PLACES[joint] if children[joint] else np.array([1.0, 0, 0])
        x = towards / np.linalg.norm(towards)
        z = np.cross(x, [0, 1, 0] if abs(x[1]) < 0.9 else [0, 0, 1])
        z /= np.linalg.norm(z)
        world[joint, :, :3] = np.stack([x, np.cross(z, x), z], axis=1)
    local = rest.copy()
    for joint in range(15):
        parent = np.eye(3, 4) if PARENTS[joint] < 0 else world[PARENTS[joint]]
        back = parent[:, :3].T
        local[joint] = np.concatenate([back @ world[joint, :, :3], (back @ (PLACES[joint] - parent[:, 3]))[:, None]], 1)
        rest[joint] = np.concatenate([np.eye(3), local[joint][:, 3:]], axis=1)
    return rest, local


@pytest.mark.parametrize("frame", [None, 1])
def test_a_stick_at_rest_is_no_figure(frame):
    rest, standing = stick()
    frames = np.stack([standing, standing, standing])
    frames[0, 4, :, :3] = standing[4, :, :3] @ about("z", 80)
    made = retarget(Motion(NAMES, PARENTS, rest, frames, 0.04), rig_of(PLACES), rest_frame=frame)
    assert made.rest_frame in (1, 2)
    np.testing.assert_allclose(made.positions[1], PLACES, atol=1e-4)  # of the engine's float32
    assert any("stands for its rest pose" in line for line in made.lines())


def test_without_a_standing_frame_a_rest_pose_is_asked_for():
    rest, standing = stick()
    curled = standing.copy()
    for joint in range(1, 15):
        curled[joint, :, :3] = standing[joint, :, :3] @ about("y", 100) @ about("x", 70)
    motion = Motion(NAMES, PARENTS, rest, np.stack([curled, curled]), 0.04)
    with pytest.raises(ValueError, match=r"whose rest pose is unlike the rig's .*--rest-frame N"):
        retarget(motion, rig_of(PLACES))
    assert retarget(motion, rig_of(PLACES), rest_frame=-1).rest_frame == -1


@pytest.mark.parametrize("frame", [3, -2, 99])
def test_a_rest_frame_must_be_there(frame):
    with pytest.raises(ValueError, match="rest_frame is"):
        retarget(motion_of(NAMES, PLACES), rig_of(PLACES), rest_frame=frame)


LEANING = {
    "one axis": about("x", 25),
    "two axes": about("x", 20) @ about("z", 15),
    "turned about the vertical": about("y", 70) @ about("x", 20) @ about("z", 15),
    "another up axis": about("x", 90) @ about("z", 25),
}


@pytest.mark.parametrize("turn", LEANING)
@pytest.mark.parametrize("figure", [PLACES, a_pose(PLACES)], ids=["T", "A"])
def test_a_figure_that_leans_at_rest_is_said(turn, figure):
    made = retarget(motion_of(NAMES, PLACES, LEANING[turn]), rig_of(figure))
    assert made.tilt == pytest.approx(25, abs=0.1)  # degrees; both turns make 24.9
    assert made.report()["tilt_degrees"] == made.tilt
    assert any("its figure rests 25 degrees from upright" in line for line in made.lines())


@pytest.mark.parametrize("up", UPRIGHT)
def test_figures_of_other_proportions_do_not_lean(up):
    for seed in range(5):
        other = PLACES * [1.1, 1.2, 1.0] + np.random.default_rng(seed).normal(0, 0.02, PLACES.shape)
        made = retarget(motion_of(NAMES, PLACES, UPRIGHT[up]), rig_of(other), allow_frozen=True)
        assert not any("from upright" in line for line in made.lines())


ON_FOURS = np.array(
    [
        [0, 0.9, -0.5], [0, 0.9, 0.4], [0, 1.1, 0.7], [0.15, 0.8, 0.4], [0.15, 0.4, 0.3], [0.15, 0.05, 0.35],
        [-0.15, 0.8, 0.4], [-0.15, 0.4, 0.3], [-0.15, 0.05, 0.35], [0.15, 0.85, -0.5], [0.15, 0.45, -0.4],
        [0.15, 0.05, -0.6], [-0.15, 0.85, -0.5], [-0.15, 0.45, -0.4], [-0.15, 0.05, -0.6],
    ]
)  # fmt: skip


@pytest.mark.parametrize("up", UPRIGHT)
@pytest.mark.parametrize("names", [NAMES, MINE], ids=["known", "unknown"])
def test_a_person_stands_on_the_ground_of_a_quadruped(names, up):
    """Turned about its own vertical, it turns the animal about its."""
    turn = UPRIGHT[up]
    motion = motion_of(names, PLACES, turn, bends=False)
    motion.local[1, 0, :, :3] = turn @ about("y", 50) @ turn.T
    made = retarget(motion, rig_of(ON_FOURS), dict(zip(names, NAMES, strict=True)), allow_frozen=True)
    assert made.rest_frame == -1
    assert made.tilt == 0.0
    np.testing.assert_allclose(made.positions[1, :, 1], made.positions[0, :, 1], atol=1e-4)  # of the engine's float32
    ahead = made.positions[1, 1] - made.positions[1, 0]
    before = made.positions[0, 1] - made.positions[0, 0]
    np.testing.assert_allclose(ahead, about("y", 50) @ before, atol=1e-4)  # as well


def crooked():
    """No mirror image of itself: a leg is drawn up, an arm is raised."""
    places = PLACES.copy()
    places[5] += [-0.25, 0.4, 0]
    places[11] += [0.3, 0.5, 0.4]
    return places


NO_FIGURES = {"a stick": stick()[0], "crooked": joints(NAMES, crooked()).rest}


@pytest.mark.parametrize("case", NO_FIGURES)
def test_a_quadruped_takes_no_rest_pose_that_is_no_figure(case):
    motion = Motion(NAMES, PARENTS, NO_FIGURES[case], NO_FIGURES[case][None].repeat(2, 0), 0.04)
    with pytest.raises(ValueError, match=r"whose rest pose is unlike the rig's .*--rest-frame N"):
        retarget(motion, rig_of(ON_FOURS))
