"""The comparison with PyTorch and ONNX Runtime as a command, its races, and the caps of memory. No times here."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.support.made.models import linear_blend, random_body

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

import torch
from benchmarks import peers
from benchmarks.peers.__main__ import main, print_report
from benchmarks.peers.comparison import with_caps
from benchmarks.peers.race import Contest, race

from rigcast._timing.reading import Reading
from rigcast.cli._console import Console

# 8 MB read in 0.25 ms; the pose takes 0.4 ms.
READING = Reading("rigcast", 1, 8_000_000, seconds=4e-4, read_seconds=2.5e-4).figures()
SECONDS = {"PyTorch": 1.2e-3, "ONNX Runtime": 1e-3}


def test_the_cap_is_the_ratio_to_a_peer_at_the_full_rate(tolerance):
    """Of a peer that takes 1.2 ms: 3 x now; at the full rate 1.2 / 0.25."""
    caps = with_caps(READING, SECONDS)["caps"]
    assert caps["PyTorch"] == pytest.approx(4.8, rel=tolerance["float64"])
    assert caps["PyTorch"] == pytest.approx(1.2e-3 / 4e-4 / READING["share"], rel=tolerance["float64"])


def test_readings_on_several_threads_have_no_caps():
    assert with_caps(READING | {"threads": 2}, SECONDS)["caps"] == {}


def test_a_column_per_peer_and_the_caps_are_printed(capsys):
    row = {"job": "one pose", "poses": 1, "threads": 1, "seconds": 4e-4, "variants": {"16-bit": 3e-4}}
    row |= {"peers": SECONDS, "ratios": {name: seconds / 4e-4 for name, seconds in SECONDS.items()}}
    facts = {"versions": {"torch": "2"}, "machine": "here", "storages": []}
    print_report({"rows": [row], "reading": [with_caps(READING, SECONDS)], **facts}, Console())
    shown = capsys.readouterr().out
    assert "1.200 (3.0 x)" in shown
    assert "1.000 (2.5 x)" in shown
    assert "(weights as in the file) would be 4.8 x PyTorch, 4.0 x ONNX Runtime" in shown
    assert "one pose, variants of the model: 16-bit 0.300 ms" in shown


@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning", "ignore::DeprecationWarning")
def test_the_command_times_a_body_beside_both(tmp_path, capsys):
    random_body().save(tmp_path / "body.safetensors")
    main([str(tmp_path / "body.safetensors"), "--runs", "10", "--batch", "4", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert [row["poses"] for row in found["rows"]] == [1, 4]
    assert all(set(row["peers"]) == {"PyTorch", "ONNX Runtime"} for row in found["rows"])
    assert set(found["versions"]) == {"rigcast", "numpy", "torch", "onnxruntime"}


def test_another_kind_is_refused():
    with pytest.raises(ValueError, match=r"peers.compare: model is of kind 'linear_blend'"):
        peers.compare(linear_blend())


def contest(offset=0.0):
    """Of a peer whose second vertex is off by so much."""
    ours, theirs = np.zeros((1, 2, 3), np.float32), np.zeros((1, 2, 3), np.float32)
    theirs[0, 1, 0] = offset
    return Contest({"rigcast": lambda: ours}, {"a peer": {"one form": lambda: theirs}})


POSES = np.zeros((1, 1), np.float32)


def test_the_difference_is_the_largest_distance_of_a_vertex():
    assert race(None, [lambda *_: contest(0.5)], POSES, 10)[0]["difference"] == 0.5


def test_vertices_that_peers_leave_out_make_no_difference():
    made = contest(0.5)
    kept = Contest(made.ours, made.peers, np.array([0]))
    assert race(None, [lambda *_: kept], POSES, 10)[0]["difference"] == 0.0


def test_a_race_leaves_the_threads_of_pytorch_as_they_were(monkeypatch):
    monkeypatch.setattr("rigcast._core.num_processors", lambda: 3)
    before, seen = torch.get_num_threads(), []

    def form(model, poses, threads):
        seen.append((threads, torch.get_num_threads()))
        if threads == 3:
            raise RuntimeError("a form that fails")
        return contest()

    with pytest.raises(RuntimeError, match="a form that fails"):
        race(None, [form], POSES, 10)
    assert seen == [(1, 1), (3, 3)]
    assert torch.get_num_threads() == before
