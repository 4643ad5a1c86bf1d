"""Benchmarks: ``kernels`` times single functions, ``peers`` a model beside PyTorch and ONNX Runtime, ``systems`` makes
the pages, ``papers`` keeps experiments."""
