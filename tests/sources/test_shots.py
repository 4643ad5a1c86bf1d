"""Shots from every kind of file, and refusals that name the file."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

import rigcast as rc
from tests.support.glb import animated_values, character, slow_vertices

SQUARE = "f 1 2 3 4\nf 1 2 5\n"


def write_obj(path, points, faces=SQUARE):
    text = "# comment\n" + "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in points.tolist()) + faces
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)


def frames(count=3, seed=0):
    return np.random.default_rng(seed).normal(size=(count, 5, 3)).astype(np.float32)


@pytest.mark.parametrize("kind", ["folder", "pattern", "gzip"])
def test_obj_files_come_in_natural_order(tmp_path, kind):
    points = frames(12)
    for index, frame in enumerate(points):
        write_obj(tmp_path / f"scan{index}.obj{'.gz' if kind == 'gzip' else ''}", frame.astype(np.float64))
    (tmp_path / "notes.txt").write_text("not a frame")
    shot = rc.sources.load_shot(tmp_path / "scan*.obj" if kind == "pattern" else tmp_path, fps=50.0)
    np.testing.assert_array_equal(shot.vertices, points)
    assert shot.fps == 50.0
    assert shot.faces.tolist() == [[0, 1, 2, 3], [0, 1, 4, -1]]


def test_corners_count_from_the_end_and_polygons_become_fans(tmp_path):
    write_obj(tmp_path / "one.obj", frames(1)[0].astype(np.float64), "f -5/1/1 -4/2 -3//3 -2 -1\nl 1 2\n")
    shot = rc.sources.load_shot(tmp_path / "one.obj")
    assert shot.faces.tolist() == [[0, 1, 2, -1], [0, 2, 3, -1], [0, 3, 4, -1]]


def test_broken_sequences_are_refused_by_the_file_at_fault(tmp_path):
    points = frames(2).astype(np.float64)
    write_obj(tmp_path / "a1.obj", points[0])
    for fault, write in {
        "fewer vertices": lambda path: write_obj(path, points[1][:4], ""),
        "other faces": lambda path: write_obj(path, points[1], "f 1 2 3\n"),
        "no number": lambda path: path.write_text("v 1 2 x\n"),
        "two numbers": lambda path: path.write_text("v 1 2\n"),
        "not finite": lambda path: path.write_text("v 1 2 nan\n"),
        "binary": lambda path: path.write_bytes(bytes(range(256))),
        "a corner beyond": lambda path: write_obj(path, points[1], "f 1 2 9\n"),
    }.items():
        write(tmp_path / "a2.obj")
        with pytest.raises(ValueError, match=r"load_shot.*a2\.obj"):
            rc.sources.load_shot(tmp_path)
        (tmp_path / "a2.obj").rename(tmp_path / f"{fault}.txt")
    with pytest.raises(FileNotFoundError, match=r"b\*\.obj', which does not exist"):
        rc.sources.load_shot(tmp_path / "b*.obj")
    (tmp_path / "c.obj.gz").write_bytes(b"no gzip")
    with pytest.raises(ValueError, match=r"c\.obj\.gz"):
        rc.sources.load_shot(tmp_path / "c.obj.gz")


def test_arrays_are_read_as_they_are(tmp_path):
    points = frames(4)
    np.save(tmp_path / "a.npy", points.astype(np.float64))
    np.testing.assert_array_equal(rc.sources.load_shot(tmp_path / "a.npy", fps=12).vertices, points)
    np.savez(tmp_path / "a.npz", vertices=points, faces=np.array([[0, 1, 2]]), fps=48, other=np.zeros(3))
    shot = rc.sources.load_shot(tmp_path / "a.npz")
    np.testing.assert_array_equal(shot.vertices, points)
    assert (shot.fps, shot.faces.tolist()) == (48.0, [[0, 1, 2, -1]])


def test_broken_arrays_are_refused(tmp_path):
    points = frames(4)
    bad = points.copy()
    bad[2, 1, 1] = np.nan
    for name, array in {"flat": points[0], "text": np.array(["a"]), "hole": bad, "empty": points[:0]}.items():
        np.save(tmp_path / f"{name}.npy", array)
        with pytest.raises(ValueError, match=rf"load_shot.*{name}\.npy"):
            rc.sources.load_shot(tmp_path / f"{name}.npy")
    np.save(tmp_path / "pickled.npy", np.array([{}], object), allow_pickle=True)
    whole = (tmp_path / "hole.npy").read_bytes()
    (tmp_path / "short.npy").write_bytes(whole[:-8])
    (tmp_path / "garbage.npy").write_bytes(b"\x93NUMPY" + b"\xff" * 50)
    for name in ("pickled", "short", "garbage"):
        with pytest.raises(ValueError, match=rf"load_shot.*{name}\.npy"):
            rc.sources.load_shot(tmp_path / f"{name}.npy")
    np.savez(tmp_path / "corner.npz", vertices=points, faces=np.array([[0, 1, 5]]))
    np.savez(tmp_path / "none.npz", points=points)
    for name in ("corner", "none"):
        with pytest.raises(ValueError, match=rf"load_shot.*{name}\.npz"):
            rc.sources.load_shot(tmp_path / f"{name}.npz")
    with pytest.raises(FileNotFoundError, match=r"nowhere\.npy', which does not exist"):
        rc.sources.load_shot(tmp_path / "nowhere.npy")
    (tmp_path / "a.mov").write_bytes(b"moov")
    with pytest.raises(ValueError, match=r"\.mov"):
        rc.sources.load_shot(tmp_path / "a.mov")


def test_a_moving_character_is_played_as_gltf_says(tmp_path, tolerance):
    g = character()
    g.write(tmp_path / "c.glb")
    with pytest.raises(ValueError, match="clip"):
        rc.sources.load_shot(tmp_path / "c.glb")
    shot = rc.sources.load_shot(tmp_path / "c.glb", clip="steps", fps=10.0)
    assert len(shot.vertices) == 21
    for frame in (0, 7, 20):
        expected = slow_vertices(g, 0, animated_values(g, "steps", frame / 10))
        np.testing.assert_allclose(shot.vertices[frame], expected, atol=50 * tolerance["float32"])


def usd_stage(path, points, *, rate=24.0, second=False):
    usd, geometry = (
        pytest.importorskip("pxr.Usd", reason="usd-core is not installed"),
        pytest.importorskip("pxr.UsdGeom", reason="usd-core is not installed"),
    )
    stage = usd.Stage.CreateNew(str(path))
    stage.SetTimeCodesPerSecond(rate)
    root = geometry.Xform.Define(stage, "/root")
    root.AddTranslateOp().Set((1.0, 2.0, 3.0))
    for name in ("face", "prop")[: 1 + second]:
        mesh = geometry.Mesh.Define(stage, f"/root/{name}")
        mesh.CreateFaceVertexCountsAttr([4, 3])
        mesh.CreateFaceVertexIndicesAttr([0, 1, 2, 3, 0, 1, 4])
        for code, frame in points.items():
            mesh.CreatePointsAttr().Set([tuple(map(float, p)) for p in frame], code)
    stage.GetRootLayer().Save()


def test_usd_shots_have_the_unit_and_the_axes_that_the_stage_states(tmp_path, tolerance):
    points = frames(2)
    path = tmp_path / "face.usda"
    usd_stage(path, {1.0: points[0], 2.0: points[1]})
    plain = rc.sources.load_shot(path)
    assert (plain.meters_per_unit, plain.up_axis) == (None, None)
    np.testing.assert_array_equal(plain.placed(0.01, "Z").vertices, plain.vertices)
    usd, geometry = (
        pytest.importorskip("pxr.Usd", reason="usd-core is not installed"),
        pytest.importorskip("pxr.UsdGeom", reason="usd-core is not installed"),
    )
    stage = usd.Stage.Open(str(path))
    geometry.SetStageMetersPerUnit(stage, 0.01)
    geometry.SetStageUpAxis(stage, geometry.Tokens.z)
    stage.GetRootLayer().Save()
    told = rc.sources.load_shot(path)
    assert (told.meters_per_unit, told.up_axis) == (0.01, "Z")
    x, y, z = np.moveaxis(told.vertices, -1, 0)
    in_meters = told.placed(1.0, "Y")
    np.testing.assert_allclose(in_meters.vertices, 0.01 * np.stack([x, z, -y], -1), atol=tolerance["float32"])
    assert (in_meters.meters_per_unit, in_meters.up_axis) == (1.0, "Y")
    for axis in "XYZ":
        back = in_meters.placed(0.5, axis).placed(0.01, "Z")
        np.testing.assert_allclose(back.vertices, told.vertices, atol=5 * tolerance["float32"])
    for unit, axis in ((0.0, "Y"), (np.nan, "Y"), (1.0, "up")):
        with pytest.raises(ValueError, match=r"placed: .* it must be"):
            told.placed(unit, axis)


@pytest.mark.parametrize("ending", ["usda", "usdc"])
def test_usd_points_are_read_in_world_space_and_between_samples(tmp_path, tolerance, ending):
    points = frames(2)
    path = tmp_path / f"face.{ending}"
    usd_stage(path, {1.0: points[0], 3.0: points[1]}, rate=48.0)
    shot = rc.sources.load_shot(path)
    expected = np.stack([points[0], points.mean(axis=0), points[1]]) + np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(shot.vertices, expected, atol=5 * tolerance["float32"])
    assert shot.fps == 48.0
    assert shot.faces.tolist() == [[0, 1, 2, 3], [0, 1, 4, -1]]


def test_broken_usd_files_are_refused(tmp_path):
    points = frames(2)
    usd_stage(tmp_path / "two.usda", {0.0: points[0], 1.0: points[1]}, second=True)
    with pytest.raises(ValueError, match="/root/face, /root/prop"):
        rc.sources.load_shot(tmp_path / "two.usda")
    assert rc.sources.load_shot(tmp_path / "two.usda", mesh="prop").vertices.shape == (2, 5, 3)
    usd_stage(tmp_path / "grows.usda", {0.0: points[0], 1.0: points[1][:4]})
    with pytest.raises(ValueError, match=r"grows\.usda"):
        rc.sources.load_shot(tmp_path / "grows.usda")
    for name, content in {"garbage.usda": b"#usda 1.0\n{", "garbage.usdc": b"PXR-USDC" + b"\xff" * 80}.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=name):
            rc.sources.load_shot(tmp_path / name)


def test_an_alembic_cache_is_read_by_blender(host, tmp_path, tolerance):
    if not (host.folder / "cache.abc").exists():
        pytest.skip("this Blender was built without Alembic")
    shot = rc.sources.load_shot(host.folder / "cache.abc", blender=host.blender)
    expected = np.load(host.folder / "cache.npy")  # z up, as Blender had it
    expected = np.stack([expected[..., 0], expected[..., 2], -expected[..., 1]], axis=2)
    assert shot.fps == 24.0
    np.testing.assert_allclose(shot.vertices, expected, atol=20 * tolerance["float32"])
    (tmp_path / "garbage.abc").write_bytes(b"no archive")
    with pytest.raises(ValueError, match=r"load_shot.*garbage\.abc"):
        rc.sources.load_shot(tmp_path / "garbage.abc", blender=host.blender)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"vertices": np.zeros((4, 3))}, r"Shot: vertices is float64 \(4, 3\); it must be numbers \(T, V, 3\)"),
        ({"vertices": [[[0.0, np.nan, 0.0]]]}, r"Shot: vertices is not finite everywhere \(nan at \(0, 0, 1\)\)"),
        ({"fps": 0.0}, "Shot: fps is 0.0; it must be a finite number at least 0.001 and at most 1000"),
        ({"faces": [[0, 1, 7]]}, "Shot: faces is 7 in face 0; it must be vertex indices from 0 to 3"),
        ({"meters_per_unit": 0.0}, "Shot: meters_per_unit is 0"),
        ({"up_axis": "up"}, "Shot: up_axis is 'up'; it must be one of X, Y, Z, or None"),
    ],
)
def test_a_shot_made_by_hand_names_its_own_arguments(arguments, said):
    with pytest.raises(ValueError, match=f"^{said}"):
        rc.sources.Shot(**({"vertices": np.zeros((2, 4, 3)), "fps": 24.0} | arguments))


def test_a_shot_takes_any_numbers_and_triangles():
    shot = rc.sources.Shot([[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], 24.0, [[0, 1, 2]])
    assert shot.vertices.dtype == np.float32
    assert shot.faces.tolist() == [[0, 1, 2, -1]]
