"""Sparse factorization, and what rests on it, once more with Eigen where CHOLMOD is the default back end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rigcast
from rigcast import _core

SWITCH = "RIGCAST_SPARSE_CHOLESKY"
ROOT = Path(__file__).parents[2]
CHECKED = ("linalg/test_sparse_cholesky", "transfer/test_deformation_transfer", "transfer/test_example_based")
NAME = "from rigcast import _core; print(_core.build_info()['cholesky'])"


def python(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """This interpreter with the package under test, on its own: what pytest says of this process is not inherited."""
    package = str(Path(rigcast.__file__).resolve().parents[1])
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment = inherited | {"PYTHONPATH": os.pathsep.join([package, str(ROOT)])} | variables
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def eigen() -> dict[str, str]:
    """The variable that chooses Eigen, if the extension reads it."""
    if _core.build_info()["cholesky"].startswith("Eigen"):
        pytest.skip("Eigen is the default back end here: all tests run with it")
    chosen = python("-c", NAME, **{SWITCH: "eigen"})
    assert chosen.returncode == 0, chosen.stderr
    if not chosen.stdout.startswith("Eigen"):
        pytest.skip(f"the extension does not read {SWITCH}: the back end stays {chosen.stdout.strip()}")
    return {SWITCH: "eigen"}


def test_the_same_tests_pass_with_eigen(eigen):
    files = [f"tests/{name}.py" for name in CHECKED]
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", *files, **eigen)
    assert done.returncode == 0, done.stdout


def test_the_default_can_be_named(eigen):
    assert python("-c", NAME, **{SWITCH: "cholmod"}).stdout.strip() == _core.build_info()["cholesky"]


def test_another_name_is_refused(eigen):
    program = "from rigcast import _core; _core.SparseCholesky([0], [0], [1.0], 1)"
    refused = python("-c", program, **{SWITCH: "dense"})
    assert refused.returncode != 0
    assert f"{SWITCH} is 'dense'" in refused.stderr
