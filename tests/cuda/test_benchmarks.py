"""The scripts that measure on a GPU: their figures and tables in the emulation, and the command that runs them all."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.systems import cuda_all
from benchmarks.systems.cuda import batches, blendshapes, body, crowd, differential, face_maps, inverse

import rigcast as rc
from rigcast._device_report import DeviceReport
from tests.support.made.differential import random_differential
from tests.support.made.face_maps import random_face_maps
from tests.support.made.models import random_body

SETTING = {"device": "a GPU", "machine": "a machine", "version": "0", "build": "x"}


@pytest.fixture
def measuring(emulated_lane, monkeypatch):
    """The emulation with the rate of a copy, and a workspace of the size of this machine's memory."""
    monkeypatch.setattr(emulated_lane, "copy_rate", lambda size, repeats: 10.0, raising=False)
    monkeypatch.setattr(batches, "WORKSPACE", 1 << 24)
    return emulated_lane


MODELS = {
    "body": (body, random_body),
    "face_maps": (face_maps, random_face_maps),
    "differential": (differential, random_differential),
}


@pytest.mark.parametrize("kind", MODELS)
def test_learned_models_have_one_table(measuring, kind):
    module, make = MODELS[kind]
    case = module.case(make())
    found = batches.measure(batches.Case(case.model, case.multiply_adds, case.bytes_per_pose, case.ways, [1, 3]), 2)
    found = json.loads(json.dumps(found))
    assert [row["batch"] for row in found["rows"]] == [1, 3]
    assert all(row["device_ms"] > 0 and 0 < row["difference"] < 1e-4 for row in found["rows"])
    lines = module.SCRIPT.table(found)
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| poses", "| ---", "| 1", "| 3"]
    assert "not measured (PyTorch finds no GPU)" in lines[0] or "not installed" in lines[0]
    assert "poses/s" in module.SCRIPT.headline(found)


def test_bodies_say_what_16_bits_save(measuring):
    case = body.case(random_body())
    sizes = batches.measure(batches.Case(case.model, 1.0, 1.0, case.ways, [1]), 1)["device_bytes"]
    assert 0 < sizes["16 bits"] < sizes[""]


def test_multiply_adds_of_a_body_are_those_of_its_matrices():
    tensors = {
        "set.000.layer1.weight": np.zeros((3, 2)),
        "set.000.basis": np.zeros((6, 1)),
        "sets.vertex": np.zeros(2),
        "sets.joint": np.zeros(1),
        "inputs.column": np.zeros(2),
    }

    class Body:
        control_names = ("a", "b")
        rest_vertices = np.zeros((2, 3))

        def tensors(self):
            return tensors

        def stored(self, storage):
            return self

    case = body.case(Body())
    assert case.multiply_adds == 6 + 6 + 12 * 2
    assert case.bytes_per_pose == 4 * (2 + 6 + 2 * (2 + 3 + 6 + 12))


def test_blendshapes_are_measured_beside_a_copy(measuring):
    given = argparse.Namespace(vertices=300, shapes=5, reach=0.3, heads=3, repeats=2)
    found = json.loads(json.dumps(blendshapes.SCRIPT.measure(given)))
    assert [(row["storage"], row["dense"]) for row in found["rows"]] == [
        (storage, dense) for storage in ("float32", "int16") for dense in (True, False)
    ]
    assert all(row["difference"] < 1e-5 for row in found["rows"])
    assert found["rows"][2]["bytes"] < found["rows"][0]["bytes"]
    assert len(blendshapes.SCRIPT.table(found)) == 8
    assert "no peer" in blendshapes.SCRIPT.headline(found)


