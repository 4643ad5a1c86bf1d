"""What the documentation of sampling says of its constants."""

from __future__ import annotations

import rigcast as rc
from rigcast.sampling._plan import LARGEST_SHARD, SHARD_BYTES


def test_the_documented_shard_size_is_the_default():
    text = " ".join((rc.sampling.sample.__doc__ or "").split())
    assert f"as many as make {SHARD_BYTES >> 20} MiB of vertices, at most {LARGEST_SHARD}" in text
