"""What the search with damaged files has found, each in the smallest damage that shows it."""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile

import numpy as np
import pytest

from tests.fuzz.readers import damaged_copy, readers_of
from tests.fuzz.seeds import SEEDS
from tests.fuzz.worker import finding


def swapped(old: bytes, new: bytes):
    def change(content: bytes) -> bytes:
        assert old in content
        return content.replace(old, new, 1)

    return change


def instead(content: str):
    return lambda _: content.encode()


def in_json(*places, value):
    """Another value at a place of JSON; ``...`` removes it."""

    def change(content: bytes) -> bytes:
        root = entry = json.loads(content)
        for place in places[:-1]:
            entry = entry[place]
        if value is ...:
            del entry[places[-1]]
        else:
            entry[places[-1]] = value
        return json.dumps(root).encode()

    return change


def in_archive(name, change):
    def edit(content: bytes) -> bytes:
        with np.load(io.BytesIO(content)) as archive:
            arrays = {key: archive[key] for key in archive.files}
        arrays[name] = change(arrays[name])
        written = io.BytesIO()
        np.savez(written, **arrays)
        return written.getvalue()

    return edit


def far(content: bytes) -> bytes:
    """A figure that turns about a place so far away that it overflows half a turn later."""
    moved = in_archive("joint_rest", lambda rest: rest + 3e38 * np.eye(3, 4, 3))(content)
    return in_archive("channel_ranges", lambda ranges: ranges * np.eye(len(ranges), 1))(moved)


def no_array(content: bytes) -> bytes:
    written = io.BytesIO(content)
    with zipfile.ZipFile(written, "a") as archive:
        archive.writestr("loss", b"huber")
    return written.getvalue()


def many_sections(content: bytes) -> bytes:
    """A crate file that claims 100 million sections, and with them gigabytes."""
    (place,) = struct.unpack_from("<q", content, 16)
    return content[:place] + struct.pack("<Q", 100_000_000) + content[place + 8 :]


def many_paths(content: bytes) -> bytes:
    at = content.index(b"PATHS\0")
    (start,) = struct.unpack_from("<q", content, at + 16)
    return content[:start] + struct.pack("<Q", 1 << 40) + content[start + 8 :]


def without_meshes(content: bytes) -> bytes:
    root = json.loads(content)
    for node in root["nodes"]:
        node.pop("mesh", None)
        node.pop("skin", None)
    return json.dumps(root).encode()


def infinite_point(content: bytes) -> bytes:
    return re.sub(rb"(points\.timeSamples = \{\s*1: \[\()[^,]*", rb"\1inf", content, count=1)


def nan(array):
    return np.full_like(array, np.nan)


FOUND = {
    "a vertex beyond all integers": (
        "markers.txt",
        instead("99999999999999999999 1\n"),
        "it must be indices of vertices",
    ),
    "a negative vertex": ("landmarks.txt", instead("-1 3\n"), "whole numbers from 0 to"),
    "targets that are no numbers": ("targets.npz", in_archive("targets", nan), "targets is not finite"),
    "an archive's type": ("targets.npz", in_archive("vertices", lambda v: v * 0.5), "vertices is of type float64"),
    "text that begins as UTF-32": ("targets.csv", lambda _: b"f\0\0\0\xff\xff\xff\xff", "begins as utf-32-le"),
    "a plan's importance": ("plan.json", in_json("importance", 0, value=float("nan")), "importance"),
    "a rate that is none": (
        "moving_text.usda",
        swapped(b"timeCodesPerSecond = 24", b"timeCodesPerSecond = nan"),
        "timeCodesPerSecond",
    ),
    "points that are none": ("moving_text.usda", infinite_point, "not finite"),
    "sections of a crate file": ("moving.usd", many_sections, "100000000 sections"),
    "paths of a crate file": ("moving.usd", many_paths, "entries in section 'PATHS'"),
    "a key far from a skin's others": (
        "head.usda",
        swapped(b"        2: ( (", b"        2147483648: ( ("),
        "2147483648 frames",
    ),
    "an end far from a skin's keys": (
        "weights_text.usda",
        swapped(b"endTimeCode = 5", b"endTimeCode = 2147483648"),
        None,
    ),
    "frames by the billion": (
        "weights_text.usda",
        swapped(b"framesPerSecond = 24", b"framesPerSecond = 2147483647"),
        None,
    ),
    "a channel's path": ("head.glb", swapped(b'"path": "translation"', b'"path": ["transl"]  '), ""),
    "a file of clips as a mesh": ("character_text.gltf", without_meshes, "joints and clips alone"),
    "a manifest without an entry": ("data.rwdata/manifest.json", in_json("kinematics", "passed_on", value=...), ""),
    "layers": ("layers.json", in_json(0, "controls", value=1), "controls is a int"),
    "scripts": ("script.json", in_json("commands", 0, "at", value=""), r"commands\[0\].at is ''"),
    "limits": ("rig.limits.json", in_json("channels", "dial", value=None), "two finite numbers"),
    "half a surrogate pair": ("names.json", in_json("jawOpen", value="\udfff"), "lone surrogates"),
    "a solution's shapes": ("solution.npz", in_archive("rmse", lambda rows: rows[:-1]), "rmse is of shape"),
    "a solution's numbers": ("solution.npz", in_archive("weights", nan), "weights is not finite"),
    "a solution without an array": ("solution.npz", no_array, "loss is no array"),
    "ends of ranges": ("character.npz", far, "overflow at an end of its"),
    "times that signal": ("moving.mdd", lambda c: c[:8] + b"\x7f\xa0\0\0" + c[12:], None),
}


def refusals(path):
    for reader in readers_of(path):
        try:
            reader(path)
        except ValueError as error:
            yield str(error)


@pytest.mark.parametrize("what", FOUND)
def test_damage_that_was_found_is_refused_with_the_file(what, tmp_path):
    name, change, said = FOUND[what]
    seed = tmp_path / "good" / name.replace(".", "_").replace("/", "_") / name.rpartition("/")[2]
    seed.parent.mkdir(parents=True)
    if name.endswith((".usd", ".usda")):
        pytest.importorskip("pxr", reason="usd-core is not installed")
    SEEDS[name](seed)
    path = damaged_copy(seed, change(seed.read_bytes()), tmp_path / "case")
    assert [finding(path, reader) for reader in readers_of(path)] == [None] * len(readers_of(path))
    assert said is None or re.search(said, " ".join(refusals(path)))
