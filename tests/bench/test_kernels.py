"""Small benchmarks of kernels: every one runs, and builds are kept, found and compared."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys

import numpy as np
import pytest
from benchmarks.kernels import __main__ as command
from benchmarks.kernels import kept, register
from benchmarks.kernels.compare import summary
from benchmarks.kernels.worker import ROOT, Worker, WorkerError, end, own_folder

SMALL = register.Setup(scale=0.05)
NAMES = register.all_names()


@pytest.mark.parametrize("name", NAMES)
def test_kernel_runs(name):
    register.KERNELS[name](SMALL)()


@pytest.mark.parametrize("name", [NAMES[0], "other_system"])
def test_a_name_that_is_taken_or_of_another_system_is_refused(name):
    def make(setup):
        return list

    make.__name__, make.__module__ = name, "benchmarks.kernels.body"
    with pytest.raises(ValueError, match=f"kernel {name}: its name must be new and begin with body"):
        register.kernel(make)


def test_list_prints_the_names(capsys):
    assert command.main(["--list"]) == 0
    assert capsys.readouterr().out.split() == NAMES


def test_a_part_of_a_name_chooses_all_that_contain_it():
    assert register.chosen_names(["body_vjp", "linalg"]) == [n for n in NAMES if n == "body_vjp" or "linalg" in n]


def test_an_unknown_name_is_refused_with_those_near_it(capsys):
    with pytest.raises(SystemExit):
        command.main(["bodi_vjp"])
    assert re.search(r"no kernel is named 'bodi_vjp'; near it: body_vjp\b", capsys.readouterr().err)


@pytest.fixture
def kept_in(tmp_path, monkeypatch):
    """An empty folder for builds that are kept."""
    monkeypatch.setattr(kept, "KEPT", tmp_path / "old")
    return tmp_path / "old"


def small(*arguments: object, runs: int = 1) -> list[str]:
    return [*map(str, arguments), "--scale", "0.05", "--runs", str(runs)]


def test_a_build_is_compared_with_itself(tmp_path, capsys):
    output = tmp_path / "kernels.json"
    assert command.main(small("ik_two_bone", "--against", own_folder(), "--output", output, runs=2)) == 0
    row = capsys.readouterr().out.splitlines()[-1]
    assert re.fullmatch(r"ik_two_bone +[\d.]+ [mu]s +[\d.]+ [mu]s +[\d.]+  [\d.]+ to [\d.]+", row)
    result = json.loads(output.read_text())
    assert result["machine"]
    assert result["date"]
    (found,) = result["kernels"]
    assert found["low"] <= found["ratio"] <= found["high"]


def test_a_build_that_lacks_what_a_kernel_needs_has_no_time(tmp_path, capsys):
    (tmp_path / "rigcast").mkdir()
    (tmp_path / "rigcast" / "__init__.py").write_text('__version__ = "0"\n')
    assert command.main(small("linalg_product", "--against", tmp_path, "--output", tmp_path / "kernels.json")) == 0
    row = capsys.readouterr().out.splitlines()[-1]
    assert re.match(r"linalg_product +- +[\d.]+ [mu]s  OLD: \w*Error: ", row)


def test_a_worker_that_imports_another_build_is_noticed(tmp_path):
    worker = Worker(tmp_path.resolve(), SMALL)
    try:
        with pytest.raises(WorkerError, match="was to be timed, but Python imports"):
            worker.check()
    finally:
        end([worker])


def test_a_kept_build_is_found(kept_in):
    folder = kept.keep()
    assert folder.parent == kept_in
    assert list((folder / "rigcast").glob("_core*"))
    assert kept.find(None) == folder.resolve()


@pytest.mark.usefixtures("kept_in")
def test_a_revision_whose_build_was_kept_is_found(monkeypatch):
    monkeypatch.setattr(kept, "commit_of", {"HEAD": "123456789abc", "v1": "123456789abc"}.get)
    folder = kept.keep()
    assert kept.find("v1") == folder.resolve()


@pytest.mark.usefixtures("kept_in")
def test_a_revision_that_was_not_kept_is_refused():
    with pytest.raises(LookupError, match="no build of such a revision was kept"):
        kept.find("HEAD")


@pytest.mark.usefixtures("kept_in")
def test_without_an_old_build_the_new_one_is_timed_alone(tmp_path, capsys):
    assert command.main(small("mesh_vertex_normals", "--output", tmp_path / "kernels.json")) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"OLD: no build was kept; to keep one before a change: {kept.HOW}"
    assert re.fullmatch(r"mesh_vertex_normals +- +[\d.]+ [mu]s", lines[-1])


def test_ctrl_c_stops_the_command(tmp_path):
    arguments = small("synthesis", "--output", tmp_path / "kernels.json")
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.kernels", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    while not process.stdout.readline().startswith("kernel"):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.communicate()[1] == "stopped\n"
    assert process.returncode == 130


def test_bounds_are_those_of_student(tolerance):
    mean, low, high = summary(np.exp([-0.1, 0.0, 0.1]))
    assert mean == pytest.approx(1.0, rel=tolerance["float64"])
    expected = np.exp(4.303 * 0.1 / np.sqrt(3))  # the 97.5 % point for two degrees of freedom
    assert [1 / low, high] == pytest.approx([expected, expected], rel=tolerance["float64"])
    assert summary(np.array([1.5])) == (1.5, None, None)
