"""Synthesizers in files: what is saved is what was judged, and damaged files are refused."""

from __future__ import annotations

import contextlib
import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rigcast as rc
from rigcast import _core
from rigcast.synthesis._file import from_tensors, to_tensors
from rigcast.synthesis._synthesizer import Synthesizer
from tests.support.damage import damaged_bytes, damaged_tensors
from tests.support.made.synthesis import arm, face, wave

SPEEDS = [0.1, 0.2, 0.13, 0.07, 0.05, 0.0]


@pytest.fixture(scope="module")
def synth():
    takes = [rc.synthesis.Clip(wave(60, SPEEDS, phase=p), 30.0, f"take {p}", "a.csv", "CC0") for p in (0, 1)]
    return rc.synthesis.fit(
        {"a": takes, "b": [wave(50, SPEEDS[::-1])]}, rig=face(), fps=24.0, dimensions=3, components=4
    )


@pytest.fixture(scope="module")
def bent():
    controls = np.zeros((60, 7))
    controls[:, :6] = 40.0 * np.sin(np.arange(60)[:, None] * np.array([0.1, 0.2, 0.05, 0.13, 0.07, 0.03]))
    return rc.synthesis.fit({"x": [controls]}, rig=arm(), fps=24.0, dimensions=2, components=4, held_out=False)


@pytest.mark.parametrize("name", ["synth", "bent"])
def test_a_file_holds_the_same_bytes(name, request, tmp_path):
    given = request.getfixturevalue(name)
    given.save(tmp_path / "a.safetensors")
    again = rc.synthesis.load(tmp_path / "a.safetensors")
    for label in given.labels:
        one, two = given.space(label), again.space(label)
        x = one.points + 0.1
        assert one.controls(x).tobytes() == two.controls(x).tobytes()
        assert (one.segments, one.held_out) == (two.segments, two.held_out)
        assert one.frames.tobytes() == two.frames.tobytes()
    assert again.labels == given.labels
    assert (again.dropped, again.threshold, again.fps) == (given.dropped, given.threshold, given.fps)
    assert again.mesh_features(one.frames).tobytes() == given.mesh_features(one.frames).tobytes()
    assert list(again.bridges) and {*again.bridges} == {*given.bridges} if len(given.labels) > 1 else True
    for pair, bridge in given.bridges.items():
        assert bridge.from_points.tobytes() == again.bridges[pair].from_points.tobytes()
        assert bridge.distances.tobytes() == again.bridges[pair].distances.tobytes()
    again.save(tmp_path / "b.safetensors")
    assert (tmp_path / "a.safetensors").read_bytes() == (tmp_path / "b.safetensors").read_bytes()


def test_provenance_stands_in_the_file(synth, tmp_path):
    synth.save(tmp_path / "a.safetensors")
    segment = rc.synthesis.load(tmp_path / "a.safetensors").space("a").segments[1]
    assert (segment.name, segment.origin, segment.licence, segment.fps) == ("take 1", "a.csv", "CC0", 30.0)
    assert len(segment) == 48


def test_a_rig_may_come_with_the_file(bent, tmp_path):
    bent.save(tmp_path / "a.safetensors")
    frames = bent.space("x").frames[:3]
    again = rc.synthesis.load(tmp_path / "a.safetensors", rig=arm())
    assert again.poses(frames).tobytes() == bent.poses(frames).tobytes()
    with pytest.raises(ValueError, match="rig is unknown; it must be given to fit or load"):
        rc.synthesis.load(tmp_path / "a.safetensors").poses(frames)
    with pytest.raises(ValueError, match="rig is a rig with 6 controls"):
        rc.synthesis.load(tmp_path / "a.safetensors", rig=face())


def test_other_files_are_refused(tmp_path):
    face().save(tmp_path / "face.safetensors")
    with pytest.raises(ValueError, match=r"^load: metadata"):
        rc.synthesis.load(tmp_path / "face.safetensors")
    with pytest.raises(FileNotFoundError, match="a synthesizer"):
        rc.synthesis.load(tmp_path / "none.safetensors")
    with pytest.raises(ValueError, match="a path"):
        rc.synthesis.load(3)


