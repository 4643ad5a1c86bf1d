"""Every block of the README runs, and it stays short."""

from __future__ import annotations

import pytest

from tests.demo.published import small_ict
from tests.docs.page_files import blender_files, face_files, other_files
from tests.docs.site import ROOT, run_page
from tests.support.blender import has_blender

README = ROOT / "README.md"


@pytest.mark.slow
def test_its_blocks_run_and_print_what_it_shows(tmp_path, monkeypatch):
    for package in ("torch", "pyvista", "matplotlib", "jinja2"):
        pytest.importorskip(package, reason="an extra that the README uses is not installed")
    if not has_blender():
        pytest.skip("no Blender is installed")
    blender_files(tmp_path)
    (tmp_path / "hero.safetensors").unlink()  # the README trains one
    face_files(tmp_path)
    other_files(tmp_path)
    small_ict(tmp_path / "ICT-FaceKit")
    monkeypatch.chdir(tmp_path)
    assert run_page(README) > 8


def test_it_has_at_most_200_lines():
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 200
