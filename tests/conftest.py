"""Fixtures shared by all tests: the tolerance table, and the folder of real characters."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.order import Durations, order
from tests.support.process import same_process

TESTS = Path(__file__).resolve().parent

# Threads of a library that wait for each other leave the processor to other workers; read when it is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

# A shell's background job ignores Ctrl-C, and processes that tests start would inherit it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples in every run, so that a failure is the change's; HYPOTHESIS_PROFILE=explore draws others. No test
# asserts a time.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

# ./run test uses two environments: "blender" is what needs Blender, whose wheel asks for NumPy 1; "plain" is all the
# rest, with NumPy 2. A cross-section of the binding layer runs in both.
HOSTED = ("demo", "notebooks", "sources/blender")
BINDINGS = ("core", "rig", "exports")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--part", choices=("plain", "blender"), help="the tests of one environment; all by default")


def needs_blender(path: Path) -> bool:
    """A test file that lies with those of Blender's files, or asks for Blender."""
    return _under(path, HOSTED) or "tests.support.blender import" in path.read_text(encoding="utf-8")


def _under(path: Path, folders: tuple[str, ...]) -> bool:
    return f"{path.relative_to(TESTS).parent.as_posix()}/".startswith(tuple(f"{folder}/" for folder in folders))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    part = config.getoption("--part")
    if part is None or not collection_path.match("test_*.py"):
        return None
    hosted = needs_blender(collection_path)
    left_out = hosted if part == "plain" else not (hosted or _under(collection_path, BINDINGS))
    return True if left_out else None


# One table for the whole suite. Absolute bounds on quantities of order one, relative elsewhere; a row looser than
# "float32" carries its reason.
TOLERANCES = {
    "exact": 0.0,
    "float64": 1e-12,
    "gram": 1e-9,  # least squares in Gram space: squaring costs digits
    "float64_converged": 1e-6,  # iterations that stop at a small change, and angles near a pole: half the digits
    "float32": 2e-6,
    "map_ridge": 1e-6,  # floors of deformation maps: the ridge of 1e-9 on texels that hardly anything samples
    "float32_scaled": 1e-5,  # float32 positions of order ten, or several float32 steps one after another
    "float32_sum": 2e-5,  # long float32 sums in an order of their own (matrix products of a few hundred terms)
    "float32_character": 1e-4,  # float32 positions of characters in centimeters: of order 100
    "printed": 1e-3,  # figures that are printed with three digits, and fits that stop at three
    "finite_difference": 2e-3,  # central differences of float32 functions: cancellation leaves about three digits
}


def pytest_configure(config: pytest.Config) -> None:
    """Where pytest-xdist shares tests out by files, these start in the order of :func:`order`."""
    if not hasattr(config, "workerinput") and getattr(config.option, "dist", "no") == "loadfile":
        config.option.loadscopereorder = False
        config.pluginmanager.register(Durations(config))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):
        order(config, items)


@pytest.fixture(autouse=True)
def _same_process() -> Iterator[None]:
    """Libraries that a test imports or starts change neither Ctrl-C nor the environment of the tests that follow."""
    with same_process():
        yield


@pytest.fixture(scope="session")
def tolerance() -> dict[str, float]:
    return TOLERANCES


SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def shared_data(*parts: str) -> Path:
    """A path under the folder of real characters; skips the test where it is absent."""
    path = SHARED_DATA.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"real data not present: {'/'.join(parts)} beside the repository under shared/data")
    return path


@pytest.fixture(scope="session")
def data_path():
    return shared_data


@pytest.fixture(scope="session")
def cylinder_rig():
    """A small analytic rig: four joints, one dial, linear skinning plus a bulge."""
    from tests.support.characters.cylinder import CylinderRig

    return CylinderRig()
