"""Held-out figures of a latent space."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from rigcast._shown import one_line


@one_line
@dataclass(frozen=True)
class HeldOut:
    """Mean distances in millimeters of frames that were held out: blocks of 12, every fifth.

    Each is the root mean square over vertices between the frame and the closest pose that can be made.

    Attributes
    ----------
    frames : int
        Held out, of the label's frames.
    dimensions, components : int
        Of the latent space that was judged.
    latent : float
        The closest latent point.
    principal : dict from int to float
        The closest pose of so many principal components of the other frames; of as many as the space has dimensions,
        too.
    nearest : float
        The nearest of the other frames.
    """

    frames: int
    dimensions: int
    components: int
    latent: float
    principal: dict[int, float]
    nearest: float

    @property
    def is_worth_it(self) -> bool:
        """Return True if the latent space beats the same number of principal components, and the nearest training
        frame."""
        same = self.principal.get(self.dimensions, np.inf)
        return self.latent < same and self.latent < self.nearest

    def summary(self) -> str:
        """One sentence."""
        principal = ", ".join(f"{count} components {value:.3g}" for count, value in self.principal.items())
        text = f"latent space {self.latent:.3g} mm, {principal}, nearest frame {self.nearest:.3g} mm"
        return text if self.is_worth_it else f"{text}: the latent space is not worth more than these clips"

    def as_dict(self) -> dict[str, object]:
        """Plain values for a file."""
        return {**asdict(self), "principal": {str(count): value for count, value in self.principal.items()}}
