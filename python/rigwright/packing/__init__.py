"""Expression packing: which few expressions an actor poses so that scans show every shape (Carrigan 2020, ch. 3)."""

from rigwright.packing.mirror import Mirror, mirror
from rigwright.packing.pack import pack_expressions
from rigwright.packing.plan import Plan
from rigwright.packing.symmetry import Pair

__all__ = ["Mirror", "Pair", "Plan", "mirror", "pack_expressions"]
