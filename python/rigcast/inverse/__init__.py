"""The inverse rig: from target meshes back to the weights of a blendshape rig.

``solve`` states the objective that every method minimizes; ``Solver`` keeps a rig's Gram matrix for more shots.
"""

from rigcast._rigs.motions.head import head_angles
from rigcast.inverse._choices.jitter import Jitter, jitter
from rigcast.inverse._constraint_files import load_pins, load_priors, load_symmetric_pairs
from rigcast.inverse._motion.head import HeadMotion, head_motion
from rigcast.inverse._motion.rigid import in_rig_frame, resting_vertices
from rigcast.inverse._solution import Solution
from rigcast.inverse._solver import Solver, solve
from rigcast.inverse._trade_off import TradeOff, trade_off

__all__ = [
    "HeadMotion",
    "Jitter",
    "Solution",
    "Solver",
    "TradeOff",
    "head_angles",
    "head_motion",
    "in_rig_frame",
    "jitter",
    "load_pins",
    "load_priors",
    "load_symmetric_pairs",
    "resting_vertices",
    "solve",
    "trade_off",
]
