"""The classes that a host program meets have an example at the head of their header; ctest's build compiles them."""

from __future__ import annotations

import runpy

import pytest

from tests.structure.layers import ROOT

HEADERS = (
    "rig/deformer.h",
    "rig/session.h",
    "rig/blendshapes/blendshape_rig.h",
    "body/body_model.h",
    "inverse/solve.h",
    "ik/goals/pose_solver.h",
    "ik/limbs/limb.h",
    "transfer/deformation_transfer.h",
    "synthesis/latent/latent_space.h",
    "cuda/resident.h",
)


@pytest.fixture(scope="module")
def examples():
    return runpy.run_path(str(ROOT / "tests" / "cpp" / "header_examples.py"))["examples"](ROOT / "cpp")


@pytest.mark.parametrize("header", HEADERS)
def test_a_class_for_host_programs_has_an_example(examples, header):
    lines = examples[f"rigcast/{header}"].splitlines()
    assert 3 <= len(lines) <= 20
