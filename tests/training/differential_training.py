"""Training of small differential models."""

from __future__ import annotations

import pytest

from tests.support.trainings import train_with

QUICK = {"steps": 40, "hidden": 12, "layers": 2, "anchor_hidden": 6, "anchor_layers": 2, "batch": 32, "threads": 1}


def learn(ds, **settings):
    """A model of a few steps."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    return train_with("differential", ds, **{**QUICK, **settings})


def saved_bytes(model, path):
    """The file of a model."""
    model.save(path)
    return path.read_bytes()
