"""Players: what they are told they do, inside the limits and near the data, and the same again."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from tests.support.made.players import accelerations, arm_synth, face_synth
from tests.synthesis.particles import SlowDensity

RIDGE = 1e-5  # of 1e-9 on inducing points, in a log density


@pytest.mark.parametrize("make", [face_synth, arm_synth])
def test_idle_stays_near_the_data_and_moves(make):
    """Half of its frames within 1.5 median steps of a clip's frame, none beyond 5; alive, and never jerky."""
    synth = make()
    player = synth.player(seed=1, label="lively")
    player.idle("lively")
    controls = player.step(2400)
    space = synth.space("lively")
    frames, own = synth.mesh_features(space.frames), synth.mesh_features(controls)
    away = np.sqrt(((own[:, None] - frames[None]) ** 2).sum(axis=-1)).min(axis=1)
    step = np.median(np.linalg.norm(np.diff(frames[:96], axis=0), axis=1))
    assert np.median(away) < 1.5 * step
    assert away.max() < 5.0 * step
    assert np.median(np.linalg.norm(np.diff(own, axis=0), axis=1)) > 0.15 * step
    clips = np.concatenate([accelerations(synth, space.frames[s.begin : s.end]) for s in space.segments])
    assert np.quantile(accelerations(synth, controls), 0.99) < 2.0 * np.quantile(clips, 0.99)


def test_no_control_leaves_the_limits():
    for synth in (face_synth(), arm_synth()):
        player = synth.player(seed=2, settings=rc.synthesis.PlaySettings(wander=6.0, radius=15.0))
        player.idle("lively")
        controls = player.step(600)
        assert controls.dtype == np.float32
        assert (controls >= synth.limits[:, 0]).all()
        assert (controls <= synth.limits[:, 1]).all()


def test_ten_minutes_meet_the_training_poses_and_do_not_repeat():
    """Of all frames of a label 90 % are met within the clips' median step; 2 seconds later it is somewhere else."""
    synth = face_synth()
    player = synth.player(seed=3, label="calm")
    player.idle("calm", hold=0.3)
    own = synth.mesh_features(player.render(600))
    space = synth.space("calm")
    frames = synth.mesh_features(space.frames)
    steps = [np.linalg.norm(np.diff(frames[s.begin : s.end], axis=0), axis=1) for s in space.segments]
    nearest = np.array([np.linalg.norm(own - row, axis=1).min() for row in frames])
    assert (nearest <= np.median(np.concatenate(steps))).mean() >= 0.9
    centered = own - own.mean(axis=0)
    power = (centered**2).sum()
    late = [abs((centered[lag:] * centered[:-lag]).sum()) / power for lag in range(48, 2400, 7)]
    assert max(late) < 0.5


def test_play_gives_the_frames_of_the_clip_exactly():
    for synth in (face_synth(), arm_synth()):
        for way in ("blend", "inertialize"):
            player = synth.player(seed=4, settings=rc.synthesis.PlaySettings(transitions=way))
            player.play("lively", "lively-1", begin=10, end=60)
            controls = player.step(480)
            segment = synth.space("lively").segments[1]
            clip = synth.space("lively").frames[segment.begin + 10 : segment.begin + 60]
            found = [t for t in range(430) if controls[t].tobytes() == clip[0].tobytes()]
            assert found
            assert controls[found[0] : found[0] + 50].tobytes() == clip.tobytes()
            # It joins without a jump: no frame accelerates more than twice as much as the clip itself.
            whole = synth.space("lively").frames[segment.begin : segment.end]
            assert accelerations(synth, controls).max() < 2.0 * accelerations(synth, whole).max()


def test_move_arrives_and_stays():
    synth = face_synth()
    space = synth.space("calm")
    for along in ("data", "straight"):
        player = synth.player(seed=5, label="calm")
        player.move("calm", ("calm-0", 40), along=along)
        own = synth.mesh_features(player.step(600)[-240:])
        target = synth.mesh_features(space.controls(space.points[40:41]))
        spread = np.linalg.norm(np.ptp(synth.mesh_features(space.frames), axis=0))
        assert np.linalg.norm(own - target, axis=1).max() < 0.2 * spread


