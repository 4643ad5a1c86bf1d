"""Expression packing: which few expressions an actor poses so that scans show every shape (Carrigan 2020, ch. 3)."""

from rigwright.transfer._packing.mirror import Mirror, mirror
from rigwright.transfer._packing.pack import pack_expressions
from rigwright.transfer._packing.plan import ExpressionPlan
from rigwright.transfer._packing.symmetry import Pair

__all__ = ["ExpressionPlan", "Mirror", "Pair", "mirror", "pack_expressions"]
