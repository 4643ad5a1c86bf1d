"""``solve`` and ``Solver``: what a user calls."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from numpy.typing import ArrayLike

from rigcast._core import BlendshapeRig
from rigcast._shown import one_line
from rigcast.errors import SparsityWarning
from rigcast.inverse._choices.loss import LossName
from rigcast.inverse._findings.resting_shapes import all_at_rest, lost_shapes
from rigcast.inverse._gram import Gram
from rigcast.inverse._request import Request, Rigid, checked
from rigcast.inverse._solution import Solution
from rigcast.inverse._steps import solve_request
from rigcast.progress import ProgressOption


@one_line
@dataclass(frozen=True)
class Solver:
    """A rig and its Gram matrix, kept for more shots.

    Parameters
    ----------
    rig : BlendshapeRig
    vertices, vertex_weights
        As in :func:`solve`.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> solver = rc.inverse.Solver(rig)
    >>> shots = [rig.evaluate(np.full((2, rig.num_shapes), weight)) for weight in (0.1, 0.2)]
    >>> [solver.solve(shot, alpha=0.0).weights.shape for shot in shots]
    [(2, 22), (2, 22)]
    """

    gram: Gram

    def __init__(
        self, rig: BlendshapeRig, *, vertices: ArrayLike | None = None, vertex_weights: ArrayLike | None = None
    ) -> None:
        object.__setattr__(self, "gram", Gram(rig, vertices=vertices, vertex_weights=vertex_weights))

    def solve(
        self,
        targets: ArrayLike,
        method: str = "descent",
        *,
        alpha: float | Literal["auto"] = "auto",
        smoothness: float | Literal["auto"] = 0.0,
        init: ArrayLike | None = None,
        device: str = "cpu",
        relative_alpha: float | None = None,
        bounds: ArrayLike | None = None,
        joint: bool | None = None,
        fixed: ArrayLike | None = None,
        priors: tuple[ArrayLike, ArrayLike] | None = None,
        symmetric: Sequence[tuple[int | str, int | str]] | None = None,
        rigid: Rigid = None,
        rigid_scale: bool = False,
        loss: LossName = "squared",
        loss_scale: float | Literal["auto"] = "auto",
        tolerance: float = 1e-9,
        max_iterations: int | None = None,
        lengthened: bool = False,
        threads: int = 0,
        progress: ProgressOption = None,
    ) -> Solution:
        """Find the weights of a shot; see :func:`solve`.

        Parameters
        ----------
        targets
            As in :func:`solve`, and so are all other arguments, results and errors.
        threads : int
            Number of threads; 0 means all processors that this process may use.
        """
        request = Request(
            self.gram,
            targets,
            method,
            alpha,
            smoothness,
            init,
            device,
            relative_alpha,
            bounds=bounds,
            joint=joint,
            fixed=fixed,
            priors=priors,
            symmetric=symmetric,
            rigid=rigid,
            rigid_scale=rigid_scale,
            loss=loss,
            loss_scale=loss_scale,
            tolerance=tolerance,
            max_iterations=max_iterations,
            lengthened=lengthened,
            threads=threads,
            progress=progress,
        )
        return _solved_with_warnings(request)

    def _facts(self) -> list[str]:
        return [f"{self.gram.rig.num_shapes} shapes", f"{len(self.gram.vertices):,} vertices"]


def solve(
    rig: BlendshapeRig,
    targets: ArrayLike,
    method: str = "descent",
    *,
    alpha: float | Literal["auto"] = "auto",
    smoothness: float | Literal["auto"] = 0.0,
    vertices: ArrayLike | None = None,
    init: ArrayLike | None = None,
    device: str = "cpu",
    relative_alpha: float | None = None,
    vertex_weights: ArrayLike | None = None,
    bounds: ArrayLike | None = None,
    joint: bool | None = None,
    fixed: ArrayLike | None = None,
    priors: tuple[ArrayLike, ArrayLike] | None = None,
    symmetric: Sequence[tuple[int | str, int | str]] | None = None,
    rigid: Rigid = None,
    rigid_scale: bool = False,
    loss: LossName = "squared",
    loss_scale: float | Literal["auto"] = "auto",
    tolerance: float = 1e-9,
    max_iterations: int | None = None,
    lengthened: bool = False,
    threads: int = 0,
    progress: ProgressOption = None,
) -> Solution:
    """Find the weights of a blendshape rig that reproduce target meshes.

    Every method minimizes, over the box ``lower <= w_t <= upper``, the same objective, without any normalization::

        sum_t ( sum_v omega_v |f_v(w_t) - b_tv|^2 + alpha sum_k w_tk + sum_k s_tk (w_tk - c_tk)^2 )
          + smoothness sum_t |w_{t-1} - 2 w_t + w_{t+1}|^2

    with the rig f, targets b, vertex weights omega (1 by default), priors of target c and strength s (none by
    default), and second differences over the inner frames of the shot. ``Solution.objective`` holds the first
    bracket for each frame, ``Solution.shot_objective`` the whole.

    Parameters
    ----------
    rig : BlendshapeRig
    targets : (T, V, 3), (V, 3), or (T, M, 3) where ``vertices`` are given
        Finite, in the rig's unit and frame. With ``device="cuda"`` also arrays of PyTorch, CuPy or JAX on the device,
        in float32 or float16: they are solved where they are (not with ``rigid`` or a robust ``loss``).
    method : str
        ``"descent"``: exact descent in Gram space. ``"mm"`` and ``"mm_cet"``:
        majorization-minimization. ``"sqp"``: SciPy's trust-constr. ``"cet"``, ``"cet_loc"`` and ``"seol"``: published
        closed forms, for the shapes alone.
    alpha : float or "auto"
        Sparsity, >= 0, in squared units of length: the pull of a target on a shape that is too weak to turn it on.
        ``"auto"`` takes the elbow of :func:`trade_off` over at most 24 frames, spread evenly; ``Solution.alpha`` says
        which. A number above every pull of the targets gives weights of 0 and a warning. Shapes that move nothing
        stay at rest, the value of their bounds nearest to 0, unless pins or priors ask for another.
    smoothness : float or "auto"
        Weight of the temporal term, >= 0, in squared units of length as ``alpha`` is: 2 smooths a head in centimeters
        a little, 2e-4 one in meters. ``"auto"`` is a tenth of the variance of the noise over that of the motion's
        second differences, as :func:`jitter` measures both on a solve without the term; ``Solution.smoothness`` says
        which. Only for methods that solve whole shots.
    relative_alpha : float, optional
        In place of ``alpha``, 0 to 1, without a unit: the share of the smallest alpha at which every weight of the shot
        rests, the largest pull of a target on a weight.
    vertices : array_like of int, shape (M,), optional
        Markers: the vertices of the rig that count.
    init : array_like, shape (K,) or (T, K), optional
        Start, inside the bounds. Without it methods choose theirs.
    device : str
        ``"cpu"``, or for ``"descent"`` without ``smoothness`` also ``"cuda"``; never silently replaced. There all
        frames take gradient steps together, and ``Solution.iterations`` counts these.
    vertex_weights : array_like, shape (M,), optional
        omega.
    bounds : array_like, shape (2,) or (K, 2), optional
        The box; by default the rig's.
    joint : bool, optional
        Whether the temporal term couples all frames (the default where there is one) or each frame is solved given
        the two before it: ``optimality`` and ``converged`` are then those of each frame's own objective with
        ``smoothness |w_t - 2 w_{t-1} + w_{t-2}|^2``, while ``shot_objective`` is that of the whole shot.
    fixed : array_like, shape (K,) or (T, K), optional
        Values of pinned weights, NaN where free.
    priors : pair (c, s), optional
        Each a number, (K,) or (T, K); s >= 0.
    symmetric : sequence of pairs, optional
        Shapes, by index or name, whose weights are equal.
    rigid : "auto", "rest" or (R,) int, optional
        How the head moves: its rigid motion in each frame is removed from the targets and returned in
        ``Solution.transforms``. Vertices: fitted on these, which expressions leave alone. ``"rest"``: on the vertices
        that no shape moves (:func:`resting_vertices`). ``"auto"``: as ``"rest"`` if a tenth of the given vertices or
        more rest; else motion and weights together minimize the objective. By default the targets are in the rig's
        frame.
    rigid_scale : bool
        With ``rigid``: also find a scale in each frame, which ``Solution.transforms`` hold as a factor of the rotation.
    loss : "squared", "huber" or "tukey"
        For targets with outliers or holes, by ``"descent"``: with another loss than the square, a vertex farther from
        its target than ``loss_scale`` pulls with constant force (``"huber"``) or less and less until not at all
        (``"tukey"``); the first term is ``omega_v rho(|f_v(w_t) - b_tv|^2)`` then. Head motion is removed before, of
        each frame by itself, by Huber's loss at twice the median distance. ``alpha="auto"`` is the elbow without the
        outliers, so small that the loss still separates moving vertices from outliers. ``rmse`` remains that of all
        vertices; ``converged`` frames fall by less than a millionth in another round of reweighting. Not with
        ``joint=False``.
    loss_scale : float or "auto"
        Of ``loss``, > 0, in the rig's unit: the distance beyond which it differs from the square (Huber), or ignores
        the vertex (Tukey). ``"auto"`` is what is usual under normal noise, .87 or 3.05 times the median distance that
        Huber's loss gives without alpha in the frames of ``alpha="auto"``, and as many times three times the distance
        by which alpha and smoothness hold a vertex back. ``Solution.loss_scale`` says which. With a given scale that is
        smaller, shapes may rest as if their motion were outliers; ``Solution.warnings`` names them.
    tolerance : float
        A frame is solved when ``optimality <= tolerance`` times the largest pull of its target on a shape or
        combination.
    max_iterations : int, optional
        A frame's limit; by default the method's own: 200 for ``"descent"``, 2,000 where shapes are nearly dependent.
    lengthened : bool
        Of ``"mm"`` and ``"mm_cet"``: each step is also tried 50, 20, 10 and 5 times as long, and the longest that ends
        lower than the step itself is taken, as in the code that the paper's authors released. A frame ends where its
        objective, not the bound, falls by no more than ``tolerance`` times the squared offsets of its target.
    threads : int
        Number of threads; 0 means all processors that this process may use.
        The result does not depend on it.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    Solution
        ``converged`` shows early stops, ``warnings`` name odd input.

    Warns
    -----
    rigcast.errors.SparsityWarning
        If ``alpha`` is larger than every pull of the targets in most frames that move, so that no shape is turned on
        there; the message says by how much.

    Raises
    ------
    ValueError
        Naming argument, value and bound.
    NumericalError
        If numbers of absurd size that pass these checks overflow after all.

    Notes
    -----
    ``"descent"`` works on the Gram matrix, which squares the shapes' condition. It is solved further than ``tolerance``
    where shapes are nearly made up of others, and gives the weights of least squares on the vertices as long as a
    millionth of each shape is its own; targets in float32 then leave some 1e-3 in the weights. With less of their own,
    only the sum of such shapes is determined. ``Solution.warnings`` names shapes with less than a thousandth.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> weights = 0.5 * np.eye(rig.num_shapes, dtype=np.float32)[:3]
    >>> found = rc.inverse.solve(rig, rig.evaluate(weights), alpha=0.0)
    >>> float(np.abs(found.weights - weights).max().round(3))
    0.0
    """
    request = Request(
        Gram(rig, vertices=vertices, vertex_weights=vertex_weights),
        targets,
        method,
        alpha,
        smoothness,
        init,
        device,
        relative_alpha,
        bounds=bounds,
        joint=joint,
        fixed=fixed,
        priors=priors,
        symmetric=symmetric,
        rigid=rigid,
        rigid_scale=rigid_scale,
        loss=loss,
        loss_scale=loss_scale,
        tolerance=tolerance,
        max_iterations=max_iterations,
        lengthened=lengthened,
        threads=threads,
        progress=progress,
    )
    return _solved_with_warnings(request)


def _solved_with_warnings(request: Request) -> Solution:
    """Solve, and warn the caller of ``solve`` if an alpha that was given keeps every weight at rest."""
    request = checked(request)
    solution, problem = solve_request(request)
    note = all_at_rest(problem) if request.has_given_alpha else None
    if note is not None:
        solution.warnings.append(note)
        warnings.warn(note, SparsityWarning, stacklevel=3)
    solution.warnings += lost_shapes(problem, solution)
    return solution
