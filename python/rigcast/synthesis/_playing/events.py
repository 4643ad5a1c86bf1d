"""The reasons of a pose: command, label, nearest clip frame and variance, second by second."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from rigcast._shown import one_line


@one_line
@dataclass(frozen=True)
class Event:
    """A command that began, a note about it, or one second of motion.

    Attributes
    ----------
    seconds : float
    kind : str
        "command", "note", or "second".
    command : str
        With its arguments; what a note says.
    label : str
    nearest : str
        Clip frame whose mesh is nearest, as "walk 12"; of seconds only, as are the following.
    distance : float
        To that mesh, in the rig's unit.
    variance : float
        Predictive variance of the latent point, as a share of that far from all clips.
    """

    seconds: float
    kind: str
    command: str
    label: str
    nearest: str = ""
    distance: float = 0.0
    variance: float = 0.0

    def as_plain(self) -> dict[str, str | float]:
        """The same as a dictionary."""
        return asdict(self)
