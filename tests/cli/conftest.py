"""Folders that the commands work in."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.second_face import first_face, second_face_files
from tests.support.sheet import sheet_files


@pytest.fixture(scope="module")
def shot_files(tmp_path_factory):
    """A rig, a shot, and the shot's weights."""
    folder = tmp_path_factory.mktemp("solve")
    np.save(folder / "truth.npy", sheet_files(folder))
    return folder


@pytest.fixture(scope="module")
def face_files(tmp_path_factory):
    """A face with its shapes, and what a second one is made of."""
    folder = tmp_path_factory.mktemp("transfer")
    first_face().save(folder / "face.safetensors")
    second_face_files(folder)
    return folder
