"""Models in pages: whole numbers with scales, and what a reader makes of them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from rigcast.viewer._stored._numbers import coded
from tests.support.made.models import random_body
from tests.web.module import node


@pytest.fixture(scope="module")
def body(tmp_path_factory):
    path = tmp_path_factory.mktemp("body") / "body.safetensors"
    random_body().save(path)
    return np.frombuffer(path.read_bytes(), np.uint8)


def matrices_of(file, found):
    """Each matrix before and after, by columns, with the bytes of a number and the rows of a block."""
    for offset, rows, columns, bytes_each, block in found.matrices:
        part = slice(offset, offset + 4 * rows * columns)
        before, after = (
            np.frombuffer(of[part].tobytes(), "<f4").reshape(rows, columns) for of in (file, found.restored)
        )
        yield before.astype(float), after.astype(float), bytes_each, block


def names_of(file, ending):
    """Tensors of a safetensors file whose names end so."""
    size = int.from_bytes(file[:8].tobytes(), "little")
    return [name for name in json.loads(file[8 : 8 + size].tobytes()) if name.endswith(ending)]


@pytest.mark.parametrize("int8", [False, True])
def test_a_number_is_off_by_at_most_half_of_its_blocks_step(body, int8):
    found = coded(body, names_of(body, "basis") if int8 else ())
    assert {each for *_, each, _ in found.matrices} == ({1, 2} if int8 else {2})
    for before, after, bytes_each, block in matrices_of(body, found):
        most = 2 ** (8 * bytes_each - 1) - 1
        for row in range(0, len(before), block):
            largest = np.abs(before[row : row + block]).max(axis=0)
            apart = np.abs(after - before)[row : row + block].max(axis=0)
            assert (apart <= largest / most).all(), "half of a power of two that is less than twice the step"


def test_all_else_is_unchanged(body):
    found = coded(body)
    same = np.ones(len(body), bool)
    for offset, rows, columns, _, _ in found.matrices:
        same[offset : offset + 4 * rows * columns] = False
    assert (found.restored[same] == body[same]).all()
    assert 0.45 * (~same).sum() < len(body) - len(found.packed) < 0.5 * (~same).sum()


def test_numbers_that_are_not_finite_stay_as_they_are(body):
    offset = coded(body).matrices[0][0]
    broken = body.copy()
    broken[offset : offset + 4] = np.frombuffer(np.float32(np.inf).tobytes(), np.uint8)
    found = coded(broken)
    assert offset not in [first for first, *_ in found.matrices]


@pytest.mark.parametrize("int8", [False, True])
def test_a_page_restores_the_same_bytes(body, tmp_path, int8):
    found = coded(body, names_of(body, "basis") if int8 else ())
    (tmp_path / "packed").write_bytes(found.packed.tobytes())
    (tmp_path / "matrices.json").write_text(json.dumps(found.matrices), encoding="utf-8")
    node("numbers.mjs", *(tmp_path / name for name in ("packed", "matrices.json", "out")))
    assert (tmp_path / "out").read_bytes() == found.restored.tobytes()