def test_crowds_are_measured_by_number_of_heads(measuring):
    found = crowd.SCRIPT.measure(argparse.Namespace(vertices=300, shapes=5, reach=0.3, heads=[1, 4]))
    found = json.loads(json.dumps(found))
    assert [row["heads"] for row in found["rows"]] == [1, 4]
    assert all(row["difference"] < 1e-5 and row["again_ms"] > 0 for row in found["rows"])
    assert len(crowd.SCRIPT.table(found)) == 6
    assert crowd.SCRIPT.headline(found).startswith("4 heads in")
    assert all(row["shared_ms"] > 0 for row in found["rows"])


def test_heads_that_share_weights_show_ten_frames_at_most(measuring):
    rig = blendshapes.generated(300, 5, 0.3)
    playing = rc.crowd.Crowd(rig, crowd.curves(5, np.random.default_rng(2)))
    stream = crowd.Stream(playing, 37)
    clip, frame = stream.shared()
    assert clip.shape == frame.shape == (37,)
    assert len(set(zip(clip.tolist(), frame.tolist(), strict=True))) == crowd.STATES
    made = playing.instances_on_device(clip, frame, device="cuda")
    assert len(made.head) == 37
    assert made.vertices.shape[0] == crowd.STATES


def test_figures_from_before_heads_shared_weights_still_make_a_table():
    times = dict.fromkeys(set(crowd.COLUMNS) - {"shared_ms"}, 1.0)
    row = {"heads": 1, "floor_ms": 0.1, "difference": 1e-7} | times
    found = {"rig": "a rig", "crowd": "a crowd", "sent": {"weights": 20, "heads": 16}, "rows": [row]}
    *_, head, _, line = crowd.SCRIPT.table(found)
    assert "shared" not in head
    assert line.count("|") == head.count("|") == 8


def test_the_inverse_rig_is_measured(measuring, monkeypatch):
    monkeypatch.setattr(inverse, "ALPHA", 0.01)
    given = argparse.Namespace(vertices=150, shapes=5, pairs=3, frames=20, runs=1)
    found = json.loads(json.dumps(inverse.SCRIPT.measure(given)))
    assert found["converged"] == 1.0
    assert found["same"] + found["lower"] == 20
    assert len(inverse.SCRIPT.table(found)) == 10
    assert inverse.SCRIPT.headline(found).endswith("frames/s")


def test_the_sphere_of_the_paper_s_size_is_closed():
    faces, count = differential.sphere()
    edges = np.sort(np.concatenate([faces[:, [i, (i + 1) % 3]] for i in range(3)]), axis=1)
    assert set(np.unique(edges, axis=0, return_counts=True)[1]) == {2}
    assert len(np.unique(faces[:, :3])) == count
    assert count - len(edges) // 2 + len(faces) == 2


PARTS = {
    "fine": "SCRIPT.main()",
    "absent": "print('no such library', file=sys.stderr); sys.exit(3)",
    "broken": "raise RuntimeError('the device fell off the bus')",
    "slow": "import time; time.sleep(60)",
    "wordless": "sys.exit(9)",
}
MODULE = """
import json, sys

class SCRIPT:
    @staticmethod
    def table(found): return [f"{found['number']} ms"]
    @staticmethod
    def headline(found): return f"{found['number']} ms"
    @staticmethod
    def main():
        with open(%r, "a") as file: file.write("run ")
        print(json.dumps({"number": 7}))

if __name__ == "__main__":
    %s
"""


@pytest.fixture
def parts(tmp_path, monkeypatch):
    """Five scripts of which one works; the page that they are written to."""
    for name, work in PARTS.items():
        (tmp_path / f"gpu_part_{name}.py").write_text(MODULE % (str(tmp_path / "runs"), work))
    made = [cuda_all.Part(f"GPU {name}", f"gpu_part_{name}", 1.0 if name == "slow" else 60.0, "none") for name in PARTS]
    monkeypatch.setattr(cuda_all, "PARTS", made)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    page = {}
    monkeypatch.setattr(cuda_all, "write_between_marks", page.__setitem__)
    return page


