"""Both groups of networks trained together, to the same bits after a kill, and what of their errors a viewer sees."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._regression.bind_pose import skinning
from rigcast.training._budget import Budget
from rigcast.training._checkpoint import TrainingState
from rigcast.training._differential._labels import responses
from rigcast.training._differential._networks import NetworkGroup, SubspaceProblem, forward
from rigcast.training._optimize import Descent
from rigcast.training._optimizers import Adam, Arrays, Optimizer
from rigcast.training._relative_motion import RelativeMotion


class SeenMotion(RelativeMotion):
    """The motion that errors of the groups' scaled targets, (S, B, r) by name, cause.

    Displacements after the solve are linear in coefficients and anchors; the transform of each vertex turns them.

    Parameters
    ----------
    ds : Dataset
    problem : SubspaceProblem
    device : str
    threads : int
    """

    def __init__(self, ds: Any, problem: SubspaceProblem, device: str, threads: int) -> None:
        super().__init__(ds, device)
        labels = problem.labels
        caused, anchored = responses(labels.reconstructor, labels.basis, len(labels.anchors), threads)
        scale = problem.network.scale[0]
        back = np.linalg.inv(labels.metric) if problem.settings.loss == "displacement" else np.eye(len(caused))
        self._network = self._tensor(scale * back @ caused)
        one = problem.settings.anchor_networks == "one"
        self._anchors = {
            group.name: self._tensor(group.scale[0] * anchored if one else group.scale[:, None] * anchored[members])
            for group, members in zip(problem.anchors, problem.trained, strict=True)
        }
        self._turns: Any = None
        if labels.transforms.origin != "identity":
            turns = skinning(ds.skeleton, np.asarray(ds.poses)[problem.training])[..., :3]
            self._turns, self._weight = self._tensor(turns), self._tensor(labels.transforms.weight)
            self._joint = self._torch.tensor(labels.transforms.joint.astype(np.int64), device=device)

    def _tensor(self, array: NDArray[Any]) -> Any:
        return self._torch.tensor(np.ascontiguousarray(array, np.float32), device=self._device)

    def _moved(self, errors: Mapping[str, Any], rows: Any) -> Any:
        moved = (errors["network"][0] @ self._network).view(len(rows), -1, 3)
        for name, response in self._anchors.items():
            error = errors[name]
            if len(error) != len(response):  # one network for all anchors
                error = error.view(len(rows), -1, 3).transpose(0, 1)
            moved = moved + self._torch.einsum("abx,av->bvx", error, response)
        return self._turned(moved, rows).permute(1, 2, 0)

    def _turned(self, moved: Any, rows: Any) -> Any:
        """Displacements (B, V, 3) of rest space in the poses of rows."""
        if self._turns is None:
            return moved
        turns = self._turns[rows]
        return sum(
            self._weight[:, k, None] * self._torch.einsum("bvxy,bvy->bvx", turns[:, self._joint[:, k]], moved)
            for k in range(self._joint.shape[1])
        )


class Sgd:
    """Plain gradient descent: the optimizer of Song et al. 2020."""

    def __init__(self, torch: Any, weights: dict[str, Any]) -> None:
        self._torch, self._weights = torch, weights

    def step(self, rate: float) -> None:
        """See :class:`rigcast.training._optimizers.Optimizer`."""
        with self._torch.no_grad():
            for weight in self._weights.values():
                weight.add_(weight.grad, alpha=-rate)

    def arrays(self) -> Arrays:
        """No state but that there is one."""
        return {"count": np.zeros((), np.float32)}

    def restore(self, arrays: Arrays) -> None:
        """Nothing to restore."""


class SubspaceDescent(Descent):
    """A first-order optimizer on the networks of a problem.

    Losses, per batch: of the anchors the mean squared error of the scaled targets; of the differential network the same
    ("displacement": the targets are coordinates in which lengths are displacements), or the mean absolute error of the
    delta coordinates that the coefficients give ("delta").

    What is judged on held-out rows, whatever the loss, is the root of the mean squared displacement that the errors of
    both cause; ``error`` after each evaluation. The order of the batches follows from seed and epoch. With ``motion``
    its loss of the posed vertices is added, times its weight.
    """

    def __init__(
        self,
        problem: SubspaceProblem,
        budget: Budget,
        centimeters: float,
        motion: RelativeMotion | None = None,
    ) -> None:
        super().__init__(problem.settings, budget)
        self.problem, self.settings, self.error = problem, problem.settings, math.nan
        train, held = problem.training, ~problem.training
        self.inputs = {"train": self._tensor(problem.inputs[train]), "held": self._tensor(problem.inputs[held])}
        self.places = {group.name: self._tensor(group.places) for group in problem.groups}
        self.targets = {
            (group.name, which): self._tensor(group.targets[:, rows])
            for group in problem.groups
            for which, rows in (("train", train), ("held", held))
        }
        self.batch = min(self.settings.batch, int(train.sum()))
        self.batches = int(train.sum()) // self.batch
        self.rows = int(train.sum())
        self.basis: Any = None
        if self.settings.loss == "delta":
            # In centimeters, whatever the unit of the data: the steps of plain gradient descent depend on it.
            self.basis = self._tensor(problem.labels.basis.T * np.float32(centimeters * problem.network.scale[0]))
        self._epoch, self._order = -1, self.torch.empty(0)
        self.motion = motion
        if motion is not None:
            names = [group.name for group in problem.groups]
            motion.begin(lambda rows: {name: self.targets[name, "train"][:, rows] for name in names}, self.rows)

    def start(self) -> TrainingState:
        """See :class:`rigcast.training._optimize.Descent`."""
        parameters = self.problem.initial(self.budget.seed)
        return TrainingState(parameters=parameters, best=parameters)

    def _held_out_loss(self) -> float:
        """The root of the mean squared displacement of a vertex that the errors cause on held-out rows."""
        total = 0.0
        for group in self.problem.groups:
            inputs = self._read(group, self.inputs["held"])
            error = forward(self.torch, group, self._weights, inputs) - self.targets[group.name, "held"]
            total += self._squared(group, error)
        self.error = math.sqrt(total / (len(self.problem.labels.mean) // 3)) if total >= 0.0 else math.nan
        return self.error

    def _read(self, group: NetworkGroup, inputs: Any) -> Any:
        """The inputs of each network of a group in rows (B, C + 1): (S, B, n), columns gathered as rows of memory."""
        places = self.places[group.name]
        return inputs.T.contiguous()[places.reshape(-1)].view(*places.shape, len(inputs)).transpose(1, 2)

    def _squared(self, group: NetworkGroup, error: Any) -> float:
        if group.name == "network" and self.settings.loss == "delta":
            error = error @ self._tensor(self.problem.labels.metric.astype(np.float32))
        importance = self._tensor(group.importance.astype(np.float32))
        return float((error.square().sum(dim=2).mean(dim=1) * importance).sum())

    def _loss(self, step: int) -> Any:
        epoch, index = divmod(step, self.batches)
        if epoch != self._epoch:
            order = np.random.default_rng([self.budget.seed, 3, epoch]).permutation(self.rows)
            self._epoch, self._order = epoch, self._tensor(order)
        rows = self._order[index * self.batch : (index + 1) * self.batch]
        loss: Any = 0.0
        errors = {}
        for group in self.problem.groups:
            inputs = self._read(group, self.inputs["train"][rows])
            error = forward(self.torch, group, self._weights, inputs) - self.targets[group.name, "train"][:, rows]
            if group.name == "network" and self.basis is not None:
                loss = loss + (error[0] @ self.basis).abs().mean()
            else:
                loss = loss + error.square().mean(dim=(1, 2)).sum()
            errors[group.name] = error
        if self.motion is not None:
            loss = loss + self.settings.motion_weight * self.motion(errors, rows)
        return loss

    def _new_optimizer(self) -> Optimizer:
        if self.settings.optimizer == "sgd":
            return Sgd(self.torch, self._weights)
        if self.settings.optimizer == "adam":
            faster = {name: self.settings.anchor_rate for name in self._weights if name.startswith("anchors")}
            return Adam(self.torch, self._weights, faster)
        return super()._new_optimizer()
