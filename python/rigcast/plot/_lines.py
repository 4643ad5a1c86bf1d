"""Lines over any quantity: error against distance, confidence against an angle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._validate import as_array, bad_argument, check_finite
from rigcast.plot._colors import SERIES
from rigcast.plot._drawing import legend, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = 7.0, 2.6  # inches


def lines(
    across: ArrayLike,
    values: ArrayLike | Mapping[str, ArrayLike],
    *,
    xlabel: str = "",
    ylabel: str = "",
    axis: Axes | None = None,
) -> Axes:
    """Draw one line per label over a quantity.

    Parameters
    ----------
    across : (N,)
        The quantity, at N places.
    values : (N,), or a mapping from labels to (N,)
        The first line is the strongest.
    xlabel, ylabel : str
        Names of the quantity and of the values, with their units.
    axis : matplotlib axes, optional
        Default: that of a new pyplot figure.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    ValueError
        If values have another length than ``across``, or numbers are not finite.
    rigcast._extras.MissingExtra
        Without matplotlib.

    Examples
    --------
    >>> import rigcast as rc
    >>> rc.plot.lines([1.0, 2.0, 4.0], {"error": [0.3, 0.2, 0.1]}, xlabel="distance, m")
    <Axes: xlabel='distance, m'>
    """
    places = _numbers("across", across, None)
    series = values if isinstance(values, Mapping) else {"": values}
    if not series:
        raise bad_argument("lines", "values", "empty", "one array, or one per label")
    checked = {str(label): _numbers("values", array, len(places)) for label, array in series.items()}
    chart: Axes = new_axes(1, 1, SIZE)[0] if axis is None else axis
    for number, (label, line) in enumerate(checked.items()):
        color, width = SERIES[number % len(SERIES)], 2.0 if number == 0 else 1.4
        chart.plot(places, line, color=color, linewidth=width, label=label, zorder=2 + len(checked) - number)
    chart.set(xlabel=xlabel, ylabel=ylabel)
    chart.margins(x=0)
    legend(chart.figure, chart, len(checked))
    return chart


def _numbers(argument: str, values: ArrayLike, count: int | None) -> NDArray[np.float64]:
    expected = "numbers (N,), N at least 1" if count is None else f"numbers ({count},)"
    array = as_array("lines", argument, values, expected)
    wrong_length = not array.size if count is None else array.shape != (count,)
    if array.dtype.kind not in "fiu" or array.ndim != 1 or wrong_length:
        raise bad_argument("lines", argument, f"{array.dtype} {array.shape}", expected)
    check_finite("lines", argument, array)
    return array.astype(np.float64)