def test_commands_take_effect_at_once_or_later():
    player = face_synth().player(seed=7, label="calm")
    player.idle("calm")
    player.step(31)
    player.transition("far")
    player.idle("lively", later=True)
    labels = []
    for _ in range(40):
        player.step(12)
        labels.append(player.label)
    assert labels[-1] == "lively"
    assert "far" in labels
    assert labels.index("far") < labels.index("lively", labels.index("far"))


@pytest.mark.parametrize("way", ["blend", "inertialize"])
@pytest.mark.parametrize("make", [face_synth, arm_synth])
def test_the_same_seed_gives_the_same_bytes_however_it_is_cut(make, way):
    def story(cuts, seed=8):
        player = make().player(seed=seed, settings=rc.synthesis.PlaySettings(transitions=way))
        player.idle("calm", hold=0.5)
        rows = [player.step(n) for n in cuts[0]]
        player.play("lively", 1, begin=5, end=40)
        rows += [player.step(n) for n in cuts[1]]
        return np.concatenate(rows)

    whole = story(([100], [300]))
    assert story(([1] * 100, [7] * 42 + [6])).tobytes() == whole.tobytes()
    assert story(([33, 0, 67], [299, 1])).tobytes() == whole.tobytes()
    assert not np.array_equal(story(([100], [300]), seed=9), whole)


def test_the_density_limit_slows_paths_and_turns_them_back():
    """A straight line across the hole of a ring of training points: the limit turns it back."""
    angles = np.linspace(0, 1.7 * np.pi, 90)
    ring = np.stack([np.cos(angles), np.sin(angles), 0.1 * np.sin(5 * angles)], axis=1)

    latent = _core.LatentSpace(ring, np.zeros((90, 1)), 1.0, 0.25, 1e-4)
    ground = _core.Ground(latent, [(0, 90)], _core.PlaySettings())
    path, _, note = ground.plan(ring[0], ring[45:46], "straight")
    assert note.startswith("turned back")
    free = np.linspace(ring[0], ring[45], 60)
    assert (ground.density(free) < ground.least).mean() > 0.5
    assert (ground.density(path) < ground.least).mean() < 0.1
    np.testing.assert_allclose(path[-1], ring[45])
    middle, radii, note = ground.plan(ring[0], np.zeros((1, 3)), "straight")
    assert note == "target moved to the nearest training frame"
    assert (ground.density(middle[-1:]) >= ground.least).all()
    assert radii.min() >= 0.3 * radii.max() > 0.0
    strict = _core.Ground(latent, [(0, 90)], _core.PlaySettings(slow=1.0))
    slow, fast = (made.plan(ring[0], ring[45:46], "data") for made in (strict, ground))
    assert len(slow[0]) > len(fast[0])
    assert slow[1].mean() < fast[1].mean()


def test_paths_along_the_data_are_shortest_paths_at_constant_speed():
    rng = np.random.default_rng(11)
    points = rng.normal(size=(40, 3))
    target = rng.normal(size=3)
    cost, following = _core.shortest_paths(points, target, 4.0)
    nodes = np.concatenate([points, target[None]])
    edges = ((nodes[:, None] - nodes[None]) ** 2).sum(axis=-1) ** 2
    slow = edges.copy()
    for k in range(41):  # Floyd (1962)
        slow = np.minimum(slow, slow[:, k : k + 1] + slow[k : k + 1])
    np.testing.assert_allclose(cost, slow[:40, 40], rtol=1e-12)  # sums in another order
    for i in range(40):
        j = following[i] if following[i] >= 0 else 40
        assert cost[i] == pytest.approx(edges[i, j] + (0.0 if j == 40 else cost[j]))


