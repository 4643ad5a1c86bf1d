"""The inverse rig: from target meshes back to the weights of a blendshape rig.

``solve`` states the objective that every method minimizes; ``Solver`` keeps a rig's Gram matrix for more shots.
"""

from rigwright.inverse._methods.descent import FRAMES_PER_RUN
from rigwright.inverse._options import Options
from rigwright.inverse._problem import Problem
from rigwright.inverse._run import METHODS
from rigwright.inverse._solution import Solution
from rigwright.inverse._solve import Solver, solve
from rigwright.inverse._trade_off import TradeOff, trade_off

__all__ = ["FRAMES_PER_RUN", "METHODS", "Options", "Problem", "Solution", "Solver", "TradeOff", "solve", "trade_off"]
