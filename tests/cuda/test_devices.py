"""Which devices are offered, and what is said of those that do not work."""

from __future__ import annotations

import gc
import importlib.util
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from rigcast import _device_report as device_report
from rigcast._device_report import DeviceReport, cuda_report, device_reports
from tests.cuda.conftest import load_emulation
from tests.support.made.models import linear_blend, random_body, random_poses


def evaluate_on_cuda(model: rc.Deformer, **options) -> np.ndarray:
    numeric = len(model.metadata["numeric_controls"])
    return model.evaluate(random_poses(model.skeleton, 3, numeric=numeric), device="cuda", **options)


@pytest.fixture
def no_cuda(monkeypatch):
    """CUDA as it is on a machine without a driver, whatever this one has."""
    broken = DeviceReport("cuda", False, "no NVIDIA driver")
    monkeypatch.setattr(device_report, "cuda_report", lambda: broken)


def test_the_cpu_always_works():
    assert rc.devices()[0] == "cpu"
    assert set(rc.devices()) <= {"cpu", "cuda"}
    assert [report.name for report in device_reports()] == ["cpu", "cuda"]
    assert all(report.detail for report in device_reports())
    assert ("cuda" in rc.devices()) == cuda_report().works


def test_a_device_that_does_not_work_is_one_error_that_says_why(no_cuda):
    sentence = r"evaluate: device is 'cuda', which does not work here \(no NVIDIA driver\); it must be one of: cpu$"
    with pytest.raises(ValueError, match=sentence):
        evaluate_on_cuda(random_body())
    with pytest.raises(ValueError, match=sentence):
        evaluate_on_cuda(linear_blend())


def test_an_unknown_device_is_named(no_cuda):
    with pytest.raises(ValueError, match=r"evaluate: device is 'tpu'; it must be one of: cpu$"):
        random_body().evaluate(np.zeros((1, 74)), device="tpu")


def test_poses_are_checked_before_the_device():
    with pytest.raises(ValueError, match="evaluate: poses is 7 wide"):
        random_body().evaluate(np.zeros((2, 7)), device="cuda")
    with pytest.raises(ValueError, match="evaluate: poses is not finite"):
        random_body().evaluate(np.full((2, 74), np.nan), device="cuda")


CALLS = {
    "evaluate": lambda model, device: model.evaluate(np.zeros((2, 74)), device),
    "evaluate_on_device": lambda model, device: model.evaluate_on_device(np.zeros((2, 74)), device),
    "jvp": lambda model, device: model.jvp(np.zeros((2, 74)), np.zeros((2, 74)), device),
    "jacobian": lambda model, device: model.jacobian(np.zeros((2, 74)), device),
}


@pytest.mark.parametrize("function", CALLS)
def test_errors_of_a_device_name_the_function(function, no_cuda):
    with pytest.raises(ValueError, match=f"^{function}: device is 'cuda', which does not work here"):
        CALLS[function](random_body(), "cuda")
    with pytest.raises(ValueError, match=f"^{function}: device is 'tpu'; it must be one of: cpu$"):
        CALLS[function](random_body(), "tpu")


def test_the_cpu_is_no_device_for_vertices_to_stay_on():
    with pytest.raises(ValueError, match=r"^evaluate_on_device: device is 'cpu'; it must be another"):
        random_body().evaluate_on_device(np.zeros((2, 74)), "cpu")


@pytest.mark.parametrize("function", ["evaluate", "evaluate_on_device"])
def test_a_kind_without_kernels_is_named(function, cuda_lane):
    model = linear_blend()
    poses = random_poses(model.skeleton, 3, numeric=len(model.metadata["numeric_controls"]))
    sentence = f"^{function}: device is 'cuda', which does not evaluate models of kind 'linear_blend'; it must be 'cpu'"
    with pytest.raises(ValueError, match=sentence):
        getattr(model, function)(poses, "cuda")


def test_libraries_need_no_device_to_be_described(monkeypatch):
    assert device_report.cuda_libraries()
    monkeypatch.setitem(sys.modules, "rigcast._cuda", None)  # importing it raises ModuleNotFoundError
    assert device_report.cuda_libraries() == "no CUDA extension in use"


def test_a_missing_extension_says_why(monkeypatch):
    monkeypatch.setattr(device_report._core, "build_info", lambda: {"cuda_fault": "nvcc not found when building"})
    monkeypatch.setitem(sys.modules, "rigcast._cuda", None)  # importing it raises ModuleNotFoundError
    report = cuda_report()
    assert not report.works
    assert report.detail == "no CUDA extension in this build (nvcc not found when building)"
    assert rc.devices() == ["cpu"]


def test_an_extension_that_does_not_load_says_why(monkeypatch):
    def refuse(name: str):
        raise ImportError("libsomething.so: cannot open shared object file")

    monkeypatch.setattr(device_report.importlib, "import_module", refuse)
    assert "does not load: libsomething.so" in cuda_report().detail
    assert rc.devices() == ["cpu"]