def changed(metadata, place, value):
    result = json.loads(json.dumps(metadata))
    *way, last = place
    inner = result
    for step in way:
        inner = inner[step]
    inner[last] = value
    return result


WRONG = {
    ("kind",): "body",
    ("version",): 2,
    ("fps",): 0.0,
    ("millimeters",): float("nan"),
    ("control_names",): ["a"] * 6,
    ("rotation_orders",): ["ZZX"],
    ("dropped",): {"a": 1},
    ("has_joints",): 1,
    ("spaces",): [],
    ("spaces", 0): 5,
    ("spaces", 1, "label"): "a",
    ("spaces", 0, "variance"): -1.0,
    ("spaces", 0, "length"): 0.0,
    ("spaces", 0, "noise"): 10**400,
    ("spaces", 0, "clips"): [],
    ("spaces", 0, "held_out"): {"frames": 1},
    ("bridges", 0, "to"): "a",
    ("bridges", 0, "within"): "yes",
    ("about",): [],
}


@pytest.mark.parametrize("place", WRONG)
def test_wrong_metadata_is_named(synth, place):
    tensors, metadata = to_tensors(synth.parts)
    with pytest.raises(ValueError, match=r"^load: .*; it must be "):
        from_tensors(tensors, changed(metadata, place, WRONG[place]))


def test_a_kernel_too_large_to_factorize_is_refused(synth):
    tensors, metadata = to_tensors(synth.parts)
    count = 5000
    grown = {
        name: np.resize(value, (count, value.shape[1]))
        for name, value in tensors.items()
        if name in ("space.000.points", "space.000.values", "space.000.frames")
    }
    with pytest.raises(ValueError, match="points is 5000 long; it must be at most 4000"):
        from_tensors({**tensors, **grown}, metadata)


def test_covariances_beyond_memory_are_refused(synth):
    tensors, metadata = to_tensors(synth.parts)
    points = tensors["space.000.points"]
    assert from_tensors({**tensors, "space.000.inducing": points[:10]}, metadata).spaces
    grown = {"space.000.inducing": np.resize(points, (2000, 3)), "space.000.points": np.resize(points, (70_000, 3))}
    with pytest.raises(ValueError, match="points is 70000 long; it must be at most 67108 long beside its inducing"):
        from_tensors({**tensors, **grown}, metadata)


def played(parts):
    """Whatever was opened can be used."""
    synth = Synthesizer(parts)
    for label in synth.labels:
        assert synth.space(label).controls(synth.space(label).points[:2]).shape[1] == len(synth.control_names)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_tensors_are_refused_or_usable(synth, data):
    tensors, metadata = to_tensors(synth.parts)
    floats = st.sampled_from([np.nan, np.inf, -1.0, 0.0, 1e30, -1e-30])
    damaged = data.draw(damaged_tensors(tensors, st.integers(-(2**31), 2**31 - 1), floats))
    try:
        parts = from_tensors(damaged, metadata)
    except (ValueError, rc.NumericalError) as error:
        assert "; it must be " in str(error) or isinstance(error, rc.NumericalError)
    else:
        with np.errstate(all="ignore"):
            played(parts)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_bytes_are_refused_or_usable(synth, tmp_path, data):
    synth.save(tmp_path / "a.safetensors")
    content = damaged_bytes(data, (tmp_path / "a.safetensors").read_bytes())
    (tmp_path / "b.safetensors").write_bytes(content)
    with contextlib.suppress(ValueError, rc.NumericalError):
        rc.synthesis.load(tmp_path / "b.safetensors")


def test_what_cannot_be_stored_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"^TensorFile\.write: a is .*; it must be a float32 or int32 array"):
        _core.TensorFile.write(tmp_path / "a", {"a": np.zeros(3)}, "{}")
