"""Vertices of other faces where ICT's 68 landmarks lie (Multi-PIE order, ``idx_to_landmark_verts`` of the data set).

Chosen by us. MakeHuman's (hm08) were found on enlarged pictures of both meshes with vertex numbers drawn beside what is
visible, on the figure's left side only; a number was taken where the same feature of the surface runs through both
landmark and vertex:

- lips: the edge of the red (where the shading breaks) for the outer line, the lowest and highest visible row for the
  inner one; along a line, the same part of the way from the middle to the corner (ICT's corner is 2.53 from the middle,
  hm08's 0.242);
- lids: the inner edge of the lid's rim, at the same part of the way from the inner to the outer corner of the opening
  (0.36 and 0.78 above, 0.34 and 0.77 below); ICT's inner corner is just inside the fold, before the caruncle;
- nose: tip where the middle line is farthest in front (normal straight ahead on both), base in the fold below the
  columella, wings on the row under the nostrils, bridge where the middle line's normal has the same direction at about
  the same height over the pupils.

The right side is the mirror image. Left out because no feature marks them: the contour of the jaw (0 to 16), the brows
(17 to 26, ICT's lie on the forehead above the ridge), and 56, 58, 60 and 64, which fall between vertices of hm08 or
where several meet: there the closest points decide.
"""

from __future__ import annotations

import numpy as np

HM08_MIDDLE = {27: 134, 28: 131, 29: 164, 30: 5054, 33: 343, 51: 455, 57: 492, 62: 523, 66: 493}
HM08_LEFT = {42: 6853, 43: 7791, 44: 7775, 45: 7781, 46: 7785, 47: 7788}
HM08_LEFT |= {34: 7077, 35: 7095, 52: 7215, 53: 7170, 54: 7182, 55: 7166, 63: 7262, 65: 7236}
OPPOSITE = {42: 39, 43: 38, 44: 37, 45: 36, 46: 41, 47: 40, 34: 32, 35: 31, 52: 50, 53: 49, 54: 48, 55: 59}
OPPOSITE |= {63: 61, 65: 67}

# MediaPipe's canonical face documents its vertices by region: corners and lids of the eyes, bridge, tip and base of the
# nose, chin, middle and corners of the mouth.
CANONICAL = {36: 33, 39: 133, 42: 362, 45: 263, 48: 61, 54: 291, 30: 1, 8: 152, 27: 168, 33: 2, 51: 0, 57: 17}
CANONICAL |= {37: 160, 38: 158, 40: 153, 41: 144, 43: 385, 44: 387, 46: 373, 47: 380}


def hm08(body: np.ndarray) -> dict[int, int]:
    """Landmark to vertex, both sides; ``body`` (V, 3) is symmetric about x = 0."""
    found = HM08_MIDDLE | HM08_LEFT
    for landmark, vertex in HM08_LEFT.items():
        away = np.linalg.norm(body - body[vertex] * np.float32([-1, 1, 1]), axis=1)
        assert away.min() < 1e-3, f"vertex {vertex} has no mirror image"
        found[OPPOSITE[landmark]] = int(away.argmin())
    return found
