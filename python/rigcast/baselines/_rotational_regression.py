"""Rotations of triangles regressed from rotations of joints."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast import _core
from rigcast._core import Deformer
from rigcast._hashing import padded_faces
from rigcast._pose_statistics.columns import ROTATION_NOISE
from rigcast._rigs.segments import components
from rigcast._validate import Arguments, bad_argument
from rigcast.baselines._linear_blend import linear_blend
from rigcast.baselines._model import model
from rigcast.baselines._samples import BaselineExamples, Data, Samples, examples
from rigcast.baselines._triangle_rotations import fit_triangles, has_area, inverses, joint_rotations
from rigcast.progress import Progress, ProgressOption, as_callback

_FRAMES_AT_ONCE = 64
_RIGID = 0.5  # part of a bone's vertices, those that skinning fits best, from which anchors are chosen; not tuned
_SINGULAR = 1e-6


def rotational_regression(
    data: Data,
    influences: int = 4,
    *,
    anchors: int = 8,
    most_frames: int = 200,
    fit_on: Data | None = None,
    rows: ArrayLike | None = None,
    threads: int = 0,
    progress: ProgressOption = None,
) -> Deformer:
    """Rotations of triangles regressed from rotations of joints (Wang et al. 2007).

    Each triangle belongs to the bone that moves its corners best. Its deformation gradient in the frame of that bone is
    split into a rotation and a symmetric stretch. The rotation vector and the stretch are linear in the rotation
    vectors of a few joints, relative to rest. The vertices are those whose gradients are nearest to the predicted ones
    (a Poisson problem, factorized when the model is loaded), with near-rigid vertices of each bone as soft anchors
    where linear blend skinning puts them.

    Substituted against the paper: a matrix per joint and triangle, where the paper scales and turns the joint's axis;
    joints chosen one after another by least squares; a solve for the whole mesh in place of the paper's reduction to
    near-rigid groups, which serves speed. Numeric controls have no effect. Rotation vectors jump where a joint turns by
    half a turn from rest.

    Parameters
    ----------
    data : Dataset or Samples
        A data set, or samples in memory, with joints.
    influences : int
        Joints per triangle at most (2 and 15 in Bailey et al. 2018); as many as turn if these are fewer.
    anchors : int
        Per bone at most; every connected part of the mesh has at least one.
    most_frames : int
        Poses that are fitted, evenly spaced.
    fit_on : Dataset or Samples, optional
        Fit to these poses in place of those of ``data`` (the second protocol: the clip that is judged).
    rows : (T,) integers, optional
        Rows of what is fitted to; all by default.
    threads : int
        Number of threads; 0 means all processors that this process may use.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    Deformer
        A model of kind ``rotational_regression``.

    Raises
    ------
    ValueError
        If the data has no skeleton, fewer than two poses or constant ones, no face with an area, or a joint that moves
        vertices has no inverse in some pose, or shapes do not fit.

    Examples
    --------
    >>> data = rc.sampling.sample(rc.sources.example_body(), "arm.rwdata", count=100, seed=0)
    >>> model = rc.baselines.rotational_regression(data, influences=2)
    >>> model.evaluate(data.poses).shape
    (100, 1122, 3)
    """
    check = Arguments("rotational_regression")
    if data.skeleton is None:
        expected = "a rig with joints; for others pca_regression and dense_network fit"
        raise bad_argument("rotational_regression", "data", "without a skeleton", expected)
    threads = check.threads(threads)
    influences = check.whole("influences", influences, least=1)
    anchors = check.whole("anchors", anchors, least=1)
    report = as_callback(progress)
    fitted = examples(
        "rotational_regression", data, rows, fit_on, most=check.whole("most_frames", most_frames, least=2)
    )
    if not np.ptp(fitted.poses, axis=0).any():
        raise bad_argument("rotational_regression", "data", "of constant poses", "poses that differ")
    faces = _triangles(fitted)
    if len(faces) == 0:
        raise bad_argument("rotational_regression", "data.faces", "without area", "a mesh of which a face has an area")
    report(Progress("assigning triangles", 0, 3))
    errors = _rigid_errors(fitted, threads)
    bone = errors[faces].sum(axis=1).argmin(axis=1)
    unposed = _unposed(fitted, np.unique(bone))
    theta = joint_rotations(data.skeleton, fitted.poses)
    turning = np.flatnonzero(np.ptp(theta, axis=0).max(axis=1) > ROTATION_NOISE)
    report(Progress("regressing rotations", 1, 3))
    used = min(influences, len(turning))
    fit = fit_triangles(fitted.rest, fitted.vertices, faces, bone, unposed, theta, turning, used)
    report(Progress("choosing anchors", 2, 3))
    tensors = {
        "rotation.rest": fitted.rest,
        "rotation.faces": faces,
        "rotation.output": np.arange(len(fitted.rest), dtype=np.int32),
        "rotation.bone": bone.astype(np.int32),
        "rotation.joint": fit.joint,
        "rotation.weight": fit.weight.reshape(len(faces), used, 27).astype(np.float32),
        "rotation.bias": fit.bias.astype(np.float32),
        **_anchors(fitted, faces, errors.argmin(axis=1), anchors, threads),
    }
    about = {"method": "rotational_regression", "influences": used, "anchors": len(tensors["rotation.anchor"])}
    report(Progress("choosing anchors", 3, 3))
    return model("rotational_regression", fitted, tensors, {**about, "regression_rms": fit.rms}, threads)


def _triangles(fitted: BaselineExamples) -> NDArray[np.int32]:
    """The faces with an area (F, 3), quads as two triangles."""
    faces = padded_faces(fitted.data.faces, "rotational_regression", len(fitted.rest), "data.faces")
    found = np.concatenate([faces[:, :3], faces[faces[:, 3] >= 0][:, [0, 2, 3]]])
    return np.ascontiguousarray(found[has_area(fitted.rest, found)])


def _rigid_errors(fitted: BaselineExamples, threads: int) -> NDArray[np.float64]:
    """Squared error (V, J) of each vertex attached rigidly to each joint."""
    skeleton: Any = fitted.data.skeleton
    errors = np.zeros((len(fitted.rest), skeleton.num_joints))
    for begin in range(0, len(fitted), _FRAMES_AT_ONCE):
        part = slice(begin, begin + _FRAMES_AT_ONCE)
        errors += _core.rigid_errors(skeleton, fitted.rest, fitted.poses[part], fitted.vertices[part], threads)
    return errors


def _unposed(fitted: BaselineExamples, bones: NDArray[np.intp]) -> NDArray[np.float64]:
    """Inverses (T, J, 3, 3) of the linear parts of the skinning transforms of the bones; zeros for other joints."""
    skeleton: Any = fitted.data.skeleton
    rest = np.asarray(skeleton.rest_globals, np.float64)[bones, :, :3]
    skinning = skeleton.globals(fitted.poses)[:, bones, :, :3].astype(np.float64) @ inverses(rest)
    size = np.sqrt(np.square(skinning).sum(axis=(2, 3)) / 3.0)
    flat = np.argwhere(np.abs(np.linalg.det(skinning)) <= _SINGULAR * size**3)
    if len(flat):
        got = f"of zero volume at joint '{skeleton.names[bones[flat[0, 1]]]}' in pose {flat[0, 0]}"
        raise bad_argument("rotational_regression", "data.poses", got, "transforms that can be inverted")
    result = np.zeros((len(fitted), skeleton.num_joints, 3, 3))
    result[:, bones] = inverses(skinning)
    return result


def _anchors(
    fitted: BaselineExamples, faces: NDArray[np.int32], bone: NDArray[np.intp], count: int, threads: int
) -> dict[str, NDArray[Any]]:
    """Anchors and their skin weights: spread over the vertices of each bone that linear blend skinning fits best."""
    skeleton = fitted.data.skeleton
    samples = Samples(skeleton, fitted.rest, fitted.data.faces, fitted.poses, fitted.vertices)
    skin = linear_blend(samples, influences=4, threads=threads)
    error = np.zeros(len(fitted.rest))
    for begin in range(0, len(fitted), _FRAMES_AT_ONCE):
        frames = slice(begin, begin + _FRAMES_AT_ONCE)
        approximation = skin.evaluate(fitted.poses[frames], threads=threads)
        error += _core.vertex_distances(fitted.vertices[frames], approximation, threads).sum(axis=0)
    chosen: set[int] = set()
    for b in np.unique(bone):
        own = np.flatnonzero(bone == b)
        rigid = own[np.argsort(error[own], kind="stable")][: max(int(_RIGID * len(own)), 1)]
        chosen |= set(_spread(fitted.rest[rigid].astype(np.float64), rigid, count))
    part = components(np.append(faces, np.full((len(faces), 1), -1, np.int32), axis=1), len(fitted.rest))
    order = np.argsort(error, kind="stable")
    best = order[np.unique(part[order], return_index=True)[1]]
    held = set(part[list(chosen)].tolist())
    anchors = np.array(sorted(chosen | {int(v) for v in best if int(part[v]) not in held}), np.int32)
    tensors = skin.tensors()
    return {
        "rotation.anchor": anchors,
        "skin.joint": np.ascontiguousarray(tensors["skin.joint"][anchors]),
        "skin.weight": np.ascontiguousarray(tensors["skin.weight"][anchors]),
    }


def _spread(points: NDArray[np.float64], names: NDArray[np.intp], count: int) -> list[int]:
    """The first point and those farthest from the ones before."""
    found = [0]
    distance = np.linalg.norm(points - points[0], axis=1)
    while len(found) < min(count, len(points)):
        found.append(int(distance.argmax()))
        distance = np.minimum(distance, np.linalg.norm(points - points[found[-1]], axis=1))
    return [int(names[i]) for i in found]
