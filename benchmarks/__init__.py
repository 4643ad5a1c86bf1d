"""Benchmarks: ``kernels`` times single functions, ``systems`` makes the pages, ``papers`` keeps experiments."""
