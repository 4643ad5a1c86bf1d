"""Damaged differential models are refused with a sentence that names the tensor."""

from __future__ import annotations

import json

import numpy as np
import pytest

from rigcast import _core
from tests.support.made.differential import random_differential_tensors

TENSORS, TEXT = random_differential_tensors()


def replaced(name, index, value):
    changed = TENSORS[name].copy()
    changed[index] = value
    return {name: changed}


CASES = [
    ({"inputs.column": None}, "without tensor 'inputs.column'"),
    (replaced("inputs.column", 0, 40), "network.column is holding 40; it must be pose columns below 40"),
    ({"network.layer1.weight": None}, "without tensor 'network.layer1.weight'"),
    ({"network.layer2.bias": TENSORS["network.layer2.bias"][1:]}, "network.layer2 is 33 x 70 with 32 biases"),
    ({"network.layer2.weight": TENSORS["network.layer2.weight"][:, 1:]}, "network.layer2 is 33 x 69"),
    ({"network.layer3.weight": None}, "the network's last layer is 33 wide; it must be 6 wide"),
    ({"delta.basis": TENSORS["delta.basis"][3:]}, r"delta.basis is F32\[510, 6\]"),
    ({"delta.mean": TENSORS["delta.mean"][1:]}, r"delta.mean is F32\[512\]"),
    (replaced("delta.mean", 7, np.nan), "delta.mean is not finite"),
    (replaced("anchors.vertex", 0, 171), "anchors is holding 171"),
    (replaced("anchors.vertex", 0, 40), "anchors is holding 40 twice"),
    (replaced("anchors.vertex", slice(3, 5), (1, 2)), "anchors is without a vertex of component 1"),
    (replaced("anchors.weight", 2, 0), "anchor_weight is 0"),
    ({"anchors.weight": TENSORS["anchors.weight"][1:]}, r"anchors.weight is F32\[4\]"),
    (replaced("anchors.offset", 4, 4), "anchors.offset is not ascending from 0 to 5"),
    (replaced("anchors.offset", 1, 4), "anchors.offset is not ascending"),
    ({"anchors.offset": TENSORS["anchors.offset"][:0]}, "anchors.offset is empty"),
    (replaced("anchors.offset", 1, 0), "anchors.layer3 is 0 x 17"),
    (replaced("anchors.input.offset", 4, 9), "anchors.input.offset is not ascending from 0 to 10"),
    (replaced("anchors.column", 3, -1), "anchors.column is holding -1"),
    ({"anchors.layer1.weight": TENSORS["anchors.layer1.weight"][1:]}, r"anchors.layer1.weight is F32\[9, 17\]"),
    ({"anchors.layer2.weight": TENSORS["anchors.layer2.weight"][1:]}, r"anchors.layer2.weight is F32\[3, 17, 17\]"),
    ({"anchors.layer3.weight": TENSORS["anchors.layer3.weight"][1:]}, r"anchors.layer3.weight is F32\[14, 17\]"),
    ({"anchors.layer2.weight": None}, "anchors.layer2.weight is missing"),
    ({"skin.weight": None}, "without tensor 'skin.weight'"),
    ({"solve.faces": TENSORS["faces"]}, "without tensor 'solve.vertex'"),
    ({"solve.faces": TENSORS["faces"], "solve.vertex": np.full(171, 171, np.int32)}, "solve.vertex is holding 171"),
    ({"folded.basis": TENSORS["delta.basis"]}, "without tensor 'folded.anchor'"),
]


@pytest.mark.parametrize(("changes", "text"), CASES, ids=[text for _, text in CASES])
def test_what_is_wrong_is_named(changes, text):
    damaged = {name: value for name, value in (TENSORS | changes).items() if value is not None}
    with pytest.raises(ValueError, match=text):
        _core.model_from_tensors(damaged, TEXT)


ENTRIES = [
    ({"laplacian": "D^-1 (D - A)"}, "metadata.laplacian is"),
    ({"network_storage": "8-bit"}, "metadata.network_storage is '8-bit'"),
    ({"tail": "dense"}, "metadata.tail is 'dense'"),
    ({"tail": 3}, "metadata.tail is"),
]


@pytest.mark.parametrize(("entries", "text"), ENTRIES, ids=[text for _, text in ENTRIES])
def test_a_wrong_entry_is_named(entries, text):
    with pytest.raises(ValueError, match=text):
        _core.model_from_tensors(TENSORS, json.dumps(json.loads(TEXT) | entries))


def test_a_model_without_its_laplacian_is_named():
    about = {key: value for key, value in json.loads(TEXT).items() if key != "laplacian"}
    with pytest.raises(ValueError, match=r"metadata\.laplacian is missing"):
        _core.model_from_tensors(TENSORS, json.dumps(about))
