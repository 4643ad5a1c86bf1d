"""The public floor of deformation maps."""

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core


def test_it_is_the_engine_s(tolerance):
    random = np.random.default_rng(0)
    uvs, offsets, weights = random.random((30, 2)), random.standard_normal((4, 30, 3)), random.random(30)
    found = rc.metrics.map_floor(uvs, offsets, 4, weights=weights)
    np.testing.assert_allclose(found, _core.map_floor(uvs, offsets, 4, weights), atol=tolerance["exact"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"uvs": np.zeros((2, 3))}, r"map_floor: uvs is float64 \(2, 3\); it must be numbers \(V, 2\)"),
        (
            {"offsets": np.zeros((1, 3, 3))},
            r"map_floor: offsets is float64 \(1, 3, 3\); it must be numbers \(T, 2, 3\)",
        ),
        ({"offsets": np.full((1, 2, 3), np.nan)}, "map_floor: offsets is not finite everywhere"),
        ({"resolution": 1}, "map_floor: resolution is 1; it must be a whole number from 2 to 256"),
        ({"weights": np.ones(3)}, r"map_floor: weights is float64 \(3,\); it must be numbers \(2,\)"),
    ],
)
def test_refusals_name_the_argument(change, message):
    given = {"uvs": np.zeros((2, 2)), "offsets": np.zeros((1, 2, 3)), "resolution": 4} | change
    with pytest.raises(ValueError, match=message):
        rc.metrics.map_floor(**given)
