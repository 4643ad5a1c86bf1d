"""Choices of a fit in which the source and the defaults differ."""

from __future__ import annotations

from dataclasses import dataclass, fields

from rigcast._shown import one_line
from rigcast._validate import bad_argument, shown

CHOICES = {"scaling": ("all", "label"), "matching": ("mesh", "components"), "minimizer": ("lbfgs", "scg")}


@one_line
@dataclass(frozen=True, kw_only=True)
class FitSettings:
    """Scaling, matching and fitting of labels: our defaults, or as in the source (Bailey 2020, chapter 5).

    Attributes
    ----------
    scaling : {"all", "label"}
        The clips by which controls are scaled before their principal components are taken: those of all labels, or of
        each label by itself, around the label's own mean (W in equations 5.3 and 5.13). Where a control rests in a
        label, or moves nothing there, its scale is that of all labels. Without a rig both are the same.
    matching : {"mesh", "components"}
        The distance by which the point of a label is searched that matches a pose of another: that of the linearized
        meshes, or of the principal components of the label (equations 5.13 to 5.15). The pairs that are found are
        compared with the threshold on the mesh in either case.
    minimizer : {"lbfgs", "scg"}
        Limited-memory BFGS, or scaled conjugate gradients, as published.

    Raises
    ------
    ValueError
        If a value is none of these.

    Examples
    --------
    >>> rc.synthesis.FitSettings.published()
    FitSettings(scaling='label', matching='components', minimizer='scg')
    """

    scaling: str = "all"
    matching: str = "mesh"
    minimizer: str = "lbfgs"

    def __post_init__(self) -> None:
        for field in fields(self):
            value, known = getattr(self, field.name), CHOICES[field.name]
            if value not in known:
                raise bad_argument("FitSettings", field.name, shown(value), f"one of {', '.join(known)}")

    @classmethod
    def published(cls) -> FitSettings:
        """The choices of the source; its numbers are ``dimensions=3, components=0.85``."""
        return cls(scaling="label", matching="components", minimizer="scg")


DEFAULT = FitSettings()
