"""From one rig to every face: shapes of one character given to another, corrected by examples, and which to pose.

Shapes are absolute positions (K, V, 3), as the neutrals are, and not offsets from a neutral; targets come back so.
"""

from rigcast._core import DeformationTransfer
from rigcast.transfer._contacts import find_contacts
from rigcast.transfer._correspondence import Correspondence, correspond
from rigcast.transfer._crossings import count_crossings, count_new_crossings, new_crossings
from rigcast.transfer._empty import empty_shapes
from rigcast.transfer._examples import ExampleFit, example_based, fit_example_weights, load_example_weights
from rigcast.transfer._face_maps import transfer_face_maps
from rigcast.transfer._packing import ExpressionPlan, pack_expressions
from rigcast.transfer._parts import transfer_in_parts
from rigcast.transfer._posable import unposable_shapes
from rigcast.transfer._positions_from_rig import positions_from_rig, rig_from_positions
from rigcast.transfer._quality import TransferQuality, quality
from rigcast.transfer._resting import resting_vertices
from rigcast.transfer._rigs import transfer_rig
from rigcast.transfer._shapes import deformation_transfer
from rigcast.transfer._surface import degenerate_faces

__all__ = [
    "Correspondence",
    "DeformationTransfer",
    "ExampleFit",
    "ExpressionPlan",
    "TransferQuality",
    "correspond",
    "count_crossings",
    "count_new_crossings",
    "deformation_transfer",
    "degenerate_faces",
    "empty_shapes",
    "example_based",
    "find_contacts",
    "fit_example_weights",
    "load_example_weights",
    "new_crossings",
    "pack_expressions",
    "positions_from_rig",
    "quality",
    "resting_vertices",
    "rig_from_positions",
    "transfer_face_maps",
    "transfer_in_parts",
    "transfer_rig",
    "unposable_shapes",
]
