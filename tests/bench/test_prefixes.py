"""Time by the number of shapes that are evaluated."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.systems.blendshapes import prefixes

import rigcast as rc
from tests.support.made.blendshapes import random_rig


def test_time_by_shapes_counts_shapes_and_offsets():
    model = random_rig(seed=3, num_shapes=8)
    found = prefixes.measure(model, 12, 1)
    assert [row.shapes for row in found] == [2, 4, 6, 8]
    assert [row.offsets for row in found] == sorted(row.offsets for row in found)
    assert found[-1].offsets == 1.0
    assert prefixes.offsets(model, np.array([], int)) == 0.0
    lines = prefixes.table(found, 12).splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:]] == ["2 (25%)", "4 (50%)", "6 (75%)", "8 (100%)"]
    assert {line.count("|") for line in lines} == {8}


def test_sharing_is_checked(monkeypatch):
    model = random_rig(seed=3, num_shapes=8)
    crowd = rc.crowd.Crowd(model, [np.random.default_rng(0).random((12, 8))])
    prefixes.check_sharing(crowd, np.arange(12) % 5, 4)
    shown = rc.crowd.Crowd.instances

    def mixed_up(self, *given, **options):
        made = shown(self, *given, **options)
        return type(made)(made.vertices, np.roll(made.head, 1), made.prefix)

    monkeypatch.setattr(rc.crowd.Crowd, "instances", mixed_up)
    with pytest.raises(AssertionError):
        prefixes.check_sharing(crowd, np.arange(12) % 5, 4)
