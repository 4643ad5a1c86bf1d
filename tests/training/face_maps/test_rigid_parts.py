"""Rigid parts: Kabsch without reflections, what counts as rigid, which vertices show a part's motion."""

import numpy as np
import pytest

from rigcast.training._face_maps._layout.rigid import (
    Component,
    MovingFace,
    amplification,
    far_apart,
    followed,
    is_line,
    part_of,
    rigid_groups,
    rigid_motions,
)
from tests.training.laid_face import block, turned


def random_rotation(random):
    q, _ = np.linalg.qr(random.standard_normal((3, 3)))
    return q * np.sign(np.linalg.det(q))


@pytest.mark.parametrize("seed", range(4))
def test_a_rigid_motion_is_found(seed, tolerance):
    random = np.random.default_rng(seed)
    rest, rotation, shift = random.standard_normal((7, 3)), random_rotation(random), random.standard_normal(3)
    rotations, translations = rigid_motions(rest, (rest @ rotation.T + shift)[None])
    np.testing.assert_allclose(rotations[0], rotation, atol=tolerance["gram"])
    np.testing.assert_allclose(translations[0], shift, atol=tolerance["gram"])


def test_a_flat_part_whose_noise_mirrors_it_is_turned_not_mirrored():
    """Without the determinant's sign, Kabsch gives a reflection here: the part would turn inside out."""
    random = np.random.default_rng(0)
    rest = random.standard_normal((10, 3)) * [1.0, 1.0, 0.01]
    posed = rest * [1.0, 1.0, -1.0]
    plain = np.linalg.svd((rest - rest.mean(0)).T @ (posed - posed.mean(0)))
    assert np.linalg.det(plain[2].T @ plain[0].T) < 0.0  # what the sign is for
    rotations, _ = rigid_motions(rest, posed[None])
    assert np.linalg.det(rotations[0]) > 0.0


def test_followers_of_a_mirrored_pose_turn_the_part_by_a_rotation(tolerance):
    """Followers in a plane: the part above it stays on its side."""
    random = np.random.default_rng(1)
    followers = np.concatenate([random.standard_normal((10, 2)), np.zeros((10, 1))], axis=1)
    part = random.standard_normal((5, 3)) + np.array([0, 0, 4])
    rest = np.concatenate([followers, part])
    turn = random_rotation(random)
    posed = rest @ turn.T
    posed[:10] += 1e-9 * random.standard_normal((10, 3))
    moving = MovingFace(rest, (posed - rest)[None].astype(np.float64))
    assert followed(moving, np.arange(10, 15), posed[None, 10:], np.arange(10)) < tolerance["float64_converged"]


def moving_blocks():
    """Two boxes on one hinge, a box on another one, a box that bends."""
    boxes = [block((x, 0.0, 0.0))[0] for x in (0.0, 20.0, 40.0, 60.0)]
    rest = np.concatenate(boxes)
    size = len(boxes[0])
    angles = np.linspace(-30.0, 30.0, 15)
    posed = np.repeat(rest[None], len(angles), axis=0)
    for frame, angle in zip(posed, angles, strict=True):
        frame[: 2 * size] = turned(frame[: 2 * size], angle, np.array([0.0, 10.0, 0.0]))
        frame[2 * size : 3 * size] = turned(frame[2 * size : 3 * size], angle**2 / 30.0, np.array([0.0, -10.0, 5.0]))
        bend = frame[3 * size :]
        bend[:, 1] += 0.02 * angle * (bend[:, 0] - 60.0) ** 2
    components = [Component(f"box {k}", np.arange(k * size, (k + 1) * size)) for k in range(4)]
    return MovingFace(rest, (posed - rest).astype(np.float32)), components


def test_components_of_one_motion_are_one_part():
    groups, lines = rigid_groups(*moving_blocks())
    assert [[part.name for part in group] for group in groups] == [["box 0", "box 1"], ["box 2"]]
    assert lines == []


def test_a_component_that_bends_is_not_rigid():
    moving, components = moving_blocks()
    assert not moving.is_rigid(components[3].vertices)


def test_small_motion_alone_makes_nothing_rigid():
    """0.2 mm of noise is below the threshold, but no rigid motion explains it."""
    rest = block((0.0, 0.0, 0.0))[0]
    offsets = 0.1 * np.random.default_rng(0).standard_normal((30, len(rest), 3)).astype(np.float32)
    assert not MovingFace(rest, offsets).is_rigid(np.arange(len(rest)))


