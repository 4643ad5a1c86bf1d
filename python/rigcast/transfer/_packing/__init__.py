"""Expression packing: which few expressions an actor poses so that scans show every shape (Carrigan 2020, ch. 3)."""

from rigcast.transfer._packing.mirror import Mirror, mirror
from rigcast.transfer._packing.pack import pack_expressions
from rigcast.transfer._packing.plan import ExpressionPlan
from rigcast.transfer._packing.symmetry import Pair

__all__ = ["ExpressionPlan", "Mirror", "Pair", "mirror", "pack_expressions"]
