"""Shapes that sparsity keeps at rest although the shot shows them are named."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.cli.command import SOLVE, json_of, rigcast_command

FACE = rc.faces.example()
JAW, BLINK = (FACE.shape_names.index(name) for name in ("jawOpen", "eyeBlinkLeft"))


@pytest.fixture(scope="module")
def shot():
    """A jaw that opens while the left eye blinks, with noise."""
    weights = np.zeros((70, FACE.num_shapes), np.float32)
    weights[:, JAW] = np.linspace(0, 0.8, 70)
    weights[66:69, BLINK] = 0.5, 1.0, 0.5
    return FACE.evaluate(weights) + np.random.default_rng(0).normal(0, 0.02, (70, 2536, 3))


def found(shot, share, **options):
    return rc.inverse.solve(FACE, shot, relative_alpha=share, **options)


def told(solution):
    return [text for text in solution.warnings if "rest in every frame" in text]


def test_a_blink_that_sparsity_swallows_is_named(shot):
    (text,) = told(found(shot, 0.05))
    assert "eyeBlinkLeft (up to 1)" in text
    assert "relative alpha" in text


def test_nothing_is_named_if_all_that_moves_is_on(shot):
    assert told(found(shot, 0.0005)) == []


def test_chosen_vertices_tell_the_same(shot):
    few = np.arange(0, 2536, 3)
    few_told, told_of_all = (told(found(meshes, 0.05, vertices=few)) for meshes in (shot[:, few], shot))
    assert "eyeBlinkLeft" in few_told[0]
    assert few_told == told_of_all


@pytest.mark.parametrize(
    "options", [("--relative-alpha", "0.05"), ("--loss", "tukey", "--loss-scale", "0.02", "--alpha", "1")], ids=str
)
def test_the_command_names_it_in_its_json_and_on_the_screen(shot, options, tmp_path):
    FACE.save(tmp_path / "face.safetensors")
    np.save(tmp_path / "take.npy", shot.astype(np.float32))
    told = json_of(*SOLVE, "-o", "w.npz", *options, folder=tmp_path)
    (text,) = [text for text in told["warnings"] if "rest in every frame" in text]
    assert "eyeBlinkLeft" in text
    shown = rigcast_command(*SOLVE, "-o", "w.npz", *options, folder=tmp_path)
    assert text in " ".join((shown.stdout + shown.stderr).split())
