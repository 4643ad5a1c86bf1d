"""What a training run is asked to do: one record, checked, kept in the model it makes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rigcast._validate import bad_argument

METHODS = ("blended", "paper")
LINEAR = ("auto", "rigid", "skinning", "own")
SCHEDULES = ("cosine", "constant", "thirds")
OPTIMIZERS = ("soap", "adam")
# Weight decay by the number of rows; from a body whose networks have up to 81 inputs, at 450, 900 and 2,700 of them.
PRIOR_ROWS, MOST_DECAY = 60.0, 0.3


@dataclass(frozen=True)
class BodySettings:
    """Settings of :func:`rigcast.training.body`; lengths in meters, whatever the unit of the rig.

    Attributes
    ----------
    method : str
        "blended": vertex sets that overlap (a partition of unity), 6-number rotations, a decaying learning rate.
        "paper": the method of Bailey et al. 2018 as printed: hard sets, 12 numbers per joint, constant rate, no decay.
    seed : int
        Decides the held-out rows, the initial weights, the batches.
    holdout : float
        Part of the rows that is never trained on, between 0 and 1.
    linear : str
        What networks correct: "rigid", the motion of single joints, "skinning", linear blend skinning that is fitted to
        the samples, or "own", skinning by the weights of the rig itself; "auto": whichever of them learns best in a
        brief training, which the model's metadata states. In :func:`rigcast.training.body`, a setting of one of them
        that is given chooses it.
    influences : int
        With the skinning linear part: joints per vertex.
    tau : float
        With the rigid linear part: sets are removed, smallest first, until the assignment error exceeds ``tau`` times
        the best one.
    assignment_poses : int
        Poses that decide which joint moves a vertex.
    border : float
        Width of the blend between neighboring sets, in edges of the mesh; 0 makes hard sets.
    compact_rotations : bool
        Two columns of a joint's rotation instead of three where it neither scales nor shears.
    influence_threshold : float
        Meters that a control must move a vertex, in its joint's frame, to be an input of its set.
    pca_threshold : float
        Mean distance error, in meters, that the output basis of a set may leave; of one vertex five times as much, but
        for the paper, which bounds the mean alone.
    max_components : int
        Most basis vectors per set.
    hidden : int
        Width of both hidden layers.
    batch : int
        Poses per step.
    optimizer : str
        "soap" (Vyas et al. 2024) or "adam".
    learning_rate : float
        With the cosine schedule the highest one.
    weight_decay : float or None
        Times the learning rate: the share that the weights, not the biases, lose in each step (Loshchilov and Hutter
        2019). Without it, networks with many inputs learn a thousand poses by heart; too much of it keeps them from
        what three thousand poses say. None: 60 over the number of training rows, at most 0.3.
    gain : float
        Of the initial weights of the first layer: below 1, networks begin nearly linear.
    schedule : str
        "cosine": a short rise, then down to zero at the end of the budget; "constant"; "thirds": the rate, a tenth of
        it and a hundredth of it, each for a third of the budget.
    steps : int or None
        Budget in steps; None leaves it to ``minutes``, or to the default where that is None too.
    minutes : float or None
        Budget in minutes for the whole call, preparation and measuring included.
    patience : int
        Evaluations without a better held-out error after which training stops.

    Examples
    --------
    >>> rc.training.BodySettings(hidden=64).hidden
    64
    """

    method: str = "blended"
    seed: int = 0
    holdout: float = 0.1
    linear: str = "auto"
    influences: int = 4
    tau: float = 1.25
    assignment_poses: int = 200
    border: float = 1.5
    compact_rotations: bool = True
    influence_threshold: float = 2e-5
    pca_threshold: float = 2e-5
    max_components: int = 128
    hidden: int = 128
    batch: int = 256
    optimizer: str = "soap"
    learning_rate: float = 0.02
    weight_decay: float | None = None
    gain: float = 0.3
    schedule: str = "cosine"
    steps: int | None = None
    minutes: float | None = None
    patience: int = 20

    def __post_init__(self) -> None:
        choices = {"method": METHODS, "linear": LINEAR, "schedule": SCHEDULES, "optimizer": OPTIMIZERS}
        check_settings("body", self, choices, _LOWEST, _WHOLE)
        if not isinstance(self.compact_rotations, bool):
            raise bad_argument("body", "compact_rotations", repr(self.compact_rotations), "True or False")

    def decay(self, rows: int) -> float:
        """The weight decay of a training on a number of rows."""
        return min(PRIOR_ROWS / rows, MOST_DECAY) if self.weight_decay is None else self.weight_decay

    def record(self) -> dict[str, object]:
        """The settings as plain values, for the model's metadata."""
        return dataclasses.asdict(self)


