"""Training in coefficients: the squared error of all vertices and faces, with the bases of maps as they are.

Maps are m = B c + m0 with the coefficients c of all segments, so the loss of ``_texels.py`` is

    m^T H m - 2 b^T m = c^T G c - 2 a^T c + constant,  G = B^T H B,  a = B^T (b - H m0).

G is small, and a is found once for each row: a step costs the dense layers and no maps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rigcast.training._budget import Budget
from rigcast.training._checkpoint import TrainingState
from rigcast.training._face_maps._rows import Rows, drawn
from rigcast.training._face_maps._settings import FaceMapsSettings
from rigcast.training._face_maps._train.descent import MapDescent, row_blocks
from rigcast.training._face_maps._train.problem import LevelProblem
from rigcast.training._face_maps._train.texels import TexelProducts
from rigcast.training._face_maps._train.trunks import trunks_of
from rigcast.training._optimizers import Arrays


class CoefficientDescent(MapDescent):
    """Steps on the dense layers of a level whose maps are combinations of a basis; large segments share hidden ones."""

    def __init__(self, problem: LevelProblem, settings: FaceMapsSettings, budget: Budget, stream: int) -> None:
        super().__init__(problem, settings, budget, stream)
        names = ("basis.weight", "basis.bias")
        self._fixed = {f"{n:03d}.{name}": own[name] for n, own in enumerate(problem.fitted) for name in names}
        self._trunks = trunks_of(problem, settings.hidden)
        self._trunk_inputs = [self._tensor(trunk.inputs) for trunk in self._trunks]
        products = TexelProducts(self.torch, problem, settings.gradient_weight, self.device)
        bases, mean = self._bases(products.texels)
        bases = [bases[number] for trunk in self._trunks for number in trunk.members]
        widths = [basis.shape[2] for basis, _ in bases]
        whole = self.torch.zeros(products.texels, 3, sum(widths), device=self.device)
        ends = np.cumsum([0, *widths])
        for (basis, texels), begin, end in zip(bases, ends[:-1], ends[1:], strict=True):
            whole[texels, :, begin:end] = basis
        flat = whole.view(products.texels, -1)
        times = products.gram.matrix @ flat
        self._gram = self.torch.einsum("rak,ral->kl", whole, times.view_as(whole))
        offset = (products.gram.matrix @ mean).view(products.texels, 3, 1)
        self._wanted = np.empty((len(problem.truth), sum(widths)), np.float32)
        for rows in row_blocks(len(self._wanted)):
            left = products.wanted(self._left(rows)).view(products.texels, 3, -1) - offset
            found = [self.torch.einsum("rak,rat->tk", basis, left[texels]) for basis, texels in bases]
            self._wanted[rows] = self.torch.cat(found, dim=1).cpu().numpy()

    def start(self) -> TrainingState:
        """See :class:`Descent`."""
        parameters: Arrays = {}
        for number, trunk in enumerate(self._trunks):
            weights = trunk.initial_weights(self.problem, [self.budget.seed, self.stream, number])
            parameters |= {f"trunk{number}.{name}": value for name, value in weights.items()}
        return TrainingState(parameters=parameters, best=parameters)

    def complete(self, weights: Arrays) -> Arrays:
        """The weights of each segment: see :meth:`Trunk.parted`."""
        result = dict(self._fixed)
        for number, trunk in enumerate(self._trunks):
            parted = trunk.parted(_of(f"trunk{number}.", weights))
            for member, layers in zip(trunk.members, parted, strict=True):
                result |= {f"{member:03d}.{name}": value for name, value in layers.items()}
        return result

    def _bases(self, count: int) -> tuple[list[tuple[Any, slice]], Any]:
        """Per segment its basis (R^2, 3, K), in the unit of the loss, with its texels; and all mean maps (R, 3)."""
        bases, means, begin = [], [], 0
        for number, scaling in enumerate(self.problem.scalings):
            weight, bias = (self._tensor(self._fixed[f"{number:03d}.basis.{part}"])[0] for part in ("weight", "bias"))
            texels = slice(begin, begin + len(weight) // 3)
            begin = texels.stop
            bases.append((scaling.scale * weight.view(3, -1, weight.shape[1]).permute(1, 0, 2).contiguous(), texels))
            means.append(scaling.scale * bias.view(3, -1).T)
        assert begin == count
        return bases, self.torch.cat(means).contiguous()

    def _held_out_loss(self) -> float:
        """That of the segments' own networks."""
        trained = self._weights
        whole = self.complete({name: self._array(value) for name, value in trained.items()})
        self._weights = {name: self._tensor(value) for name, value in whole.items()}
        try:
            return super()._held_out_loss()
        finally:
            self._weights = trained

    def _loss(self, step: int) -> Any:
        seed = self.budget.seed + 1_000_003 * self.stream + 1
        return self._coefficient_loss(drawn(self.problem.bins, self.settings.batch, seed, step))

    def _coefficient_loss(self, rows: Rows) -> Any:
        """The loss of rows without its constant."""
        picked = self._tensor(rows)
        parts = []
        for number, (trunk, inputs) in enumerate(zip(self._trunks, self._trunk_inputs, strict=True)):
            own = _of(f"trunk{number}.", self._weights)
            parts.append(trunk.shape.coefficients(self.torch, own, inputs[picked]))
        found = self.torch.cat(parts, dim=1)
        return (found * (found @ self._gram - 2.0 * self._tensor(self._wanted[rows]))).sum() / len(rows)


def _of(prefix: str, named: dict[str, Any]) -> dict[str, Any]:
    """Those whose names begin so, without it."""
    return {name[len(prefix) :]: value for name, value in named.items() if name.startswith(prefix)}
