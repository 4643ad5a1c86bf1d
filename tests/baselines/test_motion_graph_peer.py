"""Our motion graph beside fairmotion's (recorded by ``benchmarks/papers/synthesis/motion_graphs.py``) on one clip."""

from __future__ import annotations

import json

import pytest
from benchmarks.papers.synthesis.motion_graphs import CLIP, RECORD, agreement, our_distances


@pytest.fixture(scope="module")
def found(data_path):
    if not RECORD.exists():
        pytest.skip("no differences of fairmotion were recorded: python -m benchmarks.papers.synthesis.motion_graphs")
    data_path("body_motion_bvh", CLIP)
    peer = json.loads(RECORD.read_text())
    return agreement(our_distances(data_path(), peer), peer)


def test_windows_are_ranked_as_fairmotion_ranks_them(found):
    assert found["rank correlation"] > 0.6
    assert found["common"] > 0.5
