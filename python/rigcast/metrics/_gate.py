"""The errors of simple methods on a benchmark, and the verdict on a model compared with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rigcast._shown import one_line
from rigcast._validate import Arguments

MARGIN = 2.0  # a model has learned if the best simple method misses by this many times what the model does
NEGLIGIBLE = 1e-4  # of the motion: smaller differences are rounding
NEAREST = "nearest training pose"


@one_line
@dataclass(frozen=True)
class SimpleMethod:
    """The errors of one simple method, in the vertices' unit.

    Attributes
    ----------
    name : str
    mean, max : float
        Distance over all judged frames and vertices.
    ridge : float or None
        Chosen by cross-validation inside the training poses, relative to the mean of the kernel's diagonal.
    """

    name: str
    mean: float
    max: float
    ridge: float | None


@one_line
@dataclass(frozen=True)
class Difficulty:
    """The errors of simple methods on a benchmark: the gate. Printed, it is a table.

    Attributes
    ----------
    methods : list of SimpleMethod
        Linear regression, quadratic ridge regression, linear regression on x and max(x, 0) if any dial x has both
        signs, nearest training pose.
    motion : float
        Mean distance of the judged vertices from the mean training shape: what no method at all reaches.
    training_poses, judged_poses, inputs : int
    meters_per_unit : float or None
        None: figures have no unit of length.
    unseen : int
        Columns that vary in the judged poses and are constant in training, so that nothing can be learned of them.
    space : str
        What the methods predict: offsets in the "bind pose", where every vertex has followed its joint; "rig" without
        joints.
    """

    methods: list[SimpleMethod]
    motion: float
    training_poses: int
    judged_poses: int
    inputs: int
    meters_per_unit: float | None
    unseen: int = 0
    space: str = "rig"

    @property
    def best(self) -> SimpleMethod:
        """The method with the lowest mean."""
        return min(self.methods, key=lambda method: method.mean)

    def least(self) -> dict[str, float]:
        """The lowest ``mean`` and the lowest ``max`` of the regressions, not always of one of them."""
        regressions = [method for method in self.methods if method.name != NEAREST]
        return {key: min(getattr(method, key) for method in regressions) for key in ("mean", "max")}

    def is_learning(self, model_error: float) -> bool:
        """True if the best simple method's error is at least twice ``model_error``, a mean in the vertices' unit.

        Never where simple methods are exact.
        """
        return self.best.mean > 0.0 and self.best.mean >= MARGIN * model_error

    def verdict(self, model_error: float, model_max: float | None = None) -> str:
        """One sentence about a model: whether it loses to the best simple method, wins by little, or has learned.

        Parameters
        ----------
        model_error : float
            The model's mean distance on the same judged poses, in the vertices' unit.
        model_max : float, optional
            Its largest one. If it is given, largest distances are stated, too; they decide nothing.

        Raises
        ------
        ValueError
            If one of them is negative or not finite.
        """
        error = Arguments("verdict").number("model_error", model_error, least=0.0)
        best = self.best
        name = f"{best.name}{self._where}"
        if best.mean == 0.0:
            return f"The data are easy, no test of learning: {name} misses by 0."
        ratio = f"{best.mean / error:.2g} x" if error > 0.0 else "any multiple of"
        figures = f"it misses by {self._length(error)}, {best.name} by {self._length(best.mean)}"
        if model_max is not None:
            largest = Arguments("verdict").number("model_max", model_max, least=0.0)
            figures += f" (at most {self._length(largest)} and {self._length(best.max)})"
        if abs(error - best.mean) <= NEGLIGIBLE * self.motion:
            return f"As good as {name}: on average {figures}. The data are easy: no test of learning."
        if error > best.mean:
            return f"Loses to {name}: train longer, or on more poses. On average {figures}."
        if self.is_learning(error):
            return f"Beats {name}: on average {figures}, {ratio} as much."
        return (
            f"Beats {name} by little: on average {figures}, {ratio} as much. The data may be easy: no test of learning."
        )

    def lines(self) -> list[str]:
        """``quadratic ridge: mean 0.094 mm, max 1.96 mm``, one line per regression."""
        return [
            f"{method.name}: mean {self._length(method.mean)}, max {self._length(method.max)}"
            for method in self.methods
            if method.name != NEAREST
        ]

    @property
    def _where(self) -> str:
        return " in the bind pose" if self.space == "bind pose" else ""

    def _length(self, value: float) -> str:
        return f"{value:.4g}" if self.meters_per_unit is None else f"{1e3 * self.meters_per_unit * value:.3g} mm"

    def __str__(self) -> str:
        unit = "" if self.meters_per_unit is None else ", mm"
        scale = 1.0 if self.meters_per_unit is None else 1e3 * self.meters_per_unit
        best = self.best
        unseen = f", {self.unseen} more that varies in the judged poses alone" if self.unseen else ""
        lines = [
            f"Gate: the best simple method is {best.name}{self._where}, {self._length(best.mean)} mean and "
            f"{self._length(best.max)} max ({self.training_poses:,} training poses, {self.inputs} inputs{unseen}, "
            f"{self.judged_poses:,} judged poses; motion {self._length(self.motion)})",
            f"{'simple method':32}{'mean' + unit:>12}{'max' + unit:>12}{'ridge':>10}",
        ]
        for method in self.methods:
            ridge = "" if method.ridge is None else f"{method.ridge:.0e}"
            lines.append(f"{method.name:32}{scale * method.mean:12.4g}{scale * method.max:12.4g}{ridge:>10}")
        return "\n".join(lines)


def stated_difficulty(metadata: Mapping[str, Any]) -> Difficulty | None:
    """The errors of simple methods on the held-out rows of a model's training, as its file states them, or None."""
    entry = metadata.get("simple_methods")
    if entry is None:
        return None
    return Difficulty(**{**entry, "methods": [SimpleMethod(**method) for method in entry["methods"]]})