_LOWEST = {
    "seed": 0,
    "influences": 1,
    "tau": 1.0,
    "assignment_poses": 1,
    "border": 0.0,
    "influence_threshold": 0.0,
    "pca_threshold": 0.0,
    "max_components": 1,
    "hidden": 1,
    "batch": 1,
    "learning_rate": 0.0,
    "weight_decay": 0.0,
    "gain": 0.0,
    "steps": 1,
    "minutes": 0.0,
    "patience": 1,
}
_OPTIONAL = ("steps", "minutes", "weight_decay")
_WHOLE = ("seed", "influences", "assignment_poses", "max_components", "hidden", "batch", "steps", "patience")

_OWN = {"rigid": ("tau", "assignment_poses", "border"), "skinning": ("influences",)}  # settings of one linear part
_PAPER = {
    "linear": "rigid",
    "border": 0.0,
    "compact_rotations": False,
    "pca_threshold": 3e-4,
    "optimizer": "adam",
    "learning_rate": 0.01,
    "weight_decay": 0.0,
    "gain": 1.0,
    "schedule": "constant",
}


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def check_settings(
    function: str,
    settings: Any,
    choices: Mapping[str, Sequence[str]],
    lowest: Mapping[str, float],
    whole: Collection[str],
) -> None:
    """Check the settings of a training; some may be None, ``holdout`` is a part.

    Raises
    ------
    ValueError
        If a text is none of its choices, or a number is not finite, too low, or not whole.
    """
    for name, allowed in choices.items():
        value = getattr(settings, name)
        if value not in allowed:
            raise bad_argument(function, name, repr(value), " or ".join(f'"{choice}"' for choice in allowed))
    for name, least in lowest.items():
        value = getattr(settings, name)
        if value is None and name in _OPTIONAL:
            continue
        if name in whole and (isinstance(value, bool) or not isinstance(value, int)):
            raise bad_argument(function, name, repr(value), "a whole number")
        if not _number(value) or value < least:
            raise bad_argument(function, name, repr(value), f"a finite number not below {least}")
    holdout = settings.holdout
    if not _number(holdout) or not 0.0 < holdout < 1.0:
        raise bad_argument(function, "holdout", repr(holdout), "a part between 0 and 1")


def settings_for(method: str, **given: Any) -> BodySettings:
    """The settings of a method; entries of ``given`` that are None keep the method's default.

    Raises
    ------
    ValueError
        On an unknown setting or a value that makes no sense.
    """
    chosen = chosen_settings("body", BodySettings, method, _PAPER if method == "paper" else {}, given)
    for linear, names in _OWN.items():
        if any(given.get(name) is not None for name in names):
            chosen.setdefault("linear", linear)
    return BodySettings(**chosen)


def chosen_settings(
    function: str, kind: type, method: str, defaults: Mapping[str, Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Settings for a dataclass: those given and not None, else the method's defaults.

    Raises
    ------
    ValueError
        On an unknown setting.
    """
    names = [field.name for field in dataclasses.fields(kind)]
    unknown = sorted(set(given) - set(names))
    if unknown:
        raise bad_argument(function, unknown[0], "an unknown setting", f"one of {', '.join(names)}")
    plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in given.items()}
    chosen = {name: value for name, value in plain.items() if value is not None}
    return {"method": method, **defaults, **chosen}
