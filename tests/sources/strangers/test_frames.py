"""The samples that a file has are its frames and tell its rate; what is resampled, or too long, is said."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import rigcast as rc
from rigcast._formats.frame_rates import frames_of
from rigcast.errors import InputWarning
from tests.sources.strangers.triangles import TRIANGLE, weights_at

RATES = [12.0, 15.0, 24.0, 24000 / 1001, 25.0, 30.0, 30000 / 1001, 48.0, 50.0, 60.0, 120.0, 37.5]


@pytest.mark.parametrize("first", [0, 1, 7, 1001])
@pytest.mark.parametrize("rate", RATES)
def test_evenly_spaced_keys_are_the_frames(rate, first, tmp_path):
    times = (first + np.arange(10)) / rate
    path = weights_at(times.astype(np.float32)).write(tmp_path / "even.gltf")
    with warnings.catch_warnings():
        warnings.simplefilter("error", InputWarning)
        weights, fps = rc.sources.load_blendshape_weights(path, rc.sources.load_blendshapes(path))
    assert fps == pytest.approx(rate, rel=1e-3 if first > 1000 else 1e-4)  # seconds are float32
    assert weights[:, 0].tolist() == [0, 1] * 5
    shot = rc.sources.load_shot(path)
    assert (len(shot.vertices), shot.notes) == (10, ())
    assert set(np.round(shot.vertices[:, 0, 2], 6).tolist()) == {0.0, 1.0}


@pytest.mark.parametrize(
    ("times", "rate", "count"),
    [
        ([0, 1, 2], 30.0, 61),
        ([0, 5 / 24, 10 / 24], 24.0, 11),
        ([1 / 25, 3 / 25, 10 / 25], 25.0, 10),
        ([0, 1 / 60, 1 / 30, 10 / 60], 60.0, 11),
        ([0.2, 0.4], 30.0, 7),
    ],
)
def test_keys_far_apart_are_sampled_at_a_rate_that_is_said(times, rate, count, tmp_path):
    path = weights_at(times).write(tmp_path / "gaps.gltf")
    with pytest.warns(
        InputWarning, match=f"{len(times)} keys, not at every frame: sampled at {rate:g} frames per second"
    ):
        weights, fps = rc.sources.load_blendshape_weights(path, rc.sources.load_blendshapes(path))
    assert (fps, len(weights)) == (rate, count)
    assert "not at every frame" in rc.sources.load_shot(path).notes[0]


@pytest.mark.parametrize(("rate", "digits"), [(30.0, 3), (30.0, 2), (24.0, 2), (24.0, 3), (60.0, 3), (25.0, 3)])
def test_rounded_times_are_frames(rate, digits):
    keys = np.round(np.arange(20) / rate, digits)
    found = frames_of(keys, 1000)
    assert (found.fps, found.times.tolist()) == (rate, keys.tolist())
    assert ("whose times are rounded" in found.note) is (rate != 25.0)


def test_keys_on_no_usual_rate_are_said():
    found = frames_of(np.array([0.0, 0.0371, 0.1, 0.21]), 1000)
    assert found.fps == 30.0
    assert "lie on the frames of no usual rate" in found.note


def test_a_stray_key_takes_no_memory():
    assert frames_of(np.array([0.0, 1.0, 1e12]), 1_000_000) is None


def usd_of(path, points=(), shifts=(), **attributes):
    from pxr import Gf, Usd, UsdGeom

    stage = Usd.Stage.CreateInMemory()
    if "rate" in attributes:
        stage.SetTimeCodesPerSecond(attributes["rate"])
    parent = UsdGeom.Xform.Define(stage, "/head").AddTranslateOp()
    for code in shifts:
        parent.Set(Gf.Vec3d(code, 0, 0), float(code))
    mesh = UsdGeom.Mesh.Define(stage, "/head/face")
    attribute = mesh.CreatePointsAttr(TRIANGLE)
    for code in points:
        attribute.Set([(0, 0, code), (1, 0, 0), (0, 1, 0)], float(code))
    mesh.CreateFaceVertexCountsAttr([3])
    mesh.CreateFaceVertexIndicesAttr([0, 1, 2])
    stage.GetRootLayer().Export(str(path))
    return path


@pytest.mark.parametrize(
    ("points", "shifts", "count", "fps", "note"),
    [
        ((), range(1, 11), 10, 24.0, ""),
        ((1, 3), range(1, 11), 10, 24.0, ""),
        (range(5), (), 5, 24.0, ""),
        ((1, 1.5, 2, 2.5), (), 4, 48.0, ""),
        ((1, 11), (), 11, 24.0, "2 samples, read at the 11 whole time codes"),
        ((1, 1.3, 4), (), 4, 24.0, "which are not whole"),
        ((7,), (), 1, 24.0, ""),
    ],
)
def test_samples_of_usd_are_its_frames(points, shifts, count, fps, note, tmp_path):
    pytest.importorskip("pxr", reason="usd-core is not installed")
    shot = rc.sources.load_shot(usd_of(tmp_path / "moved.usda", points, shifts))
    assert (len(shot.vertices), shot.fps) == (count, fps)
    assert [note in told for told in shot.notes] == [True] * bool(note)


@pytest.mark.parametrize("last", [10_000_000, 99_999_999_999])
def test_a_stray_time_code_is_no_shot(last, tmp_path):
    pytest.importorskip("pxr", reason="usd-core is not installed")
    with pytest.raises(ValueError, match=r"x\.usda: 2 samples from time code 0 to .* without stray samples"):
        rc.sources.load_shot(usd_of(tmp_path / "x.usda", (0, last)))


USD = '#usda 1.0\ndef Mesh "m"\n{{\n{}\n    point3f[] points = [(0,0,0), (1,0,0), (0,1,0)]\n}}\n'


@pytest.mark.parametrize(
    "text",
    [
        USD.format("    idt[] faceVertexIndices = [0, 1, 2]\n    int[] faceVertexCounts = [3]"),
        USD.format("    string faceVertexCounts = 'x'\n    int[] faceVertexIndices = [0]"),
        "#usda 1.0\ndef Mesh {",
        "PXR-USDC" + "\0" * 100,
        "",
    ],
)
@pytest.mark.parametrize("ending", ["usda", "usd", "usdc"])
def test_what_the_library_raises_names_the_file(text, ending, tmp_path, capfd):
    pytest.importorskip("pxr", reason="usd-core is not installed")
    path = tmp_path / f"bad.{ending}"
    path.write_text(text)
    rig = rc.BlendshapeRig(np.zeros((3, 3), "f4"), np.ones((1, 3, 3), "f4"), names=["a"])
    for read in (rc.sources.load_shot, rc.sources.load_mesh, lambda p: rc.sources.load_blendshape_weights(p, rig)):
        try:
            read(path)
        except ValueError as error:
            assert "bad." in str(error)
    assert "Traceback" not in capfd.readouterr().err
