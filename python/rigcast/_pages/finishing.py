"""The last steps of a whole page: contents, terms, names for those who hear it, colors on white and on black."""

from __future__ import annotations

import re

from rigcast._pages.glossary import explained
from rigcast.plot import _colors as colors

FEWEST = 4  # sections of a page that has contents
CONTENTS, EXPLAINED = "<!--contents-->", "<!--terms-->"  # places of the layout

# name of a variable: on white, on black. Text has a contrast of at least 4.5 on the ground, lines of at least 2.
VARIABLES = {
    "paper": ("#ffffff", "#15191c"),
    "ink": (colors.INK, "#e6eaec"),
    "quiet": (colors.QUIET, "#a3adb3"),
    "rule": (colors.RULE, "#353d42"),
    "accent": (colors.ACCENT, "#62c4d9"),
    "soft": ("#eef5f6", "#1d2a2f"),
    "doubt": ("#b4532a", "#e89468"),
    "doubtful": ("#fbf3ee", "#2b211c"),
    "series-2": (colors.SERIES[2], "#a9b6be"),
    "series-3": (colors.SERIES[3], "#8d979d"),
    "series-4": (colors.SERIES[4], "#66727a"),
    "series-5": (colors.SERIES[5], "#b3a3d6"),
    "series-6": (colors.SERIES[6], "#93c47d"),
}
_NAMES = {light: name for name, (light, _) in VARIABLES.items()}
_STYLE = re.compile(r'style="[^"]*"')
_HEX = re.compile(r"#[0-9a-f]{6}\b")
_CHART = re.compile(r'<svg class="chart[ "].*?</svg>', re.DOTALL)


def finished(page: str) -> str:
    """A page with its contents, its terms, names of tables and charts, and colors that fit light and dark."""
    sections = re.findall(r'<section id="([\w-]+)">\n*<h2>(.*?)</h2>', page)
    if len(sections) >= FEWEST:
        entries = "\n".join(f'<li><a href="#{anchor}">{title}</a></li>' for anchor, title in sections)
        contents = f'<nav aria-label="Contents"><ol>\n{entries}\n</ol></nav>'
        page = page.replace(CONTENTS, contents, 1)
    terms = "\n".join(f'<dt id="{anchor}">{term}</dt><dd>{text}</dd>' for anchor, term, text in explained(page))
    if terms:
        folded = f'<details id="terms"><summary>What the terms mean</summary><dl>\n{terms}\n</dl></details>'
        page = page.replace(EXPLAINED, folded, 1)
    return adapted(_named(page.replace(CONTENTS, "").replace(EXPLAINED, "")))


def _named(page: str) -> str:
    """A page whose tables and charts are called, for those who hear it, what the heading above them says."""
    heading = ""

    def name(found: re.Match[str]) -> str:
        nonlocal heading
        if found[1] is not None:
            heading = re.sub(r"<.*?>", "", found[1])
            return found[0]
        return f'{found[0][:-1]} aria-label="{heading}"' + (' tabindex="0">' if found[0].startswith("<div") else ">")

    places = r'<h[23]>(.*?)</h[23]>|<div class="wide" role="region">|<svg class="chart[ "][^>]* role="img">'
    return re.sub(places, name, page)


def variables(which: int) -> str:
    """Declarations of all variables, 0 on white, 1 on black."""
    return " ".join(f"--{name}: {pair[which]};" for name, pair in VARIABLES.items())


def adapted(page: str) -> str:
    """A page whose charts and marks take their colors from the variables; charts with pictures inside keep theirs."""
    kept: list[str] = []

    def keep(chart: re.Match[str]) -> str:
        if "<image" not in chart[0] and not chart[0].startswith('<svg class="chart fixed"'):
            return chart[0]
        kept.append(chart[0].replace('class="chart"', 'class="chart fixed"', 1))
        return f"<!--chart {len(kept) - 1}-->"

    text = _STYLE.sub(lambda style: _HEX.sub(_variable, style[0]), _CHART.sub(keep, page))
    return re.sub(r"<!--chart (\d+)-->", lambda found: kept[int(found[1])], text)


def _variable(color: re.Match[str]) -> str:
    name = _NAMES.get(color[0])
    return color[0] if name is None else f"var(--{name})"
