"""The arguments of one solve as a record: made and checked once, replaced by the steps of the solve after that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, TypeGuard, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._device_report import check_device
from rigcast._validate import Arguments, bad_argument, check_threads
from rigcast.inverse import _on_cuda as on_cuda
from rigcast.inverse._choices.loss import NAMES, SQUARED
from rigcast.inverse._gram import Gram
from rigcast.inverse._shot import DeviceTargets, check_on_host, frames_of, on_host
from rigcast.progress import ProgressCallback, ProgressOption, as_callback

AUTO: Literal["auto"] = "auto"
TOGETHER: Literal["together"] = "together"  # of ``rigid``: the motion is found with the weights
MOST_ITERATIONS = 2**31 - 1

METHODS = ("descent", "mm", "mm_cet", "cet", "cet_loc", "seol", "sqp")
TEMPORAL = {"descent"}  # solve a shot with a temporal term
STEPPING = {"mm", "mm_cet"}  # whose steps may be lengthened

#: How a solve finds the motion of the head: not at all, as its data allow, on vertices that rest, or on these vertices.
Rigid: TypeAlias = ArrayLike | Literal["auto", "rest"] | None


@dataclass(frozen=True)
class Request:
    """The arguments of ``rigcast.inverse.solve``; the rig, its vertices and their weights are a Gram matrix.

    Attributes
    ----------
    gram : Gram
    targets, method, alpha, smoothness, init, device, relative_alpha, bounds, joint, fixed, priors, symmetric, rigid, \
