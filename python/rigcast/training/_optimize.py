"""Training all networks together: a schedule that keeps a budget, early stop, resumable to the same bits."""

from __future__ import annotations

import contextlib
import math
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from rigcast._extras import require
from rigcast._interrupts import held_back
from rigcast.errors import NumericalError
from rigcast.training._checkpoint import State
from rigcast.training._networks import Problem, forward, initial_parameters
from rigcast.training._optimizers import Adam, Arrays, Optimizer, Soap
from rigcast.training._pace import Pace, ThreadChoice
from rigcast.training._settings import BodySettings

EVALUATIONS = 50  # of the held-out error, spread over the budget
WARM_UP = 0.02  # part of the budget in which the cosine schedule rises
CHECKPOINT_SECONDS = 10.0


@dataclass(frozen=True)
class Budget:
    """Steps, seconds of steps and evaluations, or both; None does not limit.

    ``measured_threads``: the number of threads is the faster of one and all, measured on the steps.
    """

    steps: int | None
    seconds: float | None
    measured_threads: bool = False

    def spent(self, state: State) -> float:
        """Part of the budget that is used up, 0 to 1."""
        by_steps = state.step / self.steps if self.steps is not None else 0.0
        by_time = state.seconds / max(self.seconds, 1e-9) if self.seconds is not None else 0.0
        return min(max(by_steps, by_time), 1.0)

    def out_of_time(self, state: State) -> bool:
        """Whether the seconds are used up."""
        return self.seconds is not None and state.seconds >= self.seconds


class DescentSettings(Protocol):
    """What the steps of a training depend on, beside what is learned: see :class:`BodySettings`."""

    @property
    def seed(self) -> int: ...
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


@contextlib.contextmanager
def torch_settings(torch: Any, threads: int, device: str) -> Iterator[None]:
    """Deterministic algorithms and a number of threads for the block; restored afterwards.

    0 threads: PyTorch's own number, which is all processors of the process unless OMP_NUM_THREADS says otherwise.
    NumPy's factorizations run on one thread in the whole process meanwhile: theirs wait for each other in a loop, and
    on a machine with other work a budget of one minute became seven.
    """
    pools = require("threadpoolctl", extra="training", purpose="training a model")
    if device.startswith("cuda"):
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # cuBLAS is deterministic only with it
    before = torch.get_num_threads()
    strictness = torch.get_deterministic_debug_mode()
    filled = torch.utils.deterministic.fill_uninitialized_memory
    if threads:
        torch.set_num_threads(threads)
    torch.set_deterministic_debug_mode("error")  # use_deterministic_algorithms would load PyTorch's compiler first
    torch.utils.deterministic.fill_uninitialized_memory = False  # nothing reads it, and filling takes time
    try:
        with pools.threadpool_limits(limits=1, user_api="blas"):
            yield
    finally:
        torch.utils.deterministic.fill_uninitialized_memory = filled
        torch.set_deterministic_debug_mode(strictness)
        torch.set_num_threads(before)


