"""Damaged baselines are refused with a sentence that names the tensor, or they work."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast import _core
from tests.baselines.baselines import (
    random_dense_network_tensors,
    random_direct_delta_mush_tensors,
    random_pose_space_tensors,
    random_regressed_skinning_tensors,
    random_regression_tensors,
    random_rotational_regression_tensors,
)

REGRESSION, REGRESSION_METADATA = random_regression_tensors(num_vertices=12)

SKINNING, SKINNING_METADATA = random_regressed_skinning_tensors(num_vertices=12)


def replaced(tensors, name, index, value):
    changed = tensors[name].copy()
    changed[index] = value
    return {name: changed}


REGRESSION_CASES = [
    ({"map.column": None}, "without tensor 'map.column'"),
    (replaced(REGRESSION, "map.column", 2, 50), "map.column is holding 50; it must be pose columns below 50"),
    (replaced(REGRESSION, "map.column", 2, -1), "map.column is holding -1"),
    ({"map.mean": REGRESSION["map.mean"][1:]}, r"map.mean is F32\[8\]"),
    ({"map.project": REGRESSION["map.project"][:, 1:]}, r"map.project is F32\[5, 8\]"),
    ({"map.weight": REGRESSION["map.weight"][:, 1:]}, "map.weight is 19 wide"),
    ({"map.bias": REGRESSION["map.bias"][1:]}, r"map.bias is F32\[6\]"),
    ({"basis": REGRESSION["basis"][:, 1:]}, r"basis is F32\[36, 6\]"),
    ({"basis": REGRESSION["basis"].astype(np.int32)}, r"basis is I32\["),
    ({"mean": REGRESSION["mean"][1:]}, r"mean is F32\[35\]"),
    (replaced(REGRESSION, "mean", 3, np.inf), "mean is not finite"),
]


SKINNING_CASES = [
    ({"bone.center": SKINNING["bone.center"][1:]}, r"bone.center is F32\[4, 3\]"),
    ({"bone.joint": None}, "without tensor 'bone.joint'"),
    (replaced(SKINNING, "bone.joint", 1, 4), "bone.joint is holding 4; it must be joints of the skeleton, or -1"),
    (replaced(SKINNING, "bone.joint", 1, -2), "bone.joint is holding -2"),
    (replaced(SKINNING, "skin.joint", (2, 1), 5), "skin at vertex 2 is joint 5"),
    ({"map.weight": SKINNING["map.weight"][1:], "map.bias": SKINNING["map.bias"][1:]}, "12 numbers per bone|skin at"),
    ({"skin.weight": SKINNING["skin.weight"] * np.float32(0.5)}, "skin.weight at vertex 0 is of sum 0.5"),
]


MUSH, MUSH_METADATA = random_direct_delta_mush_tensors(num_vertices=12)
MUSH_CASES = [
    (replaced(MUSH, "mush.joint", (2, 1), 4), "mush.joint is holding 4; it must be joints of the skeleton"),
    (replaced(MUSH, "mush.joint", (2, 1), -1), "mush.joint is holding -1"),
    ({"mush.joint": MUSH["mush.joint"][1:]}, r"mush.joint is I32\[11, 2\]"),
    ({"mush.matrix": MUSH["mush.matrix"][:, 1:]}, r"mush.matrix is F32\[12, 1, 10\]"),
    ({"mush.matrix": MUSH["mush.matrix"] * np.float32(2)}, "mush.matrix at vertex 0 is of sum 2"),
    ({"mush.center": None}, "without tensor 'mush.center'"),
]


SPACE, SPACE_METADATA = random_pose_space_tensors(num_vertices=12)
SPACE_CASES = [
    ({"space.offset": np.int32([])}, "space.offset is empty"),
    (replaced(SPACE, "space.offset", 1, 9), "space.offset is not ascending"),
    (replaced(SPACE, "space.column", 1, 49), "space.column is holding 49; it must be pose columns below 49"),
    (replaced(SPACE, "space.group", (1, 1), 4), "space.group is holding 4; it must be groups below 4"),
    (replaced(SPACE, "space.weight", (1, 1), -1.0), "space.weight is holding -1"),
    ({"space.example": SPACE["space.example"][:, 1:]}, r"space.example is F32\[3, 5\]"),
    ({"space.example": SPACE["space.example"][1:]}, r"space.delta is F32\[12, 3, 3\]"),
    ({"space.delta": SPACE["space.delta"][1:]}, r"space.delta is F32\[11, 3, 3\]"),
    ({"skin.joint": None}, "without tensor 'skin.joint'"),
]


DENSE, DENSE_METADATA = random_dense_network_tensors(num_vertices=12)
DENSE_CASES = [
    ({"networks.offset": np.int32([])}, "networks.offset is empty"),
    (replaced(DENSE, "networks.offset", 1, 12), "networks.offset is not ascending"),
    ({"networks.offset": np.int32([0, 0, 11])}, "network.000. is without vertices or inputs"),
    ({"inputs.offset": np.int32([0, 0, 16])}, "network.000. is without vertices or inputs"),
    (replaced(DENSE, "networks.vertex", 1, 12), "networks.vertex is holding 12; it must be vertices below 12"),
    (replaced(DENSE, "networks.vertex", 1, DENSE["networks.vertex"][5]), "networks.vertex is holding .* twice"),
    (replaced(DENSE, "inputs.column", 1, 50), "inputs.column is holding 50; it must be pose columns below 50"),
    ({"inputs.offset": None}, "without tensor 'inputs.offset'"),
    ({"network.001.layer1.weight": DENSE["network.001.layer1.weight"][:, 1:]}, r"layer1.weight is F32\[18, 10\]"),
    ({"network.001.layer2.weight": DENSE["network.001.layer2.weight"][:, 1:]}, r"layer2.weight is F32\[21, 17\]"),
    ({"network.001.layer3.weight": DENSE["network.001.layer3.weight"][1:]}, r"layer3.weight is F32\[20, 21\]"),
    ({"network.000.layer2.bias": None}, "without tensor 'network.000.layer2.bias'"),
    ({"mean": DENSE["mean"][1:]}, r"mean is F32\[35\]"),
]


TURN, TURN_METADATA = random_rotational_regression_tensors(num_vertices=12)
TURN_CASES = [
    (replaced(TURN, "rotation.output", 1, 12), "rotation.output is holding 12"),
    (replaced(TURN, "rotation.faces", (1, 1), -1), "rotation.faces is holding -1"),
    (replaced(TURN, "rotation.bone", 1, 4), "rotation.bone is holding 4"),
    (replaced(TURN, "rotation.joint", (1, 1), -2), "rotation.joint is holding -2"),
    (replaced(TURN, "rotation.anchor", 1, 12), "rotation.anchor is holding 12"),
    ({"rotation.rest": TURN["rotation.rest"][:, 1:]}, r"rotation.rest is F32\[12, 2\]"),
    ({"rotation.weight": TURN["rotation.weight"][:, 1:]}, r"rotation.weight is F32\[10, 1, 27\]"),
    ({"rotation.bias": TURN["rotation.bias"][1:]}, r"rotation.bias is F32\[9, 9\]"),
    ({"rotation.joint": None}, "without tensor 'rotation.joint'"),
    ({"skin.joint": TURN["skin.joint"][1:]}, r"skin.joint is I32\[2, 2\]"),
    ({"rotation.faces": TURN["rotation.faces"] % 9}, "rotation.anchor is missing in a connected part of the mesh"),
]


ALL = [
    pytest.param(tensors, metadata, changes, text, id=f"{name}: {text}")
    for name, tensors, metadata, cases in (
        ("regression", REGRESSION, REGRESSION_METADATA, REGRESSION_CASES),
        ("regressed skinning", SKINNING, SKINNING_METADATA, SKINNING_CASES),
        ("direct delta mush", MUSH, MUSH_METADATA, MUSH_CASES),
        ("pose space", SPACE, SPACE_METADATA, SPACE_CASES),
        ("dense network", DENSE, DENSE_METADATA, DENSE_CASES),
        ("rotational regression", TURN, TURN_METADATA, TURN_CASES),
    )
    for changes, text in cases
]


@pytest.mark.parametrize(("tensors", "metadata", "changes", "text"), ALL)
def test_what_is_wrong_is_named(tensors, metadata, changes, text):
    damaged = {name: value for name, value in (tensors | changes).items() if value is not None}
    with pytest.raises(ValueError, match=text):
        _core.model_from_tensors(damaged, metadata)
