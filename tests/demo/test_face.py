"""The demo's face: the shapes of the assets, the constructed clip, and its weights found back."""

from __future__ import annotations

import os

import numpy as np
import pytest

import rigcast as rc
from examples.characters.face import build_face, expression_curves, head_shapes
from examples.demo.shot import solve_clip
from rigcast.inverse import Solution
from rigcast.progress import Progress


@pytest.fixture(scope="module")
def face(assets):
    return build_face()


def test_the_shapes_are_those_of_the_assets(assets, face):
    names, neutral, deltas, _ = head_shapes(assets)
    assert face.shape_names == names
    assert len(names) == 52
    assert {"jawOpen", "eyeBlinkLeft", "tongueOut", "mouthSmileRight"} <= set(names)
    np.testing.assert_array_equal(face.rest_vertices, neutral)
    np.testing.assert_array_equal(face.columns()[:52], deltas)
    assert all(delta.any() for delta in deltas), "none is lost where the head is cut off"
    largest = np.linalg.norm(deltas, axis=2).max(axis=1)
    assert largest.max() < 5.0
    assert 15 < np.ptp(neutral[:, 2]) < 40, "centimeters"


def test_no_shape_is_cut(assets, face):
    """The rim of the head stays where it is."""
    edges = np.sort(np.concatenate([face.faces[:, [k, (k + 1) % 4]] for k in range(4)]), axis=1)
    unique, counts = np.unique(edges, axis=0, return_counts=True)
    rim = np.unique(unique[counts == 1])
    height = face.rest_vertices[:, 2]
    neck = rim[height[rim] < height.min() + 0.2 * np.ptp(height)]
    assert len(neck) > 20
    assert not face.columns()[:, neck].any()


def test_jaw_opens_downward_and_left_is_left(face):
    delta = dict(zip(face.shape_names, face.columns(), strict=False))
    jaw = delta["jawOpen"]
    assert jaw[np.argmax(np.linalg.norm(jaw, axis=1)), 2] < -2.0
    for name in ("eyeBlink", "mouthSmile"):
        left, right = (
            face.rest_vertices[np.linalg.norm(delta[name + side], axis=1) > 0.3, 0] for side in ("Left", "Right")
        )
        assert left.mean() > 0.5
        assert right.mean() < -0.5


def test_combinations_are_constructed_and_say_so(face):
    assert len(face.constructed) == face.num_columns - 52 == 26
    assert "jawOpen * mouthPucker" in face.constructed
    assert "constructed by rigcast" in face.metadata["origin"]


def test_the_clip_is_smooth_seeded_and_sparse(face):
    names = list(face.shape_names)
    weights = expression_curves(names, 300)
    np.testing.assert_array_equal(weights, expression_curves(names, 300))
    assert not np.array_equal(weights, expression_curves(names, 300, seed=1))
    assert weights.min() == 0.0
    assert weights.max() <= 1.0
    assert weights.any(axis=0).all(), "every shape takes part"
    assert 5 < (weights > 0.05).sum(axis=1).mean() < 20
    assert np.abs(np.diff(weights, axis=0)).max() < 0.45


def test_the_weights_of_the_clip_come_back_and_an_interruption_loses_nothing(face, tmp_path, monkeypatch):
    for package in ("pyvista", "matplotlib", "jinja2"):
        pytest.importorskip(package, reason="the report extra is not installed")

    monkeypatch.setattr("examples.demo.shot.BESIDE", ("descent", "cet"))  # the others take their time
    monkeypatch.setattr("rigcast.report._shot.rivals.REPEATED", 0.0)
    monkeypatch.setattr("examples.demo.shot.build_face", lambda: face)

    def interrupt(progress: Progress) -> None:
        if progress.stage == "drawing":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_clip(tmp_path, 24, lambda text: None, interrupt)
    found = (tmp_path / "face-weights.npz").stat().st_mtime_ns
    said: list[str] = []
    numbers = solve_clip(tmp_path, 24, said.append, lambda progress: None)
    assert (tmp_path / "face-weights.npz").stat().st_mtime_ns == found, "the solution was kept"
    assert numbers["weight_error"] < 0.005
    assert numbers["rmse_mm"] < 0.01
    assert numbers["converged"] == numbers["frames"] == 24
    solution = Solution.load(tmp_path / "face-weights.npz")
    rig = rc.load(tmp_path / "face.safetensors")
    truth, fps = rc.sources.load_blendshape_weights(tmp_path / "face-clip.npz", rig)
    assert np.abs(solution.weights - truth).mean() == pytest.approx(numbers["weight_error"])
    assert fps == 30.0
    assert "26 shapes and combinations of this rig are constructed" in (tmp_path / "face.html").read_text(
        encoding="utf-8"
    )

    written = {path: os.stat(path).st_mtime_ns for path in tmp_path.iterdir()}
    again = solve_clip(tmp_path, 24, said.append, lambda progress: None)
    assert said[-1] == "re-using the solved shot"
    assert again["rmse_mm"] == pytest.approx(numbers["rmse_mm"])
    assert {path: os.stat(path).st_mtime_ns for path in tmp_path.iterdir()} == written
