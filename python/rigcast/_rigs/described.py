"""Rigs, meshes and motion in one line, and as a table in notebooks: in the form that models have."""

from __future__ import annotations

import html

from rigcast._text import escaped


class Described:
    """``repr`` and ``_repr_html_`` from a value's facts, and from ``name``, ``licence`` ... where it has them."""

    def _facts(self) -> list[str]:
        """The facts on it, empty ones left out: ``["3 joints", "1,122 vertices"]``."""
        raise NotImplementedError

    def __repr__(self) -> str:
        name = getattr(self, "name", "")
        facts = ", ".join(filter(None, self._facts()))
        return f"<{type(self).__name__}{f' {name!r}' if name else ''}: {facts}>"

    def _repr_html_(self) -> str:
        """The HTML that a notebook shows."""
        rows = {key: getattr(self, key, "") for key in ("name", "licence", "origin")}
        rows["holds"] = ", ".join(filter(None, self._facts()))
        rows["unit"] = _unit(getattr(self, "meters_per_unit", None), getattr(self, "up_axis", None))
        rows["notes"] = "; ".join(getattr(self, "notes", []))
        cells = [
            f"<tr><td>{key}</td><td>{html.escape(escaped(str(text)))}</td></tr>" for key, text in rows.items() if text
        ]
        return f"<table><caption>{type(self).__name__}</caption>{''.join(cells)}</table>"


def counted(count: int, one: str, many: str) -> str:
    """``12,345 vertices``, ``1 vertex``; nothing for none."""
    return f"{count:,} {one if count == 1 else many}" if count else ""


def _unit(meters: float | None, up_axis: str | None) -> str:
    return ", ".join(filter(None, ["" if meters is None else f"{meters:g} m", f"{up_axis} up" if up_axis else ""]))
