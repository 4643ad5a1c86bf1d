"""Lists of a production file are told by kinds, with a count and some names; --json has every entry."""

from __future__ import annotations

from rigcast._rigs.resting import MOST_NAMED, MOST_REASONS, resting_lines
from rigcast._rigs.source_notes import left_out_lines
from rigcast.cli._commands.info import MOST_LISTED, _kinds


def test_meshes_that_are_left_out_are_a_line_per_reason() -> None:
    lines = left_out_lines([*(f"'WGT-{n}': the shape of a bone" for n in range(40)), "'Lamp: old': hidden in renders"])
    assert lines == [
        "40 meshes left out, the shape of a bone: 'WGT-0', 'WGT-1', 'WGT-2' and 37 more",
        "1 mesh left out, hidden in renders: 'Lamp: old'",
    ]


def test_constraints_are_counted_by_their_types() -> None:
    entries = [f"Copy {n} (COPY_TRANSFORMS) of bone 'b{n}'" for n in range(MOST_LISTED)] + ["IK (IK) of bone 'c'"]
    counted = f"{MOST_LISTED + 1} constraints: {MOST_LISTED} copy transforms, 1 ik (--json lists all)"
    assert _kinds("constraints", entries) == counted


def test_drivers_that_name_no_type_are_shown_by_the_first() -> None:
    entries = [f"value of shape {n} by bone" for n in range(20)]
    assert _kinds("drivers", entries).startswith("20 drivers: value of shape 0 by bone; value of shape 1 by bone; ")


def test_a_few_reasons_to_rest_keep_the_bones_that_they_name() -> None:
    assert resting_lines({"a": "moved by 'Copy' of bone 'b', whose controls have no range"})[1] == (
        "moved by 'Copy' of bone 'b', whose controls have no range: a"
    )


def test_many_reasons_to_rest_are_told_by_kind() -> None:
    moved = {f"a{n}": f"moved by 'Copy' of bone 'b{n}', whose controls have no range" for n in range(MOST_REASONS)}
    aimed = {f"c{n}": f"Stretch to target of d; {n}; no limits" for n in range(2)}
    assert resting_lines(moved | aimed) == [
        f"{MOST_REASONS + 2} of its joints, controls, shapes and dials never move (names: --json):",
        f"moved by a constraint, whose controls have no range: {MOST_REASONS} (a0, a1, a2 ...)",
        "target of a constraint; no limits: c0, c1",
    ]


def test_names_that_rest_are_all_told_if_they_are_few() -> None:
    assert resting_lines({f"a{n}": "no limits" for n in range(MOST_NAMED)}) == [
        f"{MOST_NAMED} of its joints, controls, shapes and dials never move:",
        "no limits: a0, a1, a2",
    ]
