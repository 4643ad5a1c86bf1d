"""The plug-in, registered once as Maya does it."""

from __future__ import annotations

import runpy

import pytest

from tests.maya import FILES, fake_maya


@pytest.fixture(scope="session")
def plugin():
    """The row of the registered node: number, creator, kind."""
    pytest.importorskip("rigcast_runtime", reason="the C library is not built", exc_type=ImportError)
    made = runpy.run_path(str(FILES / "rigcast" / "plug-ins" / "rigcast_deformer.py"))
    made["initializePlugin"]("plug-in")
    yield fake_maya.MFnPlugin.registered["rigcastDeformer"]
    made["uninitializePlugin"]("plug-in")
    assert "rigcastDeformer" not in fake_maya.MFnPlugin.registered
