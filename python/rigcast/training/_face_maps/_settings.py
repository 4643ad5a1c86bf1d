"""Settings of deformation maps: one record, checked, kept in the model it makes."""

from __future__ import annotations

from dataclasses import dataclass

from rigcast._shown import one_line
from rigcast._validate import bad_argument
from rigcast.training._settings import OPTIMIZERS, SCHEDULES, by_method, check_settings, complete

METHODS = ("ours", "paper")
LAYOUTS = ("mended", "published")
LENGTH = 1.0 / 40.0  # of the diagonal of the rest mesh's box: the unit of length of the loss, a centimeter on a head


@one_line
@dataclass(frozen=True, kw_only=True)
class FaceMapsSettings:
    """Settings of :func:`rigcast.training.face_maps`.

    What is left out or None is the method's default, which is noted as "ours, paper" if they differ.

    Attributes
    ----------
    method : str
        "ours": maps are combinations of a basis, most steps are in its coefficients, a decaying learning rate. "paper":
        after Bailey 2020, section 3.3: see Notes.
    layout : str
        "mended": texture coordinates are mended, rectangles of the texture grow until they hold the error, rigid parts
        follow vertices that lie far apart. "published": the artist's coordinates, squares of a quarter of the texture's
        width around the centers of k-means, the ten vertices that follow best; needs ``regions=0``; "mended",
        "published".
    holdout : float
        Part of the rows that is never trained on, between 0 and 1: whole clips of about so many rows.
    normal_weight : float
        Weight of the face normals in the loss, for lengths in fortieths of the diagonal of the rest mesh's box.
    motion_weight : float
        Weight of :class:`MotionLoss`, the soft maximum of what a viewer in front sees vertices to be off, beside the
        loss of vertices and normals; 0 leaves it out. It lowers the worst vertex that is seen, not the mean.
    gradient_weight : float
        Weight of the faces' change of shape in the quadratic loss of the steps in texels.
    base : bool
        Whether maps add to base shapes: offsets that are linear in the pose columns, in products of them and in
        max(x, 0) of signed controls, fitted by ridge regression; True, False.
    hidden : int
        Width of the hidden layers, at most: 8 per input are enough; 384, 256.
    components : int
        Maps in the basis of a segment, at most: fewer leave nothing where the motion is simple. Of "ours".
    first_channels : int
        Channels of the first map, of 8 x 8 texels, at most: 8 are enough for a map of 8 x 8, 12 for one of 16 x 16. Of
        "paper".
    channels : int
        Channels of all further maps. Of "paper".
    refinement : float
        Part of the steps that refinement segments get, from 0 (no refinement) to 1; 0.4, 0.5.
    regions : int
        1: what is refined gets coarse maps of its own, which read only the controls that move the rectangle, so
        that no other control moves it. 0: one coarse map per segment, as published; 1, 0.
    texels : float
        Part of the steps of the last level that is done in coefficients (in texels with the method "paper"), where the
        loss is quadratic and a step costs no maps; the others have the loss of vertices and normals. A coarse level
        that is refined has none of those, unless ``texels`` is 0; 0.7, 0.
    bins : int
        Intervals along the first principal component of landmarks that batches are drawn from evenly; 1 for rows
        drawn evenly; 1, 16.
    batch : int
        Poses per step; with "ours", a quarter in the steps on vertices and normals; 128, 8.
    optimizer : str
        "soap" (Vyas et al. 2024) or "adam"; "adam".
    learning_rate : float
        With the cosine schedule the highest one; with "ours", a tenth of it in the steps on vertices and normals;
        0.0015, 0.001.
    schedule : str
        "cosine", "constant", or "thirds": the rate, a tenth and a hundredth of it; "cosine", "thirds".
    patience : int
        Evaluations without a better held-out error after which the training of a level stops.

    Notes
    -----
    As printed by Bailey 2020, section 3.3, are with the method "paper": networks, the loss (3.1) over all faces,
    coordinates, squares, followers (3.4), Adam, batches of 8 from 16 bins, a frozen coarse level, three learning rates.
    It is after the source, not as printed, in this:

    - "Until convergence" is a third of a level's steps per learning rate, and half of all steps per level.
    - The weights of the best held-out error are kept, not the last ones; they begin He-normal.
    - Inputs are scaled by their spread, outputs by their root mean square; the length behind ``normal_weight`` is ours.
    - The error that places squares (3.2) is that of the best map by least squares, not of polyharmonic interpolation.
    - Squares are sought per coarse segment, in those that leave 0.03 mm or more. The elbow is that of the weighted
      squared distances of k-means.
    - Rigid (3.3) is judged by the root mean square distance; components of one motion are one part.
    - Landmarks of the bins are vertices far apart that move, not chosen by hand.

    Examples
    --------
    >>> rc.training.FaceMapsSettings(hidden=64).hidden
    64
    """

    method: str = "ours"
    layout: str = by_method()
    holdout: float = 0.1
    normal_weight: float = 5.0
    motion_weight: float = 0.0
    gradient_weight: float = 0.1
    base: bool = by_method()
    hidden: int = by_method()
    components: int = 192
    first_channels: int = 8
    channels: int = 16
    refinement: float = by_method()
    regions: int = by_method()
    texels: float = by_method()
    bins: int = by_method()
    batch: int = by_method()
    optimizer: str = by_method()
    learning_rate: float = by_method()
    schedule: str = by_method()
    patience: int = 50

    def __post_init__(self) -> None:
        complete("face_maps", self, _PAPER if self.method == "paper" else _OURS)
        choices = {"method": METHODS, "layout": LAYOUTS, "schedule": SCHEDULES, "optimizer": OPTIMIZERS}
        check_settings("face_maps", self, choices, _LOWEST, _WHOLE)
        for name in ("refinement", "texels"):
            if getattr(self, name) > 1.0:
                raise bad_argument("face_maps", name, repr(getattr(self, name)), "a part from 0 to 1")
        if self.regions > 1:
            raise bad_argument("face_maps", "regions", repr(self.regions), "0 or 1")
        if self.regions and self.layout == "published":
            raise bad_argument("face_maps", "regions", "1", 'of the layout "mended"; 0 with "published"')


_LOWEST = {
    "normal_weight": 0.0,
    "motion_weight": 0.0,
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
    "patience": 1,
}
_WHOLE = ("hidden", "components", "first_channels", "channels", "regions", "bins", "batch", "patience")

_OURS = {
    "layout": "mended",
    "base": True,
    "hidden": 384,
    "refinement": 0.4,
    "regions": 1,
    "texels": 0.7,
    "bins": 1,
    "optimizer": "adam",
    "batch": 128,
    "learning_rate": 0.0015,
    "schedule": "cosine",
}
_PAPER = {
    "layout": "published",
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
