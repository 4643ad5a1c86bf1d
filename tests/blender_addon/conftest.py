"""The arm, learned once for all tests of the add-on."""

from __future__ import annotations

import pytest

from tests.blender_addon.working import told


@pytest.fixture(scope="session")
def learned(tmp_path_factory):
    """What learning the arm told, and its folder with ``learned.blend``."""
    pytest.importorskip("torch", reason="torch is not installed")
    folder = tmp_path_factory.mktemp("learned")
    return folder, told("learn.py", folder)
