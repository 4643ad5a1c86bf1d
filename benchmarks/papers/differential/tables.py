"""Tables 5 and 6 and figures 5 and 10 of Song et al. 2020, of models on the small face."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import rigcast as rc
from benchmarks.papers.differential.small_face import Sets
from benchmarks.papers.inverse.mismatched.kept import table

QUANTILES = (0.5, 0.9, 0.99, 0.999, 1.0)
POINTS, VECTORS, BONES, INFLUENCES, DECOMPOSED = 274, 200, 32, 8, 250
SHARES = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1)  # of the vertices, components of figure 5
AGENT = {"mean": (0.032, 0.127), "max": (0.630, 2.50)}  # table 5, centimeters and percent of the face's height
Answer = Callable[[np.ndarray, np.ndarray], np.ndarray]  # of poses, and of the truth where a method is given it


def errors_of(answer: Answer, found: Sets) -> dict[str, np.ndarray]:
    """Distances (T, V) in centimeters, by what is judged."""
    unit = 100.0 * float(found.rig.meters_per_unit)
    return {
        name: unit * np.linalg.norm(answer(poses, truth).astype(np.float64) - truth, axis=2)
        for name, (poses, truth) in found.judged().items()
    }


def sizes(found: Sets) -> str:
    """Table 1 in a sentence."""
    rest, unit = np.asarray(found.rig.rest_vertices), 100.0 * float(found.rig.meters_per_unit)
    wide, high = unit * np.ptp(rest, axis=0)[:2]
    return f"{len(rest):,} vertices, {found.rig.num_shapes} numerical controls; {high:.2f} cm high, {wide:.2f} cm wide."


def on_clips(errors: dict[str, np.ndarray], height: float) -> str:
    """Table 5: errors in centimeters and percent of the height of the face."""
    lines = [
        [name, str(len(apart)), *(f"{x:.4f} ({100 * x / height:.3f} %)" for x in (apart.mean(), apart.max()))]
        for name, apart in errors.items()
    ]
    cells = [f"{AGENT[key][0]} ({AGENT[key][1]} %)" for key in ("mean", "max")]
    lines.append(["Song et al. 2020, Agent, clips", "808", *cells])
    return table(["judged on", "poses", "mean, cm (of the face)", "max, cm (of the face)"], lines)


def rivals(found: Sets) -> dict[str, Answer]:
    """The methods of table 6, fitted to the same poses; skinning and KPSA by regression and given the truth."""
    rest, rows = np.asarray(found.rig.rest_vertices, np.float32), np.arange(len(found.training))
    _, poses, shapes = found.training.take(rows)
    samples = rc.baselines.Samples(None, rest, np.asarray(found.training.faces), np.asarray(poses), np.asarray(shapes))
    pca = rc.baselines.pca_regression(samples, components=128)
    ssdr = rc.baselines.ssdr(samples, bones=BONES, influences=INFLUENCES, most_frames=DECOMPOSED)
    bones = rc.baselines.skinning_decomposition(rest, samples.vertices[:DECOMPOSED], BONES, influences=INFLUENCES)
    kpsa = rc.baselines.kpsa(samples, points=POINTS, vectors=VECTORS)
    space = rc.baselines.key_point_subspace(samples.vertices, POINTS, VECTORS)
    return {
        "rest": lambda x, truth: np.broadcast_to(rest, truth.shape),
        "PCA + linear regression": lambda x, truth: pca.evaluate(x),
        f"SSDR, {BONES} bones, by regression": lambda x, truth: ssdr.evaluate(x),
        f"SSDR, {BONES} bones, given the judged frames": lambda x, truth: bones.bones_of(truth).evaluate(),
        f"KPSA, {POINTS} points, by regression": lambda x, truth: kpsa.evaluate(x),
        f"KPSA, {POINTS} points, given by the rig": lambda x, truth: space.reconstruct(truth[:, space.points]),
    }


def beside(methods: dict[str, dict[str, np.ndarray]]) -> str:
    """Table 6: mean and largest error by method."""
    judged = list(next(iter(methods.values())))
    lines = [
        [name, *(f"{errors[one].mean():.4f}, {errors[one].max():.3f}" for one in judged)]
        for name, errors in methods.items()
    ]
    return table(["mean, max, cm", *judged], lines)


def distribution(methods: dict[str, dict[str, np.ndarray]]) -> str:
    """Figure 10: how errors are distributed over vertices and frames of all that is judged."""
    lines = []
    for name, errors in methods.items():
        every = np.concatenate([apart.ravel() for apart in errors.values()])
        lines.append([name, *(f"{np.quantile(every, q):.4f}" for q in QUANTILES)])
    return table(["cm", *(f"{100 * q:g} %" for q in QUANTILES)], lines)


def prediction_error(model: rc.Deformer, found: Sets) -> float:
    """Figure 5: the mean squared error of delta coordinates on the test poses, in square centimeters."""
    poses = np.asarray(found.test.poses)
    truth = np.asarray(found.rig.evaluate(poses, threads=1))
    count = len(found.rig.rest_vertices)
    encoder = rc.differential.Reconstructor(np.asarray(found.training.faces), count, np.arange(count))
    unit = 100.0 * float(found.rig.meters_per_unit)
    apart = encoder.encode((np.asarray(model.evaluate(poses)) - truth).astype(np.float32), threads=1)
    return float(np.square(unit * apart.astype(np.float64)).mean())


def by_components(trained: Callable[[int], rc.Deformer], found: Sets) -> str:
    """Figure 5: the error of a model for each number of components."""
    count, lines = len(found.rig.rest_vertices), []
    for share in SHARES:
        model = trained(round(share * count))
        apart = errors_of(lambda x, truth, model=model: model.evaluate(x), found)
        first = next(iter(apart.values()))
        lines.append([f"{100 * share:g} %", f"{prediction_error(model, found):.3e}", f"{first.mean():.4f}"])
    return table(["components, of the vertices", "MSE of delta coordinates, cm2", "mean error, cm"], lines)
