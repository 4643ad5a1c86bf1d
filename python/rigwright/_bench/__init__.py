"""Speed of the engine beside that of its peers, in one run on one machine."""

from rigwright._bench.body import body
from rigwright._bench.differential import differential
from rigwright._bench.face_maps import face_maps
from rigwright._bench.layout import has_networks
from rigwright._bench.reading import reading_figures
from rigwright._bench.timing import machine

__all__ = ["body", "differential", "face_maps", "has_networks", "machine", "reading_figures"]
