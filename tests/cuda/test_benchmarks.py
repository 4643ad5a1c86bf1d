"""The scripts that measure on a GPU: their figures and tables in the emulation, and without any device."""

from __future__ import annotations

import argparse
import json
from importlib import import_module

import numpy as np
import pytest
from benchmarks.cuda_all import PARTS
from benchmarks.systems.cuda import (
    arrays,
    batches,
    blendshapes,
    body,
    crowd,
    differential,
    encoding,
    face_maps,
    inverse,
    libraries,
    rates,
    script,
)
from benchmarks.systems.cuda.gpus import H100

import rigcast as rc
from rigcast._device_report import DeviceReport
from tests.support.made.differential import random_differential
from tests.support.made.face_maps import random_face_maps
from tests.support.made.models import random_body

NOT_RUN = "not run"


@pytest.fixture
def measuring(emulated_lane, monkeypatch):
    """The emulation with the rate of a copy, and a workspace of the size of this machine's memory."""
    monkeypatch.setattr(emulated_lane, "copy_rate", lambda size, repeats: 10.0, raising=False)
    monkeypatch.setattr(batches, "WORKSPACE", 1 << 24)
    return emulated_lane


def kept(figures):
    """Figures as a file keeps them."""
    return json.loads(json.dumps(figures))


def cells(lines):
    """Rows of the first table without its head."""
    table = [line.strip("| ").split(" | ") for line in lines if line.startswith("|")]
    return table[2:]


MODELS = {
    "body": (body, random_body),
    "face_maps": (face_maps, random_face_maps),
    "differential": (differential, random_differential),
}


@pytest.mark.parametrize("kind", MODELS)
def test_learned_models_have_one_table(measuring, kind):
    module, make = MODELS[kind]
    case = module.case(make())
    case = batches.Case(case.model, case.kernels, case.ways, [1, 3])
    plan, found = kept(batches.plan(case)), kept(batches.measure(case, 2))
    rows = cells(batches.table(plan, found, H100))
    assert [row[0] for row in rows] == ["1", "3"]
    assert all(found[row[0]]["device_ms"] > 0 and 0 < found[row[0]]["difference"] < 1e-4 for row in rows)
    assert all(0 < float(row[1]) <= float(row[2]) for row in rows)  # floors and predictions
    assert all("%)" in row[3] and NOT_RUN not in row for row in rows)
    assert "poses/s" in batches.headline(plan, found, H100).measured
    assert [row[:3] for row in cells(batches.table(plan, None, H100))] == [row[:3] for row in rows]


def test_bodies_say_what_16_bits_save(measuring):
    case = body.case(random_body())
    sizes = batches.measure(batches.Case(case.model, case.kernels, case.ways, [1]), 1)["device bytes"]
    assert 0 < sizes["16 bits"] < sizes[""]


def given(part, *arguments):
    return part.SCRIPT.parser().parse_args(arguments)


SMALL = ("--vertices", "300", "--shapes", "5")


def test_blendshapes_are_measured_beside_their_peers(measuring):
    asked = given(blendshapes, *SMALL, "--heads", "3", "--repeats", "2")
    plan = kept(blendshapes.plan(asked))
    found = kept(blendshapes.measure(asked, plan))
    rows = cells(blendshapes.table(plan, found, H100))
    assert [row[0] for row in rows] == [*blendshapes.WAYS, *blendshapes.PEERS]
    assert all(found[name]["difference"] < 1e-5 for name in (*blendshapes.WAYS, blendshapes.LIBRARY))
    assert found["int16, sparse"]["bytes"] < found["float32, sparse"]["bytes"]
    assert all(found[name]["device_ms"].startswith("PyTorch") for name in blendshapes.PEERS[1:])
    assert "no peer" in blendshapes.headline(plan, found, H100).measured
    found[blendshapes.EACH] = {"device_ms": 20.0 * found["int16, sparse"]["device_ms"]}
    assert cells(blendshapes.table(plan, found, H100))[3][6] == "20.0 x"


def test_a_build_without_libraries_says_so_in_their_row(measuring, monkeypatch):
    made = blendshapes.evaluator

    def refusing(model, **options):
        if options.get("libraries"):
            raise rc.errors.ArgumentError("resident", "libraries", "chosen", "left out")
        return made(model, **options)

    monkeypatch.setattr(blendshapes, "evaluator", refusing)
    asked = given(blendshapes, *SMALL, "--heads", "3", "--repeats", "1")
    plan = blendshapes.plan(asked)
    rows = cells(blendshapes.table(plan, kept(blendshapes.measure(asked, plan)), H100))
    assert rows[4][:1] + rows[4][4:] == [blendshapes.LIBRARY, "not built in", "-", "-", NOT_RUN]


