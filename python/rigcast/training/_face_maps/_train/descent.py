"""Training the networks of one level."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.training._budget import Budget
from rigcast.training._checkpoint import TrainingState
from rigcast.training._face_maps._rows import Rows, drawn
from rigcast.training._face_maps._settings import FaceMapsSettings
from rigcast.training._face_maps._train.loss import NormalLoss
from rigcast.training._face_maps._train.problem import LevelProblem
from rigcast.training._face_maps._train.sparse import SparseProduct, sampling_triplets
from rigcast.training._motion_loss import MotionLoss
from rigcast.training._optimize import Descent
from rigcast.training._optimizers import Arrays

WATCHED = 64  # held-out rows that choose the weights, evenly spaced
FACES_PER_STEP = 4096  # a step looks at every second, third, ... face in turn: normals are half of its time otherwise
ROWS_AT_ONCE = 32  # without gradients


def row_blocks(count: int) -> list[Rows]:
    """The rows from 0 on, some at a time."""
    return [np.arange(begin, min(begin + ROWS_AT_ONCE, count)) for begin in range(0, count, ROWS_AT_ONCE)]


class MapDescent(Descent):
    """Steps on the networks of a level: the loss of ``_loss.py`` on batches.

    All maps of a pose are computed, sampled at all vertices by one sparse product, and added to what the frozen model
    gives. After each evaluation, ``mean`` and ``most`` are the held-out distances in the unit of the loss.

    Parameters
    ----------
    problem : LevelProblem
    settings : FaceMapsSettings
    budget : Budget
    stream : int
        Of random numbers: another one for each level.
    """

    largest_side = 512  # eigenvectors of the larger side of dense2 would take longer than the networks

    def __init__(self, problem: LevelProblem, settings: FaceMapsSettings, budget: Budget, stream: int) -> None:
        super().__init__(settings, budget)
        self.problem, self.settings, self.stream = problem, settings, stream
        count = len(problem.level.vertices)
        triplets, texels = sampling_triplets(problem.level.segments, problem.level.place)
        self._sample = SparseProduct(self.torch, triplets, (count, texels), self.device)
        corners = problem.level.corners
        groups = 1 if settings.method == "paper" else -(-len(corners) // FACES_PER_STEP)
        self._normals = [NormalLoss(self.torch, corners[g::groups], count, self.device) for g in range(groups)]
        self._motion: MotionLoss | None = None
        if settings.motion_weight > 0.0:
            self._motion = MotionLoss(problem.rest, corners, up_axis=problem.up_axis, device=self.device)
        self._rest = self._tensor(problem.rest)[:, :, None]
        self._inputs = [self._tensor(inputs) for inputs in problem.inputs]
        held_out = problem.held_out
        self._watched = held_out[:: max(1, -(-len(held_out) // WATCHED))]
        self.mean, self.most = np.nan, np.nan
        self._fixed: Arrays = {}

    def start(self) -> TrainingState:
        """See :class:`Descent`."""
        parameters: Arrays = {}
        for number, shape in enumerate(self.problem.shapes):
            seed = [self.budget.seed, self.stream, number]
            weights = shape.initial_weights(seed) | self.problem.fitted[number]
            parameters |= {f"{number:03d}.{name}": value for name, value in weights.items()}
        return self.begin_with(parameters)

    def begin_with(self, weights: Arrays) -> TrainingState:
        """The state that begins with weights: of :meth:`complete`, or of another training of the same level."""
        parameters = {name: value for name, value in weights.items() if name not in self._fixed}
        return TrainingState(parameters=parameters, best=parameters)

    def complete(self, weights: Arrays) -> Arrays:
        """Weights of a state, and those that this training leaves as they are."""
        return self._fixed | weights

    def offsets(self, weights: Arrays, rows: Rows) -> NDArray[np.float32]:
        """Offsets (t, M, 3) of the model with these weights in the unit of the loss, the frozen model's included."""
        result = np.empty((len(rows), len(self.problem.level.vertices), 3), np.float32)
        self._weights = {name: self._tensor(value) for name, value in weights.items()}
        with self.torch.no_grad():
            for part in row_blocks(len(rows)):
                found = self._predict(rows[part])
                result[part] = found.permute(2, 0, 1).cpu().numpy()
        return result

    def _loss(self, step: int) -> Any:
        seed = self.budget.seed + 1_000_003 * self.stream
        rows = drawn(self.problem.bins, self.settings.batch, seed, step)
        return self._loss_of(rows, self._normals[step % max(len(self._normals), 1) :][:1])[0]

    def _held_out_loss(self) -> float:
        total, distance, most = 0.0, 0.0, 0.0
        for begin in range(0, len(self._watched), ROWS_AT_ONCE):
            rows = self._watched[begin : begin + ROWS_AT_ONCE]
            loss, error = self._loss_of(rows, self._normals)
            far = error.square().sum(dim=1).sqrt_()
            total += float(loss) * len(rows)
            distance += float(far.mean()) * len(rows)
            most = max(most, float(far.max()))
        self.mean, self.most = distance / len(self._watched), most
        return total / len(self._watched)

    def _loss_of(self, rows: Rows, groups: list[NormalLoss]) -> tuple[Any, Any]:
        """The loss of rows with some groups of faces, and the errors (M, 3, B) of the vertices."""
        truth = self._columns(self.problem.truth[rows])
        found = self._predict(rows)
        error = found - truth
        loss = error.abs().sum() / (error.shape[0] * error.shape[2])
        for normals in groups if self.settings.normal_weight > 0.0 else []:
            wanted = normals.normals(truth + self._rest)
            loss = loss + self.settings.normal_weight / len(groups) * normals(found + self._rest, wanted)
        if self._motion is not None:
            loss = loss + self.settings.motion_weight * self._motion.of_errors(error)
        return loss, error

    def _predict(self, rows: Rows) -> Any:
        """Offsets (M, 3, B) of the model, the frozen one's included."""
        offsets = self._sample(self._maps(rows)).view(len(self._rest), 3, -1)
        if self.problem.base is None:
            return offsets
        return offsets + self._columns(self.problem.base[rows])

    def _maps(self, rows: Rows) -> Any:
        """All texels of all maps, one map after another, (R, 3 B)."""
        picked = self._tensor(rows)
        maps = []
        for number, (shape, scaling) in enumerate(zip(self.problem.shapes, self.problem.scalings, strict=True)):
            found = shape.forward(self.torch, self._weights_of(number), self._inputs[number][picked])
            maps.append((found * scaling.scale).permute(2, 3, 1, 0).reshape(shape.resolution**2, -1))
        return self.torch.cat(maps)

    def _weights_of(self, number: int) -> dict[str, Any]:
        """The layers of a segment by their names in the file."""
        return {name[4:]: value for name, value in self._weights.items() if name.startswith(f"{number:03d}.")}

    def _left(self, rows: Rows) -> Any:
        """The remainder that the frozen model leaves to the maps, (M, 3 B)."""
        left = self.problem.truth[rows]
        if self.problem.base is not None:
            left = left - self.problem.base[rows]
        return self._columns(left).view(len(self._rest), -1)

    def _columns(self, rows: NDArray[np.float32]) -> Any:
        """Rows (B, M, 3) as columns (M, 3, B)."""
        flat = self._tensor(rows).view(len(rows), -1)
        return flat.T.contiguous().view(-1, 3, len(rows))
