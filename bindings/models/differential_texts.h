#pragma once

/// Docstrings of rigcast.differential.
namespace rigcast::bindings::text {

inline constexpr const char* reconstructor =
    R"(Delta coordinates of displacements, and the displacements that fit delta coordinates and anchors best.

With the graph Laplacian ``L = D - A`` of the mesh, anchor vertices S and weights W, ``encode`` gives ``delta = L d`` and
``solve`` the displacements that minimize ``|L d - delta|^2 + |W (S d - a)|^2`` (Sorkine et al. 2004; Song et al. 2020).
Both use the same L, so ``solve(encode(d), d[:, anchors])`` is ``d``. One sparse Cholesky factorization serves all solves.
Immutable and thread-safe.

Parameters
----------
faces : array_like of int, shape (F, 3) or (F, 4)
    -1 in a fourth column pads triangles. Need not be manifold; a vertex without a face is a component of its own.
num_vertices : int
    V.
anchors : array_like of int, shape (A,)
    Different vertices, at least one per connected component; see :func:`choose_anchors`.
anchor_weight : float or array_like, shape (A,)
    W, one number or one per anchor, above 0.

Raises
------
ValueError
    If a face or an anchor is out of range, an anchor occurs twice, a component has no anchor (the message names it), or
    a weight is not finite and positive.

Examples
--------
>>> faces = [[0, 1, 2], [0, 2, 3]]
>>> r = rc.differential.Reconstructor(faces, 4, [1])
>>> d = np.random.default_rng(0).standard_normal((5, 4, 3)).astype(np.float32)
>>> bool(np.allclose(r.solve(r.encode(d), d[:, [1]]), d, atol=1e-5))
True
)";

inline constexpr const char* encode = R"(Delta coordinates of displacements: ``L d``.

Parameters
----------
displacements : array_like, shape (T, V, 3)
threads : int
    0: all processors. The result does not depend on it.

Returns
-------
ndarray of float32, shape (T, V, 3)
    In the unit of the displacements.

Raises
------
ValueError
    If the shape is wrong, or a value is not finite or too large.
)";

inline constexpr const char* solve_differential = R"(Displacements that fit delta coordinates and anchor positions best.

Parameters
----------
delta : array_like, shape (T, V, 3)
anchor_positions : array_like, shape (T, A, 3)
    The displacements that the anchors should have.
threads : int
    0: all processors. The result does not depend on it.

Returns
-------
ndarray of float32, shape (T, V, 3)

Raises
------
ValueError
    If a shape is wrong, or a value is not finite or too large.
)";

inline constexpr const char* gain = R"(The error gain of each vertex.

The standard deviation of a solved displacement if delta coordinates have independent errors of standard deviation 1: the
square root of the diagonal of ``N^-1 L^T L N^-1``, ``N = L^T L + S^T W^2 S``. Exact, by a selected inverse (Takahashi et
al. 1973).

Parameters
----------
threads : int
    0: all processors.

Returns
-------
ndarray of float64, shape (V,)
)";

inline constexpr const char* folded =
    R"(The same solutions for delta coordinates in a basis, as one dense product per frame.

For ``delta = U z + mu`` the solution is ``B z + M a + m`` with ``B = N^-1 L^T U``, ``M = N^-1 S^T W^2`` and
``m = N^-1 L^T mu``, computed in float64 and rounded once.

Parameters
----------
basis : array_like, shape (3 V, R) or (R, V, 3)
    U; rows x0 y0 z0 x1 ..., or one set of delta coordinates per component.
mean : array_like, shape (3 V,) or (V, 3)
    mu.
storage : str
    ``"float32"``, or ``"16-bit"``: float16 or bfloat16, whichever has the smaller error; products are in float32.
threads : int
    0: all processors.

Returns
-------
FoldedReconstructor
    Its ``solve(z, anchor_positions)`` takes coefficients (T, R).

Raises
------
ValueError
    If a shape is wrong, a value is not finite, or the storage is unknown.

Examples
--------
>>> r = rc.differential.Reconstructor([[0, 1, 2], [0, 2, 3]], 4, [1])
>>> rng = np.random.default_rng(0)
>>> basis, mean = rng.standard_normal((12, 2)), np.zeros(12)
>>> z, a = rng.standard_normal((5, 2)), np.zeros((5, 1, 3))
>>> delta = (z @ basis.T + mean).reshape(5, 4, 3)
>>> bool(np.allclose(r.folded(basis, mean).solve(z, a), r.solve(delta, a), atol=1e-5))
True
)";

inline constexpr const char* folded_solve = R"(Displacements of coefficients and anchor positions.

Parameters
----------
z : array_like, shape (T, R)
anchor_positions : array_like, shape (T, A, 3)
threads : int
    0: all processors. The result does not depend on it.

Returns
-------
ndarray of float32, shape (T, V, 3)

Raises
------
ValueError
    If a shape is wrong, or a value is not finite or too large.
)";

inline constexpr const char* choose_anchors = R"(Anchors that keep errors of delta coordinates small.

One after another, each at the vertex with the largest error gain under the anchors so far (:meth:`Reconstructor.gain`);
the first one of each connected component is drawn from the seed. The first n anchors are the choice of n anchors.

Parameters
----------
faces : array_like of int, shape (F, 3) or (F, 4)
    Need not be manifold; a vertex without a face is a component of its own.
num_vertices : int
    V.
count : int
    At least one per connected component. Song et al. 2020 use 2 % of the vertices.
seed : int
    The same mesh, count and seed give the same anchors.
threads : int
    0: all processors. The result does not depend on it.

Returns
-------
ndarray of int32, shape (count,)
    In the order of choice.

Raises
------
ValueError
    If a face has an index out of range, or ``count`` is too small or too large.

Examples
--------
>>> head = rc.faces.example()
>>> anchors = rc.differential.choose_anchors(head.faces, len(head.rest_vertices), 20)
>>> len(set(anchors.tolist()))
20
)";

inline constexpr const char* stored_differential = R"(The same model with another storage of its weights.

Parameters
----------
storage : str
    ``"16-bit"``: float16 or bfloat16, whichever has the smaller error for a matrix; products are in float32.
    ``"float32"``: as in the file, which always has float32.

Returns
-------
DifferentialModel
    Its ``storage_error`` is the largest error of a weight. After saving, it loads with the same storage.

Raises
------
ValueError
    If the storage is neither of these.
)";

inline constexpr const char* reduced = R"(The same model with fewer components of its basis.

Parameters
----------
components : int
    How many of them, the first ones: those of the largest variance in training.

Returns
-------
DifferentialModel
    Smaller, faster and less accurate.

Raises
------
ValueError
    If there are not so many.
)";

inline constexpr const char* with_tail = R"(The same model with another last step.

Parameters
----------
tail : str
    ``"folded"``: basis and solve as one dense product. ``"factorized"``: a product with the basis, then a solve: less
    memory if there are many anchors. A model that states neither takes the one that reads less, at measured rates.

Returns
-------
DifferentialModel
    After saving, it loads with the same tail.

Raises
------
ValueError
    If the tail is neither of these, or the model is a restricted one.
)";

}  // namespace rigcast::bindings::text
