"""Settings of a body: one record, checked, kept in the model it makes."""

from __future__ import annotations

from dataclasses import dataclass

from rigcast._shown import one_line
from rigcast.training._settings import OPTIMIZERS, SCHEDULES, by_method, check_settings, complete

METHODS = ("blended", "paper")
LINEAR = ("auto", "rigid", "skinning", "own")
# Weight decay by the number of rows; from a body whose networks have up to 81 inputs, at 450, 900 and 2,700 of them.
PRIOR_ROWS, MOST_DECAY = 60.0, 0.3


@one_line
@dataclass(frozen=True, kw_only=True)
class BodySettings:
    """Settings of :func:`rigcast.training.body`; lengths in meters, whatever the unit of the rig.

    What is left out or None is the method's default, which is noted as "blended, paper" if they differ.

    Attributes
    ----------
    method : str
        "blended": vertex sets that overlap (a partition of unity), 6-number rotations, a decaying learning rate.
        "paper": after Bailey et al. 2018: hard sets, 12 numbers per joint, a constant rate, no decay; see the notes.
    holdout : float
        Part of the rows that is never trained on, between 0 and 1.
    linear : str
        What networks correct: "rigid", the motion of single joints, "skinning", linear blend skinning that is fitted to
        the samples, or "own", skinning by the weights of the rig itself; "auto": whichever of them learns best in a
        brief training, which the model's metadata states. By default what a setting of one of them that is given
        belongs to, else "auto", "rigid".
    influences : int
        With the skinning linear part: joints per vertex; 4.
    tau : float
        With the rigid linear part: sets are removed, smallest first, until the assignment error exceeds ``tau`` times
        the best one; 1.25.
    assignment_poses : int
        With the rigid linear part: poses that decide which joint moves a vertex; 200.
    border : float
        With the rigid linear part: width of the blend between neighboring sets, in edges of the mesh; 0 makes hard
        sets; 1.5, 0.
    compact_rotations : bool
        Two columns of a joint's rotation instead of three where it neither scales nor shears; True, False.
    influence_threshold : float
        Meters that a control must move a vertex, in its joint's frame, to be an input of its set.
    pca_threshold : float
        Mean distance error, in meters, that the output basis of a set may leave; of one vertex five times as much, but
        for the paper, which bounds the mean alone; 2e-5, 3e-4.
    max_components : int
        Most basis vectors per set.
    hidden : int
        Width of both hidden layers.
    batch : int
        Poses per step.
    optimizer : str
        "soap" (Vyas et al. 2024) or "adam"; "soap", "adam".
    learning_rate : float
        With the cosine schedule the highest one; 0.02, 0.01.
    weight_decay : float or None
        Times the learning rate: the share that the weights, not the biases, lose in each step (Loshchilov and Hutter
        2019). Without it, networks with many inputs learn a thousand poses by heart; too much of it keeps them from
        what three thousand poses say. None: 60 over the number of training rows, at most 0.3; of the paper 0.
    gain : float
        Of the initial weights of the first layer: below 1, networks begin nearly linear; 0.3, 1.
    schedule : str
        "cosine": a short rise, then down to zero at the end of the budget; "constant"; "thirds": the rate, a tenth of
        it and a hundredth of it, each for a third of the budget; "cosine", "constant".
    motion_weight : float
        Weight of :class:`MotionLoss` of the posed vertices, the soft maximum of what a viewer in front sees them to be
        off, beside the squared distances; 0 leaves it out.
    patience : int
        Evaluations without a better held-out error after which training stops.

    Raises
    ------
    ValueError
        If a value makes no sense.

    Notes
    -----
    The paper prints tanh, two layers of 128, the basis of a set that leaves 0.03 cm, fixed in training, and Adam with
    0.01, 0.9, 0.999 and 1e-8. Its method "paper" has these, and differs or fills in: batches of 256 rows (not
    printed); a number of steps that the caller gives (not printed); inputs divided by their spread; the squared error
    of each set divided by its variance in the frame of its joint, so that large sets do not outweigh small ones;
    joints that move a vertex by less than ``influence_threshold`` are no inputs; the weights of the best held-out
    error, and an early stop by it; ``tau`` 1.25 (printed: 1.1 to 1.5), on ``assignment_poses`` rows.

    Examples
    --------
    >>> rc.training.BodySettings(hidden=64).hidden
    64
    >>> rc.training.BodySettings(method="paper").optimizer
    'adam'
    """

    method: str = "blended"
    holdout: float = 0.1
    linear: str = by_method()
    influences: int = by_method()
    tau: float = by_method()
    assignment_poses: int = by_method()
    border: float = by_method()
    compact_rotations: bool = by_method()
    influence_threshold: float = 2e-5
    pca_threshold: float = by_method()
    max_components: int = 128
    hidden: int = 128
    batch: int = 256
    optimizer: str = by_method()
    learning_rate: float = by_method()
    weight_decay: float | None = None
    gain: float = by_method()
    schedule: str = by_method()
    motion_weight: float = 0.0
    patience: int = 20

    def __post_init__(self) -> None:
        given = [part for part, names in _OWN.items() if any(getattr(self, name) is not None for name in names)]
        defaults = _PAPER if self.method == "paper" else {"linear": (given or ["auto"])[0]}
        complete("body", self, _BLENDED | defaults)
        choices = {"method": METHODS, "linear": LINEAR, "schedule": SCHEDULES, "optimizer": OPTIMIZERS}
        check_settings("body", self, choices, _LOWEST, _WHOLE)

    def decay(self, rows: int) -> float:
        """The weight decay of a training on a number of rows."""
        return min(PRIOR_ROWS / rows, MOST_DECAY) if self.weight_decay is None else self.weight_decay


_LOWEST = {
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
    "motion_weight": 0.0,
    "patience": 1,
}
_WHOLE = ("influences", "assignment_poses", "max_components", "hidden", "batch", "patience")

_OWN = {"rigid": ("tau", "assignment_poses", "border"), "skinning": ("influences",)}  # settings of one linear part
_BLENDED = {
    "influences": 4,
    "tau": 1.25,
    "assignment_poses": 200,
    "border": 1.5,
    "compact_rotations": True,
    "pca_threshold": 2e-5,
    "optimizer": "soap",
    "learning_rate": 0.02,
    "gain": 0.3,
    "schedule": "cosine",
}
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
