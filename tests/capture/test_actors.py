"""Synthetic actors: shapes of their own, exact labels, sets that go on where they stopped."""

import json
import threading
from pathlib import Path

import numpy as np
import pytest

import rigcast as rc
from rigcast.capture import ActorVariation, ShotPlan
from rigcast.capture._actors.look import look_of

PLAN = ShotPlan(frames=4, size=64)


@pytest.fixture(scope="module")
def cast() -> rc.capture.Cast:
    return rc.capture.example_cast()


@pytest.fixture(scope="module")
def shot(cast: rc.capture.Cast) -> rc.capture.ActorShot:
    return rc.capture.film(cast.actor(5), PLAN)


def deltas(rig: rc.BlendshapeRig) -> np.ndarray:
    return np.stack([rig.column(k) for k in range(rig.num_shapes)]).astype(np.float64)


def unlikeness(cast: rc.capture.Cast, **variation: float) -> float:
    """The difference between an actor's shapes and the character's, as a share of the latter."""
    given = ActorVariation(**{"identity": 0.0, "strength": 0.0, "mix": 0.0, **variation})
    plain = deltas(cast.character)
    return float(np.linalg.norm(deltas(cast.actor(1, given).rig) - plain) / np.linalg.norm(plain))


def test_without_variation_an_actor_is_the_character(cast: rc.capture.Cast) -> None:
    assert unlikeness(cast) == 0.0


@pytest.mark.parametrize(
    ("kind", "amount", "least"), [("identity", 1.0, 0.03), ("strength", 0.2, 0.1), ("mix", 0.3, 0.03)]
)
def test_an_actor_has_shapes_of_its_own(cast: rc.capture.Cast, kind: str, amount: float, least: float) -> None:
    """Plain shapes of the character, which make every transfer trivial, fail here."""
    assert unlikeness(cast, **{kind: amount}) > least


def test_shapes_grow_with_the_head(cast: rc.capture.Cast, tolerance: dict[str, float]) -> None:
    """Deformation gradients are kept: a larger head of the same form moves as much farther."""
    character = cast.character
    made = rc.capture.Cast(character, character.rest_vertices[None], cast.landmarks, cast.parts, cast.drawn, "")
    actor = made.actor(2, ActorVariation(identity=1.0, strength=0.0, mix=0.0))
    scale = actor.rig.rest_vertices.std() / character.rest_vertices.std()
    assert abs(scale - 1.0) > 0.1
    np.testing.assert_allclose(
        deltas(actor.rig), scale * deltas(character), atol=scale * tolerance["float32_character"]
    )


def test_strengths_are_log_normal(cast: rc.capture.Cast) -> None:
    change = ActorVariation(identity=0.0, strength=0.2, mix=0.0)
    plain = np.linalg.norm(deltas(cast.character), axis=(1, 2))
    logs = [np.log(np.linalg.norm(deltas(cast.actor(s, change).rig), axis=(1, 2)) / plain) for s in range(20)]
    assert abs(np.std(logs) - 0.2) < 0.02
    assert abs(np.mean(logs)) < 0.03


def test_the_first_frame_is_the_neutral(shot: rc.capture.ActorShot) -> None:
    assert not shot.labels["weights"][0].any()
    assert shot.labels["weights"][1:].any()


def test_labels_are_those_of_the_pictures(cast: rc.capture.Cast, shot: rc.capture.ActorShot) -> None:
    """The mesh of the labels, put in place by them, covers the pixels that the pictures show as face."""
    labels, actor = shot.labels, cast.actor(5)
    own = actor.rig.evaluate(labels["weights"])
    world = own @ labels["head"][:, :, :3].transpose(0, 2, 1) + labels["head"][:, None, :, 3]
    camera = rc.render.Camera(64, 64, focal=labels["focal"], center=labels["center"], rotation=np.eye(3))
    np.testing.assert_array_equal(
        rc.render.survey(world.astype(np.float32), cast.drawn, camera).face >= 0, labels["parts"] > 0
    )
    np.testing.assert_allclose(camera.project(world[:, cast.landmarks]), labels["landmarks_2d"], atol=1e-3)  # pixels
    inside = np.abs(shot.color.astype(float) - shot.color[:, :1, :1]).mean(axis=3)
    assert inside[labels["parts"] > 0].mean() > 4.0 * inside[labels["parts"] == 0].mean()


def test_hidden_landmarks_are_told(cast: rc.capture.Cast) -> None:
    """A head that turns far hides the landmarks of one side."""
    shots = [
        rc.capture.film(cast.actor(s), ShotPlan(frames=2, size=48, turn=turn)) for s in (1, 2) for turn in (0, 0.9)
    ]
    near, far = (np.mean([s.labels["visible"].mean() for s in shots[i::2]]) for i in (0, 1))
    assert near > 0.9
    assert far < near - 0.05