def test_crowds_are_measured_by_number_of_heads(measuring):
    asked = given(crowd, *SMALL, "--heads", "1", "4")
    plan = kept(crowd.plan(asked))
    found = kept(crowd.measure(asked, plan))
    assert [row[0] for row in cells(crowd.table(plan, found, H100))] == ["1", "4"]
    assert all(found[heads]["difference"] < 1e-5 and found[heads]["again_ms"] > 0 for heads in ("1", "4"))
    assert all(found[heads]["shared_ms"] > 0 for heads in ("1", "4"))
    assert crowd.headline(plan, found, H100).measured.startswith("4 heads in")


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


def test_the_inverse_rig_is_measured(measuring, monkeypatch):
    monkeypatch.setattr(inverse, "ALPHA", 0.01)
    asked = given(inverse, "--vertices", "150", "--shapes", "5", "--pairs", "3", "--frames", "20", "--runs", "1")
    plan = kept(inverse.plan(asked))
    found = kept(inverse.measure(asked, plan))
    assert found["compared"]["converged"] == 1.0
    assert found["compared"]["same"] + found["compared"]["lower"] == 20
    rows = cells(inverse.table(plan, found, H100))
    assert [row[0] for row in rows] == list(inverse.PARTS.values())
    assert inverse.headline(plan, found, H100).measured.endswith("frames/s, targets in NumPy")


def test_a_whole_call_waits_for_its_copies_or_its_kernels():
    plan = kept(inverse.plan(given(inverse)))
    there, pinned, call = (inverse.rates(plan, part, H100) for part in ("there", "pinned", "call"))
    assert there == pinned == call  # frames are solved more slowly than targets arrive
    wide = kept(inverse.plan(given(inverse, "--vertices", "40000")))
    floor, predicted = inverse.rates(wide, "call", H100)
    assert floor == pytest.approx(50e9 / 480_000)  # wide ones arrive more slowly
    assert predicted == pytest.approx(0.9 * floor, rel=1e-4)
    assert inverse.rates(wide, "there", H100)[0] > floor
    assert there[0] < inverse.rates(plan, "search", H100)[0]
    slower = kept(inverse.plan(given(inverse, "--steps", "1000", "500", "3")))
    assert inverse.rates(slower, "search", H100)[0] < inverse.rates(plan, "search", H100)[0] / 7


def test_libraries_are_compared_with_our_kernels(measuring):
    model = random_differential(joints=3, hidden=(150, 130), components=128)
    plan = {"model": "a model", "batches": [1, 4], "kernels": kept(batches.plan(differential.case(model)))["kernels"]}
    found = kept(libraries.measure_model(model, 1, [1, 4])) | {"libraries": "Libraries: plain loops"}
    rows = cells(libraries.table(plan, found, H100))
    assert [row[0] for row in rows] == ["1", "4"]
    assert all(float(row[3]) > 0 and float(row[4]) > 0 and 0 < float(row[6]) < 1e-4 for row in rows)
    assert all(row[7] == "cupy is not installed" for row in rows)


def test_a_library_becomes_the_default_if_it_is_faster_at_every_batch():
    rows = {str(batch): {"own": 2.2, "cuBLAS": 2.0, "difference": 0.0, "solve": None} for batch in (1, 4)}
    plan = {"batches": [1, 4]}
    assert libraries.verdict(plan, rows) == "cuBLAS: 1.10 to 1.10 x own: the default"
    rows["4"]["cuBLAS"] = 4.0
    assert libraries.verdict(plan, rows) == "cuBLAS: 0.55 to 1.10 x own: own stays the default"
    rows["1"]["cuBLAS"] = "not built in"
    assert libraries.verdict(plan, rows) == "cuBLAS: not built in"


def test_the_factors_of_the_solve_are_those_of_the_last_step():
    """Their product is the matrix of `Reconstructor.solve`, with rows and columns in another order."""
    pytest.importorskip("scipy", reason="SciPy is not installed")
    model = random_differential(joints=0, hidden=(20,), components=6, tail="factorized")
    lower, upper = libraries.factors(model)
    tensors = model.tensors()
    solver = rc.differential.Reconstructor(
        tensors["faces"], model.num_vertices, tensors["anchors.vertex"], tensors["anchors.weight"]
    )
    count = model.num_vertices
    unit = np.zeros((count, count, 3), np.float32)
    unit[np.arange(count), np.arange(count), 0] = 1.0
    encoded = solver.encode(unit)[..., 0].astype(np.float64)  # row k: column k of L
    anchored = np.zeros(count)
    anchored[tensors["anchors.vertex"]] = tensors["anchors.weight"] ** 2
    expected = np.linalg.eigvalsh(encoded @ encoded.T + np.diag(anchored))
    found = np.sort(np.linalg.eigvals((lower @ upper).toarray()).real)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)  # encode gives float32 numbers


