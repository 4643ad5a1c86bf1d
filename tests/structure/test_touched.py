"""What ``./run quick`` tests after a change."""

from __future__ import annotations

import pytest

from tests import touched
from tests.conftest import TESTS, needs_blender


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        ("cpp/rigcast/body/body_model.cpp", ["tests/body"]),
        ("cpp/rigcast/inverse/frames/solve_frames.cpp", ["tests/inverse"]),
        ("cpp/rigcast/baseline/models/feature_map.h", ["tests/baselines"]),
        ("python/rigcast/viewer/_stage.py", ["tests/view"]),
        ("python/rigcast/_formats/gltf/document.py", ["tests/sources", "tests/exports"]),
        ("bindings/models/body.cpp", ["tests/core", "tests/rig"]),
        ("tests/body/test_storage.py", ["tests/body/test_storage.py"]),
        ("tests/support/made/models.py", []),
        ("LICENSE", []),
    ],
)
def test_a_file_is_tested_by_its_room(changed, tests):
    assert touched.tests_of(changed) == tests


def test_the_named_tests_are_there():
    assert [name for names in touched.ELSEWHERE.values() for name in names if not (TESTS / name).exists()] == []


def test_what_asks_for_blender_is_run_where_blender_is():
    assert needs_blender(TESTS / "sources" / "blender" / "test_process.py")
    assert needs_blender(TESTS / "cli" / "motion" / "test_actions.py")
    assert not needs_blender(TESTS / "linalg" / "test_sparse_cholesky.py")
