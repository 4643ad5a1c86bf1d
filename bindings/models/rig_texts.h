#pragma once

/// Docstrings of Skeleton and Deformer.
namespace rigcast::bindings::text {

inline constexpr const char* skeleton = R"(A tree of J joints. Immutable and thread-safe.

Transforms are 3x4, row-major, and act on column vectors: x goes to A x + t.

Parameters
----------
names : sequence of str
    J different names.
parents : array_like of int, shape (J,)
    -1 for a root; parents come before their children.
rest : array_like, shape (J, 3, 4)
    Parent-relative rest transforms; a root's is its global one.

Raises
------
ValueError
    If sizes differ, a name occurs twice, a parent is no earlier joint, or a transform is not finite or not invertible.

Examples
--------
>>> rest = np.tile(np.eye(3, 4), (2, 1, 1))  # (J, 3, 4), parent-relative
>>> rest[1, 1, 3] = 0.5  # the child lies 0.5 above its parent
>>> skeleton = rc.Skeleton(["upper", "lower"], [-1, 0], rest)
>>> skeleton.globals(rest.reshape(1, -1))[0, 1, :, 3].tolist()
[0.0, 0.5, 0.0]
)";

inline constexpr const char* skeleton_globals = R"(Global transforms of poses.

A joint's global transform is its parent's times its own entry of the pose.

Parameters
----------
poses : array_like, shape (T, C)
    C is at least 12 J; numeric controls after the joints are ignored.

Returns
-------
ndarray of float32, shape (T, J, 3, 4)

Raises
------
ValueError
    If the width is wrong or a value is not finite.
)";

inline constexpr const char* deformer =
    R"(A forward model: maps poses (T, C) to vertices (T, V, 3). Immutable and thread-safe.

Every model is one: learned bodies, blendshape rigs, skinned characters. ``rigcast.load`` reads one from a file,
``rigcast.training.body`` learns one. A pose is one row of C = 12 J + K numbers: the parent-relative 3x4 transforms of
the J joints (row-major, column vectors), then the K numeric controls. One pose (C,) gives one mesh (V, 3).

Results do not depend on the number of threads nor on the other poses of a batch, to the last bit. Models can be pickled.

Examples
--------
>>> face = rc.faces.example()  # every model and blendshape rig is a Deformer
>>> poses = np.full((2, face.num_shapes), 0.5, np.float32)
>>> vertices = face.evaluate(poses)
>>> face.vjp(poses, np.ones_like(vertices)).shape
(2, 22)
>>> face.restricted([3, 17]).jacobian(poses).shape
(2, 6, 22)
>>> face.save("face.safetensors")
>>> bool(np.array_equal(rc.load("face.safetensors").evaluate(poses), vertices))
True
)";

inline constexpr const char* evaluate = R"(Vertices of poses.

Parameters
----------
poses : array_like, shape (T, C) or (C,)
    On a device also a contiguous float32 array there (DLPack or ``__cuda_array_interface__``), whose values are not
    checked.
device : str
    ``"cpu"``, or for kinds ``"body"``, ``"differential"``, ``"face_maps"`` and ``"blendshape"`` another of
    ``rigcast.devices()``.
threads : int
    0: all processors. The result does not depend on it.
out : ndarray of float32, optional
    Where the vertices are written.

Returns
-------
ndarray of float32, shape (T, V, 3), or (V, 3) of one pose
    In the model's unit.

Raises
------
ValueError
    If the width is wrong, a value is not finite or too large, or the device does not work on this machine.
)";

inline constexpr const char* evaluate_on_device =
    R"(Vertices of poses that stay on a device: nothing is copied to the host.

Parameters
----------
poses : array_like, shape (T, C) or (C,)
    Or a contiguous float32 array on the device (DLPack or ``__cuda_array_interface__``), whose values are not checked.
device : str
    One of ``rigcast.devices()`` other than ``"cpu"``.

Returns
-------
DeviceArray of float32, shape (T, V, 3), or (V, 3) of one pose
    In the model's unit, with DLPack and ``__cuda_array_interface__``, complete when the call returns. Vertices that
    overflow are not finite.

Raises
------
ValueError
    If the width is wrong, a value on the host is not finite or too large, or the device does not work on this machine or
    does not evaluate models of this kind.
)";

inline constexpr const char* vjp =
    R"(Vector-Jacobian product: the gradient of ``sum(vertices * cotangents)`` by the poses.

Parameters
----------
poses : array_like, shape (T, C) or (C,)
cotangents : array_like, shape (T, V, 3), or (V, 3) with one pose
threads : int
    0: all processors. The result does not depend on it.

Returns
-------
ndarray of float32, shape (T, C), or (C,) of one pose
    At a kink (the corner of a tent) a one-sided derivative.

Raises
------
ValueError
    If a shape is wrong, a value is not finite or too large, or a gradient overflows float32.
)";

inline constexpr const char* confidence =
    R"(How far to trust the model at poses: whether they lie among the training poses, and what error is expected there.

``0.9^(doubt^2) 2^-(excess / 0.25)^2``. The excess is how far a joint, a control, or the combination of all of them lies
outside the training poses, as a share of its radius: the confidence is 1/2 at a quarter of its radius outside. The doubt
is the largest vertex error that is expected of the pose, over five times the 99th percentile of the held-out errors.
Formulas (skinning, blendshapes) have 1.

Parameters
----------
poses : array_like, shape (T, C) or (C,)

Returns
-------
ndarray of float32, shape (T,)
    In [0, 1].

Raises
------
ValueError
    If the width is wrong or a value is not finite.
)";

inline constexpr const char* error_bound =
    R"(A bound on the error of each vertex that holds for 95 % of them on new poses.

Learned from the errors of the training and calibrated on held-out poses (split conformal prediction, Papadopoulos et al.
2002), for poses like those of the training: where ``out_of_range`` says so, it promises nothing. The metadata entry
``bound`` states the coverage and the mean width that were measured.

Parameters
----------
poses : array_like, shape (T, C) or (C,)
threads : int
    0: all processors. The result does not depend on it.

Returns
-------
ndarray of float32, shape (T, V), or (V,) of one pose
    In the model's unit.

Raises
------
ValueError
    If the width is wrong, a value is not finite, or the model states no bound: formulas, and models learned from too few
    poses to hold 25 of them out.

Examples
--------
>>> data = rc.sampling.sample(rc.sources.example_body(), "many.rwdata", count=300, seed=0)
>>> model = rc.training.body(data, seed=0, steps=1)
>>> model.error_bound(data.poses[:2]).shape
(2, 1122)
)";

inline constexpr const char* out_of_range =
    R"(Whether poses lie outside the training poses, by a joint, a control or their combination: see ``confidence``.

The metadata entry ``bound`` states how often the flag is wrong: ``false_alarm``, the share of held-out poses that it is
raised for, and ``miss``, the share of poses with one channel a quarter of its range outside for which it is not.

Parameters
----------
poses : array_like, shape (T, C) or (C,)

Returns
-------
ndarray of bool, shape (T,)

Raises
------
ValueError
    If the width is wrong or a value is not finite.
)";

inline constexpr const char* save = R"(Write the model file, which :func:`rigcast.load` reads as the same model.

Parameters
----------
path : path-like
    Ends in ``.safetensors`` by custom. The file appears when it is complete.

Raises
------
ValueError
    If it cannot be written.
)";

}  // namespace rigcast::bindings::text
