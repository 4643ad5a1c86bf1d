"""Antonia Polygon 1.2 as a rig of ours: skin weights, 41 sculpted correctives driven by joint channels, joint limits.

    python -m benchmarks.systems.body.antonia FOLDER antonia.npz

FOLDER holds ``antonia_lo.npz`` and ``antonia_rig.json``. The figure is CC-BY 3.0: "Antonia Polygon by Olaf
Delgado-Friedrichs, with contributions from phantom3D, MikeJ and others". Weights are a transfer (see the folder's
README), so the rig is a test function with real sculpted deltas and no reference of quality. Left out: face shapes,
toe dials.

Poser lists a joint's rotations from the twist, which turns first, to the main bend, which turns last; products here
list the leftmost factor first, hence the reversal. Joint axes are turned by the orientation ``R_Z R_Y R_X``, which
points the twist axis along the bone.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from rigcast._formats.npz.rig import save_npz_rig
from rigcast._rigs.description import Facts, Joints, Morph, RigChannel, Skin
from rigcast._rigs.rotations import compose, euler_to_matrix, invert, transform_of
from rigcast._rigs.skinned import SkinnedRig

CREDIT = "Antonia Polygon by Olaf Delgado-Friedrichs, with contributions from phantom3D, MikeJ and others"
LICENCE = "CC-BY-3.0"
METERS_PER_POSER_UNIT = 2.499699  # the folder's meshes are in meters, its driver slopes as in the Poser file

# Limits in degrees (x, y, z) of the middle and left joints, after common tables of human joint motion; None: no
# channel. Right joints mirror them: y and z change sign. Axes at rest: legs bend about x (thigh forward negative, knee
# positive), left arms about z (up positive) and y (forward negative), left fingers about z (curl negative).
Limit = tuple[float, float] | None
FINGER_BASE: tuple[Limit, ...] = (None, (-10, 10), (-85, 15))
FINGER: tuple[Limit, ...] = (None, None, (-95, 5))
LIMITS: dict[str, tuple[Limit, ...]] = {
    "hip": ((-10, 10), (-10, 10), (-10, 10)),
    "abdomen": ((-20, 40), (-25, 25), (-20, 20)),
    "chest": ((-20, 30), (-25, 25), (-20, 20)),
    "neck": ((-25, 30), (-30, 30), (-20, 20)),
    "head": ((-30, 30), (-50, 50), (-25, 25)),
    "jawLower": ((0, 22), (-4, 4), None),
    "lCollar": (None, (-20, 15), (-10, 30)),
    "lShldr": ((-70, 70), (-100, 35), (-80, 75)),
    "lForeArm": ((-80, 80), (-140, 5), None),
    "lHand": ((-15, 15), (-70, 60), (-30, 25)),
    "lThumb1": ((-35, 50), (-25, 15), (-15, 15)),
    "lThumb2": (None, None, (-45, 10)),
    "lThumb3": (None, None, (-60, 10)),
    **{f"l{finger}1": FINGER_BASE for finger in ("Index", "Mid", "Ring", "Pinky")},
    **{f"l{finger}{segment}": FINGER for finger in ("Index", "Mid", "Ring", "Pinky") for segment in (2, 3)},
    "lThigh": ((-115, 30), (-40, 40), (-15, 50)),
    "lShin": ((-5, 140), (-10, 10), None),
    "lFoot": ((-30, 45), (-20, 20), (-20, 20)),
    "lToe": ((-50, 25), None, None),
}
TONGUE_OUT = 0.04  # meters at which JCM-TongueOut, of slope 62.5 per Poser unit, is complete
AXES = "xyz"


def antonia(folder: str | Path, *, root_motion: bool = False) -> SkinnedRig:
    """Build the rig from the folder of the figure.

    Parameters
    ----------
    folder : path
    root_motion : bool
        Adds channels for the translation and rotation of ``waist``, which carries the whole body.
    """
    folder = Path(folder)
    with np.load(folder / "antonia_lo.npz", allow_pickle=False) as file:
        mesh = {name: file[name] for name in file.files}
    description = json.loads((folder / "antonia_rig.json").read_text())
    joints = _joints(description["joints"])
    if joints.names != mesh["joint_names"].tolist():
        raise ValueError("antonia: antonia_rig.json lists other joints than antonia_lo.npz; they must be the same")
    channels = _channels(description["joints"], root_motion)
    return SkinnedRig(
        mesh["vertices"],
        mesh["faces"],
        joints,
        skin=Skin(mesh["skin_index"].astype(np.int32), mesh["skin_weight"]),
        channels=channels,
        morphs=_correctives(description["jcm"], mesh, [channel.name for channel in channels]),
        facts=Facts("Antonia", 1.0, "Y", LICENCE, CREDIT),
    )


def _joints(records: list[dict[str, Any]]) -> Joints:
    names = [record["name"] for record in records]
    parents = np.array([names.index(r["parent"]) if r["parent"] else -1 for r in records], np.int32)
    rotations = euler_to_matrix(np.array([r["orientation_deg"][::-1] for r in records]), "ZYX")
    world = transform_of(rotations, np.array([r["origin"] for r in records]))
    local = np.where((parents < 0)[:, None, None], world, compose(invert(world[parents]), world))
    return Joints(names, parents, local)


def _channels(records: list[dict[str, Any]], root_motion: bool) -> list[RigChannel]:
    channels = []
    for joint, record in enumerate(records):
        name = record["name"]
        limits = _limits(name)
        if name == "waist" and root_motion:
            limits = [(-180, 180)] * 3
            channels += [RigChannel(f"waist.t{axis}", f"translate_{axis}", joint, -3, 3) for axis in AXES]
        for listed in reversed(record["rotation_channels_listed"]):
            axis = listed[-1].lower()
            bounds = limits[AXES.index(axis)]
            if bounds:
                channels.append(RigChannel(f"{name}.r{axis}", f"rotate_{axis}", joint, *bounds))
        if name == "tongue1":
            channels.append(RigChannel("tongue1.tz", "translate_z", joint, 0.0, TONGUE_OUT))
    return channels


def _limits(name: str) -> list[Limit]:
    if name in LIMITS or not name.startswith("r"):
        return list(LIMITS.get(name, (None, None, None)))
    x, y, z = LIMITS.get("l" + name[1:], (None, None, None))
    return [x, y and (-y[1], -y[0]), z and (-z[1], -z[0])]


def _correctives(records: dict[str, Any], mesh: dict[str, Any], channel_names: list[str]) -> list[Morph]:
    morphs = []
    shapes = mesh["morph_names"].tolist()
    for name, record in sorted(records.items()):
        if name not in shapes:  # two have drivers and no deltas in this mesh
            continue
        morphs.append(
            Morph.dense(
                name,
                mesh["morph_deltas"][shapes.index(name)],
                drivers=tuple(_driver(d, channel_names) for d in record["drivers"] if d["channel"] != "One"),
                constant=float(sum(d["slope"] for d in record["drivers"] if d["channel"] == "One")),
                clamp=(float(record["clamp"][0]), float(record["clamp"][1])),
            )
        )
    return morphs


def _driver(record: dict[str, Any], channel_names: list[str]) -> tuple[int, float]:
    """``zrot`` of an actor is our ``actor.rz`` in degrees, ``ztran`` is ``actor.tz`` in meters."""
    rotation = record["channel"].endswith("rot")
    name = f"{record['actor']}.{'r' if rotation else 't'}{record['channel'][0]}"
    return channel_names.index(name), float(record["slope"]) / (1.0 if rotation else METERS_PER_POSER_UNIT)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--root-motion", action="store_true", help="add channels for the whole body's placement")
    settings = parser.parse_args()
    save_npz_rig(settings.output, antonia(settings.folder, root_motion=settings.root_motion))


if __name__ == "__main__":
    main()