def test_pictures_are_lit_as_the_labels_say(cast: rc.capture.Cast) -> None:
    """By lights with reflections: the harmonics of the normal, with which solvers shade, know neither."""
    actor = cast.actor(5)
    shot = rc.capture.film(actor, ShotPlan(frames=2, size=96, noise=0.0))
    labels = shot.labels
    own = actor.rig.evaluate(labels["weights"])
    world = own @ labels["head"][:, :, :3].transpose(0, 2, 1) + labels["head"][:, None, :, 3]
    camera = rc.render.Camera(96, 96, focal=labels["focal"], center=labels["center"], rotation=np.eye(3))
    around = labels["hemisphere"]
    lights = rc.render.Lights(labels["lights"][:, :3], labels["lights"][:, 3:], around[:3], around[3:6], around[6:])
    sensor = rc.render.Sensor(labels["sensor"][0], labels["sensor"][1])
    again = rc.render.render(world, cast.drawn, camera, material=look_of(actor), lights=lights, sensor=sensor)
    away = np.abs(again.color.astype(int) - shot.color)[:, 2:-2, 2:-2]
    inside = np.ones(away.shape[:3], np.bool_)
    for y in range(5):  # two pixels away from the background, which the blur mixes in
        for x in range(5):
            inside &= labels["parts"][:, y : y + 92, x : x + 92] > 0
    assert inside.sum() > 2000
    assert np.percentile(away[inside], 99) <= 1
    assert labels["lights"][:, 3:].min() > 0.1
    assert np.min(look_of(actor).specular) >= 0.06


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*.*")) if p.name[0] != "."}


def test_a_set_has_the_same_bytes_for_any_number_of_threads(cast: rc.capture.Cast, tmp_path: Path) -> None:
    for name, threads in (("a", 1), ("b", 3)):
        rc.capture.make_actor_set(cast, tmp_path / name, actors=2, seed=3, plan=PLAN, threads=threads)
    assert files(tmp_path / "a") == files(tmp_path / "b")
    assert len(files(tmp_path / "a")) == 1 + 2 * (4 + 1)


def test_an_interrupted_set_goes_on_and_ends_in_the_same_bytes(cast: rc.capture.Cast, tmp_path: Path) -> None:
    rc.capture.make_actor_set(cast, tmp_path / "whole", actors=2, plan=PLAN)

    def stop(report: rc.progress.Progress) -> None:
        if report.done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rc.capture.make_actor_set(cast, tmp_path / "cut", actors=2, plan=PLAN, progress=stop)
    done = tmp_path / "cut" / "actor_0000" / "labels.npz"
    before = done.stat().st_mtime_ns
    assert not (tmp_path / "cut" / "actor_0001").exists()
    rc.capture.make_actor_set(cast, tmp_path / "cut", actors=2, plan=PLAN)
    assert done.stat().st_mtime_ns == before
    assert files(tmp_path / "cut") == files(tmp_path / "whole")


def test_a_set_says_that_it_is_constructed(cast: rc.capture.Cast, tmp_path: Path) -> None:
    stated = json.loads(rc.capture.make_actor_set(cast, tmp_path, actors=1, plan=PLAN).read_text())
    assert "no frame shows a person" in stated["what"]
    assert "constructed" in stated["made_of"]
    assert stated["seeds"] == [0, 1]


def test_another_set_is_not_overwritten(cast: rc.capture.Cast, tmp_path: Path) -> None:
    rc.capture.make_actor_set(cast, tmp_path, actors=1, plan=PLAN)
    before = files(tmp_path)
    with pytest.raises(rc.errors.ArgumentError, match="another set"):
        rc.capture.make_actor_set(cast, tmp_path, actors=1, seed=1, plan=PLAN)
    assert files(tmp_path) == before
    rc.capture.make_actor_set(cast, tmp_path, actors=1, seed=1, plan=PLAN, overwrite=True)
    assert {name.split("/")[0] for name in files(tmp_path)} == {"set.json", "actor_0001"}


def test_pictures_are_png_files(cast: rc.capture.Cast, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow reads the pictures back")
    rc.capture.make_actor_set(cast, tmp_path, actors=1, plan=PLAN)
    read = np.asarray(image.open(tmp_path / "actor_0000" / "frame_0002.png"))
    np.testing.assert_array_equal(read, rc.capture.film(cast.actor(0), PLAN).color[2])


def test_films_in_threads_are_those_of_one(cast: rc.capture.Cast) -> None:
    actor, found = cast.actor(4), {}
    threads = [
        threading.Thread(target=lambda i=i: found.update({i: rc.capture.film(actor, PLAN, threads=1).color}))
        for i in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(found[0], found[1])


def test_actors_of_the_ict_face_have_eyes_and_a_mouth(data_path) -> None:
    cast = rc.capture.ict_cast(data_path("ict_facekit"))
    shot = rc.capture.film(
        cast.actor(0), ShotPlan(frames=2, size=96), np.eye(57)[cast.character.shape_names.index("jawOpen")][None]
    )
    parts = [(shot.labels["parts"] == part).sum(axis=(1, 2)) for part in (1, 2, 3)]
    assert parts[0].min() > 2000
    assert parts[1].min() > 20
    assert parts[2][1] > parts[2][0] + 20
    assert shot.labels["visible"].mean() > 0.85
