"""Who the actor is, from his neutral frames, and the character's shapes on his face."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

import rigcast as rc
from rigcast.capture import ActorVariation
from tests.capture.capture import UPRIGHT, Setup, acting, film

SIZE, FOCAL = (256, 256), 560.0
SAME = 1e-3  # of a standard deviation: an optimum that two methods found
VISIBLE = 0.01  # of the face's size: what exact points of all vertices leave, which are float32 in pixels
NOISY = 0.4  # of the mean face's distance: what 40 points with a pixel of noise leave in 12 frames
PLAIN = ActorVariation(identity=1.0, strength=0.0, mix=0.0)


def project(vertices, pose, focal, center=(128.0, 128.0)):
    placed = vertices @ pose[:, :3].T + pose[:, 3]
    return np.asarray(center) + focal * placed[:, :2] / placed[:, 2:]


def filmed(seed: int = 3, frames: int = 12, noise: float = 1.0):
    """Points of an actor at rest who turns his head, 0.2 radians about each axis, from the front at first."""
    cast = rc.capture.example_cast()
    actor, rng = cast.actor(seed, PLAIN), np.random.default_rng(seed)
    angles = np.where(np.arange(frames)[:, None] > 0, rng.normal(0.0, 0.2, (frames, 3)), 0.0)
    turns = UPRIGHT @ Rotation.from_rotvec(angles).as_matrix()
    head = np.concatenate([turns, np.tile([[0.5], [-0.5], [50.0]], (frames, 1, 1))], axis=2)
    points = np.array([project(actor.rig.rest_vertices[cast.landmarks], pose, FOCAL) for pose in head])
    noisy = points + noise * rng.normal(size=points.shape)
    return SimpleNamespace(cast=cast, actor=actor, points=noisy, focal=FOCAL, head=head)


def fitted(shot, points=None, **given):
    points = shot.points if points is None else points
    usual = {
        "neutral": np.arange(len(getattr(points, "points", points))),
        "size": SIZE,
        "focal": shot.focal,
        "noise": 1.0,
    }
    return rc.capture.fit_actor(shot.cast, points, **(usual | given))


@pytest.fixture(scope="module")
def shot():
    return filmed()


@pytest.fixture(scope="module")
def fit(shot):
    return fitted(shot)


def off(face, actor) -> float:
    """Root mean square distance of faces, with the size and the place that pictures do not tell taken out."""
    a, b = (x.astype(np.float64) - x.astype(np.float64).mean(axis=0) for x in (face, actor))
    u, size, vt = np.linalg.svd(a.T @ b)
    return float(np.sqrt(np.square(size.sum() / (a**2).sum() * a @ u @ vt - b).sum(axis=1).mean()))


@pytest.mark.parametrize("is_given", [True, False])
def test_the_optimum_is_that_of_a_general_solver(is_given):
    """The stated energy over all unknowns at once, in NumPy, from the mean face."""
    shot = filmed(frames=3)
    found = fitted(shot, focal=shot.focal if is_given else None, spread=0.7, noise=1.3)
    rest = shot.cast.character.rest_vertices[shot.cast.landmarks].astype(np.float64)
    modes = shot.cast.modes[:, shot.cast.landmarks].astype(np.float64)
    usual, count = 1.2 * SIZE[0], len(shot.cast.modes)

    def residuals(x):
        face, lens = rest + np.tensordot(x[:count], modes, axes=1), x[count]
        focal = shot.focal if is_given else usual * np.exp(lens)
        parts = [x[:count] / 0.7, [lens / 0.5]]
        for i, points in enumerate(shot.points):
            turn, shift = np.split(x[count + 1 + 6 * i : count + 7 + 6 * i], 2)
            pose = np.column_stack([Rotation.from_rotvec(turn).as_matrix() @ UPRIGHT, shift])
            seen = project(face, pose, focal, (SIZE[0] / 2, SIZE[1] / 2))
            parts.append((seen - points).ravel() / 1.3)
        return np.concatenate(parts)

    turns = Rotation.from_matrix(shot.head[:, :, :3] @ UPRIGHT.T).as_rotvec()
    start = np.concatenate([np.zeros(count + 1), np.concatenate([turns, shot.head[:, :, 3]], axis=1).ravel()])
    best = least_squares(residuals, start, xtol=1e-12, ftol=1e-12, gtol=1e-12, x_scale="jac", max_nfev=300)
    assert np.abs(found.coefficients - best.x[:count]).max() <= SAME
    assert found.focal == pytest.approx(shot.focal if is_given else usual * np.exp(best.x[count]), rel=SAME)


def test_exact_points_all_over_the_face_recover_it():
    """Of every vertex, where the prior counts for nothing."""
    shot = filmed(frames=2)
    points = [project(shot.actor.rig.rest_vertices, pose, FOCAL) for pose in shot.head]
    found = fitted(shot, np.array(points), landmarks=np.arange(shot.actor.rig.num_vertices), noise=1e-3)
    size = np.linalg.norm(np.ptp(shot.actor.rig.rest_vertices, axis=0))
    assert off(found.neutral, shot.actor.rig.rest_vertices) <= VISIBLE * size
    assert found.determined == pytest.approx(len(shot.cast.modes), abs=0.1)  # of a mode


@pytest.mark.parametrize("seed", range(4))
def test_a_pixel_of_noise_leaves_a_share_of_the_way(seed):
    shot = filmed(seed)
    mean, own = shot.cast.character.rest_vertices, shot.actor.rig.rest_vertices
    assert off(fitted(shot).neutral, own) <= NOISY * off(mean, own)


def test_without_noise_in_the_prior_a_far_point_would_bend_the_face(shot):
    """The less points are trusted, the nearer the face stays to the mean."""
    sizes = [np.linalg.norm(fitted(shot, noise=noise).coefficients) for noise in (1.0, 30.0, 1e4)]
    assert sizes[0] > sizes[1] > sizes[2]
    assert sizes[2] < 0.01 * sizes[0]


def test_more_poses_determine_more(shot, fit):
    one = fitted(shot, shot.points[:1])
    same = fitted(shot, np.repeat(shot.points[:1], 2, axis=0))
    assert one.determined < same.determined < fit.determined <= len(shot.cast.modes)


def test_a_rolled_camera_turns_the_head_alone(shot, fit):
    angle = np.deg2rad(25.0)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    rolled = fitted(shot, (shot.points - 128.0) @ turn.T + 128.0)
    assert np.abs(rolled.coefficients - fit.coefficients).max() <= SAME
    around = np.eye(3)
    around[:2, :2] = turn
    facing = np.diag([1.0, -1.0, -1.0])
    assert np.abs(facing @ rolled.head - around @ facing @ fit.head).max() <= SAME * shot.head[0, 2, 3]


def test_the_same_bytes_again(shot, fit):
    again = fitted(shot)
    assert again.coefficients.tobytes() == fit.coefficients.tobytes()
    assert again.rig.columns().tobytes() == fit.rig.columns().tobytes()


def test_points_that_were_not_seen_do_not_count(shot):
    wild, certainty = shot.points.copy(), np.ones(shot.points.shape[:2])
    wild[:, ::9] += 60.0
    certainty[:, ::9] = 0.0
    places = np.where(np.arange(wild.shape[1]) % 9 == 0, -1, shot.cast.landmarks)
    found = fitted(shot, rc.capture.Tracks(wild, certainty, 30.0, SIZE))
    assert np.abs(found.coefficients - fitted(shot, landmarks=places).coefficients).max() <= SAME
    assert np.isnan(found.residual[:, ::9]).all()


def test_the_shapes_are_those_of_an_actor_with_this_face(shot, fit):
    """Without strengths and mixes, by the same transfer; names, faces and bounds are the character's."""
    character = shot.cast.character
    moved = rc.transfer.deformation_transfer(
        character.rest_vertices,
        rc.transfer.positions_from_rig(character),
        fit.neutral,
        character.faces,
        contacts=None,
    )
    shapes = np.stack([fit.rig.column(k) for k in range(fit.rig.num_shapes)])
    assert np.abs(fit.neutral + shapes - moved).max() <= 1e-5 * np.abs(character.rest_vertices).max()
    assert fit.rig.shape_names == character.shape_names
    assert np.array_equal(fit.rig.bounds, character.bounds)


