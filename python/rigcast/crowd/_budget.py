"""The level of detail that a budget of what people see allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig
from rigcast._shown import one_line
from rigcast._validate import FPS, Arguments
from rigcast.crowd._arguments import checked_clips, checked_order, checked_rig
from rigcast.crowd._detail import Camera, LevelOfDetail
from rigcast.crowd._importance import importance_order
from rigcast.perception import Viewing, VisualBudget, seen_difference


@one_line
@dataclass(frozen=True)
class DetailChoice:
    """A prefix that stays within a budget.

    Attributes
    ----------
    prefix : int
        Shapes of ``order`` to evaluate.
    order : (K,) int32
    amount : float
        What is lost with this prefix, in the budget's unit, over all clips. In pixels: no vertex is farther off.
    budget : rigcast.perception.VisualBudget
    """

    prefix: int
    order: NDArray[np.int32]
    amount: float
    budget: VisualBudget

    def __repr__(self) -> str:
        chosen = f"{self.prefix} of {len(self.order)} shapes"
        return f"<DetailChoice: {chosen}, {self.amount:.3g} {self.budget.unit} for {self.budget}>"


def level_of_detail(
    rig: BlendshapeRig,
    weights: ArrayLike | Sequence[ArrayLike],
    budget: VisualBudget | str,
    *,
    order: ArrayLike | None = None,
    fps: float = FPS,
) -> DetailChoice:
    """Choose how many shapes of a rig a viewer needs.

    Parameters
    ----------
    rig : BlendshapeRig
    weights : (T, K), or a sequence of clips (T_i, K)
        Frames that are played.
    budget : rigcast.perception.VisualBudget or str
        "1px at 2m": no vertex is farther off on the screen (:class:`LevelOfDetail`, face on). "0.5 jod at 2m": each
        clip, drawn with the prefix, loses at most so much (:func:`rigcast.perception.jod_loss`). Quality is
        taken to rise with the prefix: the search halves the range, and draws every clip at each of its steps.
    order : (K,) integers, optional
        Shapes, most important first. Default: :func:`importance_order` by ``"screen_motion"`` as this viewer sees it.
    fps : float
        Frames per second, for JOD; 30 unless stated.

    Returns
    -------
    DetailChoice

    Raises
    ------
    ValueError
        If the budget says nothing of the kind, the order is no permutation, weights are no clips of the rig, or there
        is no face to see.
    MissingExtra
        For JOD, without cvvdp and PyTorch.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> clip = np.random.default_rng(0).uniform(0, 1, (24, rig.num_shapes))
    >>> near, far = (rc.crowd.level_of_detail(rig, clip, f"1px at {meters}m") for meters in (1, 30))
    >>> near.prefix > far.prefix
    True
    """
    checked_rig("level_of_detail", rig)
    rate = Arguments("level_of_detail").rate("fps", fps)
    if not isinstance(budget, VisualBudget):
        budget = VisualBudget.of(budget)
    if order is None:
        order = importance_order(rig, "screen_motion", viewing=budget.viewing)
    shapes = checked_order("level_of_detail", order, rig.num_shapes)
    if budget.unit == "px":
        return _by_pixels(rig, weights, budget, shapes)
    clips = checked_clips("level_of_detail", "weights", weights, rig)
    return _by_quality(rig, clips, budget, shapes, rate)


def _by_pixels(
    rig: BlendshapeRig, weights: ArrayLike | Sequence[ArrayLike], budget: VisualBudget, order: NDArray[np.int32]
) -> DetailChoice:
    viewing: Viewing = budget.viewing
    detail = LevelOfDetail(rig, order, weights)
    camera, distance = Camera(viewing.field_of_view, viewing.image_height), viewing.distance / rig.meters_per_unit
    prefix = int(detail.prefix(distance, camera, budget.amount))
    return DetailChoice(prefix, order, float(detail.screen_error(prefix, distance, camera)), budget)


def _by_quality(
    rig: BlendshapeRig, clips: list[NDArray[np.float32]], budget: VisualBudget, order: NDArray[np.int32], fps: float
) -> DetailChoice:
    whole = [rig.evaluate(clip) for clip in clips]

    def lost(prefix: int) -> float:
        dropped = order[prefix:]
        amounts = []
        for clip, truth in zip(clips, whole, strict=True):
            kept = clip.copy()
            kept[:, dropped] = 0.0
            found = seen_difference(
                truth,
                rig.evaluate(kept),
                rig.faces,
                budget=budget,
                meters_per_unit=rig.meters_per_unit,
                up_axis=rig.up_axis,
                fps=fps,
            )
            amounts.append(found.amount)
        return max(amounts)

    low, high, amount = 0, len(order), 0.0  # high is always within the budget: with all shapes nothing is lost
    while low < high:
        middle = (low + high) // 2
        found = lost(middle)
        if found <= budget.amount:
            high, amount = middle, found
        else:
            low = middle + 1
    return DetailChoice(high, order, amount, budget)
