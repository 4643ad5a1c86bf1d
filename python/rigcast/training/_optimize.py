"""Training all networks together: a schedule that keeps a budget, early stop, resumable to the same bits."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from rigcast._interrupts import held_back
from rigcast.errors import NumericalError
from rigcast.training._budget import Budget, required_torch
from rigcast.training._checkpoint import TrainingState
from rigcast.training._optimizers import Adam, Arrays, Optimizer, Soap
from rigcast.training._pace import Pace, ThreadChoice

EVALUATIONS = 50  # of the held-out error, spread over the budget
WARM_UP = 0.02  # part of the budget in which the cosine schedule rises
CHECKPOINT_SECONDS = 10.0


@dataclass(frozen=True)
class Allowance:
    """Steps, seconds of steps and evaluations, or both; None does not limit.

    ``measured_threads``: the number of threads is the faster of one and all, measured on the steps.
    """

    steps: int | None
    seconds: float | None
    measured_threads: bool = False

    def spent(self, state: TrainingState) -> float:
        """Part of the budget that is used up, 0 to 1."""
        by_steps = state.step / self.steps if self.steps is not None else 0.0
        by_time = state.seconds / max(self.seconds, 1e-9) if self.seconds is not None else 0.0
        return min(max(by_steps, by_time), 1.0)

    def out_of_time(self, state: TrainingState) -> bool:
        """Return True if the seconds are used up."""
        return self.seconds is not None and state.seconds >= self.seconds


class DescentSettings(Protocol):
    """The settings that the steps of a training depend on: see :class:`rigcast.training.BodySettings`."""

    @property
    def batch(self) -> int: ...
    @property
    def optimizer(self) -> str: ...
    @property
    def learning_rate(self) -> float: ...
    @property
    def schedule(self) -> str: ...
    @property
    def patience(self) -> int: ...


def rate(settings: DescentSettings, spent: float) -> float:
    """Learning rate when a part of the budget is spent."""
    if settings.schedule == "constant":
        return settings.learning_rate
    if settings.schedule == "thirds":
        return settings.learning_rate * 0.1 ** min(int(3.0 * spent), 2)
    if spent < WARM_UP:
        return settings.learning_rate * (0.05 + 0.95 * spent / WARM_UP)
    down = (spent - WARM_UP) / (1.0 - WARM_UP)
    return settings.learning_rate * 0.5 * (1.0 + math.cos(math.pi * down))


class Descent(ABC):
    """Steps of a first-order optimizer within a budget: evaluated, saved, and resumed to the same bits.

    A subclass says what is learned: its first weights, the loss of a step, and the held-out loss. The loss of a step
    must depend on the number of the step and the weights alone.

    Parameters
    ----------
    settings : DescentSettings
    budget : Budget
        Its seed, its device, and the function that errors name.
    """

    largest_side = math.inf  # of a weight that SOAP rotates

    def __init__(self, settings: DescentSettings, budget: Budget) -> None:
        self.torch = required_torch()
        self.descent_settings, self.budget, self.device = settings, budget, budget.device
        self._weights: dict[str, Any] = {}
        self._optimizer: Optimizer

    @abstractmethod
    def start(self) -> TrainingState:
        """Initial weights, nothing done."""

    @abstractmethod
    def _loss(self, step: int) -> Any:
        """The loss of a step, from which gradients of the weights follow."""

    @abstractmethod
    def _held_out_loss(self) -> float:
        """The loss on held-out rows; without gradients."""

    def run(
        self,
        state: TrainingState,
        allowance: Allowance,
        report: Callable[[TrainingState, Arrays], None],
        keep: Callable[[TrainingState], None],
    ) -> TrainingState:
        """Train until the budget is spent or the held-out loss stops falling.

        Parameters
        ----------
        state : TrainingState
            From :meth:`start` or a checkpoint; changed and returned.
        report : callable
            Given the state and the present weights at every evaluation of the held-out loss.
        keep : callable
            Given the state now and then and at the end, to be written to a file.

        Raises
        ------
        NumericalError
            If the loss is no longer finite.
        """
        self._restore(state)
        pace = self._pace(allowance)
        begun, earlier = time.monotonic(), state.seconds
        saved, evaluated = begun, int(allowance.spent(state) * EVALUATIONS)
        with held_back() as interrupted:
            while self._goes_on(state, allowance, pace) and not interrupted():
                learning_rate = rate(self.descent_settings, allowance.spent(state))
                pace.step(partial(self._step, state.step, learning_rate))
                state.step += 1
                state.seconds = earlier + time.monotonic() - begun
                if int(allowance.spent(state) * EVALUATIONS) > evaluated and pace.is_due():
                    evaluated = int(allowance.spent(state) * EVALUATIONS)
                    pace.evaluate(lambda: report(state, self._evaluate(state)))
                if time.monotonic() - saved > CHECKPOINT_SECONDS:
                    self._collect(state)
                    keep(state)
                    saved = time.monotonic()
            # What is left is too short for a step.
            if allowance.seconds is not None and pace.pending and not interrupted():
                state.seconds = max(state.seconds, allowance.seconds)
                report(state, self._evaluate(state))
            self._collect(state)
            keep(state)
            if interrupted():
                raise KeyboardInterrupt
        return state

    def _goes_on(self, state: TrainingState, allowance: Allowance, pace: Pace) -> bool:
        """Return True if neither the budget nor the patience is used up."""
        patient = state.stale < self.descent_settings.patience
        return allowance.spent(state) < 1.0 and patient and pace.fits(state.seconds)

    def _pace(self, allowance: Allowance) -> Pace:
        """Times steps; with a budget of seconds alone they may choose their number of threads."""
        threads = None
        if allowance.measured_threads and not self.device.startswith("cuda"):
            threads = ThreadChoice(self.torch.set_num_threads, self.torch.get_num_threads(), time.monotonic)
        return Pace(allowance.seconds, threads, time.monotonic)

    def _step(self, step: int, learning_rate: float) -> None:
        loss = self._loss(step)
        for weight in self._weights.values():
            weight.grad = None
        loss.backward()
        self._optimizer.step(learning_rate)

    def _evaluate(self, state: TrainingState) -> Arrays:
        """The weights now; the state remembers those with the lowest held-out loss."""
        with self.torch.no_grad():
            loss = self._held_out_loss()
        if not math.isfinite(loss):
            raise NumericalError(
                f"{self.budget.function}: the held-out error is {loss} after {state.step} steps; lower learning_rate"
            )
        weights = {name: self._array(value.detach()) for name, value in self._weights.items()}
        state.stale += 1
        if loss < state.best_loss:
            state.best_loss, state.stale = loss, 0
            state.best = weights
        return weights

    def _restore(self, state: TrainingState) -> None:
        self._weights = {name: self._tensor(value.copy()).requires_grad_() for name, value in state.parameters.items()}
        self._optimizer = self._new_optimizer()
        if state.optimizer:
            self._optimizer.restore(state.optimizer)

    def _new_optimizer(self) -> Optimizer:
        if self.descent_settings.optimizer == "soap":
            return Soap(self.torch, self._weights, self.largest_side)
        return Adam(self.torch, self._weights)

    def _collect(self, state: TrainingState) -> None:
        state.parameters = {name: self._array(weight.detach()) for name, weight in self._weights.items()}
        state.optimizer = self._optimizer.arrays()

    def _tensor(self, array: Any) -> Any:
        return self.torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    @staticmethod
    def _array(tensor: Any) -> Any:
        return tensor.cpu().numpy().copy()