def test_a_device_of_an_older_generation_is_named_with_what_is_needed(monkeypatch):
    fault = load_emulation().architecture_fault
    assert fault("A100", 8, 0, 80) == fault("H100", 9, 0, 80) == ""
    reason = fault("Tesla T4", 7, 5, 80)
    assert reason == "Tesla T4 has compute capability 7.5, this build needs 8.0"

    class Extension:
        @staticmethod
        def status():
            return {"works": False, "reason": reason, "devices": []}

    monkeypatch.setitem(sys.modules, "rigcast._cuda", Extension)
    assert cuda_report() == DeviceReport("cuda", False, reason)
    with pytest.raises(ValueError, match=r"device is 'cuda', which does not work here \(Tesla T4 has compute cap"):
        evaluate_on_cuda(random_body())


def test_the_extension_imports_without_a_device():
    if importlib.util.find_spec("rigcast._cuda") is None:
        pytest.skip(f"{cuda_report().detail}")
    # CUDA_VISIBLE_DEVICES hides the devices where there are some.
    text = "import os; os.environ['CUDA_VISIBLE_DEVICES'] = ''; import rigcast._cuda as c; print(c.status()['works'])"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


class RecordingModel:
    """Stands in for the extension's: counts copies, and says how many poses it was given."""

    made = 0

    def __init__(self, model: rc.Deformer, function: str) -> None:
        type(self).made += 1

    def evaluate(self, poses: np.ndarray, out: np.ndarray, order: None, lengths: None, detail: None) -> None:
        assert poses.dtype == out.dtype == np.float32
        assert poses.flags.c_contiguous
        out[...] = len(poses)


@pytest.fixture
def recorded(cuda_lane, monkeypatch):
    """The registry with a factory that records."""
    monkeypatch.setattr(RecordingModel, "made", 0)
    previous = _core.set_device_factory("cuda", RecordingModel)
    yield RecordingModel
    assert _core.set_device_factory("cuda", previous) is RecordingModel


def test_a_model_is_copied_once_and_freed_with_it(recorded):
    model, other = random_body(), random_body(seed=1)
    for _ in range(3):
        assert (evaluate_on_cuda(model) == 3).all()
    assert recorded.made == 1
    evaluate_on_cuda(other)
    assert recorded.made == 2
    copy = weakref.ref(_core.device_model(model, "cuda", "evaluate"))
    assert recorded.made == 2
    assert copy() is not None
    del model
    gc.collect()
    assert copy() is None


def test_threads_share_one_copy(recorded):
    model = random_body()
    with ThreadPoolExecutor(8) as pool:
        copies = list(pool.map(lambda _: _core.device_model(model, "cuda", "evaluate"), range(40)))
    assert recorded.made == 1
    assert all(copy is copies[0] for copy in copies)


def test_another_factory_makes_its_own_copies(recorded):
    model = random_body()
    evaluate_on_cuda(model)
    _core.set_device_factory("cuda", RecordingModel)
    evaluate_on_cuda(model)
    assert recorded.made == 2


def test_a_factory_that_fails_keeps_nothing(recorded):
    def refuse(model: rc.Deformer, function: str) -> None:
        raise MemoryError(function)

    model = random_body()
    _core.set_device_factory("cuda", refuse)
    for _ in range(2):
        with pytest.raises(MemoryError, match="evaluate"):
            evaluate_on_cuda(model)
    _core.set_device_factory("cuda", RecordingModel)
    assert (evaluate_on_cuda(model) == 3).all()


def test_a_factory_that_wants_another_model_on_the_device_is_refused(recorded):
    other = random_body(seed=1)

    def reenter(model: rc.Deformer, function: str) -> object:
        return _core.device_model(other, "cuda", function)

    _core.set_device_factory("cuda", reenter)
    with pytest.raises(rc.errors.ArgumentError, match="inside of a device's factory"):
        evaluate_on_cuda(random_body())
    _core.set_device_factory("cuda", RecordingModel)
    assert (evaluate_on_cuda(random_body()) == 3).all()


def test_results_come_in_the_callers_array_and_shape(recorded):
    model = random_body()
    out = np.zeros((3, 90, 3), np.float32)
    assert evaluate_on_cuda(model, out=out) is out
    assert (out == 3).all()
    single = model.evaluate(np.zeros(74), device="cuda")
    assert single.shape == (90, 3)
    assert (single == 1).all()


def test_a_device_without_poses_gives_an_array_of_numpy(recorded):
    assert type(random_body().evaluate(np.zeros((0, 74)), device="cuda")) is np.ndarray


def test_the_extension_registers_its_models():
    if importlib.util.find_spec("rigcast._cuda") is None:
        pytest.skip(f"{cuda_report().detail}")
    text = """
from rigcast import _core
before = _core.set_device_factory("cuda", None)
import rigcast._cuda
print(before is None, _core.set_device_factory("cuda", None) is rigcast._cuda.factory)
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]


def test_evaluate_on_cuda_matches_the_cpu(cuda_lane, tolerance):
    model = random_body(num_vertices=500, num_sets=9)
    poses = random_poses(model.skeleton, 200, numeric=2, stretch=0.0)
    expected = model.evaluate(poses)
    scale = np.abs(expected).max()
    result = model.evaluate(poses, device="cuda")
    np.testing.assert_allclose(result / scale, expected / scale, atol=tolerance["float32_sum"])
    assert model.evaluate(poses[7], device="cuda").tobytes() == result[7].tobytes()
    assert model.evaluate(poses[:0], device="cuda").shape == (0, 500, 3)
