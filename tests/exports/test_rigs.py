"""Rigs written and read again, in every format."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.exports import write_rig
from tests.support.characters.faces import small_face


@pytest.mark.parametrize("ending", [".safetensors", ".npz"])
@pytest.mark.parametrize("combinations", [False, True])
def test_a_rig_comes_back(tmp_path, ending, combinations):
    rig = small_face(combinations=combinations, constructed=["jawOpen"], meters_per_unit=0.01, up_axis="Z")
    write_rig(tmp_path / f"rig{ending}", rig)
    again = rc.sources.load_blendshapes(tmp_path / f"rig{ending}")
    np.testing.assert_array_equal(again.columns(), rig.columns())
    np.testing.assert_array_equal(again.rest_vertices, rig.rest_vertices)
    np.testing.assert_array_equal(again.bounds, rig.bounds)
    np.testing.assert_array_equal(again.faces, rig.faces)
    assert (again.shape_names, again.combinations) == (rig.shape_names, rig.combinations)
    assert again.column_names == rig.column_names
    for key in ("name", "licence", "meters_per_unit", "up_axis", "constructed"):
        assert again.metadata[key] == rig.metadata[key]


@pytest.mark.parametrize("ending", [".safetensors", ".npz", ".glb"])
def test_combinations_keep_the_names_that_artists_gave_them(tmp_path, ending):
    rig = small_face(combination_names=["fix.lips", "half open", "raised"])
    write_rig(tmp_path / f"rig{ending}", rig)
    assert rc.sources.load_blendshapes(tmp_path / f"rig{ending}").column_names == rig.column_names


def test_a_viewer_shows_one_shape_after_the_other(tmp_path, tolerance):
    rig = small_face(combinations=False)
    write_rig(tmp_path / "rig.glb", rig)
    again = rc.sources.load_blendshapes(tmp_path / "rig.glb")
    assert again.shape_names == rig.shape_names
    np.testing.assert_allclose(again.columns(), rig.columns(), atol=tolerance["float64_converged"])
    weights, _ = rc.sources.load_blendshape_weights(tmp_path / "rig.glb", again, fps=2.0)
    np.testing.assert_allclose(weights[1:-1], np.eye(rig.num_shapes), atol=tolerance["float64_converged"])
    assert not weights[[0, -1]].any()


def test_an_unknown_ending_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"write_rig: path is .*rig.fbx.*; it must be a file that ends in"):
        write_rig(tmp_path / "rig.fbx", small_face())
    assert not list(tmp_path.iterdir())
