"""Hashes of what the engine computes from fixed inputs, to compare two builds: a change that claims to change no bytes
shows it with this.

    python -m tests.support.result_hashes > before.txt      (the old build)
    python -m tests.support.result_hashes | diff before.txt -
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np

import rigcast as rc
from tests.conftest import SHARED_DATA
from tests.support import inverse_rigs
from tests.support.characters import second_face
from tests.support.made import blendshapes, models, skinning

METHODS = ("descent", "mm", "mm_cet", "cet", "seol")


def main() -> None:
    for name, array in [*skinned(), *bodies(), *faces(), *solves(), *transfers(), *packings()]:
        data = np.ascontiguousarray(array)
        print(f"{hashlib.sha256(data.tobytes()).hexdigest()[:16]}  {name} {data.dtype} {data.shape}")


def derivative(model: rc.Deformer, poses: np.ndarray) -> np.ndarray:
    shape = (len(poses), len(model.rest_vertices), 3)
    return model.vjp(poses, np.random.default_rng(5).standard_normal(shape).astype(np.float32))


def skinned() -> Iterator[tuple[str, Any]]:
    rest = {
        "linear_blend": models.linear_blend(9, 700, 4),
        "dual_quaternion": skinning.skinned(rc.DualQuaternionSkinning, 9, 700, 4),
        "delta_mush": skinning.skinned(rc.DeltaMush, 9, 700, 4),
    }
    for name, model in rest.items():
        poses = models.random_poses(model.skeleton, 70, 3)
        yield f"{name} evaluate", model.evaluate(poses)
        yield f"{name} vjp", derivative(model, poses[:5])


def bodies() -> Iterator[tuple[str, Any]]:
    for hidden, vertices in ((20, 90), (128, 900)):
        model = models.random_body(num_joints=12, num_vertices=vertices, num_sets=9, hidden=hidden, components=25)
        poses = models.random_poses(model.skeleton, 75, 4, numeric=2)
        yield f"body {hidden} evaluate", model.evaluate(poses)
        yield f"body {hidden} one pose", model.evaluate(poses[0], threads=1)
        yield f"body {hidden} vjp", derivative(model, poses[:9])


def faces() -> Iterator[tuple[str, Any]]:
    for storage in ("float32", "int16"):
        rig = blendshapes.random_rig(seed=2, num_vertices=1300, num_shapes=40, storage=storage)
        weights = blendshapes.random_weights(rig, 150, 1)
        yield f"blendshapes {storage} evaluate", rig.evaluate(weights)
        yield f"blendshapes {storage} one head", rig.evaluate(weights[0])
        yield f"blendshapes {storage} prefix", rig.evaluate(weights[:7], prefix=9)
        yield f"blendshapes {storage} vjp", derivative(rig, weights[:9])


def solves() -> Iterator[tuple[str, Any]]:
    rng = np.random.default_rng(11)
    scenes = {
        "random": inverse_rigs.random_rig(rng, vertices=400, shapes=20, corrections=20),
        "macro": inverse_rigs.macro_rig(rng),
        "in-between": inverse_rigs.in_between_rig(rng, 40),
        "pairs": inverse_rigs.random_rig(rng, vertices=300, shapes=12, corrections=12, order=2, tents=False),
    }
    if SHARED_DATA.exists():
        folders = (SHARED_DATA / "ict_facekit", SHARED_DATA / "compskin_face_anim")
        scenes["ict"] = rc.faces.ict_with_combinations(*folders)[0]
    for name, rig in scenes.items():
        weights = np.clip(np.cumsum(0.1 * rng.standard_normal((12, rig.num_shapes)), axis=0) + 0.3, 0, 1)
        targets = rig.evaluate(weights) + 0.01 * rng.standard_normal((12, len(rig.rest_vertices), 3))
        for settings in ({"alpha": 0.05}, {"alpha": 0.0, "smoothness": 2.0}):
            found = rc.inverse.solve(rig, targets, **settings)
            yield f"solve {name} {settings} weights", found.weights
            yield f"solve {name} {settings} objective", found.objective
        for method in METHODS if name == "pairs" else ():
            yield f"solve {name} {method}", rc.inverse.solve(rig, targets, method=method, alpha=0.05).weights


def transfers() -> Iterator[tuple[str, Any]]:
    source, neutral = second_face.first_face(), second_face.second_neutral()
    shapes = source.rest_vertices + source.columns()
    yield (
        "transfer shapes",
        rc.transfer.deformation_transfer(source.rest_vertices, shapes, neutral, source.faces),
    )
    yield "transfer rig", rc.transfer.transfer_rig(source, neutral).columns()
    weights = np.eye(source.num_shapes, dtype=np.float32)[:2]
    examples = second_face.second_truth().evaluate(weights)
    made = rc.transfer.example_based(
        source.rest_vertices, shapes[: source.num_shapes], neutral, source.faces, examples, weights
    )
    yield "transfer with examples", made


def packings() -> Iterator[tuple[str, Any]]:
    source = second_face.first_face()
    shapes = source.rest_vertices + source.columns()[: source.num_shapes]
    plan = rc.transfer.pack_expressions(source.rest_vertices, shapes, source.faces, names=source.shape_names)
    yield "packing", np.frombuffer(repr((plan.expressions, plan.lower_bound)).encode(), np.uint8)


if __name__ == "__main__":
    main()
