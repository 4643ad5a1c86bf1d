"""The engine beside PyTorch and ONNX Runtime on the same networks: ``python -m benchmarks.peers MODEL``."""

from benchmarks.peers.comparison import compare

__all__ = ["compare"]