def test_vertices_on_a_line_determine_no_rotation():
    rest = np.linspace(0.0, 10.0, 20)[:, None] * np.array([[1.0, 0.5, 0.2]])
    offsets = np.stack([turned(rest, angle, np.zeros(3)) - rest for angle in (5.0, 20.0, 40.0)]).astype(np.float32)
    groups, lines = rigid_groups(MovingFace(rest, offsets), [Component("wire", np.arange(20))])
    assert groups == []
    assert [part.name for part in lines] == ["wire"]


def test_vertices_elsewhere_that_move_along_are_the_followers():
    moving, components = moving_blocks()
    masks = np.ones((len(moving.rest), 1), bool)
    part, own = part_of(moving, [components[0]], components[1].vertices, masks)
    assert not own
    assert np.isin(part.followers, components[1].vertices).all()
    assert part.vertices.tolist() == components[0].vertices.tolist()
    assert part.error < 1e-3


def test_vertices_that_another_control_moves_are_no_followers():
    moving, components = moving_blocks()
    masks = np.zeros((len(moving.rest), 2), bool)
    masks[:, 0] = masks[components[1].vertices, 1] = True
    _, own = part_of(moving, [components[0]], components[1].vertices, masks)
    assert own


def test_where_nothing_follows_vertices_of_the_part_do():
    moving, components = moving_blocks()
    masks = np.ones((len(moving.rest), 1), bool)
    part, own = part_of(moving, [components[2]], components[3].vertices, masks)
    assert own
    assert sorted([*part.vertices, *part.followers]) == components[2].vertices.tolist()
    assert part.error < 1e-3


def test_vertices_that_leave_the_rigid_motion_stay_on_maps():
    """A pupil that widens by 0.8 mm on an eyeball that turns."""
    moving, components = moving_blocks()
    pupil = components[2].vertices[:6]
    moving.offsets[::2, pupil, 2] += 0.8
    part, _ = part_of(moving, [components[2]], components[3].vertices, np.ones((len(moving.rest), 1), bool))
    assert not np.isin(pupil, [*part.vertices, *part.followers]).any()
    assert len(part.vertices) + len(part.followers) == len(components[2].vertices) - len(pupil)
    assert part.error < 1e-3


def test_a_part_that_is_rigid_on_average_keeps_its_vertices():
    moving, components = moving_blocks()
    moving.offsets[:, components[2].vertices] += 0.1 * np.random.default_rng(0).standard_normal((15, 98, 3))
    part, _ = part_of(moving, [components[2]], components[3].vertices, np.ones((len(moving.rest), 1), bool))
    assert sorted([*part.vertices, *part.followers]) == components[2].vertices.tolist()


def test_a_part_too_small_for_followers_of_its_own_is_none():
    moving, components = moving_blocks()
    small = Component("tip", components[2].vertices[:8])
    part, _ = part_of(moving, [small], components[3].vertices, np.ones((len(moving.rest), 1), bool))
    assert part is None


def test_followers_on_a_line_amplify_without_bound():
    line = np.arange(10.0)[:, None] * np.ones((1, 3))
    assert is_line(line)
    assert amplification(line, line) == np.inf


def test_amplification_is_that_of_noisy_followers():
    random = np.random.default_rng(2)
    followers, points = random.standard_normal((10, 3)), 3.0 * random.standard_normal((20, 3))
    noisy = followers + 1e-4 * random.standard_normal((4000, 10, 3))
    rotations, translations = rigid_motions(followers, noisy)
    moved = points @ np.swapaxes(rotations, 1, 2) + translations[:, None]
    seen = np.sqrt(np.square(moved - points).mean()) / 1e-4
    assert amplification(followers, points) == pytest.approx(seen, rel=0.02)  # of 4,000 draws


def test_followers_lie_far_apart():
    points = block((0.0, 0.0, 0.0))[0]
    chosen = points[far_apart(points, np.arange(len(points)), 8)]
    apart = np.linalg.norm(chosen[:, None] - chosen, axis=2) + 99.0 * np.eye(8)
    assert apart.min() > 4.0