def test_a_part_that_does_not_work_is_named_and_the_others_go_on(parts, tmp_path):
    figures = cuda_all.measure(tmp_path / "f.json", SETTING, 1.0, False)
    cuda_all.write_page(figures)
    assert parts["GPU fine"] == "7 ms"
    assert parts["GPU absent"] == "Not measured: no such library."
    assert parts["GPU broken"] == "Not measured: failed with status 1: RuntimeError: the device fell off the bus."
    assert parts["GPU slow"] == "Not measured: stopped after 1 s."
    assert parts["GPU wordless"] == "Not measured: failed with status 9: no message."
    assert "| `python -m gpu_part_fine` | none | 7 ms |" in parts["GPU parts"]
    assert "not measured: stopped after 1 s" in parts["GPU parts"]
    assert json.loads((tmp_path / "f.json").read_text()) == figures


def test_an_interrupted_run_goes_on(parts, tmp_path, monkeypatch):
    path = tmp_path / "build" / "f.json"
    run_part = cuda_all.run_part

    def interrupted(part, seconds):
        if part.name != "GPU fine":
            raise KeyboardInterrupt
        return run_part(part, seconds)

    monkeypatch.setattr(cuda_all, "PARTS", cuda_all.PARTS[:2])
    monkeypatch.setattr(cuda_all, "run_part", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cuda_all.measure(path, SETTING, 1.0, False)
    monkeypatch.setattr(cuda_all, "run_part", run_part)
    figures = cuda_all.measure(path, SETTING, 1.0, False)
    assert [entry["state"] for entry in figures["parts"].values()] == ["measured", "absent"]
    assert (tmp_path / "runs").read_text() == "run "
    cuda_all.measure(path, SETTING | {"device": "another GPU"}, 1.0, False)
    cuda_all.measure(path, SETTING | {"device": "another GPU"}, 1.0, True)
    assert (tmp_path / "runs").read_text() == "run run run "


def test_parts_share_the_minutes(parts, tmp_path, monkeypatch):
    monkeypatch.setattr(cuda_all, "PARTS", [replace(cuda_all.PARTS[3], seconds=60.0), cuda_all.PARTS[0]])
    figures = cuda_all.measure(tmp_path / "f.json", SETTING, 2.0 / 60, False)
    assert figures["parts"]["GPU slow"]["reason"] == "stopped after 2 s"
    assert figures["parts"]["GPU fine"]["reason"].startswith("not begun")


def test_tables_need_no_gpu(parts, tmp_path):
    cuda_all.measure(tmp_path / "f.json", SETTING, 0.0, False)
    assert cuda_all.main(["--tables", "--figures", str(tmp_path / "f.json")]) == 0
    assert "not begun" in parts["GPU fine"]
    assert cuda_all.main(["--tables", "--figures", str(tmp_path / "none.json")]) == 0
    assert parts["GPU fine"] == cuda_all.NOT_RUN


def test_without_a_gpu_it_says_so_in_one_line(monkeypatch, capsys):
    monkeypatch.setattr(cuda_all, "cuda_report", lambda: DeviceReport("cuda", False, "no NVIDIA driver"))
    assert cuda_all.main([]) == 1
    out, err = capsys.readouterr()
    assert (out, err) == ("", "no GPU to measure: no NVIDIA driver\n")


def test_limits_fit_the_minutes_of_the_command():
    assert sum(part.seconds for part in cuda_all.PARTS) <= 60 * cuda_all.MINUTES


@pytest.mark.parametrize("part", cuda_all.PARTS, ids=lambda part: part.name)
def test_every_part_refuses_to_run_without_a_gpu(part, monkeypatch, capsys):
    from benchmarks.systems.cuda import script

    monkeypatch.setattr(script, "cuda_report", lambda: DeviceReport("cuda", False, "no NVIDIA driver"))
    module = __import__(part.module, fromlist=["SCRIPT"])
    assert module.SCRIPT.main([]) == 1
    assert capsys.readouterr().err == "no GPU to measure: no NVIDIA driver\n"
