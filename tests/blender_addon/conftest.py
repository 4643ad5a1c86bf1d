"""The arm, learned once for all tests of the add-on."""

from __future__ import annotations

import pytest

from tests.blender_addon.working import blenders, told


@pytest.fixture(scope="session", params=blenders())
def learned(request, tmp_path_factory):
    """The folder with ``learned.blend``, what learning the arm told, and the Blender that did."""
    pytest.importorskip("torch", reason="torch is not installed")
    folder = tmp_path_factory.mktemp("learned")
    return folder, told("learn.py", folder, blender=request.param), request.param
