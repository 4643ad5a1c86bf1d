"""Results of checks as JUnit XML, which servers of continuous integration read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from rigcast._atomic_files import atomic_write
from rigcast._text import escaped


@dataclass(frozen=True)
class CheckedCase:
    """One check.

    Attributes
    ----------
    name : str
    failure : str
        What is wrong in one line; empty if nothing is.
    details : str
        Of a failure.
    """

    name: str
    failure: str = ""
    details: str = ""


def write_junit(path: str | os.PathLike[str], suite: str, group: str, cases: Sequence[CheckedCase]) -> Path:
    """Write cases as one test suite, whole or not at all.

    Parameters
    ----------
    path : path-like
    suite, group : str
        The suite's name, and what servers call the class of the cases.
    cases : sequence of CheckedCase
    """
    counts = {"tests": str(len(cases)), "failures": str(sum(bool(case.failure) for case in cases)), "errors": "0"}
    root = ElementTree.Element("testsuites")
    inside = ElementTree.SubElement(root, "testsuite", {"name": escaped(suite), **counts})
    for case in cases:
        entry = ElementTree.SubElement(inside, "testcase", {"classname": escaped(group), "name": escaped(case.name)})
        if case.failure:
            failure = ElementTree.SubElement(entry, "failure", {"message": escaped(case.failure), "type": "perceived"})
            failure.text = "\n".join(map(escaped, case.details.splitlines()))
    ElementTree.indent(root)
    atomic_write(path, ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n")
    return Path(path)
