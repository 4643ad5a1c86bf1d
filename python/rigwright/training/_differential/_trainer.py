"""Training both groups of networks together, resumable to the same bits."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigwright._extras import require
from rigwright._interrupts import held_back
from rigwright.errors import NumericalError
from rigwright.training._checkpoint import State
from rigwright.training._differential._networks import Group, Problem, forward
from rigwright.training._optimize import CHECKPOINT_SECONDS, EVALUATIONS, WARM_UP, Budget
from rigwright.training._optimizers import Adam, Arrays, Optimizer, Soap


class Sgd:
    """Plain gradient descent: the optimizer of Song et al. 2020."""

    def __init__(self, torch: Any, weights: dict[str, Any]) -> None:
        self._torch, self._weights = torch, weights

    def step(self, rate: float) -> None:
        """See :class:`rigwright.training._optimizers.Optimizer`."""
        with self._torch.no_grad():
            for weight in self._weights.values():
                weight.add_(weight.grad, alpha=-rate)

    def arrays(self) -> Arrays:
        """No state but that there is one."""
        return {"count": np.zeros((), np.float32)}

    def restore(self, arrays: Arrays) -> None:
        """Nothing to restore."""


OPTIMIZERS: dict[str, Callable[[Any, dict[str, Any]], Optimizer]] = {"soap": Soap, "adam": Adam, "sgd": Sgd}


class Trainer:
    """A first-order optimizer on the networks of a problem.

    Losses, per batch: of the anchors the mean squared error of the scaled targets; of the differential network the same
    ("displacement": the targets are coordinates in which lengths are displacements), or the mean absolute error of the
    delta coordinates that the coefficients give ("delta").

    What is judged on held-out rows, whatever the loss, is the root of the mean squared displacement that the errors of
    both cause. The order of the batches follows from seed and epoch.
    """

    def __init__(self, problem: Problem, device: str) -> None:
        self.torch = torch = require("torch", extra="training", purpose="training a model")
        self.problem, self.settings, self.device = problem, problem.settings, device
        train, held = problem.training, ~problem.training
        self.data = {
            group.name: tuple(
                self._tensor(array[:, rows]) for rows in (train, held) for array in (group.inputs, group.targets)
            )
            for group in problem.groups
        }
        self.batch = min(self.settings.batch, int(train.sum()))
        self.batches = int(train.sum()) // self.batch
        self.rows = int(train.sum())
        self.basis: Any = None
        if self.settings.loss == "delta":
            self.basis = self._tensor(problem.labels.basis.T * np.float32(problem.network.scale[0]))
        self._epoch, self._order = -1, torch.empty(0)
        self._weights: dict[str, Any] = {}
        self._optimizer: Optimizer

    def start(self) -> State:
        """Initial weights, nothing done."""
        parameters = self.problem.initial()
        return State(parameters=parameters, best=parameters)

    def run(
        self, state: State, budget: Budget, report: Callable[[State, float], None], keep: Callable[[State], None]
    ) -> State:
        """Train until the budget is spent or the held-out error stops falling.

        Parameters
        ----------
        state : State
            From :meth:`start` or a checkpoint; changed and returned.
        report : callable
            Given the state and the held-out error at every evaluation.
        keep : callable
            Given the state now and then and at the end.

        Raises
        ------
        NumericalError
            If the error is no longer finite.
        """
        self._restore(state)
        begun, earlier = time.monotonic(), state.seconds
        saved, evaluated = begun, int(budget.spent(state) * EVALUATIONS)
        with held_back() as interrupted:
            while budget.spent(state) < 1.0 and state.stale < self.settings.patience and not interrupted():
                self._step(state.step, self._rate(budget.spent(state)))
                state.step += 1
                state.seconds = earlier + time.monotonic() - begun
                if int(budget.spent(state) * EVALUATIONS) > evaluated:
                    evaluated = int(budget.spent(state) * EVALUATIONS)
                    report(state, self._judge(state))
                if time.monotonic() - saved > CHECKPOINT_SECONDS:
                    self._collect(state)
                    keep(state)
                    saved = time.monotonic()
            self._collect(state)
            keep(state)
            if interrupted():
                raise KeyboardInterrupt
        return state

    def held_out_error(self) -> float:
        """The root of the mean squared displacement of a vertex that the errors cause on held-out rows."""
        total = 0.0
        with self.torch.no_grad():
            for group in self.problem.groups:
                _, _, inputs, targets = self.data[group.name]
                error = forward(self.torch, group, self._weights, inputs) - targets
                total += self._squared(group, error)
        return math.sqrt(total / (len(self.problem.labels.mean) // 3)) if total >= 0.0 else math.nan

    def _squared(self, group: Group, error: Any) -> float:
        if group.name == "network" and self.settings.loss == "delta":
            error = error @ self._tensor(self.problem.labels.metric.astype(np.float32))
        importance = self._tensor(group.importance.astype(np.float32))
        return float((error.square().sum(dim=2).mean(dim=1) * importance).sum())

    def _rate(self, spent: float) -> float:
        if self.settings.schedule == "constant":
            return self.settings.learning_rate
        if spent < WARM_UP:
            return self.settings.learning_rate * (0.05 + 0.95 * spent / WARM_UP)
        down = (spent - WARM_UP) / (1.0 - WARM_UP)
        return self.settings.learning_rate * 0.5 * (1.0 + math.cos(math.pi * down))

    def _step(self, step: int, learning_rate: float) -> None:
        epoch, index = divmod(step, self.batches)
        if epoch != self._epoch:
            order = np.random.default_rng([self.settings.seed, 3, epoch]).permutation(self.rows)
            self._epoch, self._order = epoch, self._tensor(order)
        rows = self._order[index * self.batch : (index + 1) * self.batch]
        loss: Any = 0.0
        for group in self.problem.groups:
            inputs, targets = self.data[group.name][:2]
            error = forward(self.torch, group, self._weights, inputs[:, rows]) - targets[:, rows]
            if group.name == "network" and self.basis is not None:
                loss = loss + (error[0] @ self.basis).abs().mean()
            else:
                loss = loss + error.square().mean(dim=(1, 2)).sum()
        for weight in self._weights.values():
            weight.grad = None
        loss.backward()
        self._optimizer.step(learning_rate)

    def _judge(self, state: State) -> float:
        """The held-out error; the state remembers the weights of the lowest."""
        error = self.held_out_error()
        if not math.isfinite(error):
            raise NumericalError(
                f"differential: the held-out error is {error} after {state.step} steps; lower learning_rate"
            )
        state.stale += 1
        if error < state.best_loss:
            state.best_loss, state.stale = error, 0
            state.best = {name: self._array(value.detach()) for name, value in self._weights.items()}
        return error

    def _restore(self, state: State) -> None:
        self._weights = {name: self._tensor(value.copy()).requires_grad_() for name, value in state.parameters.items()}
        self._optimizer = OPTIMIZERS[self.settings.optimizer](self.torch, self._weights)
        if state.optimizer:
            self._optimizer.restore(state.optimizer)

    def _collect(self, state: State) -> None:
        state.parameters = {name: self._array(weight.detach()) for name, weight in self._weights.items()}
        state.optimizer = self._optimizer.arrays()

    def _tensor(self, array: NDArray[Any]) -> Any:
        return self.torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    @staticmethod
    def _array(tensor: Any) -> Any:
        return tensor.cpu().numpy().copy()
