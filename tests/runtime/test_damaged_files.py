"""Cut and hostile files through the C library: a FileError or a model, never a crash."""

from __future__ import annotations

import contextlib
import json
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.library import SANITIZED, rr
from tests.support.damage import damaged_bytes, damaged_stretch
from tests.support.made.kinds import KINDS, MAKERS
from tests.support.made.players import face_synth


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    found = []
    for i, kind in enumerate(KINDS):
        path = folder / f"{i}.safetensors"
        MAKERS[kind]().save(path)
        found.append(path.read_bytes())
    face_synth().save(folder / "synth.safetensors")
    return [*found, (folder / "synth.safetensors").read_bytes()]


def play(synth: rr.Synthesizer) -> None:
    player = synth.player(1)
    player.idle(synth.labels[0])
    player.transition(synth.labels[-1], later=True)
    assert player.step(30).shape == (30, len(synth.control_names))
    player.restore(player.state())
    assert player.events


def opened_or_refused(content: bytes) -> None:
    with contextlib.suppress(rr.FileError, rr.NumericalError):
        model = rr.parse(content)
        if isinstance(model, rr.Synthesizer):
            with contextlib.suppress(rr.ArgumentError, rr.NumericalError):
                play(model)
            return
        assert model.rest_vertices.shape == (model.num_vertices, 3)
        assert len(model.control_names) == len(model.rest_pose)
        assert model.metadata["kind"] == model.kind
        model.channels, model.skeleton, model.faces
        with contextlib.suppress(rr.ArgumentError, rr.NumericalError):
            model.evaluate(model.rest_pose)


@given(st.data())
def test_changed_and_cut_files(contents, data):
    opened_or_refused(damaged_bytes(data, data.draw(st.sampled_from(contents)), fewest=1))


@given(st.data())
def test_changed_headers(contents, data):
    content = data.draw(st.sampled_from(contents))
    opened_or_refused(damaged_stretch(data, content, last=8 + struct.unpack("<Q", content[:8])[0]))


@given(st.data())
def test_changed_synthesizers(contents, data):
    content = contents[-1]
    opened_or_refused(damaged_bytes(data, content, fewest=1))
    opened_or_refused(damaged_stretch(data, content, last=8 + struct.unpack("<Q", content[:8])[0]))


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 100])
def test_the_first_bytes_alone(contents, length):
    with pytest.raises(rr.FileError):
        rr.parse(contents[0][:length])


def with_header(header: dict, data: bytes = b"") -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


HOSTILE = {
    "a header of 2^63 bytes": struct.pack("<Q", 2**63) + b"{}",
    "a header beyond the end": struct.pack("<Q", 100) + b"{}",
    "no metadata": with_header({}),
    "metadata of another type": with_header({"__metadata__": {"rigcast": 7}}),
    "deep lists": struct.pack("<Q", 200_000) + b"[" * 200_000,
    "a tensor of 2^62 numbers": with_header({"a": {"dtype": "F32", "shape": [2**62], "data_offsets": [0, 2**64 - 1]}}),
    "a tensor before the data": with_header({"a": {"dtype": "F32", "shape": [1], "data_offsets": [-4, 0]}}, b"\0" * 4),
    "zeros": b"\0" * 4096,
    "text": b"solid cube\n" * 50,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files(name):
    with pytest.raises(rr.FileError) as caught:
        rr.parse(HOSTILE[name], name="stranger")
    assert "stranger" in str(caught.value)


@pytest.mark.skipif(SANITIZED, reason="the C library is built with a sanitizer, which keeps memory")
def test_five_thousand_models_leave_no_memory(contents):
    """The largest memory of the process does not grow by as much as a hundredth of the models would take."""
    resource = pytest.importorskip("resource", reason="the system does not say how much memory a process took")
    content = max(contents[:-1], key=len)

    def peak() -> int:
        for _ in range(1000):
            rr.parse(content).session()
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * 1024

    first = peak()
    for _ in range(4):
        last = peak()
    assert last - first < 4000 * len(content) // 100
    assert np.isfinite(rr.parse(content).rest_vertices).all()
