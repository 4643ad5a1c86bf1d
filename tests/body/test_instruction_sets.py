"""Every instruction set that this processor runs gives the same model, within rounding."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from rigcast import _core
from tests.support.made.differential import random_differential
from tests.support.made.models import random_body, random_poses

SCRIPT = """
import sys, numpy as np, rigcast as rc
model = rc.load(sys.argv[1])
data = np.load(sys.argv[2])
vertices = model.evaluate(data["poses"])
single = np.stack([model.evaluate(pose) for pose in data["poses"]])
assert vertices.tobytes() == single.tobytes()
gradient = model.vjp(data["poses"], data["cotangents"])
np.savez(sys.argv[3], name=rc._core.instruction_set(), vertices=vertices, gradient=gradient)
"""


def run(name, *arguments):
    environment = os.environ | {"RIGCAST_INSTRUCTION_SET": name}
    command = [sys.executable, "-c", SCRIPT, *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_one_of_them_is_in_use():
    names = _core.instruction_sets()
    assert names[-1] == "portable"
    wanted = os.environ.get("RIGCAST_INSTRUCTION_SET") or names[0]
    assert _core.instruction_set() == wanted


MODELS = {
    "body": lambda: random_body(num_vertices=150, num_sets=6, hidden=90, components=19),
    "differential": lambda: random_differential(hidden=(530, 70), anchor_hidden=64, network_storage="16-bit"),
    "differential, float32": lambda: random_differential(hidden=(70, 530)),
}


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("name", _core.instruction_sets())
def test_each_gives_the_same_result(name, kind, tmp_path, tolerance):
    model = MODELS[kind]()
    poses = random_poses(model.skeleton, 14, numeric=len(model.metadata["numeric_controls"]))
    cotangents = np.random.default_rng(0).standard_normal((14, len(model.rest_vertices), 3)).astype(np.float32)
    model.save(tmp_path / "body.safetensors")
    np.savez(tmp_path / "in.npz", poses=poses, cotangents=cotangents)
    done = run(name, tmp_path / "body.safetensors", tmp_path / "in.npz", tmp_path / "out.npz")
    assert done.returncode == 0, done.stderr
    out = np.load(tmp_path / "out.npz")
    assert out["name"] == name
    for got, expected in ((out["vertices"], model.evaluate(poses)), (out["gradient"], model.vjp(poses, cotangents))):
        scale = np.abs(expected).max()
        np.testing.assert_allclose(got / scale, expected / scale, atol=tolerance["float32_sum"])


def test_an_unknown_one_is_named(tmp_path):
    random_body().save(tmp_path / "body.safetensors")
    np.savez(tmp_path / "in.npz", poses=np.zeros((1, 74)), cotangents=np.zeros((1, 90, 3)))
    done = run("AVX9", tmp_path / "body.safetensors", tmp_path / "in.npz", tmp_path / "out.npz")
    assert done.returncode == 1
    assert "ArgumentError: instruction_set: RIGCAST_INSTRUCTION_SET is 'AVX9'; it must be one of: " in done.stderr
