"""Charts over the frames of a shot: weights, and errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._validate import as_array, bad_argument, check_finite
from rigcast.plot._colors import ACCENT, INK, SERIES
from rigcast.plot._drawing import legend, new_axes, plain_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STRONGEST = 9  # weights drawn
ACROSS = 3  # charts in a row
LEAST = 1e-4  # smaller errors are drawn here: zero has no place on a logarithmic scale

Array = NDArray[np.float64]


def curves(
    weights: ArrayLike | Mapping[str, ArrayLike],
    names: Sequence[str] | None = None,
    *,
    truth: ArrayLike | None = None,
    chosen: Sequence[int | str] | None = None,
    bounds: ArrayLike | None = None,
    axes: Sequence[Axes] | None = None,
) -> NDArray[np.object_]:
    """Draw weights over the frames, one chart per weight.

    Parameters
    ----------
    weights : (T, K), or a mapping from labels to (T, K)
        Several are drawn over each other, the first one strongest.
    names : K strings, optional
        Default: the numbers of the columns.
    truth : array_like, shape (T, K), optional
        Drawn dotted.
    chosen : sequence of int or str, optional
        Columns, by number or name. Default: the nine with the largest mean weight.
    bounds : array_like, shape (2,) or (K, 2), optional
        The charts show these and 0. Default: what the curves need.
    axes : sequence of matplotlib axes, optional
        One per chart. Default: a new pyplot figure.

    Returns
    -------
    (charts,) array of matplotlib axes

    Raises
    ------
    ValueError
        If sizes differ, numbers are not finite or a name is unknown.
    rigcast._extras.MissingExtra
        Without matplotlib.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> weights = np.linspace(0, 1, 24)[:, None] * np.ones(rig.num_shapes)
    >>> axes = rc.plot.curves(weights, rig.shape_names, chosen=["jawOpen"])
    """
    series = _series("curves", "weights", weights, 2)
    shape = next(iter(series.values())).shape
    known = None if truth is None else _numbers("curves", "truth", truth, 2)
    for label, array in [*series.items(), *([] if known is None else [("truth", known)])]:
        if array.shape != shape:
            raise bad_argument("curves", "weights", f"of shapes {shape} and {array.shape} ({label})", "of one shape")
    titles = [str(k) for k in range(shape[1])] if names is None else list(names)
    if len(titles) != shape[1]:
        raise bad_argument("curves", "names", f"{len(titles)} strings", f"one per column, {shape[1]}")
    shown = strongest(next(iter(series.values()))) if chosen is None else _columns(chosen, titles)
    across = min(ACROSS, len(shown))
    if axes is None:
        rows = -(-len(shown) // ACROSS)
        across = -(-len(shown) // rows)
        panels = new_axes(rows, across, (10.2 / max(across, 2) * across, 1.6 * rows + 0.5), sharex=True, sharey=True)
    else:
        panels = np.array(list(axes), object)
    if len(panels) < len(shown):
        raise bad_argument("curves", "axes", f"{len(panels)} axes", f"one per chart, {len(shown)}")
    for axis, k in zip(panels, shown, strict=False):
        _draw(axis, {label: array[:, k] for label, array in series.items()}, None if known is None else known[:, k])
        axis.set_title(titles[k], loc="left", fontsize=10)
    for axis in panels[len(shown) :]:
        axis.set_visible(False)
    _finish(panels[: len(shown)], across, shown, bounds, lines=len(series) + (known is not None))
    return panels[: len(shown)]


def error_curves(
    values: ArrayLike | Mapping[str, ArrayLike], *, unit: str = "mm", log: bool = True, axis: Axes | None = None
) -> Axes:
    """Draw errors over the frames, one line each.

    Parameters
    ----------
    values : (T,), or a mapping from labels to (T,)
        At least 0; the first line is the strongest.
    unit : str
        Of the values, written at the axis.
    log : bool
        Whether the scale is logarithmic; values below 1e-4 are drawn there.
    axis : matplotlib axes, optional
        Default: that of a new pyplot figure.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    ValueError
        If values are not finite or have another shape.
    rigcast._extras.MissingExtra
        Without matplotlib.

    Examples
    --------
    >>> ours, skinning = 0.05 * np.ones(24), np.linspace(1, 8, 24)  # mm, one per frame
    >>> axes = rc.plot.error_curves({"learned": ours, "linear skinning": skinning})
    """
    series = _series("error_curves", "values", values, 1)
    chart: Axes = new_axes(1, 1, (7.0, 3.0))[0] if axis is None else axis
    lines = [
        (label, line, SERIES[place % len(SERIES)], place == 0) for place, (label, line) in enumerate(series.items())
    ]
    error_lines(chart, lines, LEAST if log else None)
    chart.set(xlabel="frame", ylabel=f"error, {unit}" if unit else "error")
    if not log:
        chart.set_ylim(bottom=0)
    legend(chart.figure, chart, len(series))
    return chart


def error_lines(axis: Any, lines: Sequence[tuple[str, Array, str, bool]], least: float | None) -> None:
    """Lines (label, values (T,), color, strong) over frames; on a logarithmic scale from ``least``, or a linear one."""
    for label, values, color, strong in lines:
        shown = values if least is None else np.maximum(values, least)
        axis.plot(shown, color=color, linewidth=2.0 if strong else 1.2, label=label)
    if least is not None:
        axis.set_yscale("log")
        plain_numbers(axis.yaxis)
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.margins(x=0)


def strongest(weights: Array, count: int = STRONGEST) -> NDArray[np.int64]:
    """Columns of weights (T, K) with the largest mean size, the largest first."""
    order = np.argsort(-np.abs(weights).mean(axis=0), kind="stable")
    return order[: min(count, len(order))]


def _draw(axis: Any, series: Mapping[str, Array], truth: Array | None) -> None:
    """The curves of one weight: the first filled, the truth dotted."""
    for place, (label, values) in enumerate(series.items()):
        color = ACCENT if place == 0 else SERIES[place % len(SERIES)]
        if place == 0:
            axis.fill_between(np.arange(len(values)), values, color=color, alpha=0.16, linewidth=0)
        axis.plot(values, color=color, linewidth=1.6, label=label, zorder=2 + len(series) - place)
    if truth is not None:
        axis.plot(truth, color=INK, linewidth=1.2, linestyle=(0, (1, 2)), label="truth", zorder=2 + len(series) + 1)
    axis.margins(x=0)
    axis.xaxis.get_major_locator().set_params(integer=True)


def _finish(panels: NDArray[Any], across: int, shown: Any, bounds: ArrayLike | None, lines: int) -> None:
    if bounds is not None:
        table = np.asarray(bounds, np.float64)
        low, high = (np.broadcast_to(table, (1, 2)) if table.ndim == 1 else table[shown]).T
        panels[0].set_ylim(min(0.0, float(low.min())), max(float(high.max()), 1e-6) * 1.02)
    for axis in panels[max(0, len(panels) - across) :]:
        axis.set_xlabel("frame")
        axis.tick_params(labelbottom=True)  # also where the row below has fewer charts
    legend(panels[0].figure, panels[0], lines)


def _series(function: str, argument: str, values: ArrayLike | Mapping[str, ArrayLike], rank: int) -> dict[str, Array]:
    given = values if isinstance(values, Mapping) else {"": values}
    if not given:
        raise bad_argument(function, argument, "empty", "one array, or one per label")
    return {str(label): _numbers(function, argument, array, rank) for label, array in given.items()}


def _numbers(function: str, argument: str, values: ArrayLike, rank: int) -> Array:
    expected = "numbers (T, K), none of them 0" if rank == 2 else "numbers (T,), T at least 1"
    array = as_array(function, argument, values, expected)
    if array.dtype.kind not in "fiu" or array.ndim != rank or not array.size:
        raise bad_argument(function, argument, f"{array.dtype} {array.shape}", expected)
    check_finite(function, argument, array)
    return array.astype(np.float64)


def _columns(chosen: Sequence[int | str], names: list[str]) -> NDArray[np.int64]:
    found = []
    for entry in chosen:
        if isinstance(entry, str) and entry not in names:
            raise bad_argument("curves", "chosen", f"with {entry!r}", f"names or numbers of {len(names)} columns")
        number = names.index(entry) if isinstance(entry, str) else int(entry)
        if not 0 <= number < len(names):
            raise bad_argument("curves", "chosen", f"with {number}", f"names or numbers of {len(names)} columns")
        found.append(number)
    if not found:
        raise bad_argument("curves", "chosen", "empty", "at least one column")
    return np.array(found, np.int64)
