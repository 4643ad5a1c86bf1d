"""Arrays that immutable objects hand out cannot be written: an assignment that changes nothing would be silent."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.shown.filled import MADE
from tests.support.made.kinds import KINDS, MAKERS

# Objects that hold results for their caller, who may change them.
OWN = {"sampling.DataRow", "plot.Image", "viewer.ViewPage", "exports.Playback"}
IMMUTABLE = {f"model {kind}": MAKERS[kind] for kind in KINDS} | {
    name: make for name, (make, _) in MADE.items() if name not in OWN
}


def arrays(value: object) -> dict[str, np.ndarray]:
    """The arrays of public properties."""
    found = {}
    for name in dir(type(value)):
        if not name.startswith("_") and isinstance(getattr(type(value), name), property):
            got = getattr(value, name)
            if isinstance(got, np.ndarray):
                found[name] = got
    if isinstance(value, rc.sources.SkinnedRig):
        found |= {name: own for name, own in vars(value).items() if isinstance(own, np.ndarray) and name[0] != "_"}
    return found


@pytest.mark.parametrize("name", IMMUTABLE)
def test_a_write_into_a_property_raises(name):
    for attribute, array in arrays(IMMUTABLE[name]()).items():
        assert not array.flags.writeable, attribute
        if array.size:
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0


def test_models_have_some():
    assert {"rest_vertices", "faces", "control_ranges", "bounds"} <= set(arrays(rc.faces.example()))
    assert {"rest_vertices", "faces", "channel_ranges", "channel_rest"} <= set(arrays(rc.sources.example_body()))
