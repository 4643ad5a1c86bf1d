"""The batched networks of a body trained together, and the motion on the screen that their errors cause."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.training._body.networks import NetworkProblem, Normalization, forward, initial_parameters
from rigcast.training._body.preparation import BodyPreparation
from rigcast.training._body.settings import BodySettings
from rigcast.training._budget import Budget
from rigcast.training._checkpoint import TrainingState
from rigcast.training._optimize import Descent
from rigcast.training._relative_motion import RelativeMotion


class PosedMotion(RelativeMotion):
    """The motion that errors (S, B, r) of scaled coefficients cause.

    With the components B_i of set i, the scale s_i of its coefficients and the weights a_ki of its members, an error y
    of its network moves vertex k of a pose by ``sqrt(a_ki) X_i (B_i s_i y)_k``, with the linear part X_i of its joint.

    Parameters
    ----------
    ds : Dataset
    ready : BodyPreparation
    active : list of int
        The sets that have networks.
    maps : list of Normalization
        Of these sets.
    training : (T,) bool array
        The rows that are learned from.
    device : str
    """

    def __init__(
        self,
        ds: Any,
        ready: BodyPreparation,
        active: list[int],
        maps: list[Normalization],
        training: NDArray[np.bool_],
        device: str,
    ) -> None:
        super().__init__(ds, device)
        torch, sets = self._torch, ready.sets
        self._count, self._sets = len(ds.rest_vertices), []
        joints = np.unique(sets.joint[active])
        world = ds.skeleton.globals(ready.poses[training])[:, joints, :, :3]
        self._turns = torch.tensor(np.ascontiguousarray(world, np.float32), device=device)
        for i, scaling in zip(active, maps, strict=True):
            members = sets.members(i)
            share = np.repeat(np.sqrt(sets.weight[members].astype(np.float64)), 3)
            moves = share[:, None] * ready.bases[i].components * scaling.scale
            slot = int(np.searchsorted(joints, sets.joint[i]))
            rows = torch.tensor(sets.vertex[members].astype(np.int64), device=device)
            self._sets.append((slot, rows, torch.tensor(moves.astype(np.float32), device=device)))

    def _moved(self, errors: Any, rows: Any) -> Any:
        moved = errors.new_zeros(self._count, 3, len(rows))
        for s, (slot, vertices, moves) in enumerate(self._sets):
            offsets = (errors[s, :, : moves.shape[1]] @ moves.T).view(len(rows), -1, 3)
            turned = self._torch.einsum("bxy,bmy->mxb", self._turns[rows, slot], offsets)
            moved = moved.index_add(0, vertices, turned)
        return moved


class Trainer(Descent):
    """A first-order optimizer on the batched networks of a problem.

    The loss is the squared vertex distance in bone space: the basis is orthonormal, so |y_s - c_s|^2 over the
    coefficients of a set is the (weighted) squared error of its vertices up to what the basis leaves out. Each set's
    part is divided by its variance; neither optimizer's steps depend on the scale of a network's loss.

    The order of the batches follows from seed and epoch, so a step number is all the random state there is.

    Weights decay and begin with a gain, as the settings say. With ``motion`` its loss of the posed vertices is added,
    times its weight and the number of sets; what is kept is still judged by distance.
    """

    def __init__(
        self,
        problem: NetworkProblem,
        inputs: list[int],
        outputs: list[int],
        settings: BodySettings,
        budget: Budget,
        motion: RelativeMotion | None = None,
    ) -> None:
        super().__init__(settings, budget)
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
        self.motion = motion
        if motion is not None:
            motion.begin(lambda rows: self.targets[:, rows], self.targets.shape[1])

    def start(self) -> TrainingState:
        """See :class:`Descent`."""
        parameters = initial_parameters(*self.widths, self.settings.hidden, self.budget.seed)
        parameters["weight1"] *= np.float32(self.settings.gain)
        return TrainingState(parameters=parameters, best=parameters)

    def _step(self, step: int, learning_rate: float) -> None:
        super()._step(step, learning_rate)
        if self.decay > 0.0:
            with self.torch.no_grad():
                for name in ("weight1", "weight2", "weight3"):
                    self._weights[name].mul_(1.0 - learning_rate * self.decay)

    def _loss(self, step: int) -> Any:
        epoch, index = divmod(step, self.batches)
        if epoch != self._epoch:
            order = np.random.default_rng([self.budget.seed, 3, epoch]).permutation(self.inputs.shape[1])
            self._epoch, self._order = epoch, self._tensor(order)
        rows = self._order[index * self.batch : (index + 1) * self.batch]
        error = forward(self.torch, self._weights, self.inputs[:, rows]) - self.targets[:, rows]
        loss = (error.square() * self.relative).sum() / self.batch
        if self.motion is not None:
            loss = loss + self.settings.motion_weight * len(error) * self.motion(error, rows)
        return loss

    def _held_out_loss(self) -> float:
        error = forward(self.torch, self._weights, self.held_inputs) - self.held_targets
        return float((error.square() * self.importance).sum() / error.shape[1])
