"""Speed of the engine beside that of its peers, in one run on one machine."""

from rigcast._bench.body import body
from rigcast._bench.differential import differential
from rigcast._bench.face_maps import face_maps
from rigcast._bench.layout import has_networks
from rigcast._bench.reading import reading_figures
from rigcast._bench.timing import machine

__all__ = ["body", "differential", "face_maps", "has_networks", "machine", "reading_figures"]
