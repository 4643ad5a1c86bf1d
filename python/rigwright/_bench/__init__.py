"""Speed of the engine beside that of its peers, in one run on one machine."""

from rigwright._bench.body import body
from rigwright._bench.layout import has_networks
from rigwright._bench.timing import machine

__all__ = ["body", "has_networks", "machine"]
