"""A strict reader of manifests: every field is there, and of its type, size and range."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rigcast import _safe_reading as reading
from rigcast._rigs.description import MOST_INFLUENCES
from rigcast._safe_reading import Malformed
from rigcast._validate import bad_argument, missing_file
from rigcast.sampling._drawing.clips import Clip
from rigcast.sampling._kinematics import KEYS, channels_of
from rigcast.sampling._store.layout import ARRAYS, FILES, MANIFEST, UNFINISHED, shard_bounds
from rigcast.sampling._store.manifest import FORMAT, VERSION, manifest_hash
from rigcast.sampling._store.rows import file_status

HASH = re.compile(r"[0-9a-f]{64}")


def manifest_bytes(folder: Path) -> bytes:
    """Content of the manifest.

    Raises
    ------
    FileNotFoundError
        If there is no such folder.
    ValueError
        If it holds no finished data set.
    """
    try:
        file_status(folder / MANIFEST)
        return (folder / MANIFEST).read_bytes()
    except OSError as error:
        got = f"{str(folder)!r}, where manifest.json is unreadable ({error.strerror or error})"
        expected = "a folder that rigcast.sampling.sample has finished"
        if (folder / UNFINISHED).exists():
            got = f"{str(folder)!r}, which is unfinished"
            expected = "finished: call sample again with the same arguments"
        if not folder.exists():
            raise missing_file("Dataset", "path", folder, expected) from error
        raise bad_argument("Dataset", "path", got, expected, folder) from error


def parse_json(content: bytes, function: str, name: str) -> dict[str, Any]:
    """A JSON object without repeated keys, NaN or infinity; ``ValueError`` otherwise."""

    def no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) != len(pairs):
            raise Malformed("a key occurs twice")
        return result

    def no_constant(text: str) -> float:
        raise Malformed(f"{text} is no number")

    try:
        value = reading.parse_json(content, object_pairs_hook=no_repeats, parse_constant=no_constant)
    except ValueError as error:
        raise bad_argument(function, name, f"no readable JSON ({error})", "a JSON object") from error
    if not isinstance(value, dict):
        raise bad_argument(function, name, f"a JSON {type(value).__name__}", "a JSON object")
    return value


def read_manifest(content: bytes, function: str = "Dataset", name: str = "manifest.json") -> dict[str, Any]:
    """Parse and check a manifest.

    Raises
    ------
    ValueError
        If it is no JSON, has another format or version, lacks a field or has one that is not known, or if a
        field has a wrong type, size or value; also if its hash does not match its content. The message names
        the field.
    """
    manifest = parse_json(content, function, name)
    form, version = manifest.get("format"), manifest.get("version")
    if form != FORMAT or type(version) is not int or version != VERSION:
        got = f"a file of format {form!r}, version {version!r}"
        raise bad_argument(function, name, got, f"a manifest of format {FORMAT!r}, version {VERSION}")
    wanted = {*FIELDS, "format", "version"}
    if manifest.keys() | OPTIONAL != wanted:
        unknown, missing = sorted(manifest.keys() - wanted), sorted(wanted - manifest.keys() - OPTIONAL)
        got = f"a manifest with the unknown field {unknown[0]!r}" if unknown else f"without {missing[0]!r}"
        raise bad_argument(function, name, got, f"a manifest with {len(wanted)} known fields")
    for field, (check, expected) in FIELDS.items():
        if field in OPTIONAL and field not in manifest:
            continue
        value = manifest[field]
        if not check(value, manifest):
            shown = json.dumps(value)
            got = shown if len(shown) <= 80 else f"{shown[:77]}..."
            raise bad_argument(function, f"{name}: {field}", got, expected)
    if manifest["hash"] != manifest_hash(manifest):
        got = "another hash than its content has"
        raise bad_argument(function, name, got, "unchanged since the data set was written")
    return manifest


def probe_row_count(manifest: dict[str, Any]) -> int:
    """Rows of the influence probe: for each base pose, itself and one row per channel."""
    return int(manifest["probe"]) * (1 + len(manifest["channel_names"]))


# One row a field: (value, whole manifest) -> whether it is right, and what it must be. In this order, so that a
# check may rely on the fields above it.
Check = Callable[[Any, dict[str, Any]], bool]


def _is_text(value: Any, _: dict[str, Any]) -> bool:
    return isinstance(value, str)


def _is_integer(lowest: int) -> Check:
    return lambda value, _: isinstance(value, int) and not isinstance(value, bool) and value >= lowest


def _is_skin(value: Any, manifest: dict[str, Any]) -> bool:
    return _is_integer(1)(value, manifest) and value <= MOST_INFLUENCES and bool(manifest["joint_names"])


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 3.5e38


def _are_names(lowest: int) -> Check:
    def check(value: Any, _: dict[str, Any]) -> bool:
        if not isinstance(value, list) or len(value) < lowest:
            return False
        return all(isinstance(name, str) and name for name in value) and len(set(value)) == len(value)

    return check


def _are_ranges(value: Any, manifest: dict[str, Any]) -> bool:
    def is_range(pair: Any) -> bool:
        return isinstance(pair, list) and len(pair) == 2 and all(map(_is_number, pair)) and pair[0] <= pair[1]

    return isinstance(value, list) and len(value) == len(manifest["channel_names"]) and all(map(is_range, value))


def _are_rest_values(value: Any, manifest: dict[str, Any]) -> bool:
    size = len(manifest["channel_names"])
    return isinstance(value, list) and len(value) == size and all(map(_is_number, value))


def _are_parents(value: Any, manifest: dict[str, Any]) -> bool:
    if not isinstance(value, list) or len(value) != len(manifest["joint_names"]):
        return False
    return all(
        isinstance(parent, int) and not isinstance(parent, bool) and -1 <= parent < joint
        for joint, parent in enumerate(value)
    )


def _is_kinematics(value: Any, manifest: dict[str, Any]) -> bool:
    try:
        whole = value.keys() - {"mechanism"} == {"channels", "followers", "joints", "passed_on"} and all(
            record.keys() == KEYS for record in value["channels"]
        )
        channels_of(manifest, None)
        passed_on = _are_reasons(value["passed_on"], manifest["channel_names"])
        return whole and passed_on and _are_reasons(value["joints"], manifest["joint_names"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return False


def _are_reasons(value: Any, names: list[str]) -> bool:
    return isinstance(value, dict) and value.keys() <= set(names) and all(isinstance(v, str) for v in value.values())


def _are_resting(value: Any, _: dict[str, Any]) -> bool:
    return isinstance(value, dict) and all(name and isinstance(why, str) for name, why in value.items())


def _are_notes(value: Any, _: dict[str, Any]) -> bool:
    return isinstance(value, list) and all(isinstance(note, str) and note for note in value)


def _are_deviations(value: Any, manifest: dict[str, Any]) -> bool:
    if not isinstance(value, dict) or value.keys() != {"channels", "joints"}:
        return False
    names = manifest["channel_names"], manifest["joint_names"]
    return _are_reasons(value["channels"], names[0]) and _are_reasons(value["joints"], names[1])


def _is_hash(value: Any, _: dict[str, Any]) -> bool:
    return isinstance(value, str) and HASH.fullmatch(value) is not None


def _file_names(manifest: dict[str, Any]) -> set[str]:
    """The names of the files for surface and clips that a manifest asks for."""
    return {f"{name}.npy" for name, (field, _, _) in FILES.items() if manifest.get(field)}


def _are_files(value: Any, manifest: dict[str, Any]) -> bool:
    names = {"rest_vertices.npy", "faces.npy"} | _file_names(manifest)
    names |= {"skeleton_rest.npy"} if manifest["joint_names"] else set()
    return isinstance(value, dict) and value.keys() == names and all(_is_hash(v, manifest) for v in value.values())


def _are_shards(rows: Callable[[dict[str, Any]], int]) -> Check:
    def check(value: Any, manifest: dict[str, Any]) -> bool:
        step, total = manifest["shard_rows"], rows(manifest)
        if not isinstance(value, list) or len(value) != -(-total // step):
            return False
        expected = (stop - start for start, stop in shard_bounds(total, step))
        return all(
            isinstance(entry, dict)
            and entry.keys() == {"rows", *ARRAYS}
            and type(entry["rows"]) is int
            and entry["rows"] == size
            and all(_is_hash(entry[array], manifest) for array in ARRAYS)
            for entry, size in zip(value, expected, strict=True)
        )

    return check


def _are_clips(value: Any, _: dict[str, Any]) -> bool:
    """Return True if a manifest's field ``clips`` is right."""
    if not isinstance(value, list) or not all(isinstance(e, dict) and e.keys() == {"name", "fps"} for e in value):
        return False
    try:
        clips = [Clip(entry["name"], entry["fps"]) for entry in value]
    except ValueError:
        return False
    return len(set(clips)) == len(clips)


