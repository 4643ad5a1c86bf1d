"""Moving meshes in formats that need NumPy alone: read by parsers of this file's own, and by the package."""

from __future__ import annotations

import json
import struct
import tracemalloc

import numpy as np
import pytest

import rigcast as rc
from rigcast._formats.gltf.write_motion import fewest, motion_basis
from rigcast._rigs.motions import moving_mesh as chunking
from rigcast.exports import write_vertices
from tests.exports.moving import FACES, FPS, UNIT, UP, Z_UP, moving_mesh

NUMPY_ALONE = (".npy", ".npz", ".pc2", ".mdd", ".glb")
FRAMES = 9


@pytest.fixture(scope="module")
def mesh():
    return moving_mesh(FRAMES)


@pytest.fixture(scope="module")
def written(mesh, tmp_path_factory):
    """One folder with every format; ``notes`` by ending."""
    folder = tmp_path_factory.mktemp("written")
    facts = {"meters_per_unit": UNIT, "up_axis": UP, "name": "creature", "licence": "CC0-1.0"}
    notes = {
        end: write_vertices(folder / f"m{end}", mesh, FACES, fps=FPS, max_error=1e-5, **facts) for end in NUMPY_ALONE
    }
    return folder, notes


class Lazy:
    """What is sliced like an array, and remembers the longest slice."""

    def __init__(self, array):
        self.array, self.shape, self.longest = array, array.shape, 0

    def __len__(self):
        return len(self.array)

    def __getitem__(self, frames):
        found = self.array[frames]
        self.longest = max(self.longest, len(found))
        return found


def test_npy_is_what_numpy_saves(written, mesh, tmp_path):
    np.save(tmp_path / "by_numpy.npy", mesh)
    assert (written[0] / "m.npy").read_bytes() == (tmp_path / "by_numpy.npy").read_bytes()


def test_npz_states_all_there_is(written, mesh):
    stored = np.load(written[0] / "m.npz")
    np.testing.assert_array_equal(stored["vertices"], mesh)
    np.testing.assert_array_equal(stored["faces"], FACES)
    assert (stored["fps"], stored["meters_per_unit"], stored["up_axis"]) == (FPS, UNIT, UP)
    assert (stored["name"], stored["licence"]) == ("creature", "CC0-1.0")
    shot = rc.sources.load_shot(written[0] / "m.npz")
    assert (shot.fps, shot.meters_per_unit, shot.up_axis) == (FPS, UNIT, UP)


def test_pc2_is_little_endian_from_frame_one(written, mesh):
    content = (written[0] / "m.pc2").read_bytes()
    header = struct.unpack("<12siiffi", content[:32])
    assert header == (b"POINTCACHE2\0", 1, 5, 1.0, 1.0, FRAMES)
    np.testing.assert_array_equal(np.frombuffer(content[32:], "<f4").reshape(FRAMES, 5, 3), mesh)


def test_mdd_is_big_endian_with_seconds(written, mesh):
    content = (written[0] / "m.mdd").read_bytes()
    assert struct.unpack(">ii", content[:8]) == (FRAMES, 5)
    seconds, positions = np.split(np.frombuffer(content[8:], ">f4"), [FRAMES])
    # One rounding to float32.
    np.testing.assert_allclose(seconds, np.arange(FRAMES) / 48, rtol=1e-7)
    np.testing.assert_array_equal(positions.reshape(FRAMES, 5, 3), mesh)


def test_point_caches_are_read_as_shots(written, mesh):
    for ending, fps in ((".pc2", 30.0), (".mdd", FPS)):
        shot = rc.sources.load_shot(written[0] / f"m{ending}")
        np.testing.assert_array_equal(shot.vertices, mesh)
        assert (shot.fps, shot.faces, shot.up_axis) == (fps, None, None)
    assert rc.sources.load_shot(written[0] / "m.pc2", fps=48.0).fps == FPS


