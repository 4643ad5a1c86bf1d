"""Blender ends with the exit code of what it did while a character is live: never by a signal."""

from __future__ import annotations

import pytest

from tests.blender_addon.models import tube
from tests.blender_addon.working import FAILED, begun, blenders
from tests.support.process import PATIENCE


@pytest.fixture(scope="module", params=blenders())
def ended(request, tmp_path_factory):
    """The exit code of a Blender that ends in a way, and what it printed."""

    def run(how):
        folder = tmp_path_factory.mktemp(how)
        tube(folder / "tube.safetensors")
        process = begun("ends.py", folder, folder / "tube.safetensors", how, blender=request.param)
        shown, _ = process.communicate(timeout=PATIENCE)
        assert (folder / "told.json").exists(), shown
        return process.returncode, shown

    return run, FAILED if request.param is None else 1


def test_after_a_render_it_is_zero(ended):
    run, _ = ended
    assert run("well")[0] == 0


def test_after_a_fault_it_is_that_of_a_fault(ended):
    run, failed = ended
    code, shown = run("fails")
    assert "a fault of the script" in shown
    assert code == failed
    assert "bpy.rna" not in shown  # its complaint about types that are used when they are freed already


def test_a_script_may_choose_it(ended):
    run, _ = ended
    assert run("exits")[0] == 7
