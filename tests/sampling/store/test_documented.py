"""What the documentation of sampling says of its constants and its files."""

from __future__ import annotations

import rigcast as rc
from rigcast.sampling._plan import LARGEST_SHARD, SHARD_BYTES
from rigcast.sampling._store.layout import ARRAYS, FILES
from rigcast.sampling._store.manifest_reader import OPTIONAL


def test_the_documented_shard_size_is_the_default():
    text = " ".join((rc.sampling.sample.__doc__ or "").split())
    assert f"as many as make {SHARD_BYTES >> 20} MiB of vertices, at most {LARGEST_SHARD}" in text


def test_every_file_of_a_set_is_documented():
    names = {*(f"{name}.npy" for name in FILES), *(f"00000.{name}.npy" for name in ARRAYS)}
    assert {name for name in names if f"``{name}``" not in (rc.sampling.__doc__ or "")} == set()


def test_the_fields_that_only_some_manifests_have_are_documented():
    assert {field for field in OPTIONAL if f"``{field}``" not in (rc.sampling.__doc__ or "")} == set()