rigid_scale, loss, loss_scale, tolerance, max_iterations, lengthened, threads, progress
        As in ``solve``; ``rigid`` may also be ``"together"``.
    """

    gram: Gram
    targets: ArrayLike | DeviceTargets
    method: str = "descent"
    alpha: float | str = AUTO
    smoothness: float | str = 0.0
    init: ArrayLike | None = None
    device: str = "cpu"
    relative_alpha: float | None = None
    bounds: ArrayLike | None = None
    joint: bool | None = None
    fixed: ArrayLike | None = None
    priors: tuple[ArrayLike, ArrayLike] | None = None
    symmetric: Sequence[tuple[int | str, int | str]] | None = None
    rigid: Rigid | Literal["together"] = None
    rigid_scale: bool = False
    loss: str = SQUARED
    loss_scale: float | str = AUTO
    tolerance: float = 1e-9
    max_iterations: int | None = None
    lengthened: bool = False
    threads: int = 0
    progress: ProgressOption = None

    @property
    def host_targets(self) -> ArrayLike:
        """The targets, where all of them must be in host memory."""
        return cast("ArrayLike", on_host(self.targets))

    @property
    def show(self) -> ProgressCallback:
        """Reports progress."""
        return as_callback(self.progress)

    @property
    def is_robust(self) -> bool:
        """True if far vertices pull less than squares make them."""
        return self.loss != SQUARED

    @property
    def needs_training_frames(self) -> bool:
        """True if alpha or the scale of a loss is to be chosen by solves of training frames."""
        return is_auto(self.alpha) or (self.is_robust and is_auto(self.loss_scale))

    @property
    def has_open_terms(self) -> bool:
        """True if alpha or the scale of a loss depends on the problem."""
        return self.relative_alpha is not None or self.needs_training_frames

    @property
    def waits_for_weights(self) -> bool:
        """True if a solve without the temporal term must come first.

        It measures what a solve with the term, which starts there, cannot: the smoothness that noise and motion ask
        for, and what the term takes from the motion, which the scale of a loss has to cover.
        """
        if is_auto(self.smoothness):
            return True
        return self.is_robust and is_auto(self.loss_scale) and float(self.smoothness) > 0.0

    @property
    def has_given_alpha(self) -> bool:
        """True if the caller chose alpha, as a number or as a share."""
        return not is_auto(self.alpha) or self.relative_alpha is not None


def is_auto(term: object) -> TypeGuard[Literal["auto"]]:
    """Return True if a term is to be chosen by the solve."""
    return isinstance(term, str) and term == AUTO


def checked(request: Request) -> Request:
    """Check what needs neither the rig nor another argument's array; ``progress`` becomes a callback.

    Shapes of arrays are checked by :func:`make_problem`; the box and the values of alpha, smoothness and priors by the
    engine's problem that it makes; ``rigid`` and ``relative_alpha`` by the steps that replace them.

    Raises
    ------
    ValueError
        Naming argument, value and bound.
    """
    if not isinstance(request.method, str) or request.method not in METHODS:
        raise bad_argument("solve", "method", repr(request.method), "one of: " + ", ".join(METHODS))
    _check_options(request)
    _check_device(request)
    _check_smoothness(request)
    _check_loss(request)
    if not isinstance(request.lengthened, (bool, np.bool_)):
        raise bad_argument("solve", "lengthened", repr(request.lengthened), "True or False")
    if request.lengthened and request.method not in STEPPING:
        raise bad_argument("solve", "lengthened", f"True with method {request.method!r}", "False")
    if not isinstance(request.rigid_scale, (bool, np.bool_)):
        raise bad_argument("solve", "rigid_scale", repr(request.rigid_scale), "True or False")
    return replace(_placed(request), progress=as_callback(request.progress))


def at(request: Request, frames: slice | NDArray[np.int64]) -> Request:
    """Return the request for some frames of a shot (T, M, 3), with the rows of what has a frame axis."""

    def cut(values: ArrayLike) -> ArrayLike:
        return np.asarray(values)[frames] if np.ndim(values) == 2 else values

    init, fixed, priors = request.init, request.fixed, request.priors
    return replace(
        request,
        targets=frames_of(request.targets, frames),
        init=None if init is None else cut(init),
        fixed=None if fixed is None else cut(fixed),
        priors=None if priors is None else (cut(priors[0]), cut(priors[1])),
    )


def _check_options(request: Request) -> None:
    number = isinstance(request.tolerance, (int, float, np.number))
    if not (number and np.isfinite(request.tolerance) and request.tolerance >= 0):
        raise bad_argument("solve", "tolerance", repr(request.tolerance), "a finite number >= 0")
    most, whole = request.max_iterations, isinstance(request.max_iterations, (int, np.integer))
    if most is not None and not (whole and 1 <= most <= MOST_ITERATIONS):
        raise bad_argument("solve", "max_iterations", repr(most), f"a whole number from 1 to {MOST_ITERATIONS}")
    check_threads("solve", request.threads)
    if request.joint is not None and not isinstance(request.joint, bool):
        raise bad_argument("solve", "joint", repr(request.joint), "True, False or None")


def _check_device(request: Request) -> None:
    if request.device == "cpu":
        return
    if request.method != "descent":
        raise bad_argument("solve", "device", f"{request.device!r} with method {request.method!r}", "'cpu'")
    check_device("solve", request.device)


def _placed(request: Request) -> Request:
    """Return the request with targets on a device as `DeviceTargets`; refuse those where they cannot stay there."""
    if request.device != "cuda":
        check_on_host("solve", request.targets, f"in host memory with device {request.device!r}, or device 'cuda'")
        return request
    shot = on_cuda.targets_on_device(request.targets)
    if shot is None:
        return request
    if request.rigid is not None:
        check_on_host("solve", shot, "in host memory with rigid, which moves them")
    if request.is_robust:
        check_on_host("solve", shot, f"in host memory with loss {request.loss!r}, which moves them")
    return replace(request, targets=shot)


def _check_smoothness(request: Request) -> None:
    smoothness = request.smoothness
    number = isinstance(smoothness, (int, float, np.number))
    for name, value in (("alpha", request.alpha), ("smoothness", smoothness)):
        if not (isinstance(value, (int, float, np.number)) or is_auto(value)):
            raise bad_argument("solve", name, repr(value), 'a finite number >= 0, or "auto"')
    if request.method not in TEMPORAL and (not number or float(smoothness) > 0):
        got = f"{smoothness:g}" if number else repr(smoothness)
        raise bad_argument("solve", "smoothness", f"{got} with method {request.method!r}", "0")


def _check_loss(request: Request) -> None:
    """Refuse what is no loss, and what a loss other than the square does not go with."""
    loss, scale = request.loss, request.loss_scale
    if not isinstance(loss, str) or loss not in NAMES:
        raise bad_argument("solve", "loss", repr(loss), "one of: " + ", ".join(NAMES))
    if scale != AUTO and not Arguments("solve").number("loss_scale", scale, least=0.0) > 0.0:
        raise bad_argument("solve", "loss_scale", repr(scale), 'a finite number > 0, or "auto"')
    if loss == SQUARED:
        if scale != AUTO:
            raise bad_argument("solve", "loss_scale", f"{scale!r} with loss 'squared'", '"auto"')
    elif request.method != "descent":
        raise bad_argument("solve", "loss", f"{loss!r} with method {request.method!r}", "'squared'")
    elif request.joint is False:
        raise bad_argument("solve", "loss", f"{loss!r} with joint=False", "'squared'")
