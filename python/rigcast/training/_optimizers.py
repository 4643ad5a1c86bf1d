"""First-order optimizers over named tensors whose state can be written to a file: Adam, and SOAP."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[np.float32]]

EPSILON = 1e-8
DECAY = 0.95  # SOAP's b1, b2 and the memory of its second moments
REFRESH = 20  # steps between two updates of SOAP's bases
SIDES = (("left", "rows", 1), ("right", "columns", 2))  # of a weight: eigenbasis, moments, axis


class Optimizer(Protocol):
    """Steps that change weights in place, and everything the next step depends on, as arrays."""

    def step(self, rate: float) -> None:
        """One step down the gradients that the weights hold."""

    def arrays(self) -> Arrays:
        """The state, copied."""

    def restore(self, arrays: Arrays) -> None:
        """Go on from a state."""


class Adam:
    """Kingma & Ba 2014 with b1 0.9, b2 0.999, epsilon 1e-8, as in Bailey et al. 2018.

    ``factors``: times the learning rate, by name of a weight; 1 for the others.
    """

    def __init__(self, torch: Any, weights: dict[str, Any], factors: Mapping[str, float] | None = None) -> None:
        self._torch, self._weights = torch, weights
        known = factors or {}
        groups = [{"params": [weight], "factor": known.get(name, 1.0)} for name, weight in weights.items()]
        self._adam = torch.optim.Adam(groups, lr=1.0, betas=(0.9, 0.999), eps=EPSILON, fused=True)

    def step(self, rate: float) -> None:
        """See :class:`Optimizer`."""
        for group in self._adam.param_groups:
            group["lr"] = rate * group["factor"]
        self._adam.step()

    def arrays(self) -> Arrays:
        """See :class:`Optimizer`."""
        return {
            f"{name}.{key}": value.cpu().numpy().copy()
            for name, weight in self._weights.items()
            for key, value in self._adam.state[weight].items()
        }

    def restore(self, arrays: Arrays) -> None:
        """See :class:`Optimizer`."""
        for name, weight in self._weights.items():
            state = {key: self._torch.from_numpy(arrays[f"{name}.{key}"].copy()) for key in ("exp_avg", "exp_avg_sq")}
            state = {key: value.to(weight.device) for key, value in state.items()}
            count = self._torch.from_numpy(arrays[f"{name}.step"].copy())
            self._adam.state[weight] = {"step": count, **state}


class Soap:
    """Adam in the eigenbases of the gradients' second moments (Vyas et al. 2024, algorithm 3), batched over sets.

    For a weight (S, a, b) with gradient G: L = E[G G^T], R = E[G^T G] with eigenvectors Q_L, Q_R; Adam runs on
    Q_L^T G Q_R. The eigenvectors are refreshed every ``REFRESH`` steps by one step of the QR algorithm. Tensors with
    a side of 1 (biases) are left to plain Adam, and a side of more than ``largest`` keeps its own basis. The first
    gradient only starts the bases: in its own eigenbasis it is diagonal, and all else would be rounding blown up to
    full steps.
    """

    def __init__(self, torch: Any, weights: dict[str, Any], largest: float = math.inf) -> None:
        self._torch, self._weights, self._largest = torch, weights, largest
        self._count = 0
        self._state: dict[str, dict[str, Any]] = {name: {} for name in weights}

    def step(self, rate: float) -> None:
        """See :class:`Optimizer`."""
        with self._torch.no_grad():
            for name, weight in self._weights.items():
                if self._count == 0:
                    self._begin(self._state[name], weight.grad)
                else:
                    weight.add_(self._direction(self._state[name], weight.grad), alpha=-rate)
        self._count += 1

    def arrays(self) -> Arrays:
        """See :class:`Optimizer`."""
        state = {
            f"{name}.{key}": value.cpu().numpy().copy()
            for name, entries in self._state.items()
            for key, value in entries.items()
        }
        return state | {"count": np.array(self._count, np.float32)}

    def restore(self, arrays: Arrays) -> None:
        """See :class:`Optimizer`."""
        self._count = int(arrays["count"])
        for full, value in arrays.items():
            if "." in full:
                name, _, key = full.rpartition(".")
                self._state[name][key] = self._torch.from_numpy(value.copy()).to(self._weights[name].device)

    def _direction(self, state: dict[str, Any], gradient: Any) -> Any:
        turned = _into(state, gradient)
        state["mean"].lerp_(gradient, 1.0 - DECAY)
        state["square"].mul_(DECAY).addcmul_(turned, turned, value=1.0 - DECAY)
        correction = 1.0 - DECAY**self._count
        mean = _into(state, state["mean"])
        step = (mean / correction) / ((state["square"] / correction).sqrt() + EPSILON)
        if "left" in state:
            step = state["left"] @ step
            state["rows"].lerp_(gradient @ gradient.mT, 1.0 - DECAY)
        if "right" in state:
            step = step @ state["right"].mT
            state["columns"].lerp_(gradient.mT @ gradient, 1.0 - DECAY)
        if self._count % REFRESH == 0:
            for basis, moments, axis in SIDES:
                if basis in state:
                    self._refresh(state, basis, moments, axis)
        return step

    def _begin(self, state: dict[str, Any], gradient: Any) -> None:
        torch = self._torch
        state["mean"], state["square"] = torch.zeros_like(gradient), torch.zeros_like(gradient)
        if min(gradient.shape[1:]) <= 1:
            return
        for basis, moments, axis in SIDES:
            if gradient.shape[axis] <= self._largest:
                state[moments] = gradient @ gradient.mT if axis == 1 else gradient.mT @ gradient
                state[basis] = _eigenvectors(torch, state[moments])

    def _refresh(self, state: dict[str, Any], basis: str, moments: str, axis: int) -> None:
        """One QR step towards the eigenvectors, largest first; the squares follow the new order."""
        moved = state[moments] @ state[basis]
        order = (state[basis] * moved).sum(dim=1).argsort(dim=1, descending=True, stable=True)
        columns = order[:, None, :].expand_as(moved)
        state[basis] = self._torch.linalg.qr(moved.gather(2, columns))[0].contiguous()
        along = order[:, :, None] if axis == 1 else order[:, None, :]
        state["square"] = state["square"].gather(axis, along.expand_as(state["square"]))


def _into(state: dict[str, Any], gradient: Any) -> Any:
    """A gradient in the eigenbases of the sides that have one."""
    turned = state["left"].mT @ gradient if "left" in state else gradient
    return turned @ state["right"] if "right" in state else turned


def _eigenvectors(torch: Any, moments: Any) -> Any:
    """Eigenvectors of symmetric matrices (S, a, a).

    Those of a gradient of low rank can be so near to singular that LAPACK finds none in float32: it gives NaN or an
    error. Then in float64, scaled.
    """
    try:
        found = torch.linalg.eigh(moments)[1]
    except torch.linalg.LinAlgError:
        found = torch.full_like(moments, torch.nan)
    if torch.isfinite(moments).all() and not torch.isfinite(found).all():
        scale = moments.abs().amax(dim=(1, 2), keepdim=True).clamp_min(torch.finfo(moments.dtype).tiny)
        found = torch.linalg.eigh(moments.double() / scale.double())[1].to(moments.dtype)
    return found.contiguous()
