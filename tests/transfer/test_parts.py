"""Transfers in parts: the same bytes, whatever happened on the way."""

from __future__ import annotations

import os

import numpy as np
import pytest

import rigcast as rc
from tests.transfer.meshes import bend, mixed_sheets


def faces_and_shapes(count: int = 19):
    neutral, faces = mixed_sheets(3)
    return neutral, np.stack([bend(neutral, k, 0.2) for k in range(count)]), bend(neutral, 99, 0.3), faces


def test_parts_are_the_whole(tmp_path, tolerance):
    neutral, shapes, target, faces = faces_and_shapes()
    told = []
    got = rc.transfer.transfer_in_parts(neutral, shapes, target, faces, folder=tmp_path / "parts", progress=told.append)
    expected = rc.transfer.deformation_transfer(neutral, shapes, target, faces)
    np.testing.assert_allclose(got, expected, atol=tolerance["float32_sum"])
    assert [p.done for p in told] == [0, 8, 16, 19]


@pytest.mark.parametrize("stop", [8, 16])
def test_an_interrupted_transfer_goes_on(tmp_path, stop):
    neutral, shapes, target, faces = faces_and_shapes()
    whole = rc.transfer.transfer_in_parts(neutral, shapes, target, faces, folder=tmp_path / "whole")

    def break_off(progress):
        if progress.done == stop:
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError):
        rc.transfer.transfer_in_parts(neutral, shapes, target, faces, folder=tmp_path / "parts", progress=break_off)
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "parts").glob("*.part")}
    assert len(kept) == stop // 8
    again = rc.transfer.transfer_in_parts(neutral, shapes, target, faces, folder=tmp_path / "parts")
    assert again.tobytes() == whole.tobytes()
    assert {path: path.stat().st_mtime_ns for path in kept} == kept, "not done again"


def test_parts_of_another_transfer_and_broken_ones_are_done_again(tmp_path):
    neutral, shapes, target, faces = faces_and_shapes()
    folder = tmp_path / "parts"
    rc.transfer.transfer_in_parts(neutral, shapes, bend(target, 1), faces, folder=folder)
    got = rc.transfer.transfer_in_parts(neutral, shapes, target, faces, folder=folder)
    assert (
        got.tobytes()
        == rc.transfer.transfer_in_parts(neutral, shapes, target, faces, folder=tmp_path / "new").tobytes()
    )
    cut, swapped = folder / "rigcast-000008.part", folder / "rigcast-000016.part"
    cut.write_bytes(cut.read_bytes()[:-1])
    swapped.write_bytes((folder / "rigcast-000000.part").read_bytes()[:40])
    assert rc.transfer.transfer_in_parts(neutral, shapes, target, faces, folder=folder).tobytes() == got.tobytes()


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    neutral, shapes, target, faces = faces_and_shapes(2)
    (tmp_path / "diary.txt").write_text("dear diary")
    with pytest.raises(ValueError, match="which holds other files; it must be absent or empty"):
        rc.transfer.transfer_in_parts(neutral, shapes, target, faces, folder=tmp_path)
    assert (tmp_path / "diary.txt").read_text() == "dear diary"
    with pytest.raises(ValueError, match=r"source_shapes is float32 \(2, 5, 3\)"):
        rc.transfer.transfer_in_parts(neutral, shapes[:, :5], target, faces, folder=tmp_path / "parts")
    assert not (tmp_path / "parts").exists()


def test_two_transfers_at_once_do_not_mix_their_shapes(tmp_path):
    neutral, shapes, target, faces = faces_and_shapes()
    whole = rc.transfer.transfer_in_parts(neutral, shapes, target, faces, folder=tmp_path / "whole")
    folder, refused = tmp_path / "parts", []

    def second(progress):
        if progress.done == 8:
            with pytest.raises(ValueError, match=rf"which process {os.getpid()} on .* is writing") as caught:
                rc.transfer.transfer_in_parts(neutral, shapes, bend(target, 1), faces, folder=folder)
            refused.append(caught.value)

    first = rc.transfer.transfer_in_parts(neutral, shapes, target, faces, folder=folder, progress=second)
    assert len(refused) == 1
    assert first.tobytes() == whole.tobytes()
