"""BVH text and motions made by hand."""

from __future__ import annotations

from pathlib import Path

ARM = """HIERARCHY
ROOT Hips
{
  OFFSET 1 2 3
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Left Arm
  {
    OFFSET 0 10 0
    CHANNELS 3 Yrotation Zrotation Xrotation
    End Site
    {
      OFFSET 0 5 0
    }
  }
  JOINT Tail {
    OFFSET 0 -1 0
    CHANNELS 1 Xrotation
  }
}
MOTION
Frames:\t2
Frame Time: 0.04
0 0 0  0 0 0  0 0 0  0
4 5 6  10 20 30  40 50 60
70
"""


def write(folder: Path, text: str, name: str = "arm.bvh") -> Path:
    path = folder / name
    path.write_text(text)
    return path
