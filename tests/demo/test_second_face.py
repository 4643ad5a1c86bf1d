"""The demo's second face: made from the same assets, given the first one's shapes, and re-used."""

from __future__ import annotations

import os

import numpy as np
import pytest

import rigcast as rc
from examples.characters.face import build_face
from examples.demo.second_face import SHOWN, second_neutral, transfer_face
from rigcast.progress import Progress
from rigcast.report._transfer.measured import column_names


def test_the_second_face_has_all_shapes_and_is_made_once(assets, tmp_path):
    for package in ("pyvista", "matplotlib", "jinja2"):
        pytest.importorskip(package, reason=f"the demo's page needs {package}")
    said: list[str] = []
    numbers = transfer_face(tmp_path, said.append, lambda progress: None)
    first, second = build_face(), rc.load(tmp_path / "second-face.safetensors")
    assert second.shape_names == first.shape_names
    assert second.combinations == first.combinations
    np.testing.assert_array_equal(second.rest_vertices, second_neutral(assets))
    apart = np.linalg.norm(second.rest_vertices - first.rest_vertices, axis=1)
    assert apart.mean() > 0.3, "centimeters: another face"
    jaw = first.shape_names.index("jawOpen")
    moved = [np.linalg.norm(rig.column(jaw), axis=1) for rig in (first, second)]
    assert np.corrcoef(moved)[0, 1] > 0.95
    assert numbers["crossings"]["new"] < 0.6 * numbers["crossings"]["new_without_contacts"]
    assert set(SHOWN) <= set(column_names(second))
    page = (tmp_path / "transfer.html").read_text(encoding="utf-8")
    assert "no true shapes" in page
    assert page.count("<img ") > 20

    written = {path: os.stat(path).st_mtime_ns for path in tmp_path.iterdir()}
    assert transfer_face(tmp_path, said.append, lambda progress: None) == numbers
    assert said[-1] == "re-using the second face"
    assert {path: os.stat(path).st_mtime_ns for path in tmp_path.iterdir()} == written


def test_an_interruption_leaves_nothing_half_done(assets, tmp_path):
    def press(progress: Progress) -> None:
        if progress.done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        transfer_face(tmp_path, lambda text: None, press)
    assert not list(tmp_path.iterdir())
