"""The loss of deformation maps: vertices and face normals of the whole mesh (Bailey 2020, equation 3.1).

    mean_i |v_i - v_i'|_1 + alpha_n mean_f |n_f - n_f'|_1

over poses, vertices i and faces f. Lengths are in ``LENGTH`` of the diagonal of the rest mesh's box. A face counts
whatever segments its corners are in: along the border of two segments, their normals hold them together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.training._face_maps._train.sparse import SparseProduct, diagonal_triplets

FACES_AT_ONCE = 2048  # normals of so many faces stay in the cache; measured
SMALLEST = 1e-12  # of the length of a cross product: a face without area has no gradient


class NormalLoss:
    """``mean_f |n_f - n_f'|_1`` over faces and poses, differentiable in the vertices.

    The normal of a triangle is the cross product of two sides, of a quad that of its diagonals, of length 1.

    Parameters
    ----------
    torch : module
    corners : (F, 4) int64
        Rows of vertices; a triangle's fourth corner is its third.
    num_vertices : int
    device : str
    """

    def __init__(self, torch: Any, corners: NDArray[np.int64], num_vertices: int, device: str) -> None:
        self._torch, self._faces = torch, len(corners)
        shape = (2 * len(corners), num_vertices)
        diagonals = SparseProduct(torch, diagonal_triplets(corners), shape, device)
        self._diagonals, transposed = diagonals.matrix, diagonals.transposed
        measure = self._measure

        class MapLoss(torch.autograd.Function):  # type: ignore[misc]
            @staticmethod
            def forward(context: Any, vertices: Any, truth: Any) -> Any:
                total, gradient = measure(vertices.view(num_vertices, -1), truth, context.needs_input_grad[0])
                if gradient is not None:
                    context.save_for_backward(transposed @ gradient)
                return total

            @staticmethod
            def backward(context: Any, outer: Any) -> Any:
                (gradient,) = context.saved_tensors
                return (outer * gradient).view(num_vertices, 3, -1), None

        self._apply = MapLoss.apply

    def __call__(self, vertices: Any, truth: Any) -> Any:
        """The loss of vertices (V, 3, B) against normals (F, 3, B)."""
        return self._apply(vertices, truth)

    def normals(self, vertices: Any) -> Any:
        """Normals (F, 3, B) of vertices (V, 3, B)."""
        torch = self._torch
        first, second = self._pair(vertices.reshape(len(vertices), -1))
        result = torch.empty_like(first)
        for part in self._parts():
            result[part] = _cross(torch, first[part], second[part])
            result[part] /= _length(result[part])
        return result

    def _pair(self, flat: Any) -> Any:
        """Both diagonals of all faces (F, 3, B)."""
        return (self._diagonals @ flat).view(2, self._faces, 3, -1)

    def _parts(self) -> list[slice]:
        return [slice(begin, begin + FACES_AT_ONCE) for begin in range(0, self._faces, FACES_AT_ONCE)]

    def _measure(self, flat: Any, truth: Any, with_gradient: bool) -> tuple[Any, Any]:
        """The loss, and its gradient (2 F, 3 B) in the diagonals d1, d2: with the normal n = c / |c|, c = d1 x d2,

        dL/dc = (s - n (n . s)) / |c|,  s = sign(n - n'),  dL/dd1 = d2 x dL/dc,  dL/dd2 = dL/dc x d1.
        """
        torch = self._torch
        first, second = self._pair(flat)
        gradient = torch.empty(2, *first.shape, device=flat.device) if with_gradient else None
        share = 1.0 / (self._faces * first.shape[2])
        total = torch.zeros((), device=flat.device)
        for part in self._parts():
            d1, d2 = first[part], second[part]
            normal = _cross(torch, d1, d2)
            length = _length(normal)
            normal /= length
            error = normal - truth[part]
            if gradient is not None:
                sign = error.sign()
                along = normal * sign
                sign -= normal * (along[:, :1] + along[:, 1:2]).add_(along[:, 2:])
                sign *= share / length
                gradient[0, part], gradient[1, part] = _cross(torch, d2, sign), _cross(torch, sign, d1)
            total += error.abs_().sum()
        return total * share, None if gradient is None else gradient.view(2 * self._faces, -1)


def _cross(torch: Any, a: Any, b: Any) -> Any:
    """Cross product along dimension 1; three products of whole rows are faster than torch's own."""
    return torch.stack(
        [
            a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1],
            a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2],
            a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0],
        ],
        dim=1,
    )


def _length(vectors: Any) -> Any:
    """Lengths (F, 1, B) of (F, 3, B), above 0; torch's own norm along a middle dimension takes ten times as long."""
    squares = vectors.square()
    return (squares[:, :1] + squares[:, 1:2]).add_(squares[:, 2:]).sqrt_().clamp_(min=SMALLEST)
