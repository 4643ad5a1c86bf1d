"""The manifest of a data set: its statements, made from a rig and the rows that are drawn, and its hash."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields
from typing import Any

from rigcast._validate import bad_argument
from rigcast.sampling._check import CheckedRig
from rigcast.sampling._drawing.drawn import DrawnRows
from rigcast.sampling._store.layout import Contents, Shard, row_shapes, shard_bounds

FORMAT, VERSION = "rigcast.dataset", 1


def contents_of(facts: CheckedRig, drawn: DrawnRows, files: dict[str, bytes], shard_rows: int) -> Contents:
    """The contents of a folder to be: rows parted into shards, the other files, the opening of the manifest."""
    shards = [
        Shard(is_probe, index, start, stop)
        for is_probe, total in ((False, len(drawn.rows)), (True, len(drawn.probe_rows)))
        for index, (start, stop) in enumerate(shard_bounds(total, shard_rows))
    ]
    shapes = row_shapes(drawn.rows.shape[1], len(facts.pose_names), len(facts.rest_vertices))
    return Contents(_opening(facts, drawn, shard_rows, files), files, shards, shapes)


def _opening(facts: CheckedRig, drawn: DrawnRows, shard_rows: int, files: dict[str, bytes]) -> dict[str, Any]:
    """The part of a manifest that is known before anything is sampled: it decides every byte that follows."""
    plain = {field.name: getattr(facts, field.name) for field in fields(facts)}
    for array in ("rest_vertices", "faces", "skeleton_rest", "surface", "skin", "notes"):
        del plain[array]
    plain["channel_ranges"] = facts.channel_ranges.tolist()
    plain["channel_rest"] = facts.channel_rest.tolist()
    stated = {
        "format": FORMAT,
        "version": VERSION,
        **plain,
        "parts": list(facts.surface.parts),
        "materials": list(facts.surface.materials),
        "num_uvs": len(facts.surface.uvs),
        "clips": [clip.entry() for clip in drawn.clips.clips],
        **({} if facts.skin is None else {"skin": facts.skin.joint.shape[1]}),
        **({"notes": facts.notes} if facts.notes else {}),
        "num_vertices": len(facts.rest_vertices),
        "num_faces": len(facts.faces),
        "topology_hash": facts.topology_hash,
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
        "sampler": drawn.settings,
        "seed": drawn.seed,
        "count": len(drawn.rows),
        "probe": drawn.probe,
        "shard_rows": shard_rows,
    }
    try:
        return dict(json.loads(json.dumps(stated, allow_nan=False)))
    except (TypeError, ValueError) as error:
        raise bad_argument("sample", "sampler.settings()", f"no JSON ({error})", "plain JSON values") from error


def difference(old: dict[str, Any], new: dict[str, Any]) -> str | None:
    """The difference of two openings, in words that fit after "begun with"; None if nothing."""
    for key in [*new, *(key for key in old if key not in new)]:
        if old.get(key) != new.get(key):
            there, here = json.dumps(old.get(key)), json.dumps(new.get(key))
            if len(there) + len(here) > 80:
                return f"another {key}"
            return f"{key} {there} where this call has {here}"
    return None


def closed(
    opening: dict[str, Any], deviations: dict[str, Any], shards: list[Any], probe_shards: list[Any]
) -> dict[str, Any]:
    """The whole manifest: the opening, what plain kinematics does not decide, rows and hashes of all shards, and the
    hash over all of it."""
    manifest = {**opening, "deviations": deviations, "shards": shards, "probe_shards": probe_shards}
    return {**manifest, "hash": manifest_hash(manifest)}


def manifest_hash(manifest: dict[str, Any]) -> str:
    """Hex SHA-256 of the manifest as compact JSON with sorted keys, without its own ``hash``."""
    content = {key: value for key, value in manifest.items() if key != "hash"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
