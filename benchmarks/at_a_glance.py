"""Writes the figures at a glance: ``python -m benchmarks.at_a_glance``.

They stand in docs/benchmarks/index.md, and every number is read from the tables that the benchmarks wrote between their
marks, so that none is typed twice. A test fails while they differ from the tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.marks import write_between_marks
from benchmarks.written_tables import WrittenTable, met, missed_cells

INDEX = "benchmarks at a glance"


@dataclass(frozen=True)
class Answer:
    """A row of the index: figures beside the strongest peers, and goals with their verdicts."""

    system: str
    page: str
    measured: str
    goals: str = "none"


def learned_bodies() -> Answer:
    error, speed = WrittenTable("accuracy"), WrittenTable("speed of bodies")
    ours, theirs = (error.number(row, "random") for row in ("learned model", "linear skinning, K = 4"))
    faster = speed.number("PyTorch: one pose", "against")
    measured = f"{ours} mm on random poses, linear skinning {theirs} mm; one pose {faster} x PyTorch"
    return Answer("Learned bodies", "learned_bodies.md", measured, f"5 x PyTorch: {met(faster >= 5)}")


def posing() -> Answer:
    table = WrittenTable("posing figures")
    knee, arm = (table.number(f"session, {part}", "against") for part in ("knee", "arm"))
    goals = f"{table.cell('session, knee', 'goal')}; {table.cell('session, arm', 'goal')}"
    measured = f"one joint moves: {knee} x the whole model; an arm: {arm} x"
    return Answer("Landmarks and sessions", "landmarks_and_sessions.md", measured, goals)


def baselines() -> Answer:
    table = WrittenTable("baselines at a glance")
    bodies = [table.number(row, "x the model") for row in table.names() if row.startswith(("Antonia", "Demo body"))]
    face = table.number("Production face, performance", "x the model")
    measured = f"the best simple method misses by {min(bodies)} to {max(bodies)} times as much as a learned body"
    goals = f"2 times on bodies: {met(min(bodies) >= 2)}; on a face learned in 4 minutes ({face}): {met(face >= 2)}"
    return Answer("Baselines", "baselines.md", measured, goals)


def which_model() -> Answer:
    table = WrittenTable("models by character")
    body = table.number("Antonia, motion capture, as captured", "mean", nth=0)
    maps = table.number("Production face, performance", "mean", nth=1)
    measured = (
        f"bodies: a learned body, {body} mm on motion capture; faces: deformation maps, {maps} mm on a performance"
    )
    return Answer("Which model", "which_model.md", measured)


def deformation_maps() -> Answer:
    error, speed = WrittenTable("accuracy of deformation maps"), WrittenTable("speed of deformation maps")
    ours, simple = (error.number("performance", "mean", nth=n) for n in (0, 2))
    faster = [speed.number(row, "PyTorch", which=-1) for row in ("every texel, 1 pose", "charts, 1 pose")]
    goal = error.number("performance", "goal")
    accuracy = f"{ours} mm on a performance, the best simple method {simple} mm"
    measured = f"{accuracy}; one pose {min(faster)} to {max(faster)} x PyTorch"
    goals = f"{goal} mm: {met(ours <= goal)}; 6 x PyTorch: {met(min(faster) >= 6)}"
    return Answer("Deformation maps", "deformation_maps.md", measured, goals)


def differential_subspace() -> Answer:
    error, speed = WrittenTable("accuracy of differential subspaces"), WrittenTable("speed of differential subspaces")
    ours, local = (error.number("performance", "mean", nth=n) for n in (0, 1))
    faster = speed.number("one pose", "x", nth=3)
    measured = f"{ours} mm on a performance, the same network on offsets {local} mm; one pose {faster} x PyTorch"
    return Answer("Differential subspaces", "differential_subspace.md", measured, f"4 x PyTorch: {met(faster >= 4)}")


def stated_error() -> Answer:
    table = WrittenTable("stated error")
    fresh, clip = (table.number(row, "within") for row in ("random poses", "walk"))
    width = table.number("random poses", "constants per vertex", which=1)
    measured = (
        f"the bound holds for {fresh} % of vertices on fresh poses, {clip} % on a walk; {width} x as wide as constants"
    )
    goals = f"93 to 97 %: {met(93 <= fresh <= 97)}; half as wide as constants: {met(width <= 0.5)}"
    return Answer("Stated errors", "stated_error.md", measured, goals)


def engine_shapes() -> Answer:
    table, body = WrittenTable("shapes for engines"), "Antonia, learned"
    linear, shaped = (table.number(body, "99.9 %", nth=n) for n in (0, 4))
    size, exact = (table.number(body, "MB", nth=n) for n in (4, 10))
    measured = (
        f"32 shapes with keys: 99.9 % of vertices within {shaped} mm of a learned body, linear skinning {linear} mm"
    )
    return Answer("Shapes for engines", "engine_shapes.md", f"{measured}; {size} MB, exact vertices {exact} MB")


def inverse_rig() -> Answer:
    table, ict = WrittenTable("inverse figures"), WrittenTable("inverse details")
    peer = "L-BFGS-B, analytic gradient"
    rate, faster = table.number("ours, in a shot", 0, which=1), table.number(peer, "ours in a shot")
    face = ict.number("ours, in a shot", 0, which=1)
    measured = (
        f"{rate:,.0f} frames/s, {faster:.0f} x L-BFGS-B at the same objective; {face:,.0f} frames/s on 26,719 vertices"
    )
    goals = f"5,000 frames/s: {met(rate >= 5000)}; 300 x: {met(faster >= 300)}"
    goals += f"; 4,000 frames/s on the latter: {met(face >= 4000)}"
    return Answer("The inverse rig", "inverse_rig.md", measured, goals)


def mismatch() -> Answer:
    table = WrittenTable("inverse mismatch")
    ours, published = "pairs: ours", "pairs: MM from Cet, released code"
    error = table.number(ours, "95th") / table.number(published, "95th")
    weights = [table.number(row, "weights > 0") for row in (ours, published)]
    measured = f"{error:.2f} times the error of the published method as released"
    measured += f", with {weights[0]:.0f} weights in place of {weights[1]:.0f}"
    return Answer("The inverse rig under mismatch", "inverse_rig_mismatch.md", measured)


def kinematics() -> Answer:
    table = WrittenTable("iterative solves")
    body, cold, warm = (
        table.number(row, "ratio")
        for row in ("8 targets", "8 joints, plain skeleton, cold", "8 joints, plain skeleton, warm")
    )
    measured = f"eight targets on a learned body: {body:.0f} x SciPy; plain skeletons: {warm} to {cold} x mink"
    goals = f"100 x SciPy: {met(body >= 100)}; 10 x mink: {met(cold >= 10)} cold, {met(warm >= 10)} warm"
    return Answer("Inverse kinematics", "inverse_kinematics.md", measured, goals)


def blendshapes() -> Answer:
    table = WrittenTable("forward figures")
    ratios = table.numbers("ratio")
    measured = f"100 heads in {min(ratios)} to {max(ratios)} times the time of one matrix product"
    return Answer("Blendshapes forward", "blendshapes.md", measured, f"at most 1.2 times: {met(max(ratios) <= 1.2)}")


def level_of_detail() -> Answer:
    table = WrittenTable("level of detail")
    by_clip, alone = (table.number(row, "motion missing", which=1) for row in ("RMS, as the clip", "RMS displacement"))
    measured = f"half of the shapes leave {alone:.0f} % of the motion; ranked by use in the clip, {by_clip:.0f} %"
    return Answer("Level of detail", "level_of_detail.md", measured)


def packing() -> Answer:
    table = WrittenTable("packing figures")
    first, whole = table.numbers("HiGHS, maximal rows (20 x)"), table.numbers("HiGHS, maximal rows (40 x)")
    measured = f"first expression {min(first):.0f} to {max(first):.0f} x HiGHS at its best"
    measured += f", whole sequence {min(whole):.0f} to {max(whole):.0f} x"
    goals = f"20 x: missed in {missed_cells(first, 20)} of {len(first)} rows; 40 x: missed in {missed_cells(whole, 40)}"
    return Answer("Packing expressions", "packing.md", measured, goals)


def packed_examples() -> Answer:
    table = WrittenTable("packed examples")
    rows = ("packing, optimal", "filled at random", "most important single")
    packed, random, single = (table.number(row, "5 examples") for row in rows)
    measured = f"five scans: {packed} mm, at random {random} mm, the most important single units {single} mm"
    return Answer("Examples chosen by packing", "packed_examples.md", measured)


def transfer() -> Answer:
    table = WrittenTable("transfer figures")
    per_shape = [table.number("the same", "ours is faster", nth=n) for n in range(3)]
    once = [table.number("its head alone", "ours is faster", nth=n) for n in range(3)]
    measured = f"{min(once)} to {max(once)} x libraries that factor once"
    measured += f", {min(per_shape)} to {max(per_shape)} x a factorization per shape"
    return Answer("Deformation transfer", "transfer.md", measured, f"20 x per shape: {met(min(per_shape) >= 20)}")


def latent_spaces() -> Answer:
    table, step = WrittenTable("held out"), WrittenTable("latent steps")
    shares = table.numbers("of 3 components")
    faster = step.number("800 frames, likelihood, exact", "ratio")
    measured = f"held-out poses at {min(shares)} to {max(shares)} times the distance of three components"
    measured += f"; an exact step {faster} x NumPy"
    goals = f"0.7 times: {met(max(shares) <= 0.7)}; 2.5 x NumPy: {met(faster >= 2.5)}"
    return Answer("Latent spaces", "latent_spaces.md", measured, goals)


def synthetic_actors() -> Answer:
    known, own = WrittenTable("refined faces"), WrittenTable("corrected frames in one line")
    first, at_first, corrected = known.said(r"^([\d.]+) mm"), own.said(r"^([\d.]+) mm"), own.said(r", ([\d.]+) after")
    measured = f"rendered faces alone: {first} mm on a known rig; {at_first} mm on shapes that are not the actor's"
    measured += f", {corrected} after ten corrected frames"
    goals = f"0.5: {met(first <= 0.5)}; 0.8: {met(at_first <= 0.8)}; 0.6: {met(corrected <= 0.6)}"
    return Answer("Synthetic actors", "synthetic_actors.md", measured, goals)


def farm() -> Answer:
    table = WrittenTable("farm runs")
    times = [table.cell("one set of 20,000 poses", "time", nth=n) for n in (1, 2, 3)]
    return Answer(
        "A farm of 10,000 processors",
        "farm.md",
        f"simulated: 20,000 poses in {times[0]} on 100, {times[1]} on 1,000, {times[2]} on 10,000",
    )


def gpu() -> Answer:
    table = WrittenTable("GPU parts")
    shapes, inverse = "`python -m benchmarks.systems.cuda.blendshapes`", "`python -m benchmarks.systems.cuda.inverse`"
    if any(table.cell(row, "measured").startswith("not run") for row in (shapes, inverse)):
        heads, frames = table.number(shapes, "predicted"), table.number(inverse, "predicted")
        predicted = f"no device has run the kernels; predicted: 100 heads in {heads} ms, the inverse rig {frames:,.0f}"
        return Answer("GPU", "gpu.md", f"{predicted} frames/s on an H100", "20 x and 200,000 frames/s: not run")
    faster, frames = table.number(shapes, "measured", which=2), table.number(inverse, "measured")
    heads_text = f"100 heads in {table.number(shapes, 'measured')} ms, {faster} x one kernel per head"
    measured = f"{heads_text}; the inverse rig {frames:,.0f} frames/s"
    goals = f"20 x: {met(faster >= 20)}; 200,000 frames/s: {met(frames >= 200_000)}"
    return Answer("GPU", "gpu.md", measured, goals)


ANSWERS: tuple[Callable[[], Answer], ...] = (
    learned_bodies,
    posing,
    baselines,
    which_model,
    deformation_maps,
    differential_subspace,
    stated_error,
    engine_shapes,
    inverse_rig,
    mismatch,
    kinematics,
    blendshapes,
    level_of_detail,
    packing,
    packed_examples,
    transfer,
    latent_spaces,
    synthetic_actors,
    farm,
    gpu,
)


def index_table() -> str:
    """All systems: figures beside their peers, goals, verdicts."""
    rows = ["| system | measured, beside its peer | goal |", "| --- | --- | --- |"]
    rows += [f"| [{a.system}]({a.page}) | {a.measured} | {a.goals} |" for a in (make() for make in ANSWERS)]
    return "\n".join(rows)


def main() -> None:
    write_between_marks(INDEX, index_table())


if __name__ == "__main__":
    main()
