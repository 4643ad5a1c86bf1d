"""Write the tables of formats into docs/how-to/files.md from the registry: ``python -m tests.docs.write_formats``."""

from __future__ import annotations

import re
from pathlib import Path

from rigcast._formats.registry import FORMATS, Content, Format, readers, written_endings

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "files.md"
FORMAT_HEAD = "| format | endings | is read | is written | options of the functions that read it | extra |\n"
CONTENT_HEAD = "| content | call | files |\n"


def tables() -> dict[str, str]:
    """The text of each table by the name of its marks."""
    contents = dict.fromkeys(content for form in FORMATS for content in form.reads)
    written = dict.fromkeys(content for form in FORMATS for content in form.writes)
    return {
        "formats": FORMAT_HEAD + "| --- " * 6 + "|\n" + "".join(map(_format_row, FORMATS)),
        "readers": CONTENT_HEAD + "| --- " * 3 + "|\n" + "".join(_content_row(c, tuple(readers(c))) for c in contents),
        "writers": CONTENT_HEAD + "| --- " * 3 + "|\n" + "".join(_content_row(c, written_endings(c)) for c in written),
    }


def with_tables(page: str) -> str:
    """A page with what stands between its marks written again."""
    for name, table in tables().items():
        marks = re.compile(rf"(<!-- {name}: [^\n]*-->\n).*?(<!-- end of {name} -->)", re.DOTALL)
        page, places = marks.subn(lambda found, table=table: f"{found[1]}{table}{found[2]}", page)
        assert places == 1, f"{PAGE.name} has {places} places for the table of {name}"
    return page


def _code(words: object) -> str:
    return " ".join(f"`{word}`" for word in words)  # type: ignore[attr-defined]


def _format_row(form: Format) -> str:
    options = sorted({option for reader in form.reads.values() for option in reader.options})
    read = ", ".join(content.words for content in form.reads)
    written = ", ".join(content.words for content in form.writes)
    if written and form.written not in ((), form.endings):
        written += f" ({_code(form.written)})"
    return f"| {form.name} | {_code(form.endings)} | {read} | {written} | {_code(options)} | {form.extra} |\n"


def _content_row(content: Content, endings: tuple[str, ...]) -> str:
    return f"| {content.words} | `{content.function.replace('rigcast', 'rc', 1)}` | {_code(endings)} |\n"


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
