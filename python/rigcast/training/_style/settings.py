"""Settings of style transfer: one record, checked, kept in the model it makes."""

from __future__ import annotations

from dataclasses import dataclass

from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument
from rigcast.training._settings import OPTIMIZERS, SCHEDULES, by_method, complete

SIZES = (16, 32, 64, 128, 256)
REGIONS = ("face", "mouth", "left_eye", "right_eye")  # in the order in which they are pasted
CHOICES = {"regions": ("segmented", "whole"), "optimizer": OPTIMIZERS, "schedule": SCHEDULES}


@one_line
@dataclass(frozen=True, kw_only=True)
class StyleSettings:
    """Settings of :func:`rigcast.training.style_transfer`.

    The paper prints the loss (6.9) to (6.12) and the numbers of key points at 256 pixels. It prints no weight, neither
    ``sharpness`` nor ``margin`` nor a size of a network: all of these are ours, and stand in the model's metadata.
    Distances and Jacobians are of coordinates from -1 to 1 over the picture.

    Attributes
    ----------
    size : int
        Width and height of pictures in pixels: 16, 32, 64, 128, or the paper's 256.
    regions : str
        "segmented": a network each for the face, the mouth, and each eye with its brow. "whole": one network, whose
        loss is of the whole face.
    points : int
        Key points of the face; as many of the mouth, half as many of each eye; three times as many of a network of the
        whole. 24 with pictures of 256 pixels, as published, else 10.
    width : int
        Channels of the first layers; deeper ones have up to four times as many.
    perceptual : float
        Weight of L_percep. The paper compares features of a network trained on photographs (VGG), which is not at hand:
        here it is the mean absolute difference over a pyramid of four levels.
    equivariance : float
        Weight of L_equi, of points and of Jacobians alike.
    distance, sharpness : float
        Weight and T of L_dist (6.11). 0: without.
    background : float
        Weight of L_bg (6.10).
    regularization : float
        Weight of L_reg (6.12).
    rendered : float
        Share of the training pairs that are drawn from the renders.
    rotation : float
        Standard deviation of random rotations, radians.
    translation : float
        Standard deviation of random translations, half widths of the picture.
    warp : float
        Standard deviation of the control points of random thin-plate splines, half widths of the picture.
    margin : float
        By which convex hulls of landmarks grow, as a share of the picture's width.
    batch : int
        Pairs per step.
    optimizer : str
        "adam" or "soap".
    learning_rate : float
    schedule : str
        "cosine", "constant", or "thirds": the rate, a tenth and a hundredth of it.
    patience : int
        Evaluations without a better held-out loss after which a network's training stops.

    Examples
    --------
    >>> rc.training.StyleSettings().key_points
    {'face': 10, 'mouth': 10, 'left_eye': 5, 'right_eye': 5}
    >>> rc.training.StyleSettings(size=256, regions="whole").key_points
    {'face': 72}
    """

    size: int = 64
    regions: str = "segmented"
    points: int = by_method()
    width: int = 16
    perceptual: float = 10.0
    equivariance: float = 2.0
    distance: float = 0.02
    sharpness: float = 100.0
    background: float = 0.05
    regularization: float = 0.01
    rendered: float = 0.5
    rotation: float = 0.1
    translation: float = 0.05
    warp: float = 0.03
    margin: float = 0.05
    batch: int = 8
    optimizer: str = "adam"
    learning_rate: float = 1e-3
    schedule: str = "cosine"
    patience: int = 50

    def __post_init__(self) -> None:
        complete("style_transfer", self, {"points": 24 if self.size == 256 else 10})
        check = Arguments("style_transfer")
        if self.size not in SIZES:
            raise bad_argument("style_transfer", "size", repr(self.size), " or ".join(map(str, SIZES)))
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                got = repr(getattr(self, name))
                raise bad_argument("style_transfer", name, got, " or ".join(map(repr, choices)))
        check.whole("points", self.points, least=2, most=200)
        check.whole("width", self.width, least=1, most=256)
        check.whole("batch", self.batch, least=1)
        check.whole("patience", self.patience, least=1)
        for name in ("perceptual", "equivariance", "distance", "sharpness", "background", "regularization"):
            check.number(name, getattr(self, name), least=0.0)
        for name in ("rotation", "translation", "warp", "margin", "learning_rate"):
            check.number(name, getattr(self, name), least=0.0, most=1.0)
        check.number("rendered", self.rendered, least=0.0, most=1.0)

    @property
    def key_points(self) -> dict[str, int]:
        """Key points of each network, by its region; the face comes first."""
        if self.regions == "whole":
            return {"face": 3 * self.points}
        return {name: self.points if name in ("face", "mouth") else (self.points + 1) // 2 for name in REGIONS}
