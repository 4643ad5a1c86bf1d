"""Files and options that cannot be right: one sentence and exit code 2."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli._console import Console
from tests.cli.sheet import sheet_rig

SOLVE = ["solve", "face.safetensors", "take.npy", "--fps", "30", "--overwrite", "-o", "x.npz"]
DEEP = "[" * 100_000


@pytest.mark.parametrize(
    "words",
    [
        [*SOLVE, "--names", "deep.json"],
        [*SOLVE, "--symmetric", "deep.json"],
        ["pack", "face.safetensors", "-o", "x.json", "--areas", "deep.json"],
        [
            "transfer",
            "face.safetensors",
            "neutral.npy",
            "-o",
            "x.npz",
            "--examples",
            "e.npy",
            "--examples-weights",
            "deep.json",
        ],
    ],
)
@pytest.mark.parametrize("content", [DEEP, "[" * 100 + "]" * 100, '"\\ud800' * 3, "\ufeff{", '{"a": 1e9999'])
def test_json_that_is_too_deep_or_broken_is_named(run, shot_files, words, content):
    (shot_files / "deep.json").write_text(content)
    rest = sheet_rig().rest_vertices
    np.save(shot_files / "neutral.npy", rest)
    np.save(shot_files / "e.npy", rest)
    code, told = run(*words)
    assert code == 2
    assert "deep.json" in told
    assert "internal error" not in told


@pytest.mark.parametrize("content", [DEEP, "[" * 900 + "]" * 900])
def test_limits_that_are_too_deep_are_named(tmp_path, content):
    from rigcast._formats.blender.limits import load_limits

    (tmp_path / "a.limits.json").write_text(content)
    with pytest.raises(ValueError, match=r"a\.limits\.json"):
        load_limits(tmp_path / "a.limits.json")


def priors(compressed=False):
    stream = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(stream, target=np.zeros((40, 6)), strength=np.ones((40, 6)))
    return stream.getvalue()


@pytest.mark.parametrize("compressed", [False, True])
def test_priors_with_a_wrong_byte_are_wrong_input(run, shot_files, compressed):
    whole = priors(compressed)
    places = [*range(0, 60, 4), *range(len(whole) - 120, len(whole), 5)]
    for place in places:
        (shot_files / "bent.npz").write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        code, told = run(*SOLVE, "--alpha", 1, "--priors", "bent.npz")
        assert code in (0, 2), place
        assert "internal error" not in told, place


@pytest.mark.parametrize("name", ["rig.npz", "take.npy"])
def test_a_file_with_wrong_bytes_is_wrong_input_and_never_our_fault(run, shot_files, name):
    if name == "rig.npz":
        rig = sheet_rig()
        np.savez(shot_files / name, neutral=rig.rest_vertices, deltas=rig.columns()[: rig.num_shapes])
        words = ["info", "bent.npz"]
    else:
        words = ["solve", "face.safetensors", "bent.npy", "--fps", "30", "--overwrite", "-o", "x.npz", "--alpha", 1]
    whole = (shot_files / name).read_bytes()
    for place in [*range(0, 130, 9), *range(len(whole) - 130, len(whole), 9)]:
        for other in (whole[:place], whole[:place] + b"\x01" + whole[place + 1 :], whole[:place] + whole[place + 1 :]):
            (shot_files / f"bent{name[-4:]}").write_bytes(other)
            code, told = run(*words)
            assert code in (0, 2), (place, told)


def test_priors_that_unpack_to_much_are_refused_before_they_are_unpacked(run, shot_files):
    with zipfile.ZipFile(shot_files / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("target", "strength"):
            with archive.open(f"{name}.npy", "w") as member:
                np.save(member, np.zeros((2000, 2000)))
    code, told = run(*SOLVE, "--priors", "bomb.npz")
    assert code == 2
    assert "at most 200 times its length" in told


@pytest.mark.parametrize("kind", [bool, complex, "U4", "S4"])
def test_priors_that_are_no_numbers_are_refused(run, shot_files, kind):
    np.savez(shot_files / "odd.npz", target=np.zeros(6).astype(kind), strength=np.ones(6))
    code, told = run(*SOLVE, "--priors", "odd.npz")
    assert (code, "odd.npz" in told) == (2, True)


@pytest.mark.parametrize(
    ("option", "array"),
    [
        ("--pins", np.zeros((40, 6), complex)),
        ("--pins", np.zeros((40, 6), bool)),
        ("--markers", np.zeros(4, complex)),
        ("--markers", np.array(["0", "1"])),
    ],
)
def test_arrays_that_are_no_numbers_are_refused(run, shot_files, option, array):
    np.save(shot_files / "odd.npy", array)
    code, told = run(*SOLVE, option, "odd.npy")
    assert (code, "odd.npy" in told) == (2, True)


@pytest.mark.parametrize("kind", [bool, complex, "U4"])
def test_an_animation_that_is_no_numbers_is_refused(tmp_path, kind):
    from rigcast.cli._inputs.motion import animation_channels

    np.save(tmp_path / "rows.npy", np.zeros((3, 2)).astype(kind))
    with pytest.raises(ValueError, match=r"--motion .*rows\.npy: no array of numbers"):
        animation_channels(tmp_path / "rows.npy", None, None, Console(quiet=True))


def test_an_animation_and_a_joint_map_that_are_damaged_are_named(tmp_path):
    from rigcast.cli._inputs.motion import animation_channels, joint_names_map

    (tmp_path / "rows.npy").write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(ValueError, match=r"--motion .*rows\.npy"):
        animation_channels(tmp_path / "rows.npy", None, None, Console(quiet=True))
    (tmp_path / "map.json").write_text(DEEP)
    with pytest.raises(ValueError, match=r"--joint-map .*map\.json: no JSON"):
        joint_names_map(tmp_path / "map.json")


def test_fixed_vertices_of_another_shape_are_refused(tmp_path):
    np.save(tmp_path / "fixed.npy", np.zeros((3, 9), int))
    with pytest.raises(ValueError, match=r"load_vertex_indices: path is .*fixed\.npy: .*shape \(3, 9\)"):
        rc.sources.load_vertex_indices(tmp_path / "fixed.npy")


@pytest.mark.parametrize("content", ["{}", "[{}]", '{"a": [[0], [1]]}', "3"])
def test_areas_that_are_no_list_of_pairs_are_refused(run, shot_files, content):
    (shot_files / "areas.json").write_text(content)
    code, told = run("pack", "face.safetensors", "-o", "x.json", "--areas", "areas.json")
    assert (code, "areas.json" in told) == (2, True)


@pytest.mark.parametrize(
    ("option", "number"),
    [
        ("--threads", "4294967296"),  # an engine's 32-bit number; iterations have 64 bits
        *((option, number) for option in ("--threads", "--max-iterations") for number in ("1" + "0" * 20, "9" * 5000)),
    ],
)
def test_numbers_beyond_the_engines_are_wrong_usage(run, option, number):
    code, told = run(*SOLVE, option, number)
    assert code == 2
    assert option in told
    assert len(told) < 500


@pytest.mark.parametrize("unit", ["1e-300", "1e300", "0", "nan"])
def test_a_unit_beyond_all_lengths_is_wrong_usage(run, unit):
    assert run(*SOLVE, "--unit", unit)[0] == 2


def test_a_rig_whose_unit_is_beyond_all_lengths_is_refused(run, shot_files):
    rig = sheet_rig()
    np.savez(
        shot_files / "tiny.npz",
        neutral=rig.rest_vertices,
        deltas=rig.columns()[: rig.num_shapes],
        meters_per_unit=1e-300,
    )
    code, told = run("solve", "tiny.npz", "take.npy", "--fps", "30", "--overwrite", "-o", "x.npz")
    assert code == 2
    assert "meters_per_unit is 1e-300" in told


def test_a_file_with_the_letters_of_a_pattern_is_that_file(run, shot_files):
    (shot_files / "take[1].npy").write_bytes((shot_files / "take.npy").read_bytes())
    assert (
        run("solve", "face.safetensors", "take[1].npy", "--fps", "30", "--overwrite", "-o", "x.npz", "--alpha", 1)[0]
        == 0
    )
