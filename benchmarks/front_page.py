"""Writes the figures of the front page: ``python -m benchmarks.front_page``.

The table in docs/index.md and README.md has one row per task: the data it was measured on, the result, and what the
usual way reaches. It is for readers who do not know the peers. Every number is read from the tables of the benchmarks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.marks import write_between_marks
from benchmarks.written_tables import WrittenTable

SITE, REPOSITORY = "one number of each system, site", "one number of each system, repository"


@dataclass(frozen=True)
class Task:
    """A row: the task and its page, what it was measured on, the figures, and those of the usual way."""

    task: str
    page: str
    on: str
    measured: str
    usual: str


def learning() -> Task:
    error, speed = WrittenTable("accuracy"), WrittenTable("speed of bodies")
    ours, theirs = (error.cell(row, "walk") for row in ("learned model", "linear skinning, K = 4"))
    pose, faster = speed.number("rigcast: one pose", "time"), speed.number("the rig itself in Blender", "against")
    minutes = speed.said(r"learned model (\d+)")
    return Task(
        "Learn a rig",
        "learned_bodies.md",
        f"a Blender body of 13,380 vertices; 3,000 random poses, {minutes:.0f} minutes of training on two cores",
        f"on a walk that it never saw {_mean_and_most(ours)}; a pose takes {pose} ms",
        f"linear skinning {_mean_and_most(theirs)}; Blender takes {faster:.0f} times as long",
    )


def _mean_and_most(cell: str) -> str:
    mean, most = cell.removesuffix(" mm").split(", ")
    return f"{mean} mm off, {most} at worst"


def solving() -> Task:
    table, ict = WrittenTable("inverse figures"), WrittenTable("inverse details")
    rate, faster = table.number("ours, in a shot", 0, which=1), table.number("L-BFGS-B", "ours in a shot")
    large = ict.number("ours, in a shot", 0, which=1)
    return Task(
        "Solve a tracked shot",
        "inverse_rig.md",
        "a constructed face of 4,000 vertices and 130 shapes; ICT's face of 26,719 vertices",
        f"{rate:,.0f} frames per second on one core; {large:,.0f} on the larger",
        f"SciPy's L-BFGS-B takes {faster:.0f} times as long for the same weights",
    )


def transferring() -> Task:
    table = WrittenTable("transfer figures")
    seconds = [table.number("its head alone", "ours", nth=n) for n in range(3)]
    once = [table.number("its head alone", "ours is faster", nth=n) for n in range(3)]
    return Task(
        "Carry shapes to another face",
        "transfer.md",
        "265 shapes, a head of 14,062 vertices",
        f"{min(seconds):.2f} to {max(seconds):.2f} s for all of them",
        f"SciPy, scikit-sparse and libigl take {min(once):.0f} to {max(once):.0f} times as long",
    )


def posing() -> Task:
    table = WrittenTable("iterative solves")
    return Task(
        "Pose by pulling",
        "inverse_kinematics.md",
        "the learned body, eight points pulled at once",
        f"{table.number('8 targets', 'ours')} ms",
        f"SciPy's least squares takes {table.number('8 targets', 'ratio'):.0f} times as long",
    )


def animating() -> Task:
    table = WrittenTable("held out")
    clips = ("zombie", "dab")
    ours, three, nearest = (
        [table.number(clip, column) for clip in clips] for column in ("latent", "3 comp", "nearest")
    )
    return Task(
        "Go on animating",
        "latent_spaces.md",
        "two clips of motion capture, in three dimensions",
        f"frames that it never saw are rebuilt {min(ours):.0f} to {max(ours):.0f} mm off",
        f"three principal components: {min(three):.0f} to {max(three):.0f} mm, the nearest frame: "
        f"{min(nearest):.0f} to {max(nearest):.0f} mm",
    )


def capturing() -> Task:
    known, own = WrittenTable("refined faces"), WrittenTable("corrected frames in one line")
    still = WrittenTable("simple methods on synthetic actors").number("own shapes", "clip mean")
    return Task(
        "Capture a video",
        "synthetic_actors.md",
        "rendered actors; no footage of a person has been measured",
        f"{known.said(r'^([0-9.]+) mm')} mm off if the actor's rig is known, {own.said(r'^([0-9.]+) mm')} if not, "
        f"{own.said(r', ([0-9.]+) after')} after ten corrected frames",
        f"the mean expression of the shot: {still} mm",
    )


TASKS: tuple[Callable[[], Task], ...] = (learning, solving, transferring, posing, animating, capturing)


def front_table(folder: str) -> str:
    """The rows, linked from a page that sees the benchmarks in ``folder``."""
    rows = ["| task | measured on | rigcast | the usual way |", "| --- | --- | --- | --- |"]
    for row in (make() for make in TASKS):
        rows.append(f"| [{row.task}]({folder}/{row.page}) | {row.on} | {row.measured} | {row.usual} |")
    return "\n".join(rows)


def main() -> None:
    write_between_marks(SITE, front_table("benchmarks"))
    write_between_marks(REPOSITORY, front_table("docs/benchmarks"))


if __name__ == "__main__":
    main()