def test_weights_on_the_fitted_rig_are_nearer_than_on_the_character():
    """An actor with another face and the character's shapes; points count as they lie, not from where they lay."""
    shot = filmed(seed=5)
    rig = shot.actor.rig
    weights = acting(rig, frames=40, fps=30.0)
    acted = film(rig, weights, Setup(center=(128.0, 128.0), focal=FOCAL, noise=1.0), shot.cast.landmarks)
    given = {"size": SIZE, "neutral": 0, "focal": FOCAL}
    errors = []
    for rig, offsets in ((shot.cast.character, True), (fitted(shot).rig, False)):
        settings = rc.capture.CaptureSettings(noise=1.0, offsets=offsets)
        found = rc.capture.solve(rig, acted.points, shot.cast.landmarks, settings=settings, **given)
        errors.append(np.abs(found.weights - weights).mean())
    assert errors[1] < 0.9 * errors[0]


def test_a_neutral_is_found_in_a_shot():
    shot = filmed(seed=2)
    weights = np.zeros((9, shot.actor.rig.num_shapes))
    weights[:4, 0] = weights[6:, 0] = 0.8
    acted = film(shot.actor.rig, weights, Setup(center=(128.0, 128.0), focal=FOCAL), shot.cast.landmarks)
    assert set(fitted(shot, acted.points, neutral=None).frames.tolist()) <= {4, 5}