@pytest.mark.parametrize("ending", [".pc2", ".mdd"])
@pytest.mark.parametrize("size", [0, 6, 100, -4])
def test_point_caches_that_are_cut_are_refused(written, tmp_path, ending, size):
    broken = tmp_path / f"cut{ending}"
    broken.write_bytes((written[0] / f"m{ending}").read_bytes()[:size])
    with pytest.raises(ValueError, match=rf"load_shot: path is .*cut\{ending}"):
        rc.sources.load_shot(broken)


class Glb:
    """A .glb with one morphing mesh, parsed and played as the specification says, by nothing of the package."""

    def __init__(self, path):
        content = path.read_bytes()
        length = struct.unpack_from("<I", content, 12)[0]
        self.scene, self.blob = json.loads(content[20 : 20 + length]), content[28 + length :]
        self.still = np.array(self.scene["meshes"][0]["weights"])
        (primitive,) = self.scene["meshes"][0]["primitives"]
        (sampler,) = self.scene["animations"][0]["samplers"]
        assert sampler["interpolation"] == "LINEAR"
        self.base = self.array(primitive["attributes"]["POSITION"])
        self.targets = np.array([self.array(target["POSITION"]) for target in primitive["targets"]], np.float64)
        self.weights = self.array(sampler["output"]).reshape(-1, len(self.targets))
        self.seconds = self.array(sampler["input"])[:, 0]

    def array(self, index):
        accessor = self.scene["accessors"][index]
        view = self.scene["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3}[accessor["type"]]
        kind = {5126: "<f4", 5123: "<u2"}[accessor["componentType"]]
        return np.frombuffer(self.blob, kind, accessor["count"] * width, view["byteOffset"]).reshape(-1, width)

    def world(self, weights):
        """(T, V, 3) of weights (T, n)."""
        node = self.scene["nodes"][0]
        x, y, z, w = node.get("rotation", [0, 0, 0, 1])
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        turn = np.eye(3) + 2 * w * cross + 2 * cross @ cross
        return node.get("scale", [1.0] * 3) * (self.base + np.tensordot(weights, self.targets, 1)) @ turn.T


def in_gltf(mesh):
    """Meters, y up."""
    return UNIT * np.stack([mesh[..., 0], mesh[..., 2], -mesh[..., 1]], axis=2)


def test_glb_plays_the_motion_in_meters_y_up(written, mesh, tolerance):
    glb = Glb(written[0] / "m.glb")
    np.testing.assert_allclose(glb.seconds, np.arange(FRAMES) / 48, rtol=tolerance["float64_converged"])
    np.testing.assert_allclose(glb.world(glb.weights), in_gltf(mesh), atol=UNIT * 2e-5)
    assert glb.scene["asset"]["copyright"] == "CC0-1.0"


def test_weights_of_a_glb_lie_between_0_and_1(written):
    """Blender's importer clamps others."""
    weights = Glb(written[0] / "m.glb").weights
    np.testing.assert_array_equal([weights.min(axis=0), weights.max(axis=0)], [[0] * 8, [1] * 8])


def test_a_glb_shows_the_first_frame_without_its_clip(written, mesh):
    glb = Glb(written[0] / "m.glb")
    np.testing.assert_allclose(glb.world(glb.still[None]), in_gltf(mesh[:1]), atol=UNIT * 2e-5)


def test_the_note_of_a_glb_states_its_error(mesh, tmp_path):
    """In millimeters and as a share of the size; the error is that of the file."""
    (note,) = write_vertices(tmp_path / "m.glb", mesh, FACES, fps=FPS, meters_per_unit=UNIT, up_axis=UP, max_error=0.4)
    glb = Glb(tmp_path / "m.glb")
    off = 1e3 * np.linalg.norm(glb.world(glb.weights) - in_gltf(mesh), axis=2).max()
    size = 1e3 * UNIT * np.linalg.norm(np.ptp(mesh[0], axis=0))
    assert 0.5 < off <= 4.0
    assert note == (
        f"{len(glb.targets)} morph targets for {FRAMES} frames miss the motion by at most {off:.3g} mm"
        f" ({100 * off / size:.2g} % of the size, {size:.4g} mm)"
    )


def test_a_motion_has_the_fewest_targets_that_the_error_allows(mesh, tolerance):
    """Beside NumPy's own singular value decomposition."""
    offsets = (mesh - mesh[0]).reshape(FRAMES, -1).astype(np.float64)
    left, values, right = np.linalg.svd(offsets, full_matrices=False)
    errors = []
    for count in range(FRAMES):
        missed = offsets - (left[:, :count] * values[:count]) @ right[:count]
        errors.append(np.linalg.norm(missed.reshape(FRAMES, -1, 3), axis=2).max())
    for count in (1, 2, 4):
        basis = motion_basis(mesh, 1.001 * errors[count])
        assert len(basis.targets) == next(n for n in range(1, FRAMES) if errors[n] <= 1.001 * errors[count])
        assert basis.error == pytest.approx(errors[len(basis.targets)], rel=tolerance["printed"])
        assert (basis.weights.min(), basis.weights.max()) == (0.0, 1.0)


def test_the_search_for_fewest_tries_few():
    for answer in range(1, 40):
        tried = []
        assert fewest(lambda n: tried.append(n) or float(n < answer), 40, 0.5) == answer  # noqa: B023
        assert len(tried) < 14
    assert fewest(lambda n: 1.0, 7, 0.5) == 7


def test_a_still_mesh_is_a_glb_without_error(tmp_path):
    (note,) = write_vertices(tmp_path / "m.glb", np.tile(moving_mesh(1), (3, 1, 1)), FACES)
    assert note.startswith("1 morph target for 3 frames miss the motion by at most 0 mm")


@pytest.mark.parametrize("ending", [".npy", ".npz", ".pc2", ".mdd"])
def test_frames_are_read_a_few_at_a_time(written, mesh, tmp_path, ending, monkeypatch):
    monkeypatch.setattr(chunking, "BYTES_AT_ONCE", 4 * 12 * 5)
    lazy = Lazy(mesh)
    facts = {"meters_per_unit": UNIT, "up_axis": UP, "name": "creature", "licence": "CC0-1.0"}
    write_vertices(tmp_path / f"m{ending}", lazy, FACES, fps=FPS, **facts)
    assert lazy.longest == 4
    assert (tmp_path / f"m{ending}").read_bytes() == (written[0] / f"m{ending}").read_bytes()


@pytest.mark.parametrize("convert", [np.ndarray.tolist, lambda mesh: mesh.astype(np.float64), memoryview])
def test_other_arrays_are_written_alike(written, mesh, tmp_path, convert):
    write_vertices(tmp_path / "m.pc2", convert(mesh), FACES, fps=FPS)
    assert (tmp_path / "m.pc2").read_bytes() == (written[0] / "m.pc2").read_bytes()


def test_a_tensor_is_an_array(written, mesh, tmp_path):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    write_vertices(tmp_path / "m.pc2", torch.from_numpy(mesh), FACES, fps=FPS)
    assert (tmp_path / "m.pc2").read_bytes() == (written[0] / "m.pc2").read_bytes()


def test_a_long_motion_of_few_vertices_has_at_most_their_coordinates_as_targets(tolerance):
    mesh = moving_mesh(40)
    basis = motion_basis(mesh, 1e-5)
    assert len(basis.targets) <= 15
    played = basis.base + np.tensordot(basis.weights, basis.targets, 1)
    np.testing.assert_allclose(played, mesh, atol=20 * tolerance["float32"] * np.abs(mesh).max())


def test_playback_is_evaluate(tmp_path):
    face = rc.faces.example()
    weights = np.random.default_rng(0).uniform(size=(7, face.num_shapes))
    motion = rc.exports.Playback(face, weights)
    assert motion.shape == (7, len(face.rest_vertices), 3)
    np.testing.assert_array_equal(motion[2:5], face.evaluate(weights)[2:5])
    with pytest.raises(ValueError, match="Playback: poses"):
        rc.exports.Playback(face, weights[:, 1:])


@pytest.mark.parametrize("up_axis", "XYZ")
def test_another_unit_and_up_axis(mesh, tmp_path, up_axis, tolerance):
    options = {"meters_per_unit": 1.0, "up_axis": up_axis, "to_meters_per_unit": UNIT, "to_up_axis": "Z"}
    write_vertices(tmp_path / "m.npz", mesh, **options)
    stored = np.load(tmp_path / "m.npz")
    expected = 100 * mesh @ np.transpose(Z_UP[up_axis])
    np.testing.assert_allclose(stored["vertices"], expected, atol=1e3 * tolerance["float32"])
    assert (stored["meters_per_unit"], stored["up_axis"]) == (UNIT, "Z")


def test_notes_name_what_a_format_does_not_state(written):
    assert written[1][".pc2"] == ["m.pc2 states no rate, unit or up axis: 48 frames per second, units of 0.01 m, z up"]
    assert written[1][".mdd"] == ["m.mdd states no unit or up axis: units of 0.01 m, z up"]
    assert written[1][".npz"] == []


@pytest.mark.parametrize("ending", NUMPY_ALONE)
def test_a_frame_that_is_not_finite_is_named_and_nothing_is_replaced(tmp_path, ending):
    broken = moving_mesh(FRAMES)
    broken[6, 2] = np.nan
    path = tmp_path / f"m{ending}"
    path.write_bytes(b"old")
    with pytest.raises(ValueError, match="write_vertices: vertices is not finite in frame 6"):
        write_vertices(path, broken, FACES)
    assert path.read_bytes() == b"old"
    assert [item.name for item in tmp_path.iterdir()] == [path.name]


def test_wrong_arguments_are_refused(mesh, tmp_path):
    for given, word in (
        ({"path": "m.fbx"}, "path"),
        ({"path": 3}, "path"),
        ({"vertices": mesh[0]}, "vertices"),
        ({"vertices": mesh[:0]}, "vertices"),
        ({"vertices": mesh > 0}, "vertices"),
        ({"faces": [[0, 1, 5]]}, "faces"),
        ({"fps": 0.0}, "fps"),
        ({"meters_per_unit": -1.0}, "meters_per_unit"),
        ({"up_axis": "z"}, "up_axis"),
        ({"to_up_axis": "W"}, "to_up_axis"),
        ({"to_meters_per_unit": 0.0}, "to_meters_per_unit"),
        ({"max_error": 0.0}, "max_error"),
    ):
        arguments = {"path": tmp_path / "m.glb", "vertices": mesh, "faces": FACES} | given
        with pytest.raises(ValueError, match=f"write_vertices: {word} "):
            write_vertices(**arguments)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("frames", [1, 2, 40, 20_000])
def test_shapes_of_a_long_shot_cost_memory_by_its_length(frames):
    """The Gram matrix of 20,000 frames alone would take 3 GB."""
    random = np.random.default_rng(0)
    basis, weights = random.normal(size=(3, 12, 3)), random.normal(size=(frames, 3))
    motion = (np.einsum("tk,kva->tva", weights, basis) + random.normal(size=(12, 3))).astype(np.float32)
    tracemalloc.start()
    try:
        found = motion_basis(motion, 1e-3)
        assert tracemalloc.get_traced_memory()[1] < 40 * motion.nbytes + 2**20
    finally:
        tracemalloc.stop()
    assert len(found.targets) == min(3, max(frames - 1, 1))
    again = found.base + np.einsum("tk,kva->tva", found.weights, found.targets)
    assert np.linalg.norm(again - motion, axis=2).max() < 1e-3
