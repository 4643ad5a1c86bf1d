"""A capture that is saved and loaded is the same; files of older versions and of other rigs are refused."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import numpy as np
import pytest

import rigcast as rc
from tests.capture.capture import FOCAL, SIZE, acting, film


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    rig = rc.faces.example()
    shot = film(rig, acting(rig, frames=14))
    shot.points[5] = np.nan
    found = rc.capture.solve(rig, shot.points, shot.vertices, size=SIZE, neutral=0, focal=FOCAL)
    file = tmp_path_factory.mktemp("saved") / "c.npz"
    found.save(file)
    return rig, found, file, shot


def same(a, b):
    """Equal in all fields, to the byte; what pictures told without the pictures."""
    for field in fields(a):
        if field.name == "request":
            continue
        one, two = getattr(a, field.name), getattr(b, field.name)
        if is_dataclass(one):
            same(one, two)
        elif isinstance(one, np.ndarray):
            assert (one.dtype, one.tobytes()) == (two.dtype, two.tobytes()), field.name
        else:
            assert (type(one), one) == (type(two), two), field.name


def test_a_solve(place):
    rig, found, file, _ = place
    same(found, rc.capture.load_capture(file, rig))


def test_a_mirrored_one_with_pins(place, tmp_path):
    rig, _, _, shot = place
    pins = np.full((14, rig.num_shapes), np.nan)
    pins[3, 1] = 0.25
    given = {"size": SIZE, "neutral": 0, "focal": FOCAL, "fixed": pins, "mirrored": True}
    found = rc.capture.solve(rig, shot.points, shot.vertices, **given)
    found.save(tmp_path / "m.npz")
    same(found, rc.capture.load_capture(tmp_path / "m.npz", rig))


@pytest.fixture(scope="module")
def refined():
    actor = rc.capture.example_cast().actor(3)
    shot = rc.capture.film(actor, rc.capture.ShotPlan(frames=3, size=64))
    points = shot.labels["landmarks_2d"]
    focal = float(shot.labels["focal"])
    found = rc.capture.solve(actor.rig, points, actor.cast.landmarks, size=(64, 64), focal=focal, neutral=0)
    return actor.rig, rc.capture.refine(actor.rig, found, shot.color, points=points), points


def test_one_that_was_refined_by_pictures(refined, tmp_path):
    rig, found, _ = refined
    found.save(tmp_path / "r.npz")
    same(found, rc.capture.load_capture(tmp_path / "r.npz", rig))


def test_pictures_are_not_in_the_file(refined, tmp_path):
    rig, found, points = refined
    found.save(tmp_path / "r.npz")
    loaded = rc.capture.load_capture(tmp_path / "r.npz", rig)
    with pytest.raises(ValueError, match="read from a file, which has none of them"):
        rc.capture.solve_again(rig, loaded, points, fixed=None)


def test_a_shot_is_solved_again_from_the_file(place):
    """As from memory, bit by bit."""
    rig, found, file, shot = place
    pins = np.full((14, rig.num_shapes), np.nan)
    pins[9, 0] = 0.3
    pair = [
        rc.capture.solve_again(rig, c, shot.points, fixed=pins)[0] for c in (found, rc.capture.load_capture(file, rig))
    ]
    assert pair[0].weights.tobytes() == pair[1].weights.tobytes()


def changed(file, folder, **arrays):
    with np.load(file) as stored:
        made = {name: stored[name] for name in stored.files} | arrays
    np.savez(folder / "changed.npz", **{name: value for name, value in made.items() if value is not None})
    return folder / "changed.npz"


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"version": None}, "no capture: without 'version', weights alone or one of an older version"),
        ({"settled": None}, "without 'settled'.*solve the shot again"),
        ({"version": np.int64(1)}, "version 1; it must be a capture that this version has written"),
        ({"names": np.array(["other"] * 22)}, "that are not those of the rig, which has 22"),
        ({"lost": np.zeros(3, bool)}, "lost is of shape"),
        ({"head": np.full((14, 3, 4), np.nan)}, "head is not finite"),
        ({"neutral": np.array([14])}, "neutral"),
        ({"still": np.array([22])}, "still"),
        ({"fps": np.float64(0)}, "fps"),
        ({"focal": np.array("long")}, "focal"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_is_wrong_with_a_file_is_named(place, tmp_path, arrays, words):
    rig, _, file, _ = place
    with pytest.raises(ValueError, match=words):
        rc.capture.load_capture(changed(file, tmp_path, **arrays), rig)


def test_a_vertex_that_the_rig_lacks(place, tmp_path):
    rig, found, file, _ = place
    vertices = found.places.vertices.copy()
    vertices[0] = rig.num_vertices
    with pytest.raises(ValueError, match="vertices"):
        rc.capture.load_capture(changed(file, tmp_path, vertices=vertices), rig)


def test_a_torn_file(place, tmp_path):
    rig, _, file, _ = place
    whole = file.read_bytes()
    for length in (0, 30, len(whole) // 2, len(whole) - 4):
        (tmp_path / "torn.npz").write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"torn\.npz"):
            rc.capture.load_capture(tmp_path / "torn.npz", rig)


def test_no_file(place, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.npz"):
        rc.capture.load_capture(tmp_path / "none.npz", place[0])
