"""Characters for stages, and what OpenUSD makes of the stages."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from rigcast._rigs.model_surface import with_surface
from rigcast._rigs.surface import Surface
from tests.rig.slow import slow_skinning
from tests.support.made.models import random_body_tensors
from tests.support.made.skinning import tube

usd = pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
geometry = pytest.importorskip("pxr.UsdGeom", reason="usd-core is not installed")
skel = pytest.importorskip("pxr.UsdSkel", reason="usd-core is not installed")
sdf = pytest.importorskip("pxr.Sdf", reason="usd-core is not installed")
gf = pytest.importorskip("pxr.Gf", reason="usd-core is not installed")

ABOUT = {"meters_per_unit": 0.01, "up_axis": "Z", "name": "a hose", "licence": "CC0-1.0"}
SAME = 1e-5  # of the size: files hold float32


def hose(up="Z", make=rc.DeltaMush, rings=(13, 9)):
    """Two bumpy tubes of one skeleton, side by side: parts of different size, of one material."""
    rng, meshes = np.random.default_rng(0), [tube(count) for count in rings]
    skeleton, sizes = meshes[0][0], [len(vertices) for _, vertices, _, _ in meshes]
    rest = np.concatenate([vertices + np.array([number, 0, 0]) for number, (_, vertices, _, _) in enumerate(meshes)])
    rest = rest * (1 + 0.1 * rng.standard_normal((len(rest), 1)) * [1, 0, 1])
    faces = np.concatenate([meshes[0][2], meshes[1][2] + sizes[0]])
    weights = np.concatenate([own for _, _, _, own in meshes])
    model = make(skeleton, rest, faces, weights, metadata={**ABOUT, "up_axis": up})
    owner = np.repeat([0, 1], sizes).astype(np.int32)
    return with_surface(model, Surface(["left half", "right"], owner, ["red"], np.zeros(len(faces), int)))


def learned_body(dials=("fat",)):
    """Random networks with the linear skinning that training keeps beside them, and the errors that it states."""
    tensors, text = random_body_tensors(num_vertices=60, numeric=len(dials))
    rng = np.random.default_rng(5)
    tensors["beside.joint"] = np.argsort(rng.random((60, 6)), axis=1)[:, :3].astype(np.int32)
    tensors["beside.weight"] = rng.dirichlet(np.ones(3), 60).astype(np.float32)
    tensors["control_ranges"][-len(dials) :] = [0.0, 2.0]
    about = json.loads(text) | {
        "numeric_controls": list(dials),
        "error": {"mean": 0.002, "rms": 0.003, "p95": 0.004, "max": 0.03},
        "linear_skinning": {"mean": 0.02, "rms": 0.03, "p95": 0.04, "max": 0.3},
        "licence": "CC0-1.0",
    }
    return _core.model_from_tensors(tensors, json.dumps(about))


def errors_of(path):
    """What the validators of OpenUSD, which usdchecker calls, find."""
    validation = pytest.importorskip("pxr.UsdValidation", reason="OpenUSD before 24.11")
    registry = validation.ValidationRegistry()
    context = validation.ValidationContext(registry.GetOrLoadAllValidators())
    return [error.GetErrorAsString() for error in context.Validate(usd.Stage.Open(str(path)))]


def linear_skinning(model, poses):
    """(T, V, 3) by the formula."""
    tensors, width = model.tensors(), 12 * model.skeleton.num_joints
    name = "beside" if "beside.joint" in tensors else "skin"
    own = tensors.get("mush.output", slice(None))  # of a restricted one, which reads more vertices
    joint, weight = tensors[f"{name}.joint"][own], tensors[f"{name}.weight"][own].astype(np.float64)
    shape = np.c_[np.asarray(model.rest_vertices, np.float64), np.ones(len(weight))]
    moved = [slow_skinning(model.skeleton, np.asarray(pose, np.float64)[:width]) for pose in poses]
    return np.stack([np.einsum("vk,vkij,vj->vi", weight, own[joint][..., :3, :], shape) for own in moved])


def meshes_of(stage, root):
    """Meshes below a prim."""
    every = [prim for prim in usd.PrimRange(stage.GetPrimAtPath(root)) if prim.IsA(geometry.Mesh)]
    return [geometry.Mesh(prim) for prim in every]


def joined(stage, root, code):
    """The points of all meshes below a prim, in the order of the character's vertices."""
    meshes = meshes_of(stage, root)
    points = [np.asarray(mesh.GetPointsAttr().Get(code)) for mesh in meshes]
    if len(meshes) == 1:
        return points[0]
    places = [np.asarray(mesh.GetPrim().GetAttribute("rigcast:vertices").Get()) for mesh in meshes]
    whole = np.full((1 + max(map(max, places)), 3), np.nan)
    for at, own in zip(places, points, strict=True):
        whole[at] = own
    return whole


def posed(path, local=None, weights=None):
    """(T, V, 3): the character of a stage with joints (T, J, 3, 4) and weights of shapes, skinned by UsdSkel."""
    stage = usd.Stage.Open(str(path))
    stage.SetEditTarget(stage.GetSessionLayer())
    root = str(stage.GetDefaultPrim().GetPath())
    skeleton = skel.Skeleton(stage.GetPrimAtPath(f"{root}/Skeleton"))
    frames = len(local if weights is None else next(iter(weights.values())))
    animation = skel.Animation.Define(stage, f"{root}/played")
    animation.CreateJointsAttr(skeleton.GetJointsAttr().Get())
    animation.CreateBlendShapesAttr(list(weights or {}))
    for frame in range(frames):
        if local is not None:
            squares = [np.vstack([own, [0, 0, 0, 1]]).T.tolist() for own in local[frame]]
            animation.SetTransforms([gf.Matrix4d(square) for square in squares], frame)
        else:
            animation.SetTransforms(skeleton.GetRestTransformsAttr().Get(), frame)
        if weights:
            animation.CreateBlendShapeWeightsAttr().Set([float(own[frame]) for own in weights.values()], frame)
    binding = skel.BindingAPI.Apply(skeleton.GetPrim())
    binding.CreateAnimationSourceRel().SetTargets([animation.GetPath()])
    assert skel.BakeSkinning(usd.PrimRange(stage.GetPseudoRoot()))
    return np.stack([joined(stage, root, frame) for frame in range(frames)])
