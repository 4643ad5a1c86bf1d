"""Functions drawn by lot are broken on purpose, one at a time: which test notices? ``python -m tests.mutants``."""
