"""PyTorch and ONNX Runtime compute what the engine computes of a face on deformation maps. No times here."""

from __future__ import annotations

import numpy as np
import pytest

from tests.rig.base_shapes import based_model
from tests.support.made.face_maps import CONTROLS, random_face_maps, random_face_maps_tensors

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

from benchmarks import peers

pytestmark = pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning", "ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def found():
    model = random_face_maps()  # with a segment without inputs, and a rigid part
    poses = np.random.default_rng(0).uniform(-1, 1, (3, CONTROLS)).astype(np.float32)
    return peers.compare(model, poses, runs=10, batch=4)


def test_every_form_gives_the_same_vertices(found, tolerance):
    assert [row["poses"] for row in found["rows"]] == [1, 4]
    assert all(row["difference"] <= tolerance["float32_sum"] * 10 for row in found["rows"])


@pytest.mark.parametrize("base", [False, True])
def test_vertices_of_several_coarse_segments_are_sums(base, tolerance):
    """As around regions."""
    sizes = {"coarse": 3, "blended": True}
    model = based_model(*random_face_maps_tensors(**sizes)) if base else random_face_maps(**sizes)
    poses = np.random.default_rng(0).uniform(-1, 1, (3, CONTROLS)).astype(np.float32)
    rows = peers.compare(model, poses, runs=10, batch=4)["rows"]
    assert all(row["difference"] <= tolerance["float32_sum"] * 10 for row in rows)


def test_coarse_maps_and_16_bit_weights_are_timed(found):
    assert all(set(row["variants"]) == {"16-bit", "coarse"} for row in found["rows"])


def test_forms_of_both_peers_are_tried(found):
    assert sum(name.startswith("ONNX Runtime") for name in found["rows"][0]["forms"]) == 2


def test_a_face_without_any_network_is_refused():
    with pytest.raises(ValueError, match=r"peers.compare: model is without any network"):
        peers.compare(random_face_maps(coarse=0, refinements=0, parts=0))
