"""Shapes that stay at rest: visemes, which are mixes of ARKit's shapes, would share the motion with them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import _dispatch as dispatch
from tests.capture.capture import FOCAL, SIZE, acting, film

PAIRS = (("viseme_aa", ("jawOpen",)), ("viseme_U", ("mouthPucker", "jawOpen")))
MORE = rc.capture.CaptureSettings(still=("viseme_*", "MOUTHPUCKER"))


@pytest.fixture(scope="module")
def rig():
    """The built-in face with two visemes, each a sum of its shapes, a fifth stronger."""
    face = rc.faces.example()
    deltas = np.stack([face.column(k) for k in range(face.num_shapes)])
    names = list(face.shape_names)
    mixes = [1.2 * sum(deltas[names.index(name)] for name in parts) for _, parts in PAIRS]
    return rc.BlendshapeRig(
        face.rest_vertices, np.concatenate([deltas, mixes]).astype(np.float32),
        names=[*names, *(name for name, _ in PAIRS)], faces=face.faces, metadata=face.metadata,
    )  # fmt: skip


@pytest.fixture(scope="module")
def shot(rig):
    weights = acting(rig, frames=30)
    weights[:, -2:] = 0.0
    weights[:, rig.shape_names.index("jawOpen")] = 0.7 * np.sin(np.linspace(0.0, np.pi, 30)) ** 2
    return film(rig, weights)


def solve(rig, shot, settings=None, **given):
    return rc.capture.solve(
        rig, shot.points, shot.vertices, size=SIZE, neutral=0, focal=FOCAL, settings=settings, **given
    )


@pytest.fixture(scope="module")
def found(rig, shot):
    return solve(rig, shot)


def test_visemes_rest_and_it_is_said(rig, shot, found):
    assert not found.weights[:, -2:].any()
    assert any("2 shapes stay at rest, as mixes of ARKit's shapes" in note for note in found.notes)
    every = solve(rig, shot, rc.capture.CaptureSettings(still=()))
    assert every.weights[:, -2:].max() > 0.05
    assert not any("stay at rest" in note for note in every.notes)
    jaw = rig.shape_names.index("jawOpen")
    off, off_every = (np.abs(one.weights - shot.weights)[:, jaw].mean() for one in (found, every))
    assert off < 0.5 * off_every


def test_a_face_without_arkit_names_keeps_its_visemes(rig, shot):
    names = [name if name.startswith("viseme") else f"s{k}" for k, name in enumerate(rig.shape_names)]
    deltas = np.stack([rig.column(k) for k in range(rig.num_shapes)])
    other = rc.BlendshapeRig(rig.rest_vertices, deltas, names=names, faces=rig.faces, metadata=rig.metadata)
    assert not len(solve(other, shot).still)


def test_patterns_name_them_in_any_spelling(rig, shot):
    found = solve(rig, shot, MORE)
    still = [rig.shape_names.index(name) for name in ("mouthPucker", "viseme_aa", "viseme_U")]
    assert not found.weights[:, still].any()
    assert found.still.tolist() == sorted(still)


def test_a_pin_moves_a_resting_shape(rig, shot):
    pins = np.full(shot.weights.shape, np.nan)
    pins[5, -1] = 0.3
    found = solve(rig, shot, fixed=pins)
    assert found.weights[5, -1] == 0.3
    assert np.count_nonzero(found.weights[:, -1]) == 1


def test_they_rest_when_a_key_is_solved_again_and_in_a_mirrored_shot(rig, shot, found):
    again, solved = rc.capture.solve_again(rig, found, shot.points, fixed=None)
    assert not solved.any()
    assert np.array_equal(again.weights, found.weights)
    pins = np.full(shot.weights.shape, np.nan)
    pins[12, 0] = 0.5
    assert not rc.capture.solve_again(rig, found, shot.points, fixed=pins)[0].weights[:, -2:].any()
    assert not solve(rig, shot, mirrored=True).weights[:, -2:].any()


@pytest.mark.parametrize(("patterns", "match"), [(("nose_*",), "matches no shape"), (("*",), "all shapes at rest")])
def test_patterns_that_cannot_be_meant_are_refused(rig, shot, patterns, match):
    with pytest.raises(rc.errors.ArgumentError, match=match):
        solve(rig, shot, rc.capture.CaptureSettings(still=patterns))


@pytest.mark.parametrize(("more", "moves"), [([], False), (["--still"], True), (["--still", "viseme_U"], True)])
def test_the_command_has_the_choice(rig, shot, tmp_path, monkeypatch, capsys, more, moves):
    monkeypatch.chdir(tmp_path)
    rig.save("face.safetensors")
    np.savez("points.npz", points=shot.points, fps=60.0, size=SIZE)
    (tmp_path / "map.json").write_text(json.dumps(shot.vertices.tolist()))
    usual = ["--map", "map.json", "--neutral", "0", "--focal", str(FOCAL), "-o", "w.npz", "--json"]
    assert dispatch.main(["capture", "solve", "points.npz", "face.safetensors", *usual, *more]) == 0
    assert any("stay at rest" in note for note in json.loads(capsys.readouterr().out)["notes"]) == (more != ["--still"])
    assert bool(rc.sources.load_blendshape_weights("w.npz", rig)[0][:, -2].any()) == moves
