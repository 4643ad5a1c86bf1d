"""Every page of benchmarks shows one chart, below its main table, and the script draws it."""

from __future__ import annotations

import re

import pytest
from benchmarks.marks import ROOT

FOLDER = ROOT / "docs" / "benchmarks"
FIGURES = ROOT / "docs" / "figures"
PAGES = sorted(set(FOLDER.glob("*.md")) - {FOLDER / "index.md", FOLDER / "papers.md"})
CHART = re.compile(r"!\[([^\]]*)\]\(\.\./figures/benchmark_(\w+)\.svg\)")
BELOW_A_TABLE = re.compile(r"^<!-- end of [^>]+ -->\n\n!\[[^\]]*\]\(\.\./figures/benchmark_", re.MULTILINE)
LEAST = 40  # letters of the words for those who do not see it


def charts(page):
    return CHART.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_shows_its_chart_below_a_table(page):
    assert [name for _, name in charts(page)] == [page.stem], "docs/figures/draw_benchmarks.py draws one per page"
    assert [words for words, _ in charts(page) if len(words) < LEAST] == []
    assert (FIGURES / f"benchmark_{page.stem}.svg").is_file()
    assert BELOW_A_TABLE.search(page.read_text(encoding="utf-8"))


def test_the_script_draws_the_charts_of_all_pages_and_no_others():
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from docs.figures.draw_benchmarks import CHARTS

    drawn = sorted(chart.__name__ for chart in CHARTS)
    assert drawn == [page.stem for page in PAGES]
    assert drawn == sorted(path.stem.removeprefix("benchmark_") for path in FIGURES.glob("benchmark_*.svg"))
