"""Settings of networks that read faces: one record, checked, kept in the model it makes."""

from __future__ import annotations

from dataclasses import dataclass

from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument
from rigcast.training._settings import OPTIMIZERS, SCHEDULES, complete

CHOICES = {"detector": ("none", "mediapipe"), "optimizer": OPTIMIZERS, "schedule": SCHEDULES}
WHOLE = {"actors": 4, "poses": 4, "size": 32, "film_size": 32, "width": 4, "hidden": 8, "batch": 1, "patience": 1}


@one_line
@dataclass(frozen=True, kw_only=True)
class CaptureNetworkSettings:
    """Settings of :func:`rigcast.training.capture_network`.

    Attributes
    ----------
    actors, poses : int
        Synthetic actors, and pictures of each beside its neutral.
    first_actor : int
        Seed of the first actor; those that judge must have other seeds.
    size : int
        Width of the crops that the network sees, in pixels; a multiple of 16.
    film_size : int
        Width of the pictures that they are cut from.
    detector : str
        "mediapipe": the network also sees where that detector has its points, beside the neutral's, in half of the
        pictures. "none": crops alone.
    glasses, hand : float
        Share of the actors who wear glasses, and of those before whose mouth a hand comes; none of casts without 68
        landmarks, whose eyes and mouth are not known.
    width : int
        Channels of the first convolutions; those after them have two and four times as many.
    hidden : int
        Width of the dense layer.
    landmarks : float
        Loss of the heat maps, in square millimeters of the weights' loss; 0: none are trained.
    ridge : float
        Loss of a weight that is wrong by 1, in square millimeters, beside what it moves.
    holdout : float
        Share of the actors that judge the training.
    batch : int
    optimizer : str
        "adam" or "soap".
    learning_rate : float
    schedule : str
        "cosine", "constant" or "thirds".
    patience : int
        Evaluations without a better held-out error after which training stops.

    Examples
    --------
    >>> rc.training.CaptureNetworkSettings(actors=40).poses
    80
    """

    actors: int = 160
    poses: int = 80
    first_actor: int = 1000
    size: int = 64
    film_size: int = 128
    detector: str = "none"
    glasses: float = 0.2
    hand: float = 0.2
    width: int = 24
    hidden: int = 144
    landmarks: float = 0.1
    ridge: float = 0.1
    holdout: float = 0.06
    batch: int = 64
    optimizer: str = "adam"
    learning_rate: float = 2e-3
    schedule: str = "cosine"
    patience: int = 50

    def __post_init__(self) -> None:
        complete("capture_network", self, {})
        check = Arguments("capture_network")
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise bad_argument("capture_network", name, repr(getattr(self, name)), " or ".join(map(repr, choices)))
        for name, least in WHOLE.items():
            check.whole(name, getattr(self, name), least=least)
        check.whole("first_actor", self.first_actor)
        if self.size % 16:
            raise bad_argument("capture_network", "size", str(self.size), "a multiple of 16")
        for name in ("glasses", "hand"):
            check.number(name, getattr(self, name), least=0.0, most=1.0)
        check.number("holdout", self.holdout, above=0.0, most=0.5)
        for name in ("landmarks", "ridge", "learning_rate"):
            check.number(name, getattr(self, name), least=0.0)
