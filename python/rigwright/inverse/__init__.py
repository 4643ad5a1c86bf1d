"""The inverse rig: from target meshes back to the weights of a blendshape rig.

``solve`` states the objective that every method minimises; ``Solver`` keeps a rig's Gram matrix for more shots.
"""

from rigwright.inverse.descent import FRAMES_PER_RUN
from rigwright.inverse.options import Options
from rigwright.inverse.problem import Problem
from rigwright.inverse.solution import Solution
from rigwright.inverse.solve import METHODS, Solver, solve
from rigwright.inverse.trade_off import TradeOff, trade_off

__all__ = ["FRAMES_PER_RUN", "METHODS", "Options", "Problem", "Solution", "Solver", "TradeOff", "solve", "trade_off"]
