"""The side of the client: what a worker has answered, checked before it becomes part of a data set."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from pathlib import Path

from rigcast.errors import FileError, SourceError
from rigcast.sampling._check import check_answer
from rigcast.sampling._farm.worker_rigs import part_paths
from rigcast.sampling._store.layout import ARRAYS, Done, Shard, row_shapes, shard_file
from rigcast.sampling._store.rows import checked_header
from rigcast.sampling._work import ShardWork

ATTEMPT = re.compile(r"[0-9a-f]{32}")
HASH = re.compile(r"[0-9a-f]{64}")
VISIBLE = 30.0  # seconds that a network file system may take to show a file that another machine has written


def take_in(work: ShardWork, shard: Shard, answer: object, patience: float = VISIBLE) -> Done:
    """Make a worker's answer the files of a shard.

    Paths are made here, of the shard and of an attempt's 32 hex digits: nothing that a worker says names a file.

    Parameters
    ----------
    work : ShardWork
    shard : Shard
        What the worker was given.
    answer : object
        What :func:`rigcast.sampling._farm.worker_rigs.sample_shard` returned.
    patience : float
        Seconds to wait for files to appear.

    Raises
    ------
    SourceError
        If it is malformed, or files are missing or of another shape than the shard's.
    ValueError, SourceError
        As :func:`rigcast.sampling._check.check_answer`, for arrays.
    """
    if not isinstance(answer, Mapping) or answer.keys() not in ({"poses", "vertices"}, {"attempt", "hashes"}):
        raise SourceError(f"sample ({shard}): a worker answered something that is neither arrays nor hashes")
    if "poses" in answer:
        rows = range(shard.start, shard.stop)
        return work.store(shard, check_answer(work.facts, (answer["poses"], answer["vertices"]), rows, shard.kind))
    attempt, hashes = answer["attempt"], answer["hashes"]
    if not isinstance(attempt, str) or not ATTEMPT.fullmatch(attempt) or not _are_hashes(hashes):
        raise SourceError(f"sample ({shard}): a worker answered with a malformed attempt or hashes")
    parts = part_paths(work.folder, shard, attempt)
    shapes = row_shapes(work.rows.shape[1], len(work.facts.pose_names), len(work.facts.rest_vertices))
    for (name, path), shape in zip(parts.items(), shapes, strict=True):
        _check_file(path, (shard.rows, *shape), shard, name, patience)
    for name, path in parts.items():
        os.replace(path, work.folder / shard_file(shard.stem, name))
    return work.vouch(shard, dict(hashes))


def _are_hashes(hashes: object) -> bool:
    return (
        isinstance(hashes, dict)
        and hashes.keys() == set(ARRAYS)
        and all(isinstance(value, str) and HASH.fullmatch(value) for value in hashes.values())
    )


def _check_file(path: Path, shape: tuple[int, ...], shard: Shard, name: str, patience: float) -> None:
    deadline = time.monotonic() + patience
    while True:
        try:
            if path.is_symlink():
                raise FileError("", "", f"{path.name} is a link", "", path)
            checked_header(path, "<f4", shape, "sample")
            return
        except ValueError as error:
            if time.monotonic() > deadline:
                text = f"sample ({shard}): the {name} that a worker has written are not in {str(path.parent)!r}"
                raise SourceError(f"{text} ({error}); finished shards are kept") from error
        time.sleep(0.1)
