"""What the engine of this processor computes with one model of every kind, for the module to be compared with.

``python -m tests.web.native FOLDER``: a folder for each kind, with the model, what goes in, and what comes out.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import rigcast as rc
from tests.support.made.kinds import FORWARD_ONLY, MAKERS, poses_of

FRAMES = 10
PULLED = [11, 3, 20, 7]  # vertices


def write_all(folder: Path) -> None:
    for kind, make in MAKERS.items():
        place = folder / kind.replace(" ", "_")
        place.mkdir()
        _write(place, make())


def _write(place: Path, model: rc.Deformer) -> None:
    model.save(place / "model.safetensors")
    model = rc.load(place / "model.safetensors")
    poses, random = poses_of(model, FRAMES), np.random.default_rng(1)
    given = {"poses": poses}
    session = model.session()
    out = {
        "vertices": model.evaluate(poses, threads=1),
        "confidence": np.asarray(model.confidence(poses), np.float32),
        "session": np.stack([session.evaluate(pose) for pose in poses]),
    }
    if model.kind not in FORWARD_ONLY:
        given["cotangents"] = random.standard_normal((FRAMES, len(model.rest_vertices), 3)).astype(np.float32)
        given["tangents"] = random.standard_normal(poses.shape).astype(np.float32)
        out["vjp"] = model.vjp(poses, given["cotangents"], threads=1)
        out["jvp"] = model.jvp(poses, given["tangents"], threads=1)
        places = model.evaluate(poses[:1])[0, PULLED].astype(np.float64)
        given["targets"] = places + 0.01 * random.standard_normal(places.shape)
        found = rc.ik.Solver(model, PULLED).solve(given["targets"], threads=1)
        out |= {"dragged": found.poses[0], "errors": found.error[0]}
    for name, array in {**given, **out}.items():
        array.tofile(place / f"{name}.{'in' if name in given else 'out'}")


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
