"""Settings of learned inverse kinematics: one record, checked, kept in the model it makes."""

from __future__ import annotations

from dataclasses import dataclass

from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument
from rigcast.training._settings import OPTIMIZERS, SCHEDULES, by_method, complete

CHOICES = {
    "method": ("ours", "paper"),
    "pull": ("row", "rest"),
    "noisy_rows": ("half", "all"),
    "control_points": ("model", "data"),
    "optimizer": OPTIMIZERS,
    "schedule": SCHEDULES,
    "agreement": ("average", "joint"),
}


@one_line
@dataclass(frozen=True, kw_only=True)
class FaceIkSettings:
    """Settings of :func:`rigcast.training.face_ik`; lengths in meters, whatever the unit of the rig.

    What is left out or None is the method's default, which is noted as "ours, paper" if they differ.

    Attributes
    ----------
    method : str
        "ours", or "paper": after Bailey 2020, section 4.3. See the notes.
    hidden : int
        Width of both hidden layers.
    noise : float
        Control points are moved by up to this along each axis, so that unreachable targets work.
    noisy_rows : str
        "half": half of the rows have no noise, so that reachable points are met, the others any share of it. "all": all
        rows have all of it; "half", "all".
    regularization : float
        Millimeters that a parameter's whole range away from where it is pulled costs, on average over the parameters:
        N times the weight of equation 4.8, which the paper does not print; 5, 0.5.
    pull : str
        Parameters that each row is pulled to. "row": those that its control points were made from. "rest": the neutral
        face, which asks for no answers; "row", "rest".
    outside : float
        Millimeters that a parameter costs one range beyond its bounds, on average over the parameters, which are
        clamped there. 0: training neither clamps nor prices them; 10, 0.
    rows : int
        Rows that are sampled if no data set is given; 20,000, 50,000.
    control_points : str
        Those of the rows of a data set. "model": as the model has them. "data": as the data set, that is the rig, has
        them; "model", "data".
    bins : int
        Intervals of the control points' first principal component that batches draw from alike.
    agreement : str
        What becomes of parameters that several regions share. "average", as published: networks are trained through
        the average. "joint": each network is trained for its region alone, and a solve over all regions finds the
        parameters that least change what each region's own answer does to its points.
    influence : float
        A parameter that moves a control point by less over its range does not count as moving it.
    batch : int
        Rows per step; 256, 8.
    optimizer : str
        "soap" (Vyas et al. 2024) or "adam"; "soap", "adam".
    learning_rate : float
        0.01, 0.001.
    schedule : str
        "cosine", "constant", or "thirds": the rate, a tenth and a hundredth of it; "cosine", "thirds".
    patience : int
        Evaluations without a better held-out loss after which training stops.

    Notes
    -----
    The method "paper" has the loss (4.8) to (4.10), the noise, the networks, Adam, its rates and its batches of Bailey
    2020, section 4.3; its 50,000 balanced rows are a data set that :func:`rigcast.sampling.balanced` makes. It differs
    from the print in this:

    - Each rate lasts a third of the budget in place of "until convergence", and the weights with the least held-out
      loss are kept; training stops early after ``patience`` evaluations.
    - Not printed and ours: the weight of the pull, lengths in millimeters, the slope 0.2 of leaky ReLU, He's initial
      weights with a small last layer, inputs and outputs by their spread, and batches that draw from bins.
    - The ranges of (4.10) are those of the rows, not of the animation that the rows were made from.
    - Regions follow from the parameters that move the points; the paper's are made by hand (argument ``regions``).
    - Answers are clamped into the parameters' bounds when points are solved, not in training.
    - Control points are 3-D by default; the paper's posing has ``dimensions=2``.

    Examples
    --------
    >>> rc.training.FaceIkSettings(hidden=64).hidden
    64
    >>> rc.training.FaceIkSettings(method="paper").pull
    'rest'
    """

    method: str = "ours"
    hidden: int = 256
    noise: float = 4.5e-3
    noisy_rows: str = by_method()
    regularization: float = by_method()
    pull: str = by_method()
    outside: float = by_method()
    rows: int = by_method()
    control_points: str = by_method()
    bins: int = 16
    agreement: str = "average"
    influence: float = 2e-5
    batch: int = by_method()
    optimizer: str = by_method()
    learning_rate: float = by_method()
    schedule: str = by_method()
    patience: int = 20

    def __post_init__(self) -> None:
        complete("face_ik", self, _PAPER if self.method == "paper" else _OURS)
        check = Arguments("face_ik")
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise bad_argument("face_ik", name, repr(getattr(self, name)), " or ".join(map(repr, choices)))
        for name, least in {"hidden": 1, "rows": 16, "bins": 1, "batch": 1, "patience": 1}.items():
            check.whole(name, getattr(self, name), least=least)
        for name in ("noise", "regularization", "outside", "influence", "learning_rate"):
            check.number(name, getattr(self, name), least=0.0)


_OURS = {
    "noisy_rows": "half",
    "regularization": 5.0,
    "pull": "row",
    "outside": 10.0,
    "rows": 20_000,
    "control_points": "model",
    "batch": 256,
    "optimizer": "soap",
    "learning_rate": 0.01,
    "schedule": "cosine",
}
_PAPER = {
    "noisy_rows": "all",
    "regularization": 0.5,
    "pull": "rest",
    "outside": 0.0,
    "rows": 50_000,
    "control_points": "data",
    "batch": 8,
    "optimizer": "adam",
    "learning_rate": 1e-3,
    "schedule": "thirds",
}