def test_a_sparse_space_has_the_density_of_its_inducing_points():
    rng = np.random.default_rng(12)
    slow = SlowDensity(rng.normal(size=(50, 3)), 1.3, 0.8, 0.02)
    latent = _core.LatentSpace(slow.points, np.zeros((50, 1)), 1.3, 0.8, 0.02, slow.points)  # FITC is exact
    x = rng.normal(size=(20, 3))
    np.testing.assert_allclose(_core.density_of(latent).evaluate(x)[0], slow(x)[0], atol=RIDGE)


def test_events_say_why():
    synth = face_synth()
    player = synth.player(seed=13, label="calm")
    player.idle("calm")
    player.step(100)
    player.play("lively", "lively-1", begin=10, end=90)
    player.step(400)
    events = player.events
    seconds = [e for e in events if e.kind == "second"]
    assert [e.seconds for e in seconds] == list(range(1, 21))
    told = [e for e in events if e.kind == "command"]
    assert [e.command for e in told] == ["idle(calm, along=data)", "play(lively, lively-1, frames 10 to 89)"]
    exact = [e for e in seconds if e.distance == 0.0]
    assert exact
    assert all(e.label == "lively" and e.nearest.startswith("lively-1 ") for e in exact)
    assert all(0.0 < e.variance <= 1.0 for e in seconds)
    json.dumps([e.as_plain() for e in events])


def test_poses_are_what_a_model_takes():
    synth = arm_synth()
    first, second = (synth.player(seed=14) for _ in range(2))
    for player in (first, second):
        player.idle("lively")
    assert np.array_equal(first.poses(24), synth.poses(second.step(24)))
    assert first.poses(3).shape[1] == 12 * 2 + 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: p.idle("sad"), "idle: label is 'sad'; it must be one of calm, lively, far"),
        (lambda p: p.idle("calm", []), "idle: poses is"),
        (lambda p: p.idle("calm", [("calm-9", 0)]), "idle: segment is 'calm-9'; it must be one of calm-0, calm-1"),
        (lambda p: p.move("calm", [0, np.nan, 0]), r"move: to is not finite everywhere"),
        (lambda p: p.move("calm", [0, 0]), r"move: to is .*; it must be \(segment, frame\), or a latent point of 3"),
        (lambda p: p.move("calm", ("calm-0", 96)), "move: frame is 96; it must be a whole number from 0 to 95"),
        (lambda p: p.move("calm", ("calm-0", 1), along="sky"), 'along is \'sky\'; it must be "data" or "straight"'),
        (lambda p: p.transition(3), "transition: label is 3"),
        (lambda p: p.play("calm", 7), "play: segment is 7; it must be a whole number from 0 to 1"),
        (lambda p: p.play("calm", 0, begin=20, end=20), "play: end is 20; it must be a whole number from 21 to 96"),
        (lambda p: p.step(-1), "Player.step: frames is -1"),
        (lambda p: p.render(), "Player.render: seconds is None"),
        (lambda p: p.render(-2), "Player.render: seconds is -2"),
        (lambda p: p.step(1, without=("blinks",)), "Player.step: without is 'blinks'; it must be one of no layers"),
        (lambda p: p.step(1, without=3), "Player.step: without is a int; it must be a list of names of layers"),
        (lambda p: p.restore("{}"), "Player.restore: state is incomplete"),
    ],
)
def test_wrong_commands_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call(face_synth().player(seed=0))


def test_wrong_players_are_named():
    with pytest.raises(ValueError, match="Player: seed is -1"):
        face_synth().player(seed=-1)
    with pytest.raises(ValueError, match="PlaySettings: transitions is 'cut'; it must be one of inertialize, blend"):
        face_synth().player(settings=rc.synthesis.PlaySettings(transitions="cut"))
    with pytest.raises(ValueError, match="PlaySettings: speed is 0"):
        rc.synthesis.PlaySettings(speed=0)
    with pytest.raises(ValueError, match="PlaySettings: timescale is 1e-300"):
        rc.synthesis.PlaySettings(timescale=1e-300)  # numbers of bumps beyond any memory
    with pytest.raises(ValueError, match="PlaySettings: power is 100000"):
        rc.synthesis.PlaySettings(power=1e5)
    with pytest.raises(ValueError, match="Player: script is a dict"):
        face_synth().player(script={})