def test_encodings_are_those_of_the_reconstructor(measuring):
    scipy_sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
    faces, count = differential.sphere()
    start, columns, values = encoding.laplacian(faces[:, :3], count)
    moved = np.random.default_rng(0).standard_normal((2, count, 3)).astype(np.float32)
    product = scipy_sparse.csr_array((values.astype(np.float64), columns, start), (count, count))
    expected = rc.differential.Reconstructor(faces, count, [0]).encode(moved)
    found = np.stack([product @ frame for frame in moved])
    np.testing.assert_allclose(found, expected, atol=1e-4)  # float32 sums of 66 displacements at the poles
    asked = given(encoding, "--frames", "1", "3")
    plan = kept(encoding.plan(asked))
    rows = cells(encoding.table(plan, kept(encoding.measure(asked, plan)), H100))
    assert [row[0] for row in rows] == ["1", "3"]
    assert all(float(row[3]) > 0 and row[4].startswith("PyTorch") for row in rows)


def test_arrays_of_packages_are_compared_with_numpy(measuring, monkeypatch):
    """PyTorch's tensors on the host are the emulated device's arrays."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    on_host = arrays.Package("PyTorch", "torch", lambda torch, poses: torch.tensor(poses), arrays.PACKAGES[0].address)
    missing = arrays.Package("None", "no_such_package", lambda module, poses: poses, lambda module, array: 0)
    monkeypatch.setattr(arrays, "PACKAGES", [on_host, missing])
    monkeypatch.setattr(arrays, "copies_to_host", lambda call: count_copies(measuring, call))
    monkeypatch.setattr(arrays, "BODY_SIZES", {"num_vertices": 300})
    asked = given(arrays, "--poses", "5")
    plan = kept(arrays.plan(asked))
    rows = cells(arrays.table(plan, kept(arrays.measure(asked, plan)), H100))
    assert rows[0][:5] == ["PyTorch", torch.__version__, "yes", "yes", "0"]
    assert rows[1][:3] == ["None", "not installed", NOT_RUN]
    monkeypatch.setattr(arrays, "copies_to_host", lambda call: 1)
    with pytest.raises(RuntimeError, match="copies to the host, with poses of PyTorch"):
        arrays.measure(asked, plan)


def test_copies_are_counted_where_a_profiler_can():
    assert arrays.copies_to_host(lambda: None) in (None, 0)


def count_copies(lane, call):
    before = lane.bytes_to_host()
    call()
    return int(lane.bytes_to_host() > before)


def test_rates_that_cannot_be_measured_stay_nominal(measuring, monkeypatch):
    monkeypatch.setattr(rates, "cuda_report", lambda: DeviceReport("cuda", True, "NVIDIA H200, 139 GiB"))
    found = kept(rates.measure(argparse.Namespace(), {}))
    assert found["rates"]["copy"] == 10e9
    assert found["rates"]["tf32"] is None
    lines = rates.table({}, found, H100)
    assert cells(lines)[-1][:3] == ["NVIDIA H200", "10*", "5,500"]
    assert lines[-1].startswith("Not all rates are measured: PyTorch")
    assert lines[-1].endswith("those of H200 stand for what has no star.")


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_every_part_has_a_table_without_a_device(part):
    """Each row of a table says that it was not run, beside its floor and its prediction."""
    plan = kept(part.script().default_plan())
    lines = part.script().table(plan, None, H100)
    assert part.script().headline(plan, None, H100).measured == NOT_RUN
    if part.name != "GPU rates":
        assert all(NOT_RUN in row for row in cells(lines))
    assert max(line.count("|") for line in lines) <= 9


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_every_part_refuses_to_run_without_a_gpu(part, monkeypatch, capsys):
    monkeypatch.setattr(script, "cuda_report", lambda: DeviceReport("cuda", False, "no NVIDIA driver"))
    assert import_module(part.module).SCRIPT.main([]) == 1
    assert capsys.readouterr().err == "no GPU to measure: no NVIDIA driver\n"


def test_floors_are_printed_without_a_gpu(capsys):
    assert blendshapes.SCRIPT.main([*SMALL, "--heads", "3", "--floors"]) == 0
    assert "| float32, dense |" in capsys.readouterr().out


def test_the_sphere_of_the_paper_s_size_is_closed():
    faces, count = differential.sphere()
    edges = np.sort(np.concatenate([faces[:, [i, (i + 1) % 3]] for i in range(3)]), axis=1)
    assert set(np.unique(edges, axis=0, return_counts=True)[1]) == {2}
    assert len(np.unique(faces[:, :3])) == count
    assert count - len(edges) // 2 + len(faces) == 2