def test_a_character_of_another_topology(shot, fit):
    """Every face split in four, vertices in another order: weights on the fitted rig are this character's."""
    character = split(shot.cast.character)
    pairs = np.stack([character.place[::2], np.arange(shot.cast.character.num_vertices)[::2]], axis=1)
    found = fitted(shot, character=character.rig, pairs=pairs)
    assert found.rig.shape_names == character.rig.shape_names
    assert np.array_equal(found.rig.rest_vertices, fit.neutral)
    own, same = (np.stack([rig.column(k) for k in range(rig.num_shapes)])[::-1] for rig in (found.rig, fit.rig))
    assert np.linalg.norm(own - same[::-1]) <= 0.1 * np.linalg.norm(same)  # of what a match loses


def split(rig):
    """A rig with new vertices in the middle of edges, its shapes in reverse order, and where the old vertices are."""
    triangles = np.concatenate([rig.faces[:, :3], rig.faces[rig.faces[:, 3] >= 0][:, [0, 2, 3]]])
    edges = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    edges, index = np.unique(edges, axis=0, return_inverse=True)
    a, b, c = triangles.T
    ab, bc, ca = (rig.num_vertices + index.reshape(3, -1)).astype(np.int64)
    faces = np.concatenate([np.stack(f, axis=1) for f in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    count = rig.num_vertices + len(edges)
    place = np.random.default_rng(0).permutation(count)

    def spread(values):
        new = np.concatenate([values, values[..., edges, :].mean(axis=-2)], axis=-2)
        result = np.empty_like(new)
        result[..., place, :] = new
        return result

    deltas = spread(np.stack([rig.column(k) for k in range(rig.num_shapes)])[::-1])
    names = [f"my_{name}" for name in rig.shape_names[::-1]]
    made = rc.BlendshapeRig(spread(rig.rest_vertices), deltas, names=names, faces=place[faces], metadata=rig.metadata)
    return SimpleNamespace(rig=made, place=place[: rig.num_vertices])


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"points": "space"}, "fit_actor: points"),
        ({"points": "mirrored"}, "fit_actor: points is mirrored"),
        ({"points": "mixed"}, "fit_actor: points"),
        ({"neutral": 12}, "fit_actor: neutral"),
        ({"neutral": []}, "fit_actor: neutral"),
        ({"noise": 0.0}, "fit_actor: noise"),
        ({"spread": -1.0}, "fit_actor: spread"),
        ({"focal": 0.0}, "fit_actor: focal"),
        ({"landmarks": [1, 2, 3]}, "fit_actor: landmarks"),
        ({"pairs": [[0, 0]]}, "fit_actor: pairs"),
        ({"character": "other"}, "fit_actor: pairs is None"),
        ({"character": "other", "pairs": [[5, 0]]}, "fit_actor: pairs"),
        ({"points": "unseen"}, "fit_actor: neutral"),
    ],
)
def test_wrong_input_is_named(shot, change, match):
    points, given = shot.points, dict(change)
    kind = given.pop("points", "")
    if kind == "space":
        points = np.concatenate([points, points[:, :, :1]], axis=2)
    elif kind == "mirrored":
        points = np.array([256.0, 0.0]) + points * [-1.0, 1.0]
    elif kind == "mixed":
        points = points[:, np.random.default_rng(0).permutation(points.shape[1])]
    elif kind == "unseen":
        points = points.copy()
        points[3, 3:] = np.nan
    if given.get("character") == "other":
        given["character"] = rc.BlendshapeRig(np.eye(3), np.zeros((1, 3, 3)), faces=[[0, 1, 2]])
    with pytest.raises(rc.errors.ArgumentError, match=match):
        fitted(shot, points, **given)