OPTIONAL = {"skin", "notes"}  # fields that sets of rigs without them leave out
SHARDS_TEXT = "one entry for every shard_rows rows, each with its rows and the SHA-256 of its three files"
FIELDS: dict[str, tuple[Check, str]] = {
    "name": (_is_text, "text"),
    "licence": (_is_text, "text"),
    "origin": (_is_text, "text"),
    "meters_per_unit": (lambda value, _: _is_number(value) and value > 0, "a positive number"),
    "up_axis": (lambda value, _: value in ("X", "Y", "Z"), '"X", "Y" or "Z"'),
    "channel_names": (_are_names(1), "a list of at least one name without repeats"),
    "channel_ranges": (_are_ranges, "one [lowest, highest] for each channel, finite in float32"),
    "channel_rest": (_are_rest_values, "one number for each channel, finite in float32"),
    "joint_names": (_are_names(0), "a list of names without repeats"),
    "dial_names": (
        lambda value, manifest: _are_names(0 if manifest["joint_names"] else 1)(value, manifest),
        "a list of names without repeats, not empty in a set without joints",
    ),
    "joint_parents": (_are_parents, "one integer for each joint: -1 or the index of an earlier joint"),
    "kinematics": (_is_kinematics, "kind, joint, place and whole of each channel, followers, and reasons for joints"),
    "resting": (_are_resting, "reasons by the names of joints, controls, shapes and dials"),
    "deviations": (_are_deviations, "reasons for channels and for joints"),
    "num_vertices": (_is_integer(1), "a positive integer"),
    "num_faces": (_is_integer(1), "a positive integer"),
    "topology_hash": (_is_hash, "64 hexadecimal digits"),
    "parts": (_are_names(0), "a list of names without repeats"),
    "materials": (_are_names(0), "a list of names without repeats"),
    "num_uvs": (_is_integer(0), "an integer from 0"),
    "notes": (_are_notes, "a list of text"),
    "skin": (_is_skin, "an integer from 1 to 64, of a set with joints"),
    "clips": (_are_clips, "name and fps, a positive number or null, of each clip, without repeats"),
    "files": (_are_files, "the SHA-256 of every file beside the shards: rest_vertices.npy, faces.npy ..."),
    "sampler": (
        lambda value, _: isinstance(value, dict) and isinstance(value.get("kind"), str),
        "an object with a kind",
    ),
    "seed": (_is_integer(0), "an integer from 0"),
    "count": (_is_integer(1), "a positive integer"),
    "probe": (_is_integer(0), "an integer from 0"),
    "shard_rows": (_is_integer(1), "a positive integer"),
    "shards": (_are_shards(lambda manifest: int(manifest["count"])), SHARDS_TEXT),
    "probe_shards": (_are_shards(probe_row_count), SHARDS_TEXT),
    "hash": (_is_hash, "64 hexadecimal digits"),
}
