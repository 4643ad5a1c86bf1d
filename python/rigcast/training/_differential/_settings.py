"""Settings of a differential model: one record, checked, kept in the model it makes."""

from __future__ import annotations

from dataclasses import dataclass

from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument
from rigcast.training._settings import by_method, complete

RECIPES = ("narrow", "paper")
CHOICES = {
    "recipe": RECIPES,
    "loss": ("displacement", "delta"),
    "optimizer": ("soap", "adam", "sgd"),
    "schedule": ("cosine", "constant"),
    "anchor_networks": ("each", "one"),
}


@one_line
@dataclass(frozen=True, kw_only=True)
class DifferentialSettings:
    """Settings of :func:`rigcast.training.differential`; lengths in meters, whatever the unit of the rig.

    What is left out or None is the recipe's default, which is noted as "narrow, paper" if they differ.

    Attributes
    ----------
    recipe : str
        "narrow": three layers of 384 units, anchor networks of one layer of 128 at most, on base shapes; the loss is
        the squared displacement that errors cause, Adam. "paper": after Song et al. 2020: five layers of 2,048 units,
        anchor networks of three layers of 64, L1 on delta coordinates, SGD; see the notes.
    holdout : float
        Part of the rows that is never trained on, between 0 and 1.
    components : int or None
        Principal components of the delta coordinates; None: 5 % of the vertices, of recipe "narrow" at most 256, or as
        many as the training rows allow.
    anchor_share : float
        Part of the vertices that are anchors, if they are chosen automatically.
    anchor_weight : float
        Of the anchors in the least-squares solve.
    hidden, layers : int
        Width and number of the hidden layers of the differential network; 384 and 3, 2048 and 5.
    base : bool
        Whether networks add to base shapes: offsets that are linear in the pose columns, in products of them and in
        max(x, 0) of signed controls, fitted by ridge regression; True, False.
    anchor_networks : str
        "each": one network per anchor with the inputs that move it; "one": a single network of all inputs.
    anchor_hidden, anchor_layers : int
        Width, at most, and number of their hidden layers. With recipe "narrow", four units per input are enough;
        128 and 1, 64 and 3.
    anchor_rate : float
        Times the learning rate, for the anchor networks. Of "adam"; 4, 1.
    influence_threshold : float
        Meters that a control must move an anchor to be an input of its network.
    loss : str
        Of the differential network. "displacement": the squared displacement that an error of the coefficients causes;
        "delta": the mean absolute error of delta coordinates, in centimeters; "displacement", "delta".
    motion_weight : float
        Weight of :class:`MotionLoss` of the posed vertices, the soft maximum of what a viewer in front sees them to be
        off, beside the loss of the networks; 0 leaves it out.
    optimizer : str
        "soap", "adam" or "sgd"; "adam", "sgd".
    learning_rate : float
        With the cosine schedule the highest one; 0.0015, 0.1.
    schedule : str
        "cosine" or "constant".
    batch : int
        Poses per step.
    patience : int
        Evaluations without a better held-out error after which training stops.

    Notes
    -----
    The paper prints layers and units, ReLU, 5 % of the vertices as components, 2 % as anchors, L1 and L2, batches of
    128, gradient descent from a rate of 0.1, and 10,000 epochs. Its recipe has these, and differs or fills in: the
    basis comes from at most 2,048 training rows (printed: all); L1 measures what the basis can show (printed: against
    the true delta coordinates); weights start at random with He's variance; the rate falls by a cosine; the weights of
    the best held-out displacement are kept, and training stops early by ``patience``; anchors are chosen by
    :func:`rigcast.differential.choose_anchors` (printed: by hand); targets are scaled to a mean square of 1. The 10,000
    epochs are ``steps=10_000 * (rows // 128)``, of rows that are not held out.

    Examples
    --------
    >>> rc.training.DifferentialSettings(hidden=64).hidden
    64
    """

    recipe: str = "narrow"
    holdout: float = 0.1
    components: int | None = None
    anchor_share: float = 0.02
    anchor_weight: float = 1.0
    hidden: int = by_method()
    layers: int = by_method()
    base: bool = by_method()
    anchor_networks: str = "each"
    anchor_hidden: int = by_method()
    anchor_layers: int = by_method()
    anchor_rate: float = by_method()
    influence_threshold: float = 2e-5
    loss: str = by_method()
    motion_weight: float = 0.0
    optimizer: str = by_method()
    learning_rate: float = by_method()
    schedule: str = "cosine"
    batch: int = 128
    patience: int = 20

    def __post_init__(self) -> None:
        complete("differential", self, _PAPER if self.recipe == "paper" else _NARROW)
        check = Arguments("differential")
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise bad_argument("differential", name, repr(getattr(self, name)), " or ".join(map(repr, choices)))
        for name in ("hidden", "layers", "anchor_hidden", "anchor_layers", "batch", "patience"):
            check.whole(name, getattr(self, name), least=1)
        if self.components is not None:
            check.whole("components", self.components, least=1)
        check.number("holdout", self.holdout, above=0.0, below=1.0)
        check.number("anchor_share", self.anchor_share, above=0.0, most=1.0)
        check.number("anchor_weight", self.anchor_weight, above=0.0)
        check.number("influence_threshold", self.influence_threshold, least=0.0)
        check.number("motion_weight", self.motion_weight, least=0.0)
        check.number("learning_rate", self.learning_rate, least=0.0)
        check.number("anchor_rate", self.anchor_rate, least=0.0)


_NARROW = {
    "hidden": 384,
    "layers": 3,
    "base": True,
    "anchor_hidden": 128,
    "anchor_layers": 1,
    "anchor_rate": 4.0,
    "loss": "displacement",
    "optimizer": "adam",
    "learning_rate": 0.0015,
}
_PAPER = {
    "hidden": 2048,
    "layers": 5,
    "base": False,
    "anchor_hidden": 64,
    "anchor_layers": 3,
    "anchor_rate": 1.0,
    "loss": "delta",
    "optimizer": "sgd",
    "learning_rate": 0.1,
}
