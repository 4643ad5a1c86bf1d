"""A limb as ``dog.blend``, with an action ``walk``, made by the Blender at hand; and a model of it without training."""

from __future__ import annotations

from pathlib import Path

import rigcast as rc
from tests.support.trained import copied, kept

SCRIPT = Path(__file__).parents[2] / "sources" / "blender" / "scenes" / "limb.py"


def dog_files(folder: Path) -> None:
    """Put ``dog.blend``, its set ``dog_held_out.rwdata`` and ``dog.safetensors``, linear skinning, into a folder."""
    copied(kept("dog", make_dog_files, SCRIPT.read_bytes()), folder)


def make_dog_files(folder: Path) -> None:
    from rigcast._formats.blender import BlenderRig, run_script

    run_script(SCRIPT, [str(folder / "dog.blend")])
    with BlenderRig.open(folder / "dog.blend", ranges=30) as rig:
        data = rc.sampling.sample(rig, folder / "dog_held_out.rwdata", count=12, probe=0)
    rc.baselines.linear_blend(data, influences=2).save(folder / "dog.safetensors")
