"""The benchmarks of bodies that train for hours: what they vary and how they judge, without a training."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.body.ablations import STEPS_TO_OURS, ours
from benchmarks.body.beyond import WIDER, lines_of, wide_poses

import rigcast as rc
from rigcast.training._settings import settings_for


def test_the_ablation_goes_from_the_papers_recipe_to_ours():
    wanted, changed = ours(1000), {}
    for names in STEPS_TO_OURS.values():
        before = settings_for("paper", **changed).record()
        changed |= {name: wanted[name] for name in names}
        assert settings_for("paper", **changed).record() != before
    assert settings_for("paper", **changed).record() | {"method": "blended"} == wanted


@pytest.mark.parametrize("factor", WIDER)
def test_wider_poses_are_about_the_middle_of_the_ranges(cylinder_rig, factor):
    rows, ranges = wide_poses(cylinder_rig, factor, 0), cylinder_rig.channel_ranges
    away = np.abs(rows - ranges.mean(axis=1)) / (0.5 * np.ptp(ranges, axis=1))
    assert 0.9 * factor < away.max() <= factor * (1 + 1e-9)


def test_poses_are_put_together_by_confidence(tmp_path, cylinder_rig):
    train = rc.sampling.sample(cylinder_rig, tmp_path / "train.rwdata", count=30, seed=0, probe=0)
    model = rc.baselines.linear_blend(train, influences=2)
    lines = lines_of(model, {"a set": train})
    assert lines[2].startswith("| a set | 1.000 | ")
    assert [line.split(" | ")[1] for line in lines if line.startswith(("| 1 ", "| 0"))] == ["30", "0", "0", "0", "0"]
