"""What a source says of how it was opened is said by every command that opens it, once, and under one key."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import main
from tests.support.characters.second_face import first_face

NOTE = "modifier Smooth is not part of the rig"
LATIN = "its text is not UTF-8: names are read as Latin-1"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A face, a rig's data set, a model, a motion and a shot, each with a note."""
    folder = tmp_path_factory.mktemp("notes")
    plain = first_face()
    face = rc.BlendshapeRig(
        plain.rest_vertices,
        plain.columns()[: plain.num_shapes],
        names=plain.shape_names,
        bounds=plain.bounds,
        faces=plain.faces,
        metadata={"name": "noted", "meters_per_unit": 0.01, "up_axis": "Y", "notes": [NOTE]},
    )
    face.save(folder / "face.safetensors")
    weights = np.random.default_rng(0).uniform(0, 1, (6, face.num_shapes)).astype(np.float32)
    np.save(folder / "shot.npy", face.evaluate(weights))
    rc.exports.write_blendshape_weights(folder / "w.npz", face, weights, fps=24.0)
    data = rc.sampling.sample(rc.sources.rig_of_face(face), folder / "set.rwdata", count=40, sampler="sparse", probe=0)
    rc.baselines.pca_regression(data).save(folder / "model.safetensors")
    arm = rc.sources.example_body()
    rc.sources.save_npz_rig(folder / "arm.npz", arm)
    rc.exports.write_bvh(folder / "a.bvh", arm, np.zeros((4, 6)), fps=24)
    bvh = folder / "a.bvh"
    bvh.write_bytes(bvh.read_bytes().replace(b"wrist", "wr\xefst".encode("latin-1")))
    (folder / "map.json").write_text(json.dumps({name: name for name in ("shoulder", "elbow")}))
    return folder


COMMANDS = {
    "info of a face": ("info face.safetensors", NOTE),
    "info of a set": ("info set.rwdata", NOTE),
    "info of a model": ("info model.safetensors", NOTE),
    "info of a motion": ("info a.bvh", LATIN),
    "solve": ("solve face.safetensors shot.npy --fps 24 --alpha 1e-3 -o o.npz", NOTE),
    "pack": ("pack face.safetensors -o o.json", NOTE),
    "pack, target": ("pack face.safetensors --target face.safetensors -o o.json", NOTE),
    "transfer": ("transfer face.safetensors face.safetensors -o o.safetensors", NOTE),
    "evaluate": ("evaluate model.safetensors set.rwdata", NOTE),
    "evaluate, motion": ("evaluate face.safetensors w.npz -o o.npy", NOTE),
    "bench": ("bench model.safetensors --runs 10 --batch 2", NOTE),
    "ik": ("ik face.safetensors targets.npz -o o.npz", NOTE),
    "view": ("view face.safetensors --no-browser --seconds 0.1", NOTE),
    "sample": ("sample face.safetensors -o o.rwdata --count 10 --probe 0", NOTE),
    "sample, animation": ("sample arm.npz --motion a.bvh --joint-map map.json -o o.rwdata --probe 0", LATIN),
    "synth fit": ("synth fit face.safetensors --take a=w.npz --no-held-out -o o.safetensors", NOTE),
}


@pytest.mark.parametrize(("line", "note"), COMMANDS.values(), ids=COMMANDS)
def test_every_command_says_it_once_and_under_one_key(place, tmp_path, monkeypatch, capsys, line, note):
    monkeypatch.chdir(place)
    if line.startswith("ik"):
        points = rc.sources.load_blendshapes("face.safetensors").rest_vertices[:3]
        np.savez("targets.npz", targets=points[None], vertices=np.arange(3), fps=24.0)
    words = [str(tmp_path / word) if word.startswith("o.") else word for word in line.split()]
    assert main(words) == 0
    shown = [text for text in capsys.readouterr().out.split("\n") if note in text]
    assert shown
    assert len(shown) == len(set(shown))
    assert all(text.startswith("note: ") for text in shown)
    again = ["--overwrite"] if "-o" in words else []
    assert main([*words, *again, "--json"]) == 0
    out = capsys.readouterr().out
    result = json.loads(out[out.index("{") :])  # a view says its address first
    assert {f"note: {text}" for text in result["notes"] if note in text} == set(shown)
    assert "input_notes" not in result
