"""Small benchmarks for speed work, one function per kernel: ``python -m benchmarks.kernels --help``."""
