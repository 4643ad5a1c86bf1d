"""Pictures of characters and curves: what reports and notebooks draw.

Pictures of meshes are :class:`Image` objects, which notebooks show and ``np.asarray`` reads; charts are matplotlib
axes. Needs the extra ``report`` (PyVista and matplotlib), and no display.
"""

from rigwright.plot._charts import curves, errors
from rigwright.plot._colors import heat
from rigwright.plot._image import Image
from rigwright.plot._meshes import contact_sheet, mesh, side_by_side
from rigwright.plot._portrait import portrait
from rigwright.plot._studio import Studio, View, close_view, view_of

__all__ = [
    "Image",
    "Studio",
    "View",
    "close_view",
    "contact_sheet",
    "curves",
    "errors",
    "heat",
    "mesh",
    "portrait",
    "side_by_side",
    "view_of",
]
