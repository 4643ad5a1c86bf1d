"""Damaged baselines are refused with a sentence that names the tensor, or they work."""

from __future__ import annotations

import numpy as np
import pytest

from rigwright import _core
from tests.support.baselines import random_regression_tensors

REGRESSION, REGRESSION_METADATA = random_regression_tensors(num_vertices=12)


def replaced(tensors, name, index, value):
    changed = tensors[name].copy()
    changed[index] = value
    return {name: changed}


CASES = [
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


@pytest.mark.parametrize(("changes", "text"), CASES, ids=[text for _, text in CASES])
def test_what_is_wrong_with_a_regression_is_named(changes, text):
    damaged = {name: value for name, value in (REGRESSION | changes).items() if value is not None}
    with pytest.raises(ValueError, match=text):
        _core.model_from_tensors(damaged, REGRESSION_METADATA)
