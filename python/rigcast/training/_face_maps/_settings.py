"""What the training of deformation maps is asked to do: one record, checked, kept in the model it makes."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from rigcast._validate import bad_argument
from rigcast.training._settings import OPTIMIZERS, SCHEDULES, check_settings, chosen_settings

METHODS = ("ours", "paper")
LENGTH = 1.0 / 40.0  # of the diagonal of the rest mesh's box: the unit of length of the loss, a centimeter on a head


@dataclass(frozen=True)
class FaceMapsSettings:
    """Settings of :func:`rigcast.training.face_maps`.

    Attributes
    ----------
    method : str
        "ours": maps are combinations of a basis, most steps are in its coefficients, a decaying learning rate. "paper":
        as printed by Bailey 2020: convolutions, Adam, batches of 8, three constant learning rates in turn.
    seed : int
        Decides the held-out rows, the initial weights, the batches.
    holdout : float
        Part of the rows that is never trained on, between 0 and 1: whole clips of about so many rows.
    normal_weight : float
        Weight of the face normals in the loss, for lengths in fortieths of the diagonal of the rest mesh's box.
    gradient_weight : float
        Weight of the faces' change of shape in the quadratic loss of the steps in texels.
    base : bool
        Whether maps add to base shapes: offsets that are linear in the pose columns, in products of them and in
        max(x, 0) of signed controls, fitted by ridge regression.
    hidden : int
        Width of the hidden layers, at most: 8 per input are enough.
    components : int
        Maps in the basis of a segment, at most: fewer leave nothing where the motion is simple. Of "ours".
    first_channels : int
        Channels of the first map, of 8 x 8 texels, at most: 8 are enough for a map of 8 x 8, 12 for one of 16 x 16. Of
        "paper".
    channels : int
        Channels of all further maps. Of "paper".
    refinement : float
        Part of the steps that refinement segments get, from 0 (no refinement) to 1.
    regions : int
        1: what is refined gets coarse maps of its own, which read only the controls that move the rectangle, so
        that no other control moves it. 0: one coarse map per segment, as published.
    texels : float
        Part of the steps of the last level that is done in coefficients (in texels with the method "paper"), where the
        loss is quadratic and a step costs no maps; the others have the loss of vertices and normals. A coarse level
        that is refined has none of those, unless ``texels`` is 0.
    bins : int
        Intervals along the first principal component of landmarks that batches are drawn from evenly; 1 for rows
        drawn evenly. "paper": 16.
    batch : int
        Poses per step; with "ours", a quarter in the steps on vertices and normals.
    optimizer : str
        "soap" (Vyas et al. 2024) or "adam".
    learning_rate : float
        With the cosine schedule the highest one; with "ours", a tenth of it in the steps on vertices and normals.
    schedule : str
        "cosine", "constant", or "thirds": the rate, a tenth and a hundredth of it.
    steps : int or None
        Budget in steps, of coarse and refinement segments together.
    minutes : float or None
        Budget in minutes for the whole call, as in :class:`BodySettings`.
    patience : int
        Evaluations without a better held-out error after which the training of a level stops.

    Examples
    --------
    >>> rc.training.FaceMapsSettings(hidden=64).hidden
    64
    """

    method: str = "ours"
    seed: int = 0
    holdout: float = 0.1
    normal_weight: float = 5.0
    gradient_weight: float = 0.1
    base: bool = True
    hidden: int = 384
    components: int = 192
    first_channels: int = 8
    channels: int = 16
    refinement: float = 0.4
    regions: int = 1
    texels: float = 0.7
    bins: int = 1
    batch: int = 128
    optimizer: str = "adam"
    learning_rate: float = 0.0015
    schedule: str = "cosine"
    steps: int | None = None
    minutes: float | None = None
    patience: int = 50

    def __post_init__(self) -> None:
        choices = {"method": METHODS, "schedule": SCHEDULES, "optimizer": OPTIMIZERS}
        check_settings("face_maps", self, choices, _LOWEST, _WHOLE)
        for name in ("refinement", "texels"):
            if getattr(self, name) > 1.0:
                raise bad_argument("face_maps", name, repr(getattr(self, name)), "a part from 0 to 1")
        if self.regions > 1:
            raise bad_argument("face_maps", "regions", repr(self.regions), "0 or 1")

    def record(self) -> dict[str, object]:
        """The settings as plain values, for the model's metadata."""
        return dataclasses.asdict(self)


_LOWEST = {
    "seed": 0,
    "normal_weight": 0.0,
    "gradient_weight": 0.0,
    "hidden": 1,
    "components": 1,
    "first_channels": 1,
    "channels": 1,
    "refinement": 0.0,
    "regions": 0,
    "texels": 0.0,
    "bins": 1,
    "batch": 1,
    "learning_rate": 0.0,
    "steps": 1,
    "minutes": 0.0,
    "patience": 1,
}
_WHOLE = ("seed", "hidden", "components", "first_channels", "channels", "regions", "bins", "batch", "steps", "patience")

_PAPER = {
    "base": False,
    "hidden": 256,
    "refinement": 0.5,
    "regions": 0,
    "texels": 0.0,
    "bins": 16,
    "optimizer": "adam",
    "batch": 8,
    "learning_rate": 1e-3,
    "schedule": "thirds",
}


def settings_for(method: str, **given: Any) -> FaceMapsSettings:
    """The settings of a method; entries of ``given`` that are None keep the method's default.

    Raises
    ------
    ValueError
        On an unknown setting or a value that makes no sense.
    """
    defaults = _PAPER if method == "paper" else {}
    return FaceMapsSettings(**chosen_settings("face_maps", FaceMapsSettings, method, defaults, given))
