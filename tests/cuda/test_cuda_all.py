"""The command that runs all scripts on a GPU and writes the page: parts that fail, interruptions, no device."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from benchmarks import cuda_all
from benchmarks.marks import ROOT, read_between_marks
from benchmarks.systems.cuda import page

from rigcast._device_report import DeviceReport

SETTING = {"device": "a GPU", "machine": "a machine", "version": "0", "build": "x"}
PARTS = {
    "fine": "SCRIPT.main()",
    "absent": "print('no such library', file=sys.stderr); sys.exit(3)",
    "broken": "raise RuntimeError('the device fell off the bus')",
    "slow": "import time; time.sleep(60)",
    "wordless": "sys.exit(9)",
}
MODULE = """
import json, sys
from types import SimpleNamespace

class SCRIPT:
    @staticmethod
    def default_plan(): return {"size": 3}
    @staticmethod
    def table(plan, found, gpu): return [f"size {plan['size']}, " + (f"{found['number']} ms" if found else "not run")]
    @staticmethod
    def headline(plan, found, gpu):
        return SimpleNamespace(predicted="5 ms", measured=f"{found['number']} ms" if found else "not run")
    @staticmethod
    def main():
        with open(%r, "a") as file: file.write("run ")
        print(json.dumps({"plan": {"size": 4}, "rows": {"number": 7}}))

if __name__ == "__main__":
    %s
"""


@pytest.fixture
def parts(tmp_path, monkeypatch):
    """Five scripts of which one works; the page that they are written to."""
    for name, work in PARTS.items():
        (tmp_path / f"gpu_part_{name}.py").write_text(MODULE % (str(tmp_path / "runs"), work))
    made = [cuda_all.Part(f"GPU {name}", f"gpu_part_{name}", 1.0 if name == "slow" else 60.0, "9 ms") for name in PARTS]
    monkeypatch.setattr(cuda_all, "PARTS", made)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    written: dict[str, str] = {}
    monkeypatch.setattr(cuda_all, "write_between_marks", written.__setitem__)
    return written


def test_a_part_that_does_not_work_is_named_and_the_others_go_on(parts, tmp_path):
    figures = cuda_all.measure(tmp_path / "f.json", SETTING, 1.0, False)
    cuda_all.write_page(figures)
    assert parts["GPU fine"] == "size 4, 7 ms"
    broken = "failed with status 1: RuntimeError: the device fell off the bus"
    assert parts["GPU absent"] == "size 3, not run\n\nNot measured: no such library."
    assert parts["GPU broken"] == f"size 3, not run\n\nNot measured: {broken}."
    assert parts["GPU slow"] == "size 3, not run\n\nNot measured: stopped after 1 s."
    assert parts["GPU wordless"].endswith("Not measured: failed with status 9: no message.")
    assert "| `python -m gpu_part_fine` | 9 ms | 5 ms | 7 ms |" in parts["GPU parts"]
    assert "| `python -m gpu_part_slow` | 9 ms | 5 ms | not run: stopped after 1 s |" in parts["GPU parts"]
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
    assert parts["GPU fine"] == "size 3, not run"
    assert parts["GPU parts"].startswith(page.NO_DEVICE)


def test_without_a_gpu_it_says_so_in_one_line(monkeypatch, capsys):
    monkeypatch.setattr(cuda_all, "cuda_report", lambda: DeviceReport("cuda", False, "no NVIDIA driver"))
    assert cuda_all.main([]) == 1
    out, err = capsys.readouterr()
    assert (out, err) == ("", "no GPU to measure: no NVIDIA driver\n")


def test_limits_fit_the_minutes_of_the_command():
    assert sum(part.seconds for part in cuda_all.PARTS) <= 60 * cuda_all.MINUTES


def test_measured_rates_make_all_floors():
    found = {"name": "NVIDIA H200", "rates": {"copy": 4.2e12}, "missing": ""}
    figures = {"parts": {page.RATES: {"state": "measured", "found": {"plan": {}, "rows": found}}}}
    assert page.gpu_measured(figures).copy == 4.2e12
    assert page.gpu_measured({"parts": {}}).name == "H100 SXM"


def test_like_kernels_share_a_row():
    same = [{"name": f"layer {n}", "efficiency": "layers", "operations": 2.0, "frame_bytes": 1.0} for n in (1, 2, 3)]
    each = page.Shown(cuda_all.Part("GPU things", "m", 1.0, "-"), {"kernels": same}, None)
    assert [row[0] for row in page.kernel_rows(each, page.gpu_of(None))] == ["things: layer 1 to layer 3"]


def test_the_first_sentences_say_what_the_tables_say():
    answer = (ROOT / "docs" / "benchmarks" / "gpu.md").read_text(encoding="utf-8").split("\n\n")[1]
    tables = read_between_marks("GPU parts") + read_between_marks("GPU before")
    figures = re.findall(r"\d+\.\d+(?= ms)|\d+,\d+(?=\s+frames)", answer)
    assert len(figures) == 4
    assert [figure for figure in figures if figure not in tables] == []


def test_the_page_has_a_place_for_every_part():
    """The text is that of the formulas until a device has run the kernels, and of its figures then."""
    for name in ("GPU parts", "GPU kernels", "GPU before", *(part.name for part in cuda_all.PARTS)):
        assert read_between_marks(name).strip(), name