class Descent(ABC):
    """Steps of a first-order optimizer within a budget: evaluated, saved, and resumed to the same bits.

    A subclass says what is learned: its first weights, the loss of a step, and the held-out loss. The loss of a step
    must depend on the number of the step and the weights alone.

    Parameters
    ----------
    settings : DescentSettings
    device : str
    function : str
        Named in errors.
    """

    largest_side = math.inf  # of a weight that SOAP rotates

    def __init__(self, settings: DescentSettings, device: str, function: str) -> None:
        self.function = function
        self.torch = require("torch", extra="training", purpose="training a model")
        self.descent_settings, self.device = settings, device
        self._weights: dict[str, Any] = {}
        self._optimizer: Optimizer

    @abstractmethod
    def start(self) -> State:
        """Initial weights, nothing done."""

    @abstractmethod
    def _loss(self, step: int) -> Any:
        """The loss of a step, from which gradients of the weights follow."""

    @abstractmethod
    def _held_out_loss(self) -> float:
        """The loss on held-out rows; without gradients."""

    def run(
        self, state: State, budget: Budget, report: Callable[[State, Arrays], None], keep: Callable[[State], None]
    ) -> State:
        """Train until the budget is spent or the held-out loss stops falling.

        Parameters
        ----------
        state : State
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
        pace = self._pace(budget)
        begun, earlier = time.monotonic(), state.seconds
        saved, evaluated = begun, int(budget.spent(state) * EVALUATIONS)
        with held_back() as interrupted:
            while self._goes_on(state, budget, pace) and not interrupted():
                learning_rate = rate(self.descent_settings, budget.spent(state))
                pace.step(partial(self._step, state.step, learning_rate))
                state.step += 1
                state.seconds = earlier + time.monotonic() - begun
                if int(budget.spent(state) * EVALUATIONS) > evaluated and pace.is_due():
                    evaluated = int(budget.spent(state) * EVALUATIONS)
                    pace.evaluate(lambda: report(state, self._evaluate(state)))
                if time.monotonic() - saved > CHECKPOINT_SECONDS:
                    self._collect(state)
                    keep(state)
                    saved = time.monotonic()
            if budget.seconds is not None and pace.pending and not interrupted():  # what is left is too short for steps
                state.seconds = max(state.seconds, budget.seconds)
                report(state, self._evaluate(state))
            self._collect(state)
            keep(state)
            if interrupted():
                raise KeyboardInterrupt
        return state

    def _goes_on(self, state: State, budget: Budget, pace: Pace) -> bool:
        """Whether neither the budget nor the patience is used up."""
        return budget.spent(state) < 1.0 and state.stale < self.descent_settings.patience and pace.fits(state.seconds)

    def _pace(self, budget: Budget) -> Pace:
        """Times steps; with a budget of seconds alone they may choose their number of threads."""
        threads = None
        if budget.measured_threads and not self.device.startswith("cuda"):
            threads = ThreadChoice(self.torch.set_num_threads, self.torch.get_num_threads(), time.monotonic)
        return Pace(budget.seconds, threads, time.monotonic)

    def _step(self, step: int, learning_rate: float) -> None:
        loss = self._loss(step)
        for weight in self._weights.values():
            weight.grad = None
        loss.backward()
        self._optimizer.step(learning_rate)

    def _evaluate(self, state: State) -> Arrays:
        """The weights now; the state remembers those with the lowest held-out loss."""
        with self.torch.no_grad():
            loss = self._held_out_loss()
        if not math.isfinite(loss):
            raise NumericalError(
                f"{self.function}: the held-out error is {loss} after {state.step} steps; lower learning_rate"
            )
        weights = {name: self._array(value.detach()) for name, value in self._weights.items()}
        state.stale += 1
        if loss < state.best_loss:
            state.best_loss, state.stale = loss, 0
            state.best = weights
        return weights

    def _restore(self, state: State) -> None:
        self._weights = {name: self._tensor(value.copy()).requires_grad_() for name, value in state.parameters.items()}
        self._optimizer = self._new_optimizer()
        if state.optimizer:
            self._optimizer.restore(state.optimizer)

    def _new_optimizer(self) -> Optimizer:
        if self.descent_settings.optimizer == "soap":
            return Soap(self.torch, self._weights, self.largest_side)
        return Adam(self.torch, self._weights)

    def _collect(self, state: State) -> None:
        state.parameters = {name: self._array(weight.detach()) for name, weight in self._weights.items()}
        state.optimizer = self._optimizer.arrays()

    def _tensor(self, array: Any) -> Any:
        return self.torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    @staticmethod
    def _array(tensor: Any) -> Any:
        return tensor.cpu().numpy().copy()


class Trainer(Descent):
    """A first-order optimizer on the batched networks of a problem.

    The loss is the squared vertex distance in bone space: the basis is orthonormal, so |y_s - c_s|^2 over the
    coefficients of a set is the (weighted) squared error of its vertices up to what the basis leaves out. Each set's
    part is divided by its variance; neither optimizer's steps depend on the scale of a network's loss.

    The order of the batches follows from seed and epoch, so a step number is all the random state there is.

    Weights decay and begin with a gain, as the settings say.
    """

    def __init__(
        self,
        problem: Problem,
        inputs: list[int],
        outputs: list[int],
        settings: BodySettings,
        device: str,
        function: str = "body",
    ) -> None:
        super().__init__(settings, device, function)
        self.settings = settings
        self.widths = inputs, outputs
        train, held = problem.training, ~problem.training
        self.decay = settings.decay(int(train.sum()))
        self.inputs, self.held_inputs = (self._tensor(problem.inputs[:, rows]) for rows in (train, held))
        self.targets, self.held_targets = (self._tensor(problem.targets[:, rows]) for rows in (train, held))
        self.importance = self._tensor(problem.importance)
        self.relative = self.importance / self.importance.sum(dim=2, keepdim=True)
        self.batch = min(settings.batch, int(train.sum()))
        self.batches = int(train.sum()) // self.batch
        self._epoch, self._order = -1, self.torch.empty(0)

    def start(self) -> State:
        """See :class:`Descent`."""
        parameters = initial_parameters(*self.widths, self.settings.hidden, self.settings.seed)
        parameters["weight1"] *= np.float32(self.settings.gain)
        return State(parameters=parameters, best=parameters)

    def _step(self, step: int, learning_rate: float) -> None:
        super()._step(step, learning_rate)
        if self.decay > 0.0:
            with self.torch.no_grad():
                for name in ("weight1", "weight2", "weight3"):
                    self._weights[name].mul_(1.0 - learning_rate * self.decay)

    def _loss(self, step: int) -> Any:
        epoch, index = divmod(step, self.batches)
        if epoch != self._epoch:
            order = np.random.default_rng([self.settings.seed, 3, epoch]).permutation(self.inputs.shape[1])
            self._epoch, self._order = epoch, self._tensor(order)
        rows = self._order[index * self.batch : (index + 1) * self.batch]
        error = forward(self.torch, self._weights, self.inputs[:, rows]) - self.targets[:, rows]
        return (error.square() * self.relative).sum() / self.batch

    def _held_out_loss(self) -> float:
        error = forward(self.torch, self._weights, self.held_inputs) - self.held_targets
        return float((error.square() * self.importance).sum() / error.shape[1])
