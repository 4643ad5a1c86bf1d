"""Pictures of characters and curves: what reports and notebooks draw.

Pictures of meshes are :class:`Image` objects, which notebooks show and ``np.asarray`` reads; charts are matplotlib
axes. Needs the extra ``report`` (PyVista and matplotlib), and no display.
"""

from rigcast.plot._arguments import RestingMesh
from rigcast.plot._charts import curves, error_curves
from rigcast.plot._deformation_maps import deformation_maps
from rigcast.plot._group import group
from rigcast.plot._image import Image
from rigcast.plot._lines import lines
from rigcast.plot._map_layout import map_layout
from rigcast.plot._meshes import contact_sheet, mesh, side_by_side
from rigcast.plot._portrait import portrait_renderer
from rigcast.plot._studio import Studio, View, close_view, view_of

__all__ = [
    "Image",
    "RestingMesh",
    "Studio",
    "View",
    "close_view",
    "contact_sheet",
    "curves",
    "deformation_maps",
    "error_curves",
    "group",
    "lines",
    "map_layout",
    "mesh",
    "portrait_renderer",
    "side_by_side",
    "view_of",
]
