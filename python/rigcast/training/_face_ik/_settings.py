"""Settings of learned inverse kinematics: one record, checked, kept in the model it makes."""

from __future__ import annotations

from dataclasses import dataclass

from rigcast._validate import Arguments, bad_argument
from rigcast.training._settings import complete

OPTIMIZERS = ("soap", "adam")
SCHEDULES = ("cosine", "constant", "thirds")
AGREEMENTS = ("average", "joint")


@dataclass(frozen=True)
class FaceIkSettings:
    """Settings of :func:`rigcast.training.face_ik`; lengths in meters, whatever the unit of the rig.

    Attributes
    ----------
    hidden : int
        Width of both hidden layers.
    noise : float
        Control points of half of the rows are moved by up to this along each axis, so that unreachable targets work, by
        any share of it. Paper: 4.5 mm, all rows.
    regularization : float
        Millimeters that a parameter's whole range away from those of its row costs, on average over the parameters.
        The paper's leads towards rest, and is not printed.
    rows : int
        Rows that are sampled if no data set is given.
    bins : int
        Intervals of the control points' first principal component that batches draw from alike.
    agreement : str
        What becomes of parameters that several regions share. "average", as published: networks are trained through
        the average. "joint": each network is trained for its region alone, and a solve over all regions finds the
        parameters that least change what each region's own answer does to its points.
    influence : float
        A parameter that moves a control point by less over its range does not count as moving it.
    batch : int
    optimizer : str
        "soap" (Vyas et al. 2024) or "adam".
    learning_rate : float
    schedule : str
        "cosine", "constant" or "thirds".
    patience : int
        Evaluations without a better held-out loss after which training stops.

    Examples
    --------
    >>> rc.training.FaceIkSettings(hidden=64).hidden
    64
    """

    hidden: int = 256
    noise: float = 4.5e-3
    regularization: float = 5.0
    rows: int = 20_000
    bins: int = 16
    agreement: str = "average"
    influence: float = 2e-5
    batch: int = 256
    optimizer: str = "soap"
    learning_rate: float = 0.01
    schedule: str = "cosine"
    patience: int = 20

    def __post_init__(self) -> None:
        complete("face_ik", self, {})
        check = Arguments("face_ik")
        named = {"optimizer": OPTIMIZERS, "schedule": SCHEDULES, "agreement": AGREEMENTS}
        for name, choices in named.items():
            if getattr(self, name) not in choices:
                raise bad_argument("face_ik", name, repr(getattr(self, name)), " or ".join(map(repr, choices)))
        for name, least in {"hidden": 1, "rows": 16, "bins": 1, "batch": 1, "patience": 1}.items():
            check.whole(name, getattr(self, name), least=least)
        for name in ("noise", "regularization", "influence", "learning_rate"):
            check.number(name, getattr(self, name), least=0.0)
