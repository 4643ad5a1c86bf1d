"""Wrong arguments of rigcast_runtime: an error that names function and argument, before anything reaches C."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rigcast as rc
from tests.runtime.library import SANITIZED, rr
from tests.support.made.blendshapes import random_arrays, random_rig

NEUTRAL, DELTAS, _ = random_arrays()
RIG = rr.BlendshapeRig(NEUTRAL, DELTAS)
K, V = RIG.num_shapes, RIG.num_vertices
POSES, MESH = np.zeros((2, K), np.float32), np.zeros((2, V, 3), np.float32)
CROWD, SOLVER, INVERSE = rr.Crowd(RIG, [POSES]), rr.Solver(RIG, [1, 2]), rr.InverseRig(RIG)
PLACES = np.zeros((1, 2, 3))
READ_ONLY = MESH.copy()
READ_ONLY.flags.writeable = False
UNALIGNED = np.zeros(MESH.nbytes + 1, np.uint8)[1:].view(np.float32).reshape(MESH.shape)

# What is called, and what the sentence says.
WRONG = {
    "width": (lambda: RIG.evaluate(POSES[:, 1:]), "evaluate: poses is float32 (2, 6); it must be numbers (7,) or "),
    "rank": (lambda: RIG.evaluate(MESH), "evaluate: poses is float32"),
    "text": (lambda: RIG.evaluate("abc"), "evaluate: poses is <U3 ()"),
    "ragged": (lambda: RIG.evaluate([[1], [1, 2]]), "evaluate: poses is a list"),
    "truth": (lambda: RIG.evaluate(POSES > 0), "evaluate: poses is bool"),
    "complex": (lambda: RIG.evaluate(POSES + 1j), "evaluate: poses is complex"),
    "masked": (lambda: RIG.evaluate(np.ma.masked_array(POSES)), "evaluate: poses is a MaskedArray"),
    "NaN": (lambda: RIG.evaluate(np.full_like(POSES, np.nan)), "evaluate: "),
    "beyond float32": (lambda: RIG.evaluate(np.full((2, K), 1e300)), "evaluate: "),
    "out of another shape": (lambda: RIG.evaluate(POSES, out=MESH[0]), "evaluate: out is float32"),
    "out of another type": (lambda: RIG.evaluate(POSES, out=MESH.astype(float)), "evaluate: out is float64"),
    "out with steps": (lambda: RIG.evaluate(POSES, out=np.zeros((2, V, 6), "f4")[:, :, ::2]), "evaluate: out is"),
    "out read-only": (lambda: RIG.evaluate(POSES, out=READ_ONLY), "evaluate: out is"),
    "out unaligned": (lambda: RIG.evaluate(POSES, out=UNALIGNED), "evaluate: out is"),
    "out no array": (lambda: RIG.evaluate(POSES, out=[1.0]), "evaluate: out is a list"),
    "threads": (lambda: RIG.evaluate(POSES, threads=-1), "evaluate: threads is -1"),
    "threads a float": (lambda: RIG.evaluate(POSES, threads=1.5), "evaluate: threads is 1.5"),
    "threads beyond 32 bits": (lambda: RIG.evaluate(POSES, threads=2**32 + 1), "evaluate: threads is 4294967297"),
    "cotangents turned": (lambda: RIG.vjp(POSES, MESH.transpose(0, 2, 1)), "vjp: cotangents is float32 (2, 3, 60)"),
    "cotangents of one pose": (lambda: RIG.vjp(POSES, MESH[0]), "vjp: cotangents is"),
    "tangents": (lambda: RIG.jvp(POSES, POSES[0]), "jvp: tangents is"),
    "vertices floats": (lambda: RIG.restricted([0.0]), "restricted: vertices is float64"),
    "vertices none": (lambda: RIG.restricted([]), "restricted: "),
    "vertices beyond 32 bits": (lambda: RIG.restricted([2**32]), "restricted: vertices is 4294967296"),
    "channels": (lambda: RIG.poses_from_channels(np.zeros((1, 3))), "poses_from_channels: channels is"),
    "session": (lambda: RIG.session().evaluate(POSES), "evaluate: pose is float32"),
    "detail": (lambda: RIG.session().set_detail([[1.0]]), "set_detail: detail is"),
    "path": (lambda: rr.load(7), "load: path is a int"),
    "null": (lambda: rr.load("a\0b"), "load: path is"),
    "no model": (lambda: rr.parse(b"text"), "parse: "),
    "saved path": (lambda: RIG.save(7), "save: path is a int"),
    "bytes": (lambda: rr.parse("text"), "parse: data is a str"),
    "bytes name": (lambda: rr.parse(b"", 7), "parse: name is a int"),
    "drag model": (lambda: rr.Solver(7, [0]), "solve: model is a int"),
    "drag vertices": (lambda: rr.Solver(RIG, [V]), "vertices"),
    "drag targets": (lambda: SOLVER.solve(PLACES[:, :1]), "solve: targets is"),
    "drag start": (lambda: SOLVER.solve(PLACES, start=POSES), "solve: start is"),
    "drag weights": (lambda: SOLVER.solve(PLACES, weights=[1.0, -1.0]), "solve: "),
    "drag preference": (lambda: SOLVER.solve(PLACES, preference=0.0), "solve: preference is 0.0"),
    "drag tolerance": (lambda: SOLVER.solve(PLACES, tolerance=np.nan), "solve: tolerance is nan"),
    "drag iterations": (lambda: SOLVER.solve(PLACES, max_iterations=0), "solve: max_iterations is 0"),
    "crowd rig": (lambda: rr.Crowd(7, [POSES]), "Crowd: rig is a int"),
    "crowd clips": (lambda: rr.Crowd(RIG, 7), "Crowd: clips is a int"),
    "crowd without clips": (lambda: rr.Crowd(RIG, []), "Crowd: clips is empty"),
    "crowd clip": (lambda: rr.Crowd(RIG, [POSES, POSES[:, 1:]]), "Crowd: clips[1] is"),
    "crowd order": (lambda: rr.Crowd(RIG, [POSES], np.zeros(K, int)), "order is holding 0"),
    "heads": (lambda: CROWD.evaluate([0, 0], [0, 1, 1]), "evaluate: frame is 3 long; it must be 2 long"),
    "clip": (lambda: CROWD.evaluate(1, 0), "evaluate: clip is 1"),
    "frame": (lambda: CROWD.evaluate(0, 1.5), "evaluate: frame is 1.5"),
    "prefix": (lambda: CROWD.instances(0, 0, K + 1), "prefix is 8"),
    "shot targets": (lambda: INVERSE.solve(MESH[:, 1:], alpha=0.0), "solve: targets is"),
    "shot alpha": (lambda: rr.solve(RIG, MESH, alpha="auto"), "solve: alpha is 'auto'"),
    "shot vertices": (lambda: rr.solve(RIG, MESH[:, :0], alpha=0.0, vertices=[]), "solve: vertices is empty"),
    "shot pairs no list": (lambda: INVERSE.solve(MESH, 0.0, symmetric=7), "solve: symmetric is 7"),
    "shot pairs": (lambda: INVERSE.solve(MESH, 0.0, symmetric=[("none", 1)]), "solve: symmetric is"),
    "shot priors": (lambda: INVERSE.solve(MESH, 0.0, priors=(1.0,)), "solve: priors is"),
    "shot fixed": (lambda: INVERSE.solve(MESH, 0.0, fixed=np.zeros(K + 1)), "solve: fixed is"),
    "rig deltas": (lambda: rr.BlendshapeRig(NEUTRAL, DELTAS[:, 1:]), "BlendshapeRig: deltas is"),
    "rig names": (lambda: rr.BlendshapeRig(NEUTRAL, DELTAS, names=["a"]), "BlendshapeRig: names is 1 long"),
    "rig names twice": (lambda: rr.BlendshapeRig(NEUTRAL, DELTAS, names=["a"] * K), "a"),
    "rig surrogates": (lambda: rr.BlendshapeRig(NEUTRAL, DELTAS, names=["\ud800"] * K), "BlendshapeRig: names is"),
    "rig names null": (lambda: rr.BlendshapeRig(NEUTRAL, DELTAS, names=["a\0b"] * K), "names is holding"),
    "rig names none": (lambda: rr.BlendshapeRig(NEUTRAL, DELTAS, names=7), "BlendshapeRig: names is a int"),
    "rig metadata": (lambda: rr.BlendshapeRig(NEUTRAL, DELTAS, metadata=7), "BlendshapeRig: metadata is a int"),
    "rig combinations": (lambda: rr.BlendshapeRig(NEUTRAL, DELTAS, 7), "BlendshapeRig: combinations is a int"),
    "rig axis": (lambda: rr.BlendshapeRig(NEUTRAL, DELTAS, metadata={"up_axis": "W"}), "up_axis"),
    "rig unit": (lambda: rr.BlendshapeRig(NEUTRAL, DELTAS, metadata={"meters_per_unit": -1}), "meters_per_unit"),
    "rig about": (lambda: rr.BlendshapeRig(NEUTRAL, DELTAS, metadata={"licence": "a"}), "holding 'licence'"),
    "rig pair": (lambda: rr.BlendshapeRig(NEUTRAL, DELTAS, [7]), "combinations[0] is a int"),
    "rig drivers": (lambda: rr.BlendshapeRig(NEUTRAL, DELTAS, [((0, K), NEUTRAL)]), "correction 0"),
    "rig driver twice": (lambda: rr.BlendshapeRig(NEUTRAL, DELTAS, [((0, 0), NEUTRAL)]), "correction 0"),
    "rig tent": (lambda: rr.BlendshapeRig(NEUTRAL, DELTAS, [((rr.Tent(0, 1, 1, 2),), NEUTRAL)]), "correction 0"),
    "rig faces": (lambda: rr.BlendshapeRig(NEUTRAL, DELTAS, faces=[[0, 1, V]]), "BlendshapeRig"),
    "rig bounds": (lambda: rr.BlendshapeRig(NEUTRAL, DELTAS, bounds=(1.0, 0.0)), "BlendshapeRig"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_argument_is_named(case):
    call, words = WRONG[case]
    with pytest.raises(rr.ArgumentError) as caught:
        call()
    assert words in str(caught.value)


@pytest.mark.parametrize("pairs", [[(0, 1)], np.array([[0, 1]])], ids=["a list", "an array"])
def test_pairs_of_equal_weights_may_be_an_array(pairs):
    weights = INVERSE.solve(NEUTRAL + DELTAS[0], 0.0, symmetric=pairs).weights
    np.testing.assert_array_equal(weights[:, 0], weights[:, 1])


@pytest.mark.parametrize("pairs", [[], (), np.zeros((0, 2), int)], ids=["a list", "a tuple", "an array"])
def test_no_pairs_are_none(pairs):
    found = INVERSE.solve(NEUTRAL + DELTAS[0], 0.0, symmetric=pairs)
    np.testing.assert_array_equal(found.weights, INVERSE.solve(NEUTRAL + DELTAS[0], 0.0).weights)


SHARED = np.zeros(2 * K + MESH.size, np.float32)


def test_vertices_are_not_written_over_poses():
    poses, out = SHARED[: 2 * K].reshape(2, K), SHARED[: MESH.size].reshape(MESH.shape)
    with pytest.raises(rr.ArgumentError, match="shares memory"):
        RIG.evaluate(poses, out=out)


@pytest.mark.parametrize("kind", [list, np.float64, np.int8, ">f4", "strided", "fortran", "unaligned", "read-only"])
def test_arrays_of_any_layout_are_converted(kind):
    poses = np.arange(2 * K, dtype=np.float32).reshape(2, K) % 2
    expected = RIG.evaluate(poses)
    given = {
        "strided": lambda: np.repeat(poses, 2, axis=1)[:, ::2],
        "fortran": lambda: np.asfortranarray(poses),
        "unaligned": lambda: np.frombuffer(b"\0" + poses.tobytes(), np.uint8)[1:].view(np.float32).reshape(2, K),
        "read-only": lambda: np.frombuffer(poses.tobytes(), np.float32).reshape(2, K),
    }.get(kind, lambda: poses.tolist() if kind is list else poses.astype(kind))()
    np.testing.assert_array_equal(RIG.evaluate(given), expected)


def test_a_missing_file_is_told_from_a_wrong_one(tmp_path):
    with pytest.raises(FileNotFoundError):
        rr.load(tmp_path / "none.safetensors")
    (tmp_path / "other.safetensors").write_text("no model")
    with pytest.raises(rr.FileError, match=r"other\.safetensors"):
        rr.load(tmp_path / "other.safetensors")
    with pytest.raises(rr.FileError):
        rr.load(tmp_path)


def test_paths_may_have_any_letters(tmp_path):
    path = tmp_path / "Größe 体.safetensors"
    random_rig().save(path)
    assert rr.load(path).num_vertices == rr.load(str(path)).num_vertices == rc.load(path).num_vertices


@pytest.mark.parametrize("made", [RIG, RIG.session(), CROWD, SOLVER, INVERSE], ids=lambda made: type(made).__name__)
@pytest.mark.parametrize("how", [copy.deepcopy, pickle.dumps])
def test_objects_are_not_copied(made, how):
    with pytest.raises(TypeError):
        how(made)


def test_a_model_is_not_made_of_nothing():
    with pytest.raises(TypeError, match="load"):
        rr.Deformer()


# What a process says that may take 64 MB more than it has, and opens a file of 72 MB.
FEW = """
import resource, sys
import rigcast_runtime as rr
taken = 4096 * int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (taken + 2**26, resource.RLIM_INFINITY))
try:
    rr.load(sys.argv[1])
except MemoryError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(rr.load(sys.argv[1]).num_vertices)
"""


@pytest.mark.skipif(SANITIZED or not Path("/proc/self/statm").exists(), reason="the memory cannot be limited here")
def test_too_little_memory_is_an_error_after_which_all_works(tmp_path):
    rc.BlendshapeRig(np.zeros((20_000, 3)), np.ones((300, 20_000, 3), np.float32)).save(tmp_path / "large.safetensors")
    environment = {**os.environ, "PYTHONPATH": str(Path(rr.__file__).parents[1])}
    words = [sys.executable, "-c", FEW, tmp_path / "large.safetensors"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["load: there is not enough memory", "20000"]
