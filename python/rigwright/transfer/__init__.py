"""From one rig to every face: shapes of one character given to another.

Shapes are absolute positions (K, V, 3), as the neutrals are, and not offsets from a neutral; targets come back so.
"""

from rigwright._core import DeformationTransfer
from rigwright.packing import Plan, pack_expressions
from rigwright.transfer.contacts import crossings, find_contacts
from rigwright.transfer.shapes import deformation_transfer

__all__ = ["DeformationTransfer", "Plan", "crossings", "deformation_transfer", "find_contacts", "pack_expressions"]
