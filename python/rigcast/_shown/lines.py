"""One line and one table of any object, from the facts on it: never the numbers of an array."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping

from rigcast._shown.picture import rest_picture
from rigcast._text import escaped, shortened

LONGEST_LINE = 120  # characters of a repr
LONGEST_CELL = 600  # characters of a cell in a notebook
LEFT = 'style="text-align:left"'  # Jupyter sets cells flush right; colors are the notebook's, dark or light


def line(kind: str, name: str, facts: Iterable[str]) -> str:
    """``<Kind 'name': fact, fact>`` in at most 120 characters; what does not fit ends as ``...``."""
    title = f"<{kind}" + (f" {shortened(escaped(name), 40)!r}" if name else "")
    stated = [escaped(fact) for fact in facts if fact]
    whole = f"{title}: {', '.join(stated)}>" if stated else f"{title}>"
    return whole if len(whole) <= LONGEST_LINE else cut(whole)


def cut(whole: str) -> str:
    """A line that is too long, cut after the last fact that fits."""
    if len(whole) <= LONGEST_LINE:
        return whole
    kept = whole[: LONGEST_LINE - 6].rpartition(", ")[0]
    return f"{kept or whole[: LONGEST_LINE - 6]}, ...>"


def html_table(caption: str, rows: Mapping[str, str], shown: object = None) -> str:
    """The HTML that a notebook shows of an object: one row per fact that is not empty, and its rest pose.

    Parameters
    ----------
    caption : str
    rows : mapping of str to str
    shown : object, optional
        What has ``rest_vertices`` (or ``vertices``) and ``faces``; anything else has no picture.
    """
    stated = [(name, shortened(escaped(text), LONGEST_CELL)) for name, text in rows.items() if text]
    cells = [f"<tr>{_cell(name)}{_cell(text)}</tr>" for name, text in stated]
    return f"<table><caption>{html.escape(caption)}</caption>{''.join(cells)}</table>{rest_picture(shown)}"


def _cell(text: str) -> str:
    return f"<td {LEFT}>{html.escape(text)}</td>"


class Described:
    """``repr`` and ``_repr_html_`` from a value's facts, and from ``name``, ``licence`` ... where it has them."""

    def _facts(self) -> list[str]:
        """The facts on it, empty ones left out: ``["3 joints", "1,122 vertices"]``."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return line(type(self).__name__, str(getattr(self, "name", "") or ""), self._facts())

    def _repr_html_(self) -> str:
        """The HTML that a notebook shows."""
        rows = {key: str(getattr(self, key, "") or "") for key in ("name", "licence", "origin")}
        rows["holds"] = ", ".join(filter(None, self._facts()))
        rows["unit"] = unit_words(getattr(self, "meters_per_unit", None), getattr(self, "up_axis", None))
        rows["notes"] = "; ".join(map(str, getattr(self, "notes", [])))
        return html_table(type(self).__name__, rows, self)


def counted(count: int, one: str, many: str) -> str:
    """``12,345 vertices``, ``1 vertex``; nothing for none."""
    return f"{count:,} {one if count == 1 else many}" if count else ""


def unit_words(meters: float | None, up_axis: str | None) -> str:
    """``0.01 m, Y up``."""
    return ", ".join(filter(None, ["" if meters is None else f"{meters:g} m", f"{up_axis} up" if up_axis else ""]))
